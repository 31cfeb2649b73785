import { CallError, isCallError } from "../envelope/call-error.js";
import { localEnvelope } from "../envelope/response-envelope.js";
import type { Bus, BusSubscribeOptions } from "../protocol/bus.js";
import { buildCallHandler, type CallHandler } from "../protocol/call-handler.js";
import type { CallEvent } from "../protocol/events.js";
import { PendingRequestMap } from "../protocol/pending-request-map.js";
import type { OperationSpec } from "../registry/operation.js";
import { OperationRegistry } from "../registry/registry.js";
import { assert, assertEqual } from "./laws.js";

/** One case of a suite that waits, for whatever test runner: `for (const { label, run } of cases) test(label, run)`. */
export interface AsyncTestCase {
  readonly label: string;
  readonly run: () => Promise<void>;
}

export interface BusTestOptions {
  /** How long an event may take, in milliseconds. @default 2000 */
  readonly timeoutMs?: number;
  /** After how many milliseconds without an event no more is expected. @default 20 */
  readonly quietMs?: number;
}

/** The cases that every bus must pass: the laws of its contract, then the call protocol. Each has a bus of its own. */
export function testBus(
  name: string,
  create: () => Bus | Promise<Bus>,
  { timeoutMs = 2000, quietMs = 20 }: BusTestOptions = {},
): AsyncTestCase[] {
  return Object.entries({ ...LAWS, ...PROTOCOL }).map(([label, law]) => ({
    label: `${name} ${label}`,
    run: async () => {
      const bus = await create();
      try {
        await law(new Stage(bus, timeoutMs, quietMs));
      } finally {
        await bus.close();
      }
    },
  }));
}

type Law = (stage: Stage) => Promise<void>;

const LAWS: Readonly<Record<string, Law>> = {
  "carries every kind of event whole": async (stage) => {
    const ear = stage.listen("a");
    for (const event of EVENTS) stage.publish("a", event);
    assertEqual(await ear.hear(EVENTS.length), EVENTS, "the events changed on their way");
  },
  "delivers to the listeners of the address and to no others": async (stage) => {
    const [first, second, other] = [stage.listen("a"), stage.listen("a"), stage.listen("b")];
    stage.publish("a", numbered(1));
    await first.hear(1);
    await second.hear(1);
    await stage.quiet();
    assertEqual(other.events, [], "a listener of another address heard of it");
  },
  "keeps the order of what one publisher sends to one address": async (stage) => {
    const ear = stage.listen("a");
    const sent = Array.from({ length: 200 }, (_, at) => numbered(at));
    for (const event of sent) stage.publish("a", event);
    assertEqual(await ear.hear(sent.length), sent, "the order changed");
  },
  "delivers once": async (stage) => {
    const [ear, member] = [stage.listen("a"), stage.listen("a", { group: "g" })];
    for (const at of [0, 1, 2]) stage.publish("a", numbered(at));
    await ear.hear(3);
    await stage.quiet();
    assertEqual([ear.events.length, member.events.length], [3, 3], "an event was lost or came twice");
  },
  "delivers nothing inside publish": async (stage) => {
    const ear = stage.listen("a");
    stage.publish("a", numbered(1));
    assertEqual(ear.events, [], "the listener was called before publish returned");
    await ear.hear(1);
  },
  "delivers what a listener publishes": async (stage) => {
    const ear = stage.listen("b");
    const leave = stage.bus.subscribe(stage.address("a"), (event) => {
      leave();
      stage.publish("b", event);
    });
    stage.publish("a", numbered(1));
    assertEqual(await ear.hear(1), [numbered(1)], "the event changed");
  },
  "delivers to one listener of each group": async (stage) => {
    const one = [stage.listen("a", { group: "one" }), stage.listen("a", { group: "one" })];
    const two = [stage.listen("a", { group: "two" }), stage.listen("a", { group: "two" })];
    const everyone = stage.listen("a");
    for (let at = 0; at < 40; at += 1) stage.publish("a", numbered(at));
    await everyone.hear(40);
    await stage.quiet();
    for (const group of [one, two]) {
      const heard = group.reduce((sum, { events }) => sum + events.length, 0);
      assertEqual(heard, 40, "a group did not hear each event once");
    }
  },
  "lets a listener that throws hurt nobody": async (stage) => {
    stage.bus.subscribe(stage.address("a"), () => {
      throw new Error("a careless listener");
    });
    const ear = stage.listen("a");
    stage.publish("a", numbered(1));
    stage.publish("a", numbered(2));
    assertEqual(await ear.hear(2), [numbered(1), numbered(2)], "another listener missed something");
  },
  "delivers nothing to a listener that has left": async (stage) => {
    const [gone, ear] = [stage.listen("a"), stage.listen("a")];
    gone.leave();
    stage.publish("a", numbered(1));
    await ear.hear(1);
    await stage.quiet();
    assertEqual(gone.events, [], "it was still called");
  },
  "delivers nothing once it is closed, and ignores what is published": async (stage) => {
    const ear = stage.listen("a");
    await stage.bus.close();
    stage.publish("a", numbered(1));
    await stage.quiet();
    assertEqual(ear.events, [], "a listener of a closed bus was called");
  },
};

