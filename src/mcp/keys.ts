/** The revision from which on every request says for itself which protocol it speaks. */
export const MODERN_VERSION = "2026-07-28";

// Of MCP, in the `_meta` of requests and results.
export const PROTOCOL_VERSION_KEY = "io.modelcontextprotocol/protocolVersion";
export const CLIENT_CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities";
export const CLIENT_INFO_KEY = "io.modelcontextprotocol/clientInfo";
export const SERVER_INFO_KEY = "io.modelcontextprotocol/serverInfo";

// Of Plico, likewise.
/** In a call: how many bytes of the result the caller wants to see at once; `false` for all. */
export const BUDGET_KEY = "plico/budget";
/** In a part of a large result: how many bytes the whole has, and the address of the part that follows. */
export const TOTAL_KEY = "plico/total";
export const NEXT_KEY = "plico/next";
/** In a listed tool: the operation behind it. */
export const OPERATION_KEY = "plico/operation";
/** In an operation: the tool behind it. */
export const TOOL_KEY = "plico/tool";

export type Era = "legacy" | "modern";
