import { isEqual } from "../../json/value.js";
import { createNodeServer } from "../../servers/http/node-server.js";
import { checkReach, listen } from "../../servers/listen.js";
import type { McpServerConfig, ServersConfig } from "../config/config.js";
import { type Log, SILENT } from "../log.js";
import { HttpEdition, placesIn } from "./http-edition.js";
import type { ServedGateway } from "./served-gateway.js";

export interface ServeGatewayOptions {
  readonly gateway: ServedGateway;
  /** @default nobody */
  readonly log?: Log;
  /** @default what the configuration says, else "127.0.0.1" */
  readonly host?: string | undefined;
  /** @default what the configuration says, else 4100; 0 takes one that is free */
  readonly port?: number | undefined;
  /** Beside those of the configuration. */
  readonly allowedHosts?: readonly string[] | undefined;
  /** In place of what the configuration says. */
  readonly search?: McpServerConfig["search"] | undefined;
}

export interface GatewayServer {
  /** Its address, without a path. */
  readonly url: string;
  /** Addresses of what is there: mcp, operations, openapi, health. */
  readonly places: Readonly<Record<string, string>>;
  /** Goes over to what the configuration of the gateway says now; calls that run are given a short time. */
  refresh(): void;
  /** Gives running calls a short time to finish, then closes every connection. The gateway stays open. */
  close(): Promise<void>;
}

const PORT = 4100;

/** Serves a gateway over HTTP: as MCP, as an HTTP API, and its health. */
export async function serveGateway(options: ServeGatewayOptions): Promise<GatewayServer> {
  const { gateway, log = SILENT } = options;
  const servers = serversOf(options);
  const { host, port = PORT, allowedHosts } = servers.http ?? {};
  checkReach({ host, allowedHosts });
  let current = new HttpEdition({ gateway, servers, log });
  const retired = new Set<Promise<void>>();
  const server = await createNodeServer((request, response) => current.handle(request, response));
  try {
    const listening = await listen(server, { host, port });
    server.on("error", (error) => log.error("The HTTP server met a fault", { error }));
    return {
      url: listening.origin,
      get places() {
        const places = Object.entries(placesIn(current.servers));
        return Object.fromEntries(places.map(([name, path]) => [name, `${listening.origin}${path}`]));
      },
      refresh() {
        const wanted = serversOf(options);
        if (isEqual(wanted, current.servers)) return;
        if (isElsewhere(wanted, current.servers)) log.warn("Another host or port holds from the next start on");
        const before = current;
        // First of all, so that one that cannot be made leaves the other as it is.
        current = new HttpEdition({ gateway, servers: wanted, log });
        const closing = before.close().finally(() => retired.delete(closing));
        retired.add(closing);
      },
      close: () => listening.close(async () => void (await Promise.all([current.close(), ...retired]))),
    };
  } catch (thrown) {
    await current.close();
    throw thrown;
  }
}

function isElsewhere({ http: one }: ServersConfig, { http: other }: ServersConfig): boolean {
  return one?.host !== other?.host || one?.port !== other?.port;
}

/** What the configuration says, and what was said in its place. */
function serversOf({ gateway, host, port, allowedHosts, search }: ServeGatewayOptions): ServersConfig {
  const servers = gateway.loaded.config.servers ?? {};
  const hosts = allowedHosts === undefined ? undefined : [...(servers.http?.allowedHosts ?? []), ...allowedHosts];
  return {
    ...servers,
    http: {
      ...servers.http,
      ...(host !== undefined && { host }),
      ...(port !== undefined && { port }),
      ...(hosts !== undefined && { allowedHosts: hosts }),
    },
    ...(search !== undefined && servers.mcp !== false && { mcp: { ...servers.mcp, search } }),
  };
}
