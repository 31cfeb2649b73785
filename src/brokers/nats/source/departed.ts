import type { Warning } from "../../../envelope/warning.js";
import type { OperationSpec } from "../../../registry/operation.js";
import { operationIdOf } from "../../../registry/operation-id.js";
import type { AnyOperation } from "../../../registry/operation-map.js";
import { majorOf } from "../addresses.js";
import { keyOf } from "./read-catalog.js";

/**
 * The operations whose last worker has gone, for as long as they stay listed: a worker may come back, and a durable call
 * waits for it.
 */
export class Departed {
  readonly #keepMs: number;
  readonly #kept = new Map<string, { readonly spec: OperationSpec; readonly until: number }>();

  constructor(keepMs: number) {
    this.#keepMs = keepMs;
  }

  add(specs: readonly OperationSpec[]): void {
    const now = Date.now();
    for (const spec of specs) {
      const key = keyOf(operationIdOf(spec), majorOf(spec.version));
      const until = spec.delivery === "durable" ? Number.POSITIVE_INFINITY : now + this.#keepMs;
      this.#kept.delete(key);
      this.#kept.set(key, { spec, until });
    }
    for (const key of this.#kept.keys()) {
      if (this.#kept.size <= MOST_KEPT) break;
      this.#kept.delete(key);
    }
  }

  /** Those that are still listed, and are not among what is offered. */
  beside(offered: ReadonlySet<string>): readonly OperationSpec[] {
    const now = Date.now();
    for (const [key, { until }] of this.#kept) if (until <= now || offered.has(key)) this.#kept.delete(key);
    return [...this.#kept.values()].map(({ spec }) => spec);
  }
}

/** Names the operations that are listed and nobody offers now. */
export function unofferedOf(operations: readonly AnyOperation[], offered: ReadonlySet<string>): readonly Warning[] {
  const ids = operations.filter(({ id, spec }) => !offered.has(keyOf(id, majorOf(spec.version)))).map(({ id }) => id);
  if (ids.length === 0) return [];
  const more = ids.length > MOST_NAMED ? `, and ${ids.length - MOST_NAMED} more` : "";
  const message = `No worker offers these at the moment: ${ids.slice(0, MOST_NAMED).join(", ")}${more}.`;
  return [{ code: "OPERATION_UNOFFERED", message, count: ids.length }];
}

const MOST_NAMED = 10;

/** Who can make up names must not fill the memory of callers. */
const MOST_KEPT = 20_000;
