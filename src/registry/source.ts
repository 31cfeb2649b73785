import type { CallErrorData } from "../envelope/call-error.js";
import { orElse } from "../json/attempt.js";
import { isEqual } from "../json/value.js";
import type { AnyOperation } from "./operation-map.js";
import type { OperationRegistry } from "./registry.js";

/** Something that brings operations in: an MCP server, an HTTP API, a script. */
export interface OperationSource {
  readonly name: string;
  /** Those it has now. An operation that did not change stays the same object. */
  readonly operations: readonly AnyOperation[];
  health(): SourceHealth;
  /** Calls back when `operations` has changed. Returns what ends it. */
  onChange(listener: () => void): () => void;
  close(): Promise<void>;
}

export type SourceStatus = "ready" | "connecting" | "down" | "closed";

export interface SourceHealth {
  readonly status: SourceStatus;
  /** Why it is down, or was last. */
  readonly error?: CallErrorData;
}

/** Registers what a source has and follows its changes; calls that are running go on. Returns what takes it out again. */
export function mountSource(registry: OperationRegistry, source: OperationSource): () => void {
  let mounted: readonly AnyOperation[] = [];
  const update = (operations: readonly AnyOperation[], register: Register): void => {
    const before = new Set(mounted);
    const now = new Set(operations);
    const gone = mounted.filter((operation) => !now.has(operation));
    registry.unregisterAll(gone.filter(({ id, spec }) => registry.getSpec(id) === spec).map(({ id }) => id));
    mounted = mounted.filter((operation) => now.has(operation));
    mounted = [...mounted, ...register(operations.filter((operation) => !before.has(operation)))];
  };
  update(source.operations, (added) => {
    registry.registerAll(added);
    return added;
  });
  const stop = source.onChange(() => update(source.operations, (added) => registerWhatFits(registry, added)));
  return () => {
    stop();
    update([], () => []);
  };
}

/** Gives those that it has registered. */
type Register = (added: readonly AnyOperation[]) => readonly AnyOperation[];

/** What is there already keeps its place; what clashes with it waits for the next change, and keeps no other one out. */
function registerWhatFits(registry: OperationRegistry, operations: readonly AnyOperation[]): readonly AnyOperation[] {
  const fitting = operations.filter(({ id }) => registry.getSpec(id) === undefined);
  try {
    registry.registerAll(fitting);
    return fitting;
  } catch {
    return fitting.filter((operation) => orElse(() => registry.register(operation) !== undefined, false));
  }
}

/** The operations in their new form, where those that say the same as before are the same objects. */
export function keepUnchanged(before: readonly AnyOperation[], now: readonly AnyOperation[]): readonly AnyOperation[] {
  const known = new Map(before.map((operation) => [operation.id, operation]));
  return now.map((operation) => {
    const old = known.get(operation.id);
    return old !== undefined && isEqual(old.spec, operation.spec) ? old : operation;
  });
}
