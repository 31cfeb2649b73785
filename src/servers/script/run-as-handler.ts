import { CallError } from "../../envelope/call-error.js";
import type { SkippedSource } from "../../envelope/hints.js";
import { isResponseEnvelope, localEnvelope, type ResponseEnvelope } from "../../envelope/response-envelope.js";
import type { Warning } from "../../envelope/warning.js";
import { told } from "../../json/told.js";
import type { HandlerContext } from "../../registry/context.js";
import { withMoreHints } from "../../registry/failure-hints.js";
import type { AnyHandler, OperationSpec } from "../../registry/operation.js";
import { type Helper, helperFor } from "./helper.js";
import { helperFailure } from "./helper-failure.js";

type Run = (helper: Helper<never>, context: HandlerContext) => unknown;

/** What a helper does, as the handler of an operation: it says the same in another process as in its own. */
export function runAsHandler(spec: OperationSpec, run: Run): AnyHandler {
  const begin = spec.type === "subscription" ? answers : answer;
  return (input, context) => begin(spec, run, input, context);
}

async function answer(spec: OperationSpec, run: Run, input: unknown, context: HandlerContext): Promise<unknown> {
  const { helper, skipped } = helperFor(input, context);
  try {
    const data = await run(helper as Helper<never>, context);
    if (isIterable(data) && !Array.isArray(data) && Symbol.asyncIterator in data) throw notOne(context);
    return withSkipped(data, skipped, context);
  } catch (thrown) {
    throw failure(thrown, spec, skipped, context);
  }
}

async function* answers(
  spec: OperationSpec,
  run: Run,
  input: unknown,
  context: HandlerContext,
): AsyncGenerator<unknown> {
  const { helper, skipped } = helperFor(input, context);
  try {
    const values = await run(helper as Helper<never>, context);
    if (!isIterable(values)) throw notMany(values, context);
    for await (const value of values) yield withSkipped(value, skipped, context);
  } catch (thrown) {
    throw failure(thrown, spec, skipped, context);
  }
}

function isIterable(value: unknown): value is AsyncIterable<unknown> | Iterable<unknown> {
  return typeof value === "object" && value !== null && (Symbol.asyncIterator in value || Symbol.iterator in value);
}

/** Written as it is, it would be an answer without any data. */
function notOne({ operationId }: HandlerContext): CallError {
  const message = `${operationId} returned an async iterable, which is many answers. Say type: "subscription", or return one value.`;
  return new CallError({ category: "internal", message });
}

function notMany(value: unknown, { operationId }: HandlerContext): CallError {
  const message = `The subscription ${operationId} returned ${told(value)}. Return an async iterable, such as an async generator.`;
  return new CallError({ category: "internal", message });
}

function failure(
  thrown: unknown,
  { errorSchemas }: OperationSpec,
  skipped: readonly SkippedSource[],
  { operationId }: HandlerContext,
): CallError {
  const error = helperFailure(thrown, operationId, errorSchemas);
  return withMoreHints(error, skipped.length === 0 ? undefined : { skippedSources: skipped });
}

/** Plain data, unless something was skipped: then an envelope tells so. */
function withSkipped(data: unknown, skipped: readonly SkippedSource[], context: HandlerContext): unknown {
  if (skipped.length === 0) return data;
  const { operationId, requestId } = context;
  const { data: inner, meta }: ResponseEnvelope = isResponseEnvelope(data) ? data : localEnvelope(data, operationId);
  const warnings = [skippedWarning(skipped), ...(meta.warnings ?? [])];
  return { data: inner, meta: { requestId, ...meta, skippedSources: [...skipped], warnings } };
}

export function skippedWarning(skipped: readonly SkippedSource[]): Warning {
  const names = skipped.map((source) => (typeof source === "string" ? source : String(source["source"])));
  return { code: "SOURCES_SKIPPED", message: `Sources skipped: ${names.join(", ")}` };
}
