import { type TraceCarrier, traceIn } from "../../envelope/trace-context.js";
import { isRecord, type JsonRecord } from "../../json/value.js";
import { isRequestId, type RequestId } from "../../mcp/json-rpc.js";
import {
  BUDGET_KEY,
  CLIENT_CAPABILITIES_KEY,
  CLIENT_INFO_KEY,
  type Era,
  MODERN_VERSION,
  PROTOCOL_VERSION_KEY,
} from "../../mcp/keys.js";

/** A `tools/call` as it should be. */
export interface CleanCall {
  readonly id: RequestId;
  readonly name: string;
  readonly args: JsonRecord | undefined;
  readonly era: Era;
  readonly progressToken: RequestId | undefined;
  readonly budget: number | false | undefined;
  /** What the client says of itself with each call of the modern era. */
  readonly capabilities: JsonRecord | undefined;
  readonly trace: TraceCarrier | undefined;
}

const LOG_LEVEL_KEY = "io.modelcontextprotocol/logLevel";

/** Reads a call that has nothing unusual about it. Everything else is for the SDK, which knows what to say to it. */
export function cleanCall(message: JsonRecord): CleanCall | undefined {
  const { id, params, jsonrpc } = message;
  if (message["method"] !== "tools/call" || jsonrpc !== "2.0" || !isRequestId(id) || !isRecord(params))
    return undefined;
  const { name, arguments: args, _meta: meta } = params;
  if (typeof name !== "string" || !isOptionalRecord(args) || !isOptionalRecord(meta) || isSpecial(params))
    return undefined;
  if (meta === undefined) return { id, name, args, era: "legacy", ...NOTHING };
  const { progressToken, [PROTOCOL_VERSION_KEY]: version, [CLIENT_CAPABILITIES_KEY]: capabilities } = meta;
  if (progressToken !== undefined && !isRequestId(progressToken)) return undefined;
  const budget = budgetOf(meta);
  const trace = traceIn(meta);
  if (version === undefined)
    return { id, name, args, era: "legacy", progressToken, budget, capabilities: undefined, trace };
  if (version !== MODERN_VERSION || !isRecord(capabilities) || !isPlainClient(meta)) return undefined;
  return { id, name, args, era: "modern", progressToken, budget, capabilities, trace };
}

const NOTHING = { progressToken: undefined, budget: undefined, capabilities: undefined, trace: undefined };

/** What the caller wants to see at once of a result. */
export function budgetOf(meta: JsonRecord | undefined): number | false | undefined {
  const wanted = meta?.[BUDGET_KEY];
  return wanted === false || (typeof wanted === "number" && wanted >= 0) ? wanted : undefined;
}

function isOptionalRecord(value: unknown): value is JsonRecord | undefined {
  return value === undefined || isRecord(value);
}

/** A task, or the answers to questions of ours. */
function isSpecial({ task, inputResponses, requestState }: JsonRecord): boolean {
  return (task ?? inputResponses ?? requestState) !== undefined;
}

function isPlainClient(meta: JsonRecord): boolean {
  const info = meta[CLIENT_INFO_KEY];
  const isNamed =
    info === undefined || (isRecord(info) && typeof info["name"] === "string" && typeof info["version"] === "string");
  return isNamed && meta[LOG_LEVEL_KEY] === undefined;
}
