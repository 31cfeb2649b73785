import { isRecord, isString, type JsonRecord } from "../../json/value.js";

/**
 * Makes an answer to the greeting such that the SDK takes it: it refuses a server for a missing name or an icon of the
 * wrong type, and waits for ever where the result is no object. Changes the message, because the SDK has it already.
 */
export function soundGreeting(message: unknown): void {
  if (!isRecord(message) || message["method"] !== undefined) return;
  for (const key of Object.keys(message)) if (!FIELDS.includes(key)) delete message[key];
  message["jsonrpc"] = "2.0";
  const { result, error } = message;
  if (error === null) delete message["error"];
  else if (error !== undefined) return;
  if (result !== undefined && !isRecord(result)) {
    delete message["result"];
    message["error"] = { code: -31500, message: "The server's answer is no object" };
  } else if (isRecord(result) && ("protocolVersion" in result || "supportedVersions" in result)) mend(result);
}

/** Those of an answer; the SDK does not take one that has others. */
const FIELDS = ["jsonrpc", "id", "result", "error"];

function mend(result: JsonRecord): void {
  const { capabilities, serverInfo, instructions } = result;
  result["capabilities"] = isRecord(capabilities) ? onlyRecords(capabilities) : {};
  if ("protocolVersion" in result) result["serverInfo"] = named(serverInfo);
  if (instructions !== undefined && !isString(instructions)) delete result["instructions"];
}

function onlyRecords(record: JsonRecord): JsonRecord {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => isRecord(value)));
}

function named(info: unknown): JsonRecord {
  const { name, version, title } = isRecord(info) ? info : ({} as JsonRecord);
  return {
    name: isString(name) ? name : "unknown",
    version: isString(version) ? version : "unknown",
    ...(isString(title) && { title }),
  };
}