const PROTOCOL: Readonly<Record<string, Law>> = {
  "brings each answer to its caller": async (stage) => {
    const { map, other } = stage.connect();
    const calls = Array.from({ length: 50 }, (_, at) => (at % 2 === 0 ? map : other).call("test.echo", at));
    const answers = await stage.within(Promise.all(calls), "fifty answers");
    assertEqual(
      answers.map(({ data }) => data),
      calls.map((_, at) => at),
      "an answer went astray",
    );
    assertEqual([map.counts, other.counts], [NOTHING, NOTHING], "events came that nobody asked for");
  },
  "brings null for undefined, and an absent input": async (stage) => {
    const { map } = stage.connect();
    assertEqual((await stage.within(map.call("test.echo"), "an answer")).data, null, "the data changed");
    assertEqual((await stage.within(map.call("test.echo", false), "an answer")).data, false, "the data changed");
  },
  "brings every field of an error": async (stage) => {
    const { map } = stage.connect();
    assertEqual((await stage.failure(map.call("test.fail"))).toJSON(), FAILURE.toJSON(), "the error changed");
  },
  "brings progress": async (stage) => {
    const { map } = stage.connect();
    const seen: unknown[] = [];
    await stage.within(map.call("test.slow", 1, { onProgress: (progress) => seen.push(progress) }), "an answer");
    assertEqual(seen, [{ progress: 1, total: 2 }], "the progress changed");
  },
  "brings an abort to the handler": async (stage) => {
    const { map, aborted } = stage.connect();
    const controller = new AbortController();
    const started = deferred();
    const call = map.call("test.wait", 1, { signal: controller.signal, onProgress: () => started.resolve() });
    const failed = handled(stage.failure(call));
    await stage.within(started.promise, "the call to begin");
    controller.abort();
    assertEqual((await failed).code, "ABORTED", "the caller got another error");
    await stage.within(aborted, "the handler's signal");
  },
  "brings the end of a deadline to the caller and to the handler": async (stage) => {
    const { map, aborted } = stage.connect();
    const failed = await stage.failure(map.call("test.wait", 1, { deadline: Date.now() + 50 }));
    assertEqual(failed.code, "TIMEOUT", "the caller got another error");
    await stage.within(aborted, "the handler's signal");
  },
  "brings the values of a subscription in order, and their end": async (stage) => {
    const { map } = stage.connect();
    const seen: unknown[] = [];
    const loop = async () => {
      for await (const { data } of map.subscribe("test.count", 100, { credit: 8 })) seen.push(data);
    };
    await stage.within(loop(), "the end of the subscription");
    assertEqual(
      seen,
      Array.from({ length: 100 }, (_, at) => at),
      "values were lost",
    );
  },
  "lets a slow consumer bound its producer, and its break stop it": async (stage) => {
    const { map, produced, stopped } = stage.connect();
    const values = map.subscribe("test.count", 1_000_000, { credit: 4 });
    for (let consumed = 1; consumed <= 10; consumed += 1) {
      await stage.within(values.next(), "a value");
      if (consumed === 10) await stage.quiet();
      assert(produced() <= consumed + 4, `${produced()} values were produced when ${consumed} were consumed`);
    }
    await values.return(undefined);
    await stage.within(stopped, "the generator to stop");
  },
  "lets a worker drain": async (stage) => {
    const { map, handler, release } = stage.connect();
    const started = deferred();
    const running = handled(map.call("test.wait", 1, { onProgress: () => started.resolve() }));
    await stage.within(started.promise, "the call to begin");
    const closed = handler.close();
    const refused = await stage.failure(map.call("test.echo", 1));
    assertEqual([refused.code, refused.recoverable], ["UNAVAILABLE", true], "a draining worker took a call");
    release();
    assertEqual((await stage.within(running, "the running call")).data, "released", "the running call was lost");
    await stage.within(closed, "the worker to close");
  },
};

const NOTHING = { late: 0, duplicate: 0, unknown: 0, malformed: 0 };

const FAILURE: CallError = new CallError({
  category: "rate_limit",
  code: "SLOW_DOWN",
  message: "Too many calls ✋",
  details: { limit: 0, unit: null },
  data: false,
  issues: [{ path: "/a~1b/0", message: "is wrong", rule: "r" }],
  suggestedAction: "Wait",
  nextTool: "test.wait",
  retryAfterMs: 0,
});

