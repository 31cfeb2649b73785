import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { CallError } from "../../envelope/call-error.js";
import { isLoopback } from "../http-guard.js";
import { type McpHttpOptions, mcpHttpHandler } from "./http-handler.js";
import { sendError } from "./http-messages.js";

export interface McpHttpServerOptions extends McpHttpOptions {
  /** @default 0, one that is free */
  readonly port?: number | undefined;
  /** @default "127.0.0.1" */
  readonly host?: string | undefined;
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
  const { port = 0, host = "127.0.0.1" } = options;
  const path = `/${options.path ?? "mcp"}`.replace(/^\/\//, "/");
  if (!isLoopback(host) && options.allowedHosts === undefined)
    throw new CallError({
      category: "validation",
      message: `A server on ${host} can be reached from elsewhere: name the hosts that it is called by in allowedHosts.`,
    });
  const handler = mcpHttpHandler(options);
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
    if (pathOf(request.url) === path) void handler.handle(request, response);
    else sendError(response, 404, { code: -32000, message: `Not found. MCP is served at ${path}.` });
  });
  try {
    server.listen(port, host);
    await once(server, "listening");
  } catch (thrown) {
    await handler.close();
    throw thrown;
  }
  const address = server.address() as AddressInfo;
  const name = address.family === "IPv6" ? `[${address.address}]` : address.address;
  return {
    url: `http://${name}:${address.port}${path}`,
    close: async () => {
      const closed = server.listening ? once(server, "close") : undefined;
      server.close();
      await handler.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function pathOf(url: string | undefined): string {
  const end = url?.indexOf("?") ?? -1;
  return end < 0 ? (url ?? "/") : (url as string).slice(0, end);
}
