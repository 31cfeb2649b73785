import { callErrorData } from "../../envelope/call-error.js";
import type { Failure, Outcome } from "../../envelope/outcome.js";
import { orElse } from "../../json/attempt.js";
import { isRecord, type JsonRecord } from "../../json/value.js";
import { type ExecuteOptions, withOptions } from "../../registry/call-options.js";
import type { OperationSpec } from "../../registry/operation.js";
import { invalid } from "../../registry/refusals.js";
import type { ServedRegistry } from "../../registry/served-registry.js";
import { runTool } from "../../servers/mcp/run-tool.js";
import { Tool } from "../../servers/mcp/tool.js";
import type { Catalog } from "./catalog.js";
import { operationUnknown } from "./operation-unknown.js";

/** Which operation an outcome is of, where it was called by its id. */
const CALLED = new WeakMap<Outcome, OperationSpec>();

export function calledOperation(outcome: Outcome): OperationSpec | undefined {
  return CALLED.get(outcome);
}

const TOOLS = new WeakMap<OperationSpec, Tool>();

/** What comes of an operation that is called by its id, as if it were called as a tool of its own. */
export async function callOperation(
  registry: ServedRegistry,
  catalog: Catalog,
  given: unknown,
  options: ExecuteOptions = {},
): Promise<Outcome> {
  const { id, input } = isRecord(given) ? given : {};
  if (typeof id !== "string") return failed(invalid("call_operation", [ID_MISSING]));
  const args = argumentsFrom(input);
  if (args === undefined) return failed(invalid("call_operation", [NO_OBJECT]));
  const spec = catalog.find(id);
  if (spec === undefined) return unknownOutcome(await registry.attempt(id, args, options), id, catalog, options);
  const state = options.metadata?.["requestState"];
  if (isOfAnother(state, id)) return failed(invalid("call_operation", [OTHER_STATE]));
  const outcome = markState(await runTool(registry, toolOf(spec), args, withOwnState(options, id)), id);
  CALLED.set(outcome, spec);
  return outcome;
}

const ID_MISSING = { path: "/id", message: "is required, and must be a text", rule: "required" };
const NO_OBJECT = { path: "/input", message: "must be an object", rule: "type" };
const OTHER_STATE = { path: "", message: "has the requestState of another operation", rule: "requestState" };

/** Models write an object as a text of JSON now and then. */
function argumentsFrom(input: unknown): JsonRecord | undefined {
  const value = typeof input === "string" ? orElse<unknown>(() => JSON.parse(input), undefined) : (input ?? {});
  return isRecord(value) ? value : undefined;
}

/** The names of operations that a caller may not call are not for it. */
function unknownOutcome(outcome: Outcome, id: string, catalog: Catalog, { identity }: ExecuteOptions): Outcome {
  if (outcome.ok || outcome.error.code !== "OPERATION_NOT_FOUND") return outcome;
  return { ...outcome, error: callErrorData(operationUnknown(id, catalog.shownTo(identity))) };
}

function toolOf(spec: OperationSpec): Tool {
  const known = TOOLS.get(spec) ?? new Tool(spec, { name: spec.name, layout: "plain", channels: "both" });
  TOOLS.set(spec, known);
  return known;
}

// What an operation wants back with the answers to its questions is sealed for one tool, and here all are the same one.
// So it goes out with the id of the operation.

function stateMark(id: string): string {
  return `${id}\n`;
}

function isOfAnother(state: unknown, id: string): boolean {
  return typeof state === "string" && !state.startsWith(stateMark(id));
}

function withOwnState(options: ExecuteOptions, id: string): ExecuteOptions {
  const state = options.metadata?.["requestState"];
  if (typeof state !== "string") return options;
  const metadata = { ...options.metadata, requestState: state.slice(stateMark(id).length) };
  return withOptions(options, { metadata });
}

function markState(outcome: Outcome, id: string): Outcome {
  if (outcome.ok || outcome.error.code !== "INPUT_REQUIRED" || !isRecord(outcome.error.details)) return outcome;
  const { requestState } = outcome.error.details;
  if (typeof requestState !== "string") return outcome;
  const details = { ...outcome.error.details, requestState: stateMark(id) + requestState };
  return { ...outcome, error: { ...callErrorData(outcome.error), details } };
}

function failed(error: Failure["error"]): Failure {
  return { ok: false, error: callErrorData(error), meta: {} };
}
