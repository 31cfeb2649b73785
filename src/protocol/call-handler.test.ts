import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { CallError } from "../envelope/call-error.js";
import type { ResponseEnvelope } from "../envelope/response-envelope.js";
import type { CallOptions } from "../registry/call-options.js";
import { hostileValues } from "../testing/hostile-values.js";
import type { Bus } from "./bus.js";
import { buildCallHandler } from "./call-handler.js";
import type { CallEvent, CallRespondedEvent } from "./events.js";
import { dataOf, gate } from "./fixtures/caller.js";
import { executorOf } from "./fixtures/executor.js";
import { NOW, turns, watched } from "./fixtures/peer.js";
import { workerStage } from "./fixtures/worker-stage.js";
import { memoryBus } from "./memory-bus.js";

const stage = workerStage();

describe("a query", () => {
  test("is answered once, with its envelope", async () => {
    const handler = stage.serve({ queries: { "a.b": (input) => [input] } });
    await stage.caller.request({ input: 7 });
    expect(stage.caller.answers).toMatchObject([
      { type: "call.responded", requestId: "1", output: { data: [7], meta: { source: "local", operationId: "a.b" } } },
    ]);
    expect(stage.caller.answers[0]).not.toHaveProperty("sequence");
    expect(handler.getRunningCount()).toBe(0);
  });

  test("is answered with null where it gives nothing, so that the answer is the same after JSON", async () => {
    stage.serve({ queries: { "a.b": () => undefined } });
    await stage.caller.request();
    expect((stage.caller.answers[0] as CallRespondedEvent).output.data).toBeNull();
    expect(JSON.parse(JSON.stringify(stage.caller.answers[0]))).toEqual(stage.caller.answers[0]);
  });

  test("whose tool says that it failed is answered, not an error", async () => {
    const output: ResponseEnvelope = { data: "no", meta: { source: "mcp", isError: true, content: [] } };
    stage.serve({ queries: { "a.b": () => output } });
    await stage.caller.request();
    expect(stage.caller.answers).toEqual([{ type: "call.responded", requestId: "1", output }]);
  });

  test("gets what the request says, and nothing that would make it trusted", async () => {
    const seen: { input: unknown; options: CallOptions }[] = [];
    stage.serve({ queries: { "a.b": (input, options) => seen.push({ input, options }) } });
    const fields = {
      parentRequestId: "0",
      deadline: NOW + 5,
      identity: { id: "ada", scopes: ["read"] },
      metadata: { trusted: true },
    };
    await stage.caller.request({ ...fields, input: { x: 1 }, trusted: true });
    await stage.caller.request();
    const [all, none] = seen;
    expect(all?.input).toEqual({ x: 1 });
    const { signal, onProgress, ...told } = all?.options ?? {};
    expect(told).toEqual({ requestId: "1", ...fields });
    expect(signal?.aborted).toBe(false);
    expect(onProgress).toBeTypeOf("function");
    expect(none?.input).toBeUndefined();
    expect(Object.keys(none?.options ?? {}).sort()).toEqual(["onProgress", "requestId", "signal"]);
  });

  test("that is subscribed to is a subscription of one value", async () => {
    stage.serve({ queries: { "a.b": () => "one" } });
    await stage.caller.request({ credit: 3 });
    expect(stage.caller.answers).toMatchObject([
      { type: "call.responded", sequence: 0 },
      { type: "call.completed", count: 1 },
    ]);
  });

  test("tells its progress until it is answered", async () => {
    const kept: CallOptions[] = [];
    stage.serve({
      queries: {
        "a.b": (_, options) => {
          kept.push(options);
          options.onProgress?.({ progress: 1, total: 2 });
        },
      },
    });
    await stage.caller.request();
    kept[0]?.onProgress?.({ progress: 2 });
    await turns();
    expect(stage.caller.answers).toMatchObject([
      { type: "call.progress", progress: 1, total: 2 },
      { type: "call.responded" },
    ]);
  });
});

