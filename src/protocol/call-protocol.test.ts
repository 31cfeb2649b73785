import { getEventListeners } from "node:events";
import { describe, expect, test } from "vitest";
import { CallError } from "../envelope/call-error.js";
import { localEnvelope } from "../envelope/response-envelope.js";
import type { Bus } from "./bus.js";
import { buildCallHandler } from "./call-handler.js";
import { type CallEvent, isCallEvent } from "./events.js";
import { gate } from "./fixtures/caller.js";
import { executorOf, type Operations } from "./fixtures/executor.js";
import { turns } from "./fixtures/peer.js";
import { memoryBus } from "./memory-bus.js";
import { PendingRequestMap } from "./pending-request-map.js";

/** A bus that makes JSON of everything, as those between machines do. */
function jsonBus(): Bus {
  const bus = memoryBus();
  return { ...bus, publish: (address, event) => bus.publish(address, JSON.parse(JSON.stringify(event))) };
}

describe.each([
  ["in memory", memoryBus],
  ["over JSON", jsonBus],
])("a caller and a worker %s", (_, createBus) => {
  function connect(operations: Operations) {
    const bus = createBus();
    const handler = buildCallHandler({ registry: executorOf(operations), bus });
    return { bus, handler, map: new PendingRequestMap({ bus }) };
  }

  test("answer each other", async () => {
    const { map } = connect({ queries: { "math.add": (input) => (input as number[]).reduce((a, b) => a + b) } });
    expect((await map.call("math.add", [1, 2])).data).toBe(3);
  });

  test("agree on null, 0, the empty text and false, and on nothing at all", async () => {
    const { map } = connect({ queries: { "a.echo": (input) => [input === undefined, input] } });
    const answers = [null, 0, "", false, undefined].map((input) => map.call("a.echo", input));
    expect((await Promise.all(answers)).map(({ data }) => (data as unknown[])[0])).toEqual([
      false,
      false,
      false,
      false,
      true,
    ]);
  });

  test("keep every field of an error", async () => {
    const error = new CallError({
      category: "own",
      code: "X",
      message: "m",
      details: [0],
      data: null,
      issues: [{ path: "/a", message: "b" }],
      suggestedAction: "s",
      nextTool: "n",
      retryAfterMs: 1,
    });
    const { map } = connect({
      queries: {
        "a.b": () => {
          throw error;
        },
      },
    });
    const caught: unknown = await map.call("a.b").catch((thrown: unknown) => thrown);
    expect((caught as CallError).toJSON()).toEqual(error.toJSON());
    expect(caught).not.toBe(error);
  });

  test("bound the producer by a slow consumer", async () => {
    let produced = 0;
    const { map } = connect({
      subscriptions: {
        "a.count": async function* () {
          for (;;) yield produced++;
        },
      },
    });
    let consumed = 0;
    for await (const { data } of map.subscribe("a.count", null, { credit: 8 })) {
      expect(data).toBe(consumed);
      consumed += 1;
      await turns();
      expect(produced).toBeLessThanOrEqual(consumed + 8);
      if (consumed === 100) break;
    }
    expect(map.getPendingCount()).toBe(0);
  });

  test.each([1, 2, 3, 16, 1000])("bring 200 values through a credit of %i, in order, and end", async (credit) => {
    const { map, handler } = connect({
      subscriptions: {
        "a.count": async function* (until) {
          for (let at = 0; at < Number(until); at += 1) yield at;
        },
      },
    });
    const seen = [];
    for await (const { data } of map.subscribe("a.count", 200, { credit })) seen.push(data);
    expect(seen).toEqual(Array.from({ length: 200 }, (_, at) => at));
    await turns();
    expect([handler.getRunningCount(), map.getPendingCount()]).toEqual([0, 0]);
    expect(map.counts).toEqual({ late: 0, duplicate: 0, unknown: 0, malformed: 0, unconfirmed: 0 });
  });

  test("run the generator's finally when the consumer breaks", async () => {
    const ended = gate<string>();
    const { map, handler } = connect({
      subscriptions: {
        "a.count": async function* () {
          try {
            for (let at = 0; ; at += 1) yield at;
          } finally {
            ended.open("finally");
          }
        },
      },
    });
    for await (const { data } of map.subscribe("a.count")) if (data === 3) break;
    expect(await ended.opened).toBe("finally");
    await turns();
    expect(handler.getRunningCount()).toBe(0);
  });

  test("give the caller of a handler that ignores its signal an answer on time", async () => {
    const stuck = () => new Promise(() => {});
    const { map } = connect({ queries: { "a.stuck": stuck } });
    const controller = new AbortController();
    const late = map.call("a.stuck", 1, { deadline: Date.now() + 20 });
    const aborted = map.call("a.stuck", 1, { signal: controller.signal });
    controller.abort();
    await expect(aborted).rejects.toMatchObject({ code: "ABORTED" });
    await expect(late).rejects.toMatchObject({ code: "TIMEOUT" });
  });

  test("carry progress", async () => {
    const { map } = connect({
      queries: {
        "a.slow": (_, { onProgress }) => {
          onProgress?.({ progress: 1, total: 2 });
          return "done";
        },
      },
    });
    const seen: unknown[] = [];
    await map.call("a.slow", 1, { onProgress: (progress) => seen.push(progress) });
    expect(seen).toEqual([{ progress: 1, total: 2 }]);
  });

  test("leave nothing behind after ten thousand calls", async () => {
    const { map, handler } = connect({ queries: { "a.echo": (input) => input } });
    const { signal } = new AbortController();
    const calls = Array.from({ length: 10_000 }, (_, at) => map.call("a.echo", at, { signal }));
    expect((await Promise.all(calls)).every(({ data }, at) => data === at)).toBe(true);
    await turns();
    expect([map.getPendingCount(), handler.getRunningCount()]).toEqual([0, 0]);
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
  });

  test("publish nothing that is no event", async () => {
    const { bus, map } = connect({
      queries: { "a.b": (_, { onProgress }) => onProgress?.({ progress: 0 }) },
      subscriptions: {
        "a.c": async function* () {
          yield* [1, 2, 3];
        },
      },
    });
    const seen: CallEvent[] = [];
    for (const address of ["calls", "calls.control"]) bus.subscribe(address, (event) => seen.push(event));
    await map.call("a.b");
    const [request] = seen;
    bus.subscribe(request?.type === "call.requested" ? request.replyTo : "", (event) => seen.push(event));
    await map.call("a.b");
    await map.call("a.none").catch(() => {});
    for await (const _ of map.subscribe("a.c", 1, { credit: 1 }));
    for await (const _ of map.subscribe("a.c")) break;
    await turns();
    expect(seen.filter((event) => !isCallEvent(event))).toEqual([]);
    expect([...new Set(seen.map(({ type }) => type))].sort()).toEqual([
      "call.aborted",
      "call.completed",
      "call.credited",
      "call.error",
      "call.progress",
      "call.requested",
      "call.responded",
    ]);
  });
});

