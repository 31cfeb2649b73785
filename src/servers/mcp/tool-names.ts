import type { OperationSpec } from "../../registry/operation.js";
import { portableName, uniqueName } from "../../registry/portable-name.js";
import type { McpServerOptions } from "./options.js";

export type ToolNaming = NonNullable<McpServerOptions["toolNames"]>;

const MOST_AWAY = 10_000;

/**
 * The tool names of operations. A name once given stays with its operation, also while that is away: a client that
 * remembers it must not call another one by it.
 */
export class ToolNames {
  readonly #naming: ToolNaming;
  readonly #byId = new Map<string, string>();
  readonly #taken = new Set<string>();

  constructor(naming: ToolNaming) {
    this.#naming = naming;
  }

  nameOf(spec: OperationSpec): string {
    const id = `${spec.namespace}.${spec.name}`;
    const known = this.#byId.get(id);
    if (known !== undefined) return known;
    const { name, maxLength } = wantedName(this.#naming, spec);
    const unique = uniqueName(name, this.#taken, maxLength);
    this.#byId.set(id, unique);
    this.#taken.add(unique);
    return unique;
  }

  /** Forgets the oldest names beside these, where there are very many: some servers rename their tools all the time. */
  keepOnly(present: Iterable<string>): void {
    const kept = new Set(present);
    let tooMany = this.#byId.size - kept.size - MOST_AWAY;
    for (const [id, name] of this.#byId) {
      if (tooMany <= 0) return;
      if (kept.has(name)) continue;
      this.#byId.delete(id);
      this.#taken.delete(name);
      tooMany--;
    }
  }
}

/** Who names the tools may use all that MCP allows; else a name is one that every client takes. */
function wantedName(naming: ToolNaming, spec: OperationSpec): { name: string; maxLength: number } {
  const given = typeof naming === "function" ? naming(spec) : undefined;
  if (given !== undefined) return { name: portableName(given, { also: "./", maxLength: 128 }), maxLength: 128 };
  const name = naming === "bare" ? spec.name : `${spec.namespace}_${spec.name}`;
  return { name: portableName(name), maxLength: 64 };
}
