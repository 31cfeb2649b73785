import type { Readable, Writable } from "node:stream";
import { type McpStdioServer, serveMcpStdio } from "../../servers/mcp/stdio.js";
import type { McpServerConfig } from "../config/config.js";
import { type Log, SILENT } from "../log.js";
import { startWaitOf } from "../start-wait.js";
import { stdioIdentity } from "./bearer-tokens.js";
import { mcpConfigOf, mcpSettings } from "./mcp-settings.js";
import type { ServedGateway } from "./served-gateway.js";

export interface ServeGatewayStdioOptions {
  readonly gateway: ServedGateway;
  /** @default nobody */
  readonly log?: Log;
  /** In place of what the configuration says. */
  readonly search?: McpServerConfig["search"] | undefined;
  /** @default process.stdin */
  readonly stdin?: Readable | undefined;
  /** @default process.stdout */
  readonly stdout?: Writable | undefined;
}

/**
 * Serves a gateway over standard input and output. Its client is likely to ask for the tools once and at once, so the list
 * waits for the sources a moment; nothing else does.
 */
export function serveGatewayStdio(options: ServeGatewayStdioOptions): McpStdioServer {
  const { gateway, log = SILENT, search, stdin, stdout } = options;
  const servers = gateway.loaded.config.servers ?? {};
  const config = { ...mcpConfigOf(servers), ...(search !== undefined && { search }) };
  return serveMcpStdio({
    ...mcpSettings(gateway, config, log),
    identity: servers.auth === undefined ? undefined : stdioIdentity(servers.auth),
    ready: gateway.settled(startWaitOf(gateway.loaded)),
    stdin,
    stdout,
  });
}
