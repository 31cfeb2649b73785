import { getEventListeners } from "node:events";
import { afterEach, describe, expect, test, vi } from "vitest";
import { localEnvelope, type ResponseEnvelope } from "../envelope/response-envelope.js";
import { failureOf, registryOf, settled } from "./fixtures/operations.js";
import type { AnyHandler, OperationSpec } from "./operation.js";
import type { OperationMap } from "./operation-map.js";
import type { OperationRegistry } from "./registry.js";

const TIMEOUT = { code: "TIMEOUT", category: "timeout" };
const ABORTED = { code: "ABORTED", category: "aborted" };
const DONE = { done: true, value: undefined };

function streamOf(handler: AnyHandler, over: Partial<OperationSpec> = {}): OperationRegistry<OperationMap> {
  return registryOf(handler, { type: "subscription", ...over });
}

/** Counts up, and notes when it is ended. */
function counting(events: string[]): AnyHandler {
  return async function* () {
    try {
      for (let count = 1; ; count++) yield count;
    } finally {
      events.push("finally");
    }
  };
}

/** Gives one value and then waits until its signal is aborted, and notes when it is ended. */
function patient(events: string[]): AnyHandler {
  return async function* (_, { signal }) {
    try {
      yield 1;
      await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    } finally {
      events.push("finally");
    }
  };
}

/** Gives one value and then waits for ever, without listening to anyone. */
async function* deaf(): AsyncGenerator<number> {
  yield 1;
  await new Promise(() => {});
}

async function all(envelopes: AsyncIterable<ResponseEnvelope>): Promise<unknown[]> {
  const found: unknown[] = [];
  for await (const { data } of envelopes) found.push(data);
  return found;
}

afterEach(() => {
  vi.useRealTimers();
});

describe("subscribe", () => {
  test("is lazy: nothing happens before the first value is asked for", async () => {
    const handler = vi.fn(async function* () {
      yield 1;
    });
    const signal = new AbortController().signal;
    const values = streamOf(handler).subscribe("test.run", 1, { signal, deadline: Date.now() + 60_000 });
    await settled();
    expect(handler).not.toHaveBeenCalled();
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
    expect(await values.return(undefined)).toEqual(DONE);
    expect(await values.next()).toEqual(DONE);
    expect(handler).not.toHaveBeenCalled();
  });

  test("wraps each yielded value in an envelope with a fresh timestamp", async () => {
    vi.useFakeTimers({ now: 1000 });
    const values = streamOf(async function* () {
      yield "a";
      vi.setSystemTime(2000);
      yield "b";
    }).subscribe("test.run");
    const meta = { source: "local", operationId: "test.run" };
    expect(await values.next()).toEqual({ done: false, value: { data: "a", meta: { ...meta, timestamp: 1000 } } });
    expect(await values.next()).toEqual({ done: false, value: { data: "b", meta: { ...meta, timestamp: 2000 } } });
    expect(await values.next()).toEqual(DONE);
  });

  test("passes a yielded value through that is an envelope", async () => {
    const envelope = localEnvelope(1, "other.op");
    const { value } = await streamOf(async function* () {
      yield envelope;
    })
      .subscribe("test.run")
      .next();
    expect(value).toBe(envelope);
  });

  test("normalises each value and tells what was changed of which", async () => {
    const outputSchema = { type: "object", properties: { id: { type: "integer" } } };
    const values = streamOf(
      async function* () {
        yield { id: 1, extra: 1 };
        yield { id: 2 };
      },
      { outputSchema },
    ).subscribe("test.run");
    const [first, second] = [(await values.next()).value, (await values.next()).value];
    expect(first).toMatchObject({ data: { id: 1 }, meta: { warnings: [{ code: "OUTPUT_STRIPPED", path: "/extra" }] } });
    expect(first?.data).not.toHaveProperty("extra");
    expect(second?.meta.warnings).toBeUndefined();
  });

  test("gives hints with the value before which they were said", async () => {
    const values = streamOf(async function* (_, context) {
      context.warn("one");
      yield 1;
      yield 2;
      context.summary("three");
      yield 3;
    }).subscribe("test.run", 1, { requestId: "r1" });
    const metas = [];
    for await (const { meta } of values) metas.push(meta);
    expect(metas.map(({ warnings, summary, requestId }) => [warnings?.length, summary, requestId])).toEqual([
      [1, undefined, "r1"],
      [undefined, undefined, "r1"],
      [undefined, "three", "r1"],
    ]);
  });

  test("keeps undefined, null, 0, the empty text and false, which end nothing", async () => {
    const given = [undefined, null, 0, "", false];
    expect(await all(streamOf(() => given).subscribe("test.run"))).toEqual(given);
  });

  test("may be used with for await, and ends when the handler does", async () => {
    expect(
      await all(
        streamOf(async function* (input: number) {
          for (let count = 0; count < input; count++) yield count;
        }).subscribe("test.run", 3),
      ),
    ).toEqual([0, 1, 2]);
  });

  test("takes a sync iterable, and a promise of an iterable", async () => {
    expect(await all(streamOf(() => [1, 2]).subscribe("test.run"))).toEqual([1, 2]);
    expect(await all(streamOf(async () => new Set([1, 2])).subscribe("test.run"))).toEqual([1, 2]);
  });

  test("awaits the promises of a sync iterable, as for await does", async () => {
    const values = streamOf(() => [Promise.resolve(1), Promise.resolve(2)]).subscribe("test.run");
    expect(await all(values)).toEqual([1, 2]);
  });

  test("of a query gives its one value", async () => {
    expect(await all(registryOf(() => [1, 2]).subscribe("test.run"))).toEqual([[1, 2]]);
    expect(await all(registryOf(async () => undefined).subscribe("test.run"))).toEqual([undefined]);
  });

  test("gives the values to concurrent calls of next one after the other", async () => {
    const values = streamOf(async function* () {
      yield 1;
      await settled();
      yield 2;
    }).subscribe("test.run");
    const taken = await Promise.all([values.next(), values.next(), values.next(), values.next()]);
    expect(taken.map(({ done, value }) => (done ? "done" : value.data))).toEqual([1, 2, "done", "done"]);
  });

  test("runs each time anew", async () => {
    const registry = streamOf(counting([]));
    const [a, b] = [registry.subscribe("test.run"), registry.subscribe("test.run")];
    await a.next();
    expect((await a.next()).value).toMatchObject({ data: 2 });
    expect((await b.next()).value).toMatchObject({ data: 1 });
    await Promise.all([a.return(undefined), b.return(undefined)]);
  });
});

