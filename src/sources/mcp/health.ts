import type { Warning } from "../../envelope/warning.js";
import type { SourceHealth } from "../../registry/source.js";

export interface McpHealth extends SourceHealth {
  readonly era?: "legacy" | "modern";
  readonly protocolVersion?: string;
  readonly server?: { readonly name: string; readonly version: string };
  readonly tools: number;
  /** How often the server had to be started again. */
  readonly restarts: number;
  /** What is wrong with its list of tools. */
  readonly warnings: readonly Warning[];
}
