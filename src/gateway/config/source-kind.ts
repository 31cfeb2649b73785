import type { SourceConfig, SourceKind } from "./config.js";

/** The keys by which a source says its kind. */
export const SOURCE_KINDS: readonly SourceKind[] = ["mcp", "openapi", "script", "module"];

export function sourceKindOf(config: SourceConfig): SourceKind {
  if ("mcp" in config) return "mcp";
  if ("openapi" in config) return "openapi";
  return "script" in config ? "script" : "module";
}