describe("a consumer that ends", () => {
  test("by break runs the handler's finally", async () => {
    const events: string[] = [];
    for await (const { data } of streamOf(counting(events)).subscribe("test.run")) if (data === 3) break;
    expect(events).toEqual(["finally"]);
  });

  test("by throwing runs the handler's finally and gets its own error", async () => {
    const events: string[] = [];
    const own = new Error("mine");
    const run = async () => {
      for await (const _ of streamOf(counting(events)).subscribe("test.run")) throw own;
    };
    await expect(run()).rejects.toBe(own);
    expect(events).toEqual(["finally"]);
  });

  test("by throw() runs the handler's finally and gets the error back", async () => {
    const events: string[] = [];
    const values = streamOf(counting(events)).subscribe("test.run");
    await values.next();
    const own = new Error("mine");
    await expect(values.throw(own)).rejects.toBe(own);
    expect(events).toEqual(["finally"]);
    expect(await values.next()).toEqual(DONE);
  });

  test("by disposing of it runs the handler's finally", async () => {
    const events: string[] = [];
    const values = streamOf(counting(events)).subscribe("test.run");
    await values.next();
    await (values as unknown as AsyncDisposable)[Symbol.asyncDispose]();
    expect(events).toEqual(["finally"]);
  });

  test("while it waits gets done at once, and the handler is ended", async () => {
    const events: string[] = [];
    const values = streamOf(patient(events)).subscribe("test.run");
    await values.next();
    const waiting = values.next();
    expect(await values.return(undefined)).toEqual(DONE);
    expect(await waiting).toEqual(DONE);
    await settled();
    expect(events).toEqual(["finally"]);
  });

  test("is not held up by a busy generator that ignores its signal", async () => {
    const values = streamOf(deaf).subscribe("test.run");
    await values.next();
    const waiting = values.next();
    await settled();
    expect(await values.return(undefined)).toEqual(DONE);
    expect(await waiting).toEqual(DONE);
    expect(await values.next()).toEqual(DONE);
  });

  test("right after it has asked for the first value keeps the handler from running", async () => {
    const handler = vi.fn(counting([]));
    const values = streamOf(handler).subscribe("test.run");
    const first = values.next();
    expect(await values.return(undefined)).toEqual(DONE);
    expect(await first).toEqual(DONE);
    expect(handler).not.toHaveBeenCalled();
  });

  test("while the handler is still opening gets done, and what it opens is closed", async () => {
    const events: string[] = [];
    let open = (): void => {};
    const values = streamOf(async () => {
      await new Promise<void>((resolve) => {
        open = resolve;
      });
      return {
        [Symbol.asyncIterator]: () => ({
          next: async () => ({ done: false, value: 1 }),
          return: async () => {
            events.push("closed");
            return DONE;
          },
        }),
      };
    }).subscribe("test.run");
    const first = values.next();
    await settled();
    await values.return(undefined);
    open();
    expect(await first).toEqual(DONE);
    await settled();
    expect(events).toEqual(["closed"]);
  });

  test("does not hear an error of the handler's finally", async () => {
    const values = streamOf(async function* () {
      try {
        yield 1;
      } finally {
        // biome-ignore lint/correctness/noUnsafeFinally: such handlers exist
        throw new Error("late");
      }
    }).subscribe("test.run");
    await values.next();
    expect(await values.return(undefined)).toEqual(DONE);
  });

  test("twice is no error", async () => {
    const values = streamOf(counting([])).subscribe("test.run");
    await values.next();
    expect(await values.return(undefined)).toEqual(DONE);
    expect(await values.return(undefined)).toEqual(DONE);
  });
});

