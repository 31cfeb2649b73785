import type { Warning } from "../../envelope/warning.js";
import type { SourceHealth } from "../../registry/source.js";

export interface ModuleHealth extends SourceHealth {
  readonly operations: number;
  /** What the module exports beside operations, and whether its newest form could be loaded. */
  readonly warnings: readonly Warning[];
}
