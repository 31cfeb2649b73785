import { createServer } from "node:http";
import { checkReach, type ListenOptions, listen } from "../listen.js";
import { type McpHttpOptions, mcpHttpHandler } from "./http-handler.js";
import { sendError } from "./http-messages.js";

export interface McpHttpServerOptions extends McpHttpOptions, ListenOptions {
  /** @default "/mcp" */
  readonly path?: string | undefined;
}

export interface McpHttpServer {
  readonly url: string;
  /** Gives running calls a short time to finish, then closes every connection. */
  close(): Promise<void>;
}

/** Longer than clients keep a connection in their pool, so that they close it and not we, in the middle of a request. */
const KEEP_ALIVE_MS = 65_000;

/** Serves a registry over streamable HTTP, to clients of both eras. */
export async function serveMcpHttp(options: McpHttpServerOptions): Promise<McpHttpServer> {
  const path = `/${options.path ?? "mcp"}`.replace(/^\/\//, "/");
  checkReach(options);
  const handler = mcpHttpHandler(options);
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
    if (pathOf(request.url) === path) void handler.handle(request, response);
    else sendError(response, 404, { code: -32000, message: `Not found. MCP is served at ${path}.` });
  });
  try {
    const listening = await listen(server, options);
    return { url: listening.origin + path, close: () => listening.close(() => handler.close()) };
  } catch (thrown) {
    await handler.close();
    throw thrown;
  }
}

function pathOf(url: string | undefined): string {
  const end = url?.indexOf("?") ?? -1;
  return end < 0 ? (url ?? "/") : (url as string).slice(0, end);
}
