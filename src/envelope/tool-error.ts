import { isRecord, isString } from "../json/value.js";
import { type CallErrorData, callErrorData, isCallErrorField } from "./call-error.js";
import { categoryFromCode, categoryFromJsonRpc } from "./category.js";

/** The error of a tool that says it failed: its text is the message; what its payload says of the error counts more. */
export function toolError(text: string, payload?: unknown): CallErrorData {
  return { ...textError(text), ...payloadError(payload) };
}

function textError(text: string): CallErrorData {
  const message = text === "" ? "The tool failed without saying why." : text;
  const rpc = /^MCP error (-\d{5}):/.exec(text);
  if (rpc !== null) return callErrorData({ category: categoryFromJsonRpc(Number(rpc[1])), message });
  return callErrorData({ category: "execution", code: "TOOL_ERROR", message });
}

function payloadError(payload: unknown): Partial<CallErrorData> {
  const error = isRecord(payload) && isRecord(payload["error"]) ? payload["error"] : payload;
  if (!isRecord(error) || !isString(error["code"]) || !isString(error["message"])) return {};
  const names = ["code", "recoverable", "details", "issues", "suggestedAction", "nextTool", "retryAfterMs"];
  const known = names
    .filter((name) => error[name] !== undefined && isCallErrorField(name, error[name]))
    .map((name) => [name, error[name]]);
  const category = isString(error["category"]) ? error["category"] : (categoryFromCode(error["code"]) ?? "execution");
  return callErrorData({ ...Object.fromEntries(known), category, message: error["message"] });
}
