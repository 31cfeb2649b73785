import { CallError, isCallError } from "../envelope/call-error.js";
import type { Bus, BusSubscribeOptions } from "../protocol/bus.js";
import { buildCallHandler, type CallHandler } from "../protocol/call-handler.js";
import type { CallEvent } from "../protocol/events.js";
import { PendingRequestMap } from "../protocol/pending-request-map.js";
import type { OperationSpec, OperationType } from "../registry/operation.js";
import { OperationRegistry } from "../registry/registry.js";
import { assert } from "./laws.js";

/** What `test.fail` fails with. */
export const FAILURE: CallError = new CallError({
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

/** One bus under test, with addresses that no other case uses: a broker may be shared. */
export class BusStage {
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
    const handler = buildCallHandler({ ...options, registry });
    return { ...observed, handler, map: new PendingRequestMap(options), other: new PendingRequestMap(options) };
  }

  /** The same with heartbeats, over a bus that loses some events. */
  connectLasting(loses: Loses = () => false): Connection {
    const { registry, ...observed } = testOperations();
    const options = { bus: losing(this.bus, loses), address: this.address("calls") };
    const handler = buildCallHandler({ ...options, registry, ownAddress: this.address("worker") });
    return { ...observed, handler, map: this.lastingMap(options.bus), other: this.lastingMap(options.bus) };
  }

  lastingMap(bus: Bus = this.bus): PendingRequestMap {
    return new PendingRequestMap({ bus, address: this.address("calls"), heartbeat: HEARTBEAT });
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

  quiet(): Promise<void> {
    return this.pause(this.#quietMs);
  }

  async pause(ms: number): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, ms));
  }
}

/** Milliseconds: long for a bus, short for a test. */
export const HEARTBEAT = 50;

/** A case of the suite. */
export type BusLaw = (stage: BusStage) => Promise<void>;

/** Whether an event gets lost. */
export type Loses = (event: CallEvent, address: string) => boolean;

function losing(bus: Bus, loses: Loses): Bus {
  return {
    publish(address, event) {
      if (!loses(event, address)) bus.publish(address, event);
    },
    subscribe: (address, listener, options) => bus.subscribe(address, listener, options),
    close: () => bus.close(),
  };
}

export interface Ear {
  readonly events: readonly CallEvent[];
  hear(count: number): Promise<readonly CallEvent[]>;
  leave(): void;
}

export interface Connection extends Omit<Observed, "registry"> {
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
  /** How often `test.change` has run. */
  readonly runs: () => number;
}

function testOperations(): Observed {
  const [aborted, released, stopped] = [deferred(), deferred(), deferred()];
  let [produced, runs] = [0, 0];
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
    .registerSpec(spec("change", "mutation"))
    .registerHandler("test.change", (input) => {
      runs += 1;
      return input;
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
  return { registry, ...promises, release: released.resolve, produced: () => produced, runs: () => runs };
}

function spec(name: string, type: OperationType): OperationSpec {
  return { namespace: "test", name, version: "1.0.0", type, description: "", inputSchema: true, outputSchema: true };
}

/** A promise that is looked at later; until then its failure is no accident. */
export function handled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}

export function deferred(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve: () => void = () => {};
  const promise = new Promise<void>((fulfil) => {
    resolve = fulfil;
  });
  return { promise, resolve };
}
