export type { McpHealth } from "./health.js";
export { type McpSource, mcpSource } from "./mcp-source.js";
export type { InputContext, InputHook, InputMethod, InputRequest, McpLimits, McpSourceOptions } from "./options.js";
