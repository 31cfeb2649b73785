import type { JsonRpcError } from "../../mcp/json-rpc.js";

/** What a client hears of a fault that is ours: its words are not for everybody. */
export const INTERNAL: JsonRpcError = { code: -32603, message: "Internal error" };

export function unknownTool(name: string): JsonRpcError {
  return { code: -32602, message: `Unknown tool: ${name}` };
}