const EVENTS: readonly CallEvent[] = [
  {
    type: "call.requested",
    requestId: "1",
    operationId: "test.echo",
    input: { list: [0, "", false, null], text: "東京 🎉" },
    replyTo: "inbox",
    parentRequestId: "0",
    deadline: 1_700_000_000_000,
    idleTimeout: 0.5,
    identity: { id: "ada", scopes: ["read"], resources: { "project:7": [] } },
    metadata: {},
    credit: 1,
  },
  { type: "call.responded", requestId: "1", output: { ...localEnvelope(null, "test.echo") }, sequence: 0 },
  { type: "call.completed", requestId: "1", count: 0 },
  { type: "call.progress", requestId: "1", progress: 0, total: 1, message: "" },
  { type: "call.aborted", requestId: "1", reason: "enough" },
  { type: "call.error", requestId: "1", ...FAILURE.toJSON() },
  { type: "call.credited", requestId: "1", credit: 8 },
];

function numbered(at: number): CallEvent {
  return { type: "call.completed", requestId: "1", count: at };
}

/** One bus under test, with addresses that no other case uses: a broker may be shared. */
class Stage {
  readonly bus: Bus;
  readonly #timeoutMs: number;
  readonly #quietMs: number;
  readonly #prefix = `test${Math.random().toString(36).slice(2)}`;

  constructor(bus: Bus, timeoutMs: number, quietMs: number) {
    this.bus = bus;
    this.#timeoutMs = timeoutMs;
    this.#quietMs = quietMs;
  }

  address(name: string): string {
    return `${this.#prefix}.${name}`;
  }

  publish(name: string, event: CallEvent): void {
    this.bus.publish(this.address(name), event);
  }

  /** Keeps what comes to an address; `hear` waits until there is that much of it. */
  listen(name: string, options?: BusSubscribeOptions): Ear {
    const events: CallEvent[] = [];
    let look = () => {};
    const listener = (event: CallEvent) => {
      events.push(event);
      look();
    };
    const hear = (count: number) => {
      const enough = new Promise<void>((resolve) => {
        look = () => {
          if (events.length >= count) resolve();
        };
        look();
      });
      return this.within(enough, `${count} events`).then(() => events);
    };
    return { events, hear, leave: this.bus.subscribe(this.address(name), listener, options) };
  }

  connect(): Connection {
    const { registry, ...observed } = testOperations();
    const options = { bus: this.bus, address: this.address("calls") };
    const handler = buildCallHandler({ ...options, registry: registry });
    return { ...observed, handler, map: new PendingRequestMap(options), other: new PendingRequestMap(options) };
  }

  async failure(call: Promise<unknown>): Promise<CallError> {
    const caught: unknown = await this.within(
      call.catch((thrown: unknown) => thrown),
      "an error",
    );
    assert(isCallError(caught), "the call did not fail with a CallError");
    return caught;
  }

  async within<T>(promise: Promise<T>, what: string): Promise<T> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const expired = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`waited too long for ${what}`)), this.#timeoutMs);
    });
    try {
      return await Promise.race([promise, expired]);
    } finally {
      clearTimeout(timer);
    }
  }

  async quiet(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, this.#quietMs));
  }
}

interface Ear {
  readonly events: readonly CallEvent[];
  hear(count: number): Promise<readonly CallEvent[]>;
  leave(): void;
}

interface Connection extends Omit<Observed, "registry"> {
  readonly map: PendingRequestMap;
  readonly other: PendingRequestMap;
  readonly handler: CallHandler;
}

interface Observed {
  readonly registry: OperationRegistry;
  /** The signal of `test.wait` was aborted. */
  readonly aborted: Promise<void>;
  /** Lets `test.wait` end. */
  readonly release: () => void;
  /** The `finally` of `test.count` has run. */
  readonly stopped: Promise<void>;
  /** How many values `test.count` has made. */
  readonly produced: () => number;
}

function testOperations(): Observed {
  const [aborted, released, stopped] = [deferred(), deferred(), deferred()];
  let produced = 0;
  const registry = new OperationRegistry()
    .registerSpec(spec("echo", "query"))
    .registerHandler("test.echo", (input) => input)
    .registerSpec(spec("fail", "query"))
    .registerHandler("test.fail", () => Promise.reject(FAILURE))
    .registerSpec(spec("slow", "query"))
    .registerHandler("test.slow", (_, context) => context.progress(1, 2))
    .registerSpec(spec("wait", "query"))
    .registerHandler("test.wait", async (_, context) => {
      context.signal.addEventListener("abort", aborted.resolve);
      context.progress(0);
      await released.promise;
      return "released";
    })
    .registerSpec(spec("count", "subscription"))
    .registerHandler("test.count", async function* (input) {
      try {
        for (let at = 0; at < Number(input); at += 1) {
          produced += 1;
          yield at;
        }
      } finally {
        stopped.resolve();
      }
    });
  const promises = { aborted: aborted.promise, stopped: stopped.promise };
  return { registry, ...promises, release: released.resolve, produced: () => produced };
}

function spec(name: string, type: "query" | "subscription"): OperationSpec {
  return { namespace: "test", name, version: "1.0.0", type, description: "", inputSchema: true, outputSchema: true };
}

/** A promise that is looked at later; until then its failure is no accident. */
function handled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}

function deferred(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve: () => void = () => {};
  const promise = new Promise<void>((fulfil) => {
    resolve = fulfil;
  });
  return { promise, resolve };
}
