import { CallError } from "../envelope/call-error.js";
import type { ResponseHints } from "../envelope/hints.js";
import { isResponseEnvelope, type ResponseEnvelope, type ResponseMeta } from "../envelope/response-envelope.js";
import type { Warning } from "../envelope/warning.js";
import { isEqual } from "../json/value.js";
import { type CompiledSchema, compile } from "../schema/compile.js";
import { schemaOfAnswer } from "./answer-schema.js";
import type { CallContext } from "./context.js";
import type { Entry } from "./entry.js";

/** What a handler returned, as the envelope that its caller gets: wrapped where it is not one, and normalised. */
export function answer(entry: Entry, context: CallContext, result: unknown): ResponseEnvelope {
  if (isResponseEnvelope(result)) return passOn(entry, context, result);
  const { value, warnings } = fitted(entry, entry.output, result);
  const hints = context.takeHints();
  const meta = localMeta(entry.id, context.givenRequestId);
  return { data: value, meta: hints === undefined && warnings.length === 0 ? meta : withHints(meta, hints, warnings) };
}

/** The origin in one literal: this is most of what a small call makes. */
function localMeta(operationId: string, requestId: string | undefined): ResponseMeta {
  return requestId === undefined
    ? { source: "local", operationId, timestamp: Date.now() }
    : { source: "local", operationId, timestamp: Date.now(), requestId };
}

/** A handler's own envelope stays the same object, with the data that its schema wants. */
function passOn(entry: Entry, context: CallContext, envelope: ResponseEnvelope): ResponseEnvelope {
  const hints = context.takeHints();
  const { value, warnings } = holdsData(envelope)
    ? fitted(entry, outputOf(entry, envelope), envelope.data)
    : { value: envelope.data, warnings: NONE };
  const changed = value !== envelope.data || hints !== undefined || warnings.length > 0;
  if (!changed) return envelope;
  const meta = withHints(envelope.meta, hints, warnings);
  // What was said in one call must not be found in an envelope that the handler keeps for the next.
  if (hints !== undefined) return { data: value, meta };
  try {
    envelope.data = value;
    envelope.meta = meta;
    return envelope;
  } catch {
    // It is frozen, or its fields are getters.
    return { data: value, meta };
  }
}

/** What a tool says of its failure, and content that is only meant to be shown, follow no schema. */
function holdsData({ data, meta }: ResponseEnvelope): boolean {
  return meta.source !== "mcp" || (!meta.isError && !isEqual(data, meta.content));
}

function outputOf(entry: Entry, envelope: ResponseEnvelope): CompiledSchema {
  const own = schemaOfAnswer(envelope);
  return own === undefined ? entry.output : compile(own);
}

interface Fitted {
  readonly value: unknown;
  readonly warnings: readonly Warning[];
}

const NONE: readonly Warning[] = [];

function fitted({ id, policy }: Entry, output: CompiledSchema, data: unknown): Fitted {
  if (policy === "off" || output.acceptsAll) return { value: data, warnings: output.warnings };
  if (policy === "normalise" || policy === "cast") return normalised(output, data, policy === "cast");
  const issues = output.issues(data);
  if (issues.length === 0) return { value: data, warnings: output.warnings };
  if (policy === "strict") {
    throw new CallError({
      category: "execution",
      code: "OUTPUT_MISMATCH",
      message: `What ${id} returned does not match its schema.`,
      issues,
      data,
    });
  }
  const warnings = issues.map(({ path, message }) => ({ code: "OUTPUT_MISMATCH", message, path }));
  return { value: data, warnings: [...warnings, ...output.warnings] };
}

/** A finished call does not fail because its data cannot be looked at. */
function normalised(output: CompiledSchema, data: unknown, cast: boolean): Fitted {
  try {
    return withSchemaWarnings(output.normalise(data, cast ? CAST : undefined), output.warnings);
  } catch {
    const message = "cannot be looked at, and is passed on as it came";
    return { value: data, warnings: [{ code: "OUTPUT_MISMATCH", message, path: "" }, ...output.warnings] };
  }
}

const CAST = { cast: true } as const;

function withSchemaWarnings(fitted: Fitted, ofSchema: readonly Warning[]): Fitted {
  return ofSchema.length === 0 ? fitted : { value: fitted.value, warnings: [...fitted.warnings, ...ofSchema] };
}

/** What the source said comes first and is never replaced. */
function withHints(meta: ResponseMeta, hints: ResponseHints | undefined, added: readonly Warning[]): ResponseMeta {
  const said = meta.warnings ?? [];
  const more = [...(hints?.warnings ?? []), ...added];
  const warnings = [...said, ...more.filter((one) => !said.some((other) => isSame(one, other)))];
  return { ...hints, ...meta, ...(warnings.length > 0 && { warnings }) };
}

/** A handler may return the same envelope each time: what was told of it once is not added again. */
function isSame(a: Warning, b: Warning): boolean {
  return a.code === b.code && a.path === b.path && a.message === b.message;
}
