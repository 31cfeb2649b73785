import type { SourceConfig, SourceKind } from "./config.js";

/** The keys by which a source says its kind. */
export const SOURCE_KINDS: readonly SourceKind[] = ["mcp", "openapi", "script", "module", "nats"];

export function sourceKindOf(config: SourceConfig): SourceKind {
  if ("mcp" in config) return "mcp";
  if ("openapi" in config) return "openapi";
  if ("script" in config) return "script";
  return "module" in config ? "module" : "nats";
}

/** Whether the operations of a source may have other namespaces than its name, which is known only when it is open. */
export function saysNamespaces(config: SourceConfig): boolean {
  return config.namespace === undefined && ("module" in config || "nats" in config);
}
