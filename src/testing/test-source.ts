import type { Outcome } from "../envelope/outcome.js";
import type { ExecuteOptions } from "../registry/call-options.js";
import { OperationRegistry } from "../registry/registry.js";
import { mountSource, type OperationSource } from "../registry/source.js";
import { assert, assertEqual } from "./laws.js";
import type { AsyncTestCase } from "./test-bus.js";

export interface SourceTestOptions {
  /** The id of an operation that answers, no subscription, and an input for it. */
  readonly operation: string;
  readonly input?: unknown;
  /** How long an answer may take, in milliseconds. @default 10000 */
  readonly timeoutMs?: number;
  /** What does not hold, by the label of its case, and why. */
  readonly skip?: Readonly<Record<string, string>>;
}

/** The cases that every source must pass. Each has a source of its own. */
export function testSource(
  name: string,
  open: () => Promise<OperationSource>,
  { skip = {}, ...options }: SourceTestOptions,
): AsyncTestCase[] {
  const unknown = Object.keys(skip).filter((label) => !Object.hasOwn(LAWS, label));
  if (unknown.length > 0) throw new Error(`There are no such cases to skip: ${unknown.join(", ")}`);
  const kept = Object.entries(LAWS).filter(([label]) => skip[label] === undefined);
  return kept.map(([label, law]) => ({
    label: `${name} ${label}`,
    run: async () => {
      const source = await open();
      try {
        await law(new Stage(source, options));
      } finally {
        await source.close();
      }
    },
  }));
}

type Law = (stage: Stage) => Promise<void>;

const LAWS: Readonly<Record<string, Law>> = {
  "is ready when it is open": async ({ source }) => {
    assert(typeof source.name === "string" && source.name !== "", "a source must have a name");
    assertEqual(source.health().status, "ready", "its health");
  },
  "has operations that a registry takes, each with its own id": async ({ source }) => {
    const ids = source.operations.map(({ id }) => id);
    assertEqual([...new Set(ids)], ids, "two operations have one id");
    for (const { id, spec } of source.operations) assertEqual(id, `${spec.namespace}.${spec.name}`, "an id is no id");
    new OperationRegistry().registerAll(source.operations);
  },
  "gives the same objects as long as nothing changes": async ({ source }) => {
    const before = [...source.operations];
    assert(
      source.operations.every((operation, at) => operation === before[at]),
      "operations were made anew",
    );
  },
  "answers, in a registry that it is mounted in and no longer when it is taken out": async (stage) => {
    const registry = new OperationRegistry();
    const unmount = mountSource(registry, stage.source);
    const mounted = await stage.attempt(registry);
    assert(mounted.ok, `the call failed: ${JSON.stringify(mounted)}`);
    assert(mounted.meta.source !== undefined, "an answer must say where it comes from");
    unmount();
    assertEqual(await categoryOf(stage.attempt(registry)), "not_found", "the operation is still there");
  },
  "answers many calls at once": async (stage) => {
    const outcomes = await Promise.all(Array.from({ length: 8 }, () => stage.call()));
    assertEqual(
      outcomes.map(({ ok }) => ok),
      outcomes.map(() => true),
      "not all succeeded",
    );
  },
  "ends a call that is aborted or too late": async (stage) => {
    const controller = new AbortController();
    const waiting = stage.call({ signal: controller.signal });
    controller.abort();
    assertEqual(await categoryOf(waiting), "aborted", "an aborted call");
    assertEqual(await categoryOf(stage.call({ deadline: Date.now() - 1 })), "timeout", "a call after its deadline");
    assert((await stage.call()).ok, "the next call must not suffer from it");
  },
  "stops telling who does not listen any more": async ({ source }) => {
    const stop = source.onChange(() => {
      throw new Error("a listener that throws is no concern of the source");
    });
    stop();
    stop();
  },
  "is closed as often as one likes": async ({ source }) => {
    await Promise.all([source.close(), source.close()]);
    await source.close();
    assertEqual(source.health().status, "closed", "its health");
  },
  "refuses calls once it is closed": async (stage) => {
    await stage.source.close();
    assertEqual(await categoryOf(stage.call()), "unavailable", "a call to a closed source");
  },
};

async function categoryOf(outcome: Promise<Outcome>): Promise<string> {
  const ended = await outcome;
  return ended.ok ? "it succeeded" : ended.error.category;
}

class Stage {
  readonly source: OperationSource;
  readonly #options: Omit<SourceTestOptions, "skip">;

  constructor(source: OperationSource, options: Omit<SourceTestOptions, "skip">) {
    this.source = source;
    this.#options = options;
  }

  call(options?: ExecuteOptions): Promise<Outcome> {
    return this.attempt(new OperationRegistry().registerAll(this.source.operations), options);
  }

  attempt(registry: OperationRegistry, given: ExecuteOptions = {}): Promise<Outcome> {
    const { operation, input, timeoutMs = 10_000 } = this.#options;
    return registry.attempt(operation, input, { deadline: Date.now() + timeoutMs, ...given });
  }
}
