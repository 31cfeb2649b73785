import { compact } from "../../json/value.js";
import type { OperationSpec } from "../../registry/operation.js";
import { operationIdOf } from "../../registry/operation-id.js";
import { portableName } from "../../registry/portable-name.js";
import type { McpServerOptions } from "../../servers/mcp/options.js";
import type { McpServerConfig, ServersConfig } from "../config/config.js";
import type { Log } from "../log.js";
import { calledOperation } from "../search/call-operation.js";
import { isSearchTool } from "../search/search-tools.js";
import { searchable } from "../search/searchable.js";
import type { ServedGateway } from "./served-gateway.js";

/** `undefined` where MCP is not served over HTTP. */
export function mcpConfigOf({ mcp = {} }: ServersConfig): McpServerConfig | undefined {
  return mcp === false ? undefined : mcp;
}

/** What an MCP server is made of, whatever carries its messages. */
export function mcpSettings(gateway: ServedGateway, config: McpServerConfig, log: Log): McpServerOptions {
  const { search, searchAbove, layout, channels, instructions, toolNames = "qualified" } = config;
  return {
    registry: searchable(gateway.served, compact({ mode: search, above: searchAbove })),
    layout,
    channels,
    instructions,
    toolNames: (spec) => nameOf(spec, toolNames),
    awaited: (name) => (toolNames === "qualified" ? awaitedIn(gateway, name) : undefined),
    budget: (spec, outcome) => budgetOf(gateway, calledOperation(outcome) ?? spec) ?? config.budget,
    results: gateway.results,
    onError: (error) => log.error("The MCP server met a fault", { error }),
  };
}

function nameOf(spec: OperationSpec, naming: "qualified" | "bare"): string | undefined {
  return naming === "bare" || isSearchTool(spec) ? portableName(spec.name) : undefined;
}

function budgetOf(gateway: ServedGateway, spec: OperationSpec): number | false | undefined {
  return gateway.sourceOf(operationIdOf(spec))?.config.budget;
}

/** The operation that a tool may be once its source is up: then clients are told that, and not that it is unknown. */
function awaitedIn(gateway: ServedGateway, toolName: string): string | undefined {
  for (const { name, status } of gateway.health().sources) {
    const namespace = gateway.loaded.config.sources[name]?.namespace ?? name;
    const start = `${portableName(namespace)}_`;
    if (status !== "ready" && toolName.startsWith(start)) return `${namespace}.${toolName.slice(start.length)}`;
  }
  return undefined;
}