describe("an error", () => {
  test("is published with everything but its cause", async () => {
    const details = { category: "conflict", message: "Taken", details: { by: "x" }, retryAfterMs: 0 } as const;
    stage.serve({
      queries: {
        "a.b": () => {
          throw new CallError({ ...details, cause: new Error("secret") });
        },
      },
    });
    await stage.caller.request();
    expect(stage.caller.answers).toEqual([
      { type: "call.error", requestId: "1", ...details, code: "CONFLICT", recoverable: false },
    ]);
  });

  test("that nobody knows does not leak its words", async () => {
    stage.serve({
      queries: {
        "a.b": () => {
          throw new Error("password=hunter2");
        },
      },
    });
    await stage.caller.request();
    expect(stage.caller.answers).toMatchObject([
      { type: "call.error", category: "execution", code: "EXECUTION_ERROR" },
    ]);
    expect(JSON.stringify(stage.caller.answers)).not.toContain("hunter2");
  });

  test("says that there is no such operation", async () => {
    stage.serve({});
    await stage.caller.request();
    expect(stage.caller.answers).toMatchObject([{ type: "call.error", code: "OPERATION_NOT_FOUND" }]);
  });

  test("answers where the executor gives no envelope, or the registry itself throws", async () => {
    const registry = { ...executorOf({}), execute: async () => "raw" as never };
    buildCallHandler({ registry, bus: stage.bus });
    await stage.caller.request();
    const throwing = {
      ...registry,
      getSpec: () => {
        throw new Error("broken");
      },
    };
    buildCallHandler({ registry: throwing, bus: stage.bus, address: "other" });
    stage.bus.publish("other", { type: "call.requested", requestId: "2", operationId: "a.b", replyTo: "inbox" });
    await turns();
    expect(stage.caller.answers).toMatchObject([
      { type: "call.error", requestId: "1", category: "internal" },
      { type: "call.error", requestId: "2", category: "internal" },
    ]);
  });

  test("answers where the bus cannot carry the response, nor the details of the error", async () => {
    const picky: Bus = {
      ...stage.bus,
      publish(address, event) {
        if (JSON.stringify(event).includes("heavy")) {
          throw new CallError({ category: "validation", code: "PAYLOAD_TOO_LARGE", message: "m", details: "heavy" });
        }
        stage.bus.publish(address, event);
      },
    };
    buildCallHandler({ registry: executorOf({ queries: { "a.b": () => "heavy" } }), bus: picky });
    await stage.caller.request();
    expect(stage.caller.answers).toMatchObject([{ type: "call.error", code: "PAYLOAD_TOO_LARGE" }]);
  });
});

describe("an abort", () => {
  test("aborts the handler's signal, and nothing more is published", async () => {
    const { opened, open } = gate();
    const signals: (AbortSignal | undefined)[] = [];
    const handler = stage.serve({
      queries: {
        "a.b": async (_, { signal }) => {
          signals.push(signal);
          await opened;
        },
      },
    });
    await stage.caller.request();
    await stage.caller.control({ type: "call.aborted", reason: "enough" });
    expect(signals[0]?.aborted).toBe(true);
    expect(signals[0]?.reason).toMatchObject({ category: "aborted" });
    expect(handler.getRunningCount()).toBe(1);
    open();
    await turns();
    expect([stage.caller.answers, handler.getRunningCount()]).toEqual([[], 0]);
  });

  test("is seen by a handler that looks at its signal only afterwards", async () => {
    const { opened, open } = gate();
    const seen: unknown[] = [];
    stage.serve({
      queries: {
        "a.b": async (_, options) => {
          await opened;
          seen.push(options.signal?.aborted);
        },
      },
    });
    await stage.caller.request();
    await stage.caller.control({ type: "call.aborted" });
    open();
    await turns();
    expect(seen).toEqual([true]);
  });

  test("of a call that runs elsewhere is passed over", async () => {
    const handler = stage.serve({});
    await stage.caller.control({ type: "call.aborted", requestId: "elsewhere" });
    await stage.caller.control({ type: "call.credited", requestId: "elsewhere", credit: 1 });
    expect(handler.counts).toEqual({ late: 0, duplicate: 0, unknown: 0, malformed: 0 });
  });
});

describe("a deadline", () => {
  test("that has passed is answered with TIMEOUT, and nothing runs", async () => {
    const run = vi.fn();
    const handler = stage.serve({ queries: { "a.b": run } });
    await stage.caller.request({ deadline: NOW });
    expect(stage.caller.answers).toMatchObject([{ type: "call.error", code: "TIMEOUT" }]);
    expect([run.mock.calls.length, handler.counts.late]).toEqual([0, 1]);
  });

  test("stops a handler that ignores it, once, and still counts it as running", async () => {
    const signals: (AbortSignal | undefined)[] = [];
    const handler = stage.serve({
      queries: {
        "a.b": (_, { signal }) => {
          signals.push(signal);
          return new Promise(() => {});
        },
      },
    });
    await stage.caller.request({ deadline: NOW + 100 });
    await vi.advanceTimersByTimeAsync(500);
    await turns();
    expect(stage.caller.answers).toMatchObject([{ type: "call.error", code: "TIMEOUT" }]);
    expect([signals[0]?.aborted, handler.getRunningCount(), vi.getTimerCount()]).toEqual([true, 1, 0]);
  });
});

