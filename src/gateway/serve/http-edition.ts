import type { IncomingMessage, ServerResponse } from "node:http";
import { isCallError } from "../../envelope/call-error.js";
import { compact } from "../../json/value.js";
import { type HttpListener, httpListener } from "../../servers/http/node-listener.js";
import { HttpGuard } from "../../servers/http-guard.js";
import { type McpHttpHandler, mcpHttpHandler } from "../../servers/mcp/http-handler.js";
import type { ServersConfig } from "../config/config.js";
import type { Log } from "../log.js";
import { bearerTokens } from "./bearer-tokens.js";
import { mcpConfigOf, mcpSettings } from "./mcp-settings.js";
import { OwnPages } from "./own-pages.js";
import type { ServedGateway } from "./served-gateway.js";

export interface HttpEditionOptions {
  readonly gateway: ServedGateway;
  readonly servers: ServersConfig;
  readonly log: Log;
}

const MCP_PATH = "/mcp";

/** All that is served over HTTP, as one configuration says it. Another one has an edition of its own. */
export class HttpEdition {
  readonly servers: ServersConfig;
  readonly #mcpPath: string | undefined;
  readonly #mcp: McpHttpHandler | undefined;
  readonly #api: HttpListener | undefined;
  readonly #pages: OwnPages;

  constructor({ gateway, servers, log }: HttpEditionOptions) {
    this.servers = servers;
    const { allowedHosts, allowedOrigins, cors, maxBodyBytes, timeout, operations = true } = servers.http ?? {};
    const authorize = servers.auth === undefined ? undefined : bearerTokens(servers.auth);
    const guard = { allowedHosts, allowedOrigins: allowedOrigins ?? cors?.origins };
    const shared = { ...guard, authorize, maxBodyBytes };
    const mcp = mcpConfigOf(servers);
    this.#mcpPath = mcpPathOf(servers);
    this.#mcp = mcp === undefined ? undefined : mcpHttpHandler({ ...mcpSettings(gateway, mcp, log), ...shared });
    const onError = (error: unknown): void => {
      // What a handler threw is told by the gateway, whatever carries the calls.
      if (!isCallError(error)) log.error("The HTTP server met a fault", { error });
    };
    this.#api = operations ? httpListener({ ...shared, registry: gateway.served, cors, timeout, onError }) : undefined;
    this.#pages = new OwnPages({
      guard: new HttpGuard(guard),
      health: () => gateway.health(),
      authorize,
      places: placesIn(servers),
    });
  }

  handle(request: IncomingMessage, response: ServerResponse): void {
    const path = pathOf(request.url);
    if (this.#mcp !== undefined && path === this.#mcpPath) void this.#mcp.handle(request, response);
    else if (this.#pages.has(path) || this.#api === undefined) this.#pages.answer(request, response, path);
    else this.#api.handle(request, response);
  }

  /** Gives running calls a short time to finish. */
  async close(): Promise<void> {
    await Promise.all([this.#mcp?.close(), this.#api?.close()]);
  }
}

/** Where things are, as paths. */
export function placesIn(servers: ServersConfig): Readonly<Record<string, string | undefined>> {
  const operations = servers.http?.operations ?? true;
  return compact({
    mcp: mcpPathOf(servers),
    operations: operations ? "/operations" : undefined,
    openapi: operations ? "/openapi.json" : undefined,
    health: "/healthz",
  });
}

function mcpPathOf(servers: ServersConfig): string | undefined {
  const config = mcpConfigOf(servers);
  return config === undefined ? undefined : `/${config.path ?? MCP_PATH}`.replace(/^\/\//, "/");
}

/** A client may name the server too, as it would for a proxy. */
function pathOf(url: string = "/"): string {
  const target = url.startsWith("/") ? url : url.replace(/^https?:\/\/[^/?]*/i, "");
  const [path = ""] = target.split("?", 1);
  return path === "" ? "/" : path;
}
