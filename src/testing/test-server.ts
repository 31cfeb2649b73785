import { CallError, callErrorData } from "../envelope/call-error.js";
import { hintsIn } from "../envelope/hints.js";
import type { Outcome } from "../envelope/outcome.js";
import type { ExecuteOptions } from "../registry/call-options.js";
import { defineOperation } from "../registry/operation.js";
import { OperationRegistry } from "../registry/registry.js";
import { assert, assertEqual } from "./laws.js";
import { type SampleCall, sampleCalls } from "./operations.js";
import type { AsyncTestCase } from "./test-bus.js";

/** The same operations, reached through a server and whatever leads back. */
export interface RoundTrip {
  attempt(id: string, input: unknown, options?: ExecuteOptions): Promise<Outcome>;
  close(): Promise<void>;
}

export interface ServerTestOptions {
  /** What cannot come through, by the label of its case, and why. */
  readonly skip?: Readonly<Record<string, string>>;
  /** Hints that the wire changes or adds of itself. */
  readonly ownHints?: readonly string[];
}

/**
 * The cases that a server must pass with its source: operations that are served and imported answer as if they were
 * called directly. `connect` is called once; the last case closes what it made.
 */
export function testServer(
  name: string,
  connect: (registry: OperationRegistry) => Promise<RoundTrip>,
  { skip = {}, ownHints = [] }: ServerTestOptions = {},
): AsyncTestCase[] {
  const stage = new Stage(connect, ownHints);
  const calls = sampleCalls.map((call) => ({ label: call.label, run: () => stage.compare(call) }));
  const cases = [...calls, ...Object.entries(LAWS).map(([label, law]) => ({ label, run: () => law(stage) }))];
  const unknown = Object.keys(skip).filter((label) => !cases.some((one) => one.label === label));
  if (unknown.length > 0) throw new Error(`There are no such cases to skip: ${unknown.join(", ")}`);
  const kept = cases.filter(({ label }) => skip[label] === undefined);
  return [...kept, { label: "closes", run: () => stage.close() }].map(({ label, run }) => ({
    label: `${name}: ${label}`,
    run,
  }));
}

type Law = (stage: Stage) => Promise<void>;

const LAWS: Readonly<Record<string, Law>> = {
  "knows no operation that is not there": async (stage) => {
    const outcome = await stage.there("corpus.absent", {});
    assert(!outcome.ok && outcome.error.category === "not_found", "an unknown operation must be not_found");
  },
  "brings progress while the call runs": async (stage) => {
    const heard: unknown[] = [];
    const outcome = await stage.there("corpus.steps", {}, { onProgress: (progress) => heard.push(progress) });
    assert(outcome.ok, "the call must succeed");
    assertEqual(
      heard,
      [1, 2, 3].map((progress) => ({ progress, total: 3, message: `step ${progress}` })),
      "progress",
    );
  },
  "takes an abort to the handler": async (stage) => {
    const controller = new AbortController();
    const waiting = stage.there("corpus.wait", {}, { signal: controller.signal });
    await Promise.race([stage.begun.next(), waiting]);
    controller.abort();
    const outcome = await waiting;
    assert(!outcome.ok && outcome.error.category === "aborted", "the caller must be told that the call was aborted");
    await stage.aborted.next();
  },
  "takes a deadline to the handler": async (stage) => {
    const waiting = stage.there("corpus.wait", {}, { deadline: Date.now() + 300 });
    await Promise.race([stage.begun.next(), waiting]);
    const outcome = await waiting;
    assert(!outcome.ok && outcome.error.category === "timeout", "the caller must be told that the time is over");
    await stage.aborted.next();
  },
  "answers many calls at once, each with its own": async (stage) => {
    const inputs = Array.from({ length: 200 }, (_, at) => ({ at }));
    const outcomes = await Promise.all(inputs.map((input) => stage.there("corpus.echo", input)));
    assertEqual(
      outcomes.map((outcome) => outcome.ok && outcome.data),
      inputs,
      "answers were mixed up",
    );
  },
};

/** Both ways to the same operations. */
class Stage {
  readonly #registry = new OperationRegistry();
  readonly #connect: (registry: OperationRegistry) => Promise<RoundTrip>;
  readonly #ownHints: readonly string[];
  #roundTrip: Promise<RoundTrip> | undefined;
  /** A handler has begun to wait; it has heard that nobody waits for it any more. */
  readonly begun = new Signals();
  readonly aborted = new Signals();

  constructor(connect: (registry: OperationRegistry) => Promise<RoundTrip>, ownHints: readonly string[]) {
    this.#connect = connect;
    this.#ownHints = ownHints;
    this.#registry.registerAll([...sampleCalls.map(({ operation }) => operation), ...this.#laws()]);
  }

  async there(id: string, input: unknown, options?: ExecuteOptions): Promise<Outcome> {
    this.#roundTrip ??= this.#connect(this.#registry);
    return (await this.#roundTrip).attempt(id, input, options);
  }

  async compare({ operation: { id }, input }: SampleCall): Promise<void> {
    const direct = this.#essence(await this.#registry.attempt(id, input));
    const remote = this.#essence(await this.there(id, input));
    assertEqual(remote, direct, `${id} answers differently from afar`);
  }

  async close(): Promise<void> {
    await (await this.#roundTrip)?.close();
  }

  /** What must be the same: data, error, hints; not where it came from, nor when. */
  #essence(outcome: Outcome): unknown {
    const dropped = ["timestamp", "requestId", ...this.#ownHints];
    const hints = Object.entries(hintsIn(outcome.meta)).filter(([name]) => !dropped.includes(name));
    const meta = Object.fromEntries(hints);
    const data = outcome.ok && outcome.data === undefined ? null : outcome.ok && outcome.data;
    if (outcome.ok) return { data, meta };
    const { message, ...error } = callErrorData(outcome.error);
    return { error: { ...error, message: message.replace(/\b\w+\.[\w.]+(?= is not valid)/, "it") }, meta };
  }

  #laws() {
    const about = {
      namespace: "corpus",
      version: "1.0.0",
      description: "",
      outputSchema: true,
      inputSchema: true,
    } as const;
    return [
      defineOperation({
        ...about,
        name: "steps",
        type: "query",
        handler: (_, { progress }) => {
          for (const step of [1, 2, 3]) progress(step, 3, `step ${step}`);
          return null;
        },
      }),
      defineOperation({
        ...about,
        name: "wait",
        type: "mutation",
        handler: (_, { signal }) =>
          new Promise((_resolve, reject) => {
            this.begun.give();
            signal.addEventListener("abort", () => {
              this.aborted.give();
              reject(new CallError({ category: "aborted", message: "stopped" }));
            });
          }),
      }),
    ];
  }
}

/** Something that happens and is waited for, in whatever order. */
class Signals {
  #given = 0;
  #waiting: (() => void)[] = [];

  give(): void {
    const waiting = this.#waiting.shift();
    if (waiting === undefined) this.#given += 1;
    else waiting();
  }

  next(): Promise<void> {
    if (this.#given > 0) {
      this.#given -= 1;
      return Promise.resolve();
    }
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}