describe("close", () => {
  test("refuses new requests, waits for what runs, then hears nothing", async () => {
    const { opened, open } = gate();
    const handler = stage.serve({ queries: { "a.b": () => opened.then(() => "done") } });
    await stage.caller.request();
    const closed = watched(handler.close());
    await stage.caller.request({ requestId: "2" });
    expect(stage.caller.answers).toMatchObject([
      { type: "call.error", requestId: "2", category: "unavailable", code: "UNAVAILABLE", recoverable: true },
    ]);
    expect(closed.settled).toBe(false);
    open();
    await turns();
    expect([closed.settled, dataOf(stage.caller.answers)]).toEqual([true, ["done"]]);
    await expect(stage.caller.request({ requestId: "3" })).rejects.toMatchObject({ code: "UNAVAILABLE" });
    expect(stage.caller.answers).toHaveLength(2);
  });

  test("aborts what still runs after the time it was given, and says so to those who wait", async () => {
    const signals: (AbortSignal | undefined)[] = [];
    const handler = stage.serve({
      queries: {
        "a.b": (_, { signal }) => {
          signals.push(signal);
          return new Promise(() => {});
        },
      },
    });
    await stage.caller.request();
    const closed = watched(handler.close({ timeoutMs: 100 }));
    await vi.advanceTimersByTimeAsync(99);
    expect([closed.settled, signals[0]?.aborted]).toEqual([false, false]);
    await vi.advanceTimersByTimeAsync(1);
    await turns();
    expect([closed.settled, signals[0]?.aborted]).toEqual([true, true]);
    expect(stage.caller.answers).toMatchObject([{ type: "call.error", code: "UNAVAILABLE", recoverable: true }]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("leaves no timer behind where everything ended in time", async () => {
    const { opened, open } = gate();
    const handler = stage.serve({ queries: { "a.b": () => opened } });
    await stage.caller.request({ deadline: NOW + 1000 });
    const closed = watched(handler.close({ timeoutMs: 1000 }));
    open();
    await turns();
    expect([closed.settled, vi.getTimerCount()]).toEqual([true, 0]);
  });
});

describe("requests that are not to be served", () => {
  test("with the id of one that runs are ignored and counted", async () => {
    const { opened, open } = gate();
    const handler = stage.serve({ queries: { "a.b": () => opened } });
    await stage.caller.request();
    await stage.caller.request();
    open();
    await turns();
    expect([stage.caller.answers.length, handler.counts.duplicate]).toEqual([1, 1]);
  });

  test("beyond the limit are refused, and served once there is room", async () => {
    const { opened, open } = gate();
    stage.serve({ queries: { "a.b": () => opened } }, { maxRunning: 1 });
    await stage.caller.request();
    await stage.caller.request({ requestId: "2" });
    expect(stage.caller.answers).toMatchObject([{ requestId: "2", code: "UNAVAILABLE", recoverable: true }]);
    open();
    await turns();
    await stage.caller.request({ requestId: "3" });
    expect(stage.caller.types()).toEqual(["call.error", "call.responded", "call.responded"]);
  });

  test("and events of any shape are counted and never thrown", async () => {
    const onError = vi.fn();
    const wild = memoryBus({ onError });
    const handler = buildCallHandler({ registry: executorOf({}), bus: wild });
    const values = [...hostileValues(), ...fc.sample(fc.oneof(fc.anything(), fc.object()), 1000)].filter(
      (value) => value !== undefined,
    );
    for (const value of values) {
      wild.publish("calls", value as CallEvent);
      wild.publish("calls.control", value as CallEvent);
    }
    wild.publish("calls", { type: "call.completed", requestId: "1" });
    wild.publish("calls.control", { type: "call.completed", requestId: "1" });
    await turns();
    expect(handler.counts).toEqual({ late: 0, duplicate: 0, unknown: 2, malformed: values.length * 2 });
    expect(onError).not.toHaveBeenCalled();
  });
});

test("workers of one group share the requests", async () => {
  const served = [0, 0];
  for (const worker of [0, 1]) {
    stage.serve({
      queries: {
        "a.b": () => {
          served[worker] = (served[worker] ?? 0) + 1;
        },
      },
    });
  }
  for (let at = 0; at < 10; at += 1) await stage.caller.request({ requestId: `r${at}` });
  expect([served, stage.caller.answers.length]).toEqual([[5, 5], 10]);
});