test("an envelope is passed through by identity in memory", async () => {
  const envelope = localEnvelope({ x: 1 }, "a.b");
  const bus = memoryBus();
  buildCallHandler({ registry: executorOf({ queries: { "a.b": () => envelope } }), bus });
  expect(await new PendingRequestMap({ bus }).call("a.b")).toBe(envelope);
});

describe("a worker that is being closed", () => {
  const handlerOf = (bus: Bus) =>
    buildCallHandler({
      registry: executorOf({ queries: { "a.stuck": () => new Promise(() => {}), "a.b": () => 1 } }),
      bus,
    });

  test("does not wait for a handler whose caller has given up", async () => {
    const bus = memoryBus();
    const handler = handlerOf(bus);
    const caller = new PendingRequestMap({ bus });
    const call = caller.call("a.stuck", 1, { requestId: "7" });
    await turns();
    const closed = handler.close();
    caller.abort("7");
    await expect(call).rejects.toMatchObject({ code: "ABORTED" });
    await closed;
  });

  test("refuses what was sent before it was gone, and nobody waits for one that is", async () => {
    const bus = memoryBus();
    const handler = handlerOf(bus);
    const caller = new PendingRequestMap({ bus });
    const closed = handler.close();
    await expect(caller.call("a.b")).rejects.toMatchObject({ code: "UNAVAILABLE" });
    await closed;
    await expect(caller.call("a.b")).rejects.toMatchObject({ code: "UNAVAILABLE" });
    await bus.close();
    await expect(caller.call("a.b")).rejects.toMatchObject({ code: "UNAVAILABLE" });
    expect(caller.getPendingCount()).toBe(0);
  });
});
