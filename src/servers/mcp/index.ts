export type { ServedRegistry } from "../../registry/served-registry.js";
export type { GuardOptions } from "../http-guard.js";
export { type McpHttpServer, type McpHttpServerOptions, serveMcpHttp } from "./http.js";
export { type McpHttpHandler, type McpHttpOptions, mcpHttpHandler } from "./http-handler.js";
export type {
  McpCallMetadata,
  McpChannels,
  McpClientInfo,
  McpInputResponse,
  McpLayout,
  McpServerOptions,
} from "./options.js";
export type { SessionOptions } from "./sessions.js";
export { type McpStdioOptions, type McpStdioServer, serveMcpStdio } from "./stdio.js";