describe("a deadline or a signal", () => {
  test("that comes while a value is awaited rejects and runs the handler's finally", async () => {
    const events: string[] = [];
    const controller = new AbortController();
    const values = streamOf(patient(events)).subscribe("test.run", 1, { signal: controller.signal });
    await values.next();
    const waiting = failureOf(values.next());
    await settled();
    controller.abort();
    expect(await waiting).toMatchObject(ABORTED);
    await settled();
    expect(events).toEqual(["finally"]);
    expect(await values.next()).toEqual(DONE);
    expect(getEventListeners(controller.signal, "abort")).toHaveLength(0);
  });

  test.each([
    ["listens", patient([])],
    ["does not listen", deaf],
  ])("of time ends a handler that %s with TIMEOUT", async (_, handler) => {
    vi.useFakeTimers({ now: 1000 });
    const values = streamOf(handler).subscribe("test.run", 1, { deadline: 1500 });
    await values.next();
    const waiting = failureOf(values.next());
    await vi.advanceTimersByTimeAsync(500);
    expect(await waiting).toMatchObject(TIMEOUT);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("that has come already keeps the handler from running", async () => {
    const handler = vi.fn();
    const registry = streamOf(handler);
    const past = failureOf(registry.subscribe("test.run", 1, { deadline: 1 }).next());
    expect(await past).toMatchObject(TIMEOUT);
    const aborted = failureOf(registry.subscribe("test.run", 1, { signal: AbortSignal.abort() }).next());
    expect(await aborted).toMatchObject(ABORTED);
    expect(handler).not.toHaveBeenCalled();
  });

  test("that comes between two values is told at the next one", async () => {
    const controller = new AbortController();
    const events: string[] = [];
    const values = streamOf(counting(events)).subscribe("test.run", 1, { signal: controller.signal });
    await values.next();
    controller.abort();
    await settled();
    expect(events).toEqual(["finally"]);
    expect(await failureOf(values.next())).toMatchObject(ABORTED);
    expect(await values.next()).toEqual(DONE);
  });

  test("that comes while the handler is still opening ends the wait", async () => {
    const controller = new AbortController();
    const values = streamOf(() => new Promise(() => {})).subscribe("test.run", 1, { signal: controller.signal });
    const ended = vi.fn();
    values.next().catch(ended);
    await settled();
    controller.abort();
    await settled();
    expect(ended).toHaveBeenCalledWith(expect.objectContaining(ABORTED));
  });

  test("leaves neither timer nor listener behind when the handler ends first", async () => {
    vi.useFakeTimers({ now: 1000 });
    const signal = new AbortController().signal;
    await all(streamOf(() => [1]).subscribe("test.run", 1, { signal, deadline: 1500 }));
    await failureOf(
      streamOf(async function* () {
        yield* [];
        throw new Error("no");
      })
        .subscribe("test.run", 1, { signal, deadline: 1500 })
        .next(),
    );
    expect(vi.getTimerCount()).toBe(0);
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
  });
});

test("a deadline ends a source that always has another value", async () => {
  const registry = registryOf(
    function* () {
      for (;;) yield vi.setSystemTime(Date.now() + 1);
    },
    { type: "subscription" },
  );
  vi.useFakeTimers({ now: 1_000_000 });
  const values = registry.subscribe("test.run", 1, { deadline: 1_000_010 });
  const taken: unknown[] = [];
  const all = (async () => {
    for await (const value of values) taken.push(value);
  })();
  expect(await failureOf(all)).toMatchObject({ code: "TIMEOUT" });
  expect(taken.length).toBeLessThan(12);
  vi.useRealTimers();
});
