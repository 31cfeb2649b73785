import { CallError } from "../../envelope/call-error.js";
import type { JsonRpcError } from "../../mcp/json-rpc.js";

/** What a client hears of a fault that is ours: its words are not for everybody. */
export const INTERNAL: JsonRpcError = { code: -32603, message: "Internal error" };

export function unknownTool(name: string): JsonRpcError {
  return { code: -32602, message: `Unknown tool: ${name}` };
}

export function closing(): CallError {
  return new CallError({ category: "unavailable", message: "The server is shutting down. Try again later." });
}

export function cancelled(reason: unknown): CallError {
  const why = typeof reason === "string" && reason !== "" ? `: ${reason}` : ".";
  return new CallError({ category: "aborted", message: `The client has cancelled the call${why}` });
}
