import { CallError } from "../../../envelope/call-error.js";
import type { Warning } from "../../../envelope/warning.js";
import { messageOf } from "../../../json/attempt.js";
import { isRecord } from "../../../json/value.js";
import type { OperationSpec } from "../../../registry/operation.js";
import { operationIdOf } from "../../../registry/operation-id.js";
import { majorOf } from "../addresses.js";
import { catalogDigest, specFromJson } from "../catalog.js";

/** A catalog as a caller keeps it. */
export interface ReadCatalog {
  readonly digest: string;
  readonly specs: readonly OperationSpec[];
  /** Of its operations, each with its major. */
  readonly keys: ReadonlySet<string>;
  /** What could not be used of it. */
  readonly warnings: readonly Warning[];
}

const MOST_OPERATIONS = 20_000;
const MOST_WARNINGS = 20;

export function keyOf(operationId: string, major: number): string {
  return `${operationId} ${major}`;
}

/** What a worker said of its operations; those that cannot be used are left out. Throws where it is no catalog at all. */
export function readCatalog(data: unknown): ReadCatalog {
  const operations = isRecord(data) ? data["operations"] : undefined;
  if (!Array.isArray(operations))
    throw new CallError({ category: "validation", message: "What the worker gave is no catalog." });
  const specs = new Map<string, OperationSpec>();
  const faults: string[] = [];
  for (const operation of operations.slice(0, MOST_OPERATIONS)) {
    try {
      const spec = specFromJson(operation);
      specs.set(operationIdOf(spec), spec);
    } catch (thrown) {
      faults.push(messageOf(thrown));
    }
  }
  const beyond = operations.length - MOST_OPERATIONS;
  if (beyond > 0) faults.unshift(`A worker offers more than ${MOST_OPERATIONS} operations; ${beyond} are left out.`);
  return {
    digest: catalogDigest(operations),
    specs: [...specs.values()],
    keys: new Set([...specs].map(([id, { version }]) => keyOf(id, majorOf(version)))),
    warnings: warningsOf(faults),
  };
}

function warningsOf(faults: readonly string[]): readonly Warning[] {
  const named = faults.slice(0, MOST_WARNINGS).map((message) => ({ code: "OPERATION_SKIPPED", message }));
  const more = faults.length - named.length;
  if (more === 0) return named;
  return [
    ...named,
    { code: "OPERATION_SKIPPED", message: `Further operations cannot be used (${more}).`, count: more },
  ];
}
