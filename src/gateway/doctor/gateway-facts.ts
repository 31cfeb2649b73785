import { orElse } from "../../json/attempt.js";
import type { OperationSpec } from "../../registry/operation.js";
import { operationIdOf } from "../../registry/operation-id.js";
import { compile } from "../../schema/compile.js";
import { readSchema } from "../../schema/standard-schema.js";
import { Tool } from "../../servers/mcp/tool.js";
import { ToolNames } from "../../servers/mcp/tool-names.js";
import type { Gateway, GatewaySource } from "../gateway.js";
import { SILENT } from "../log.js";
import { mcpSettings } from "../serve/mcp-settings.js";
import type { OperationFacts, SourceFacts } from "./source-findings.js";
import type { ToolFacts, ToolsFacts } from "./tool-findings.js";

/** What is to be known of the sources of a gateway that has settled. */
export function sourceFacts({ sources, registry }: Gateway): readonly SourceFacts[] {
  return sources.map((source) => ({
    health: source.health(),
    config: source.config,
    operations: operationFacts(source, (id) => registry.get(id)),
  }));
}

function operationFacts({ operationIds }: GatewaySource, get: Gateway["registry"]["get"]): OperationFacts[] {
  return operationIds.map((id) => {
    const operation = get(id);
    const problems = orElse(
      () => operation?.warnings.map(({ message }) => message) ?? [],
      ["its schemas cannot be read"],
    );
    return { id, problems, hasOutput: operation !== undefined && hasOutput(operation.spec) };
  });
}

function hasOutput(spec: OperationSpec): boolean {
  return orElse(() => !compile(readSchema(spec.outputSchema, "output").json as object).acceptsAll, true);
}

/** The tools that clients of `plico serve` see. */
export function toolsFacts(gateway: Gateway): ToolsFacts | undefined {
  const mcp = gateway.loaded.config.servers?.mcp ?? {};
  if (mcp === false) return undefined;
  const { registry, toolNames = "qualified", layout = "plain", channels = "both" } = mcpSettings(gateway, mcp, SILENT);
  const names = new ToolNames(toolNames);
  const tools = registry.list().map((spec): ToolFacts => {
    const name = names.nameOf(spec);
    const tool = new Tool(spec, { name, layout: typeof layout === "function" ? layout(spec) : layout, channels });
    const bytes = orElse(() => Buffer.byteLength(JSON.stringify(tool.definition)), 0);
    return { operationId: operationIdOf(spec), name, bytes };
  });
  const all = new Set(gateway.served.list().map(operationIdOf));
  const isSearched = tools.some(({ operationId }) => !all.has(operationId));
  return { tools, searched: isSearched ? all.size : 0, naming: mcp.toolNames ?? "qualified" };
}
