import { getEventListeners } from "node:events";
import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { CallError } from "../envelope/call-error.js";
import type { ResponseEnvelope } from "../envelope/response-envelope.js";
import { hostileValues } from "../testing/hostile-values.js";
import type { Bus } from "./bus.js";
import type { CallEvent } from "./events.js";
import { callerStage } from "./fixtures/caller-stage.js";
import { envelope, NOW, peerOn, responded, turns, watched } from "./fixtures/peer.js";
import { memoryBus } from "./memory-bus.js";
import { PendingRequestMap } from "./pending-request-map.js";

const stage = callerStage();

describe("call", () => {
  test("publishes a request that says what it was given and nothing else", async () => {
    const identity = { id: "ada", scopes: ["read"] };
    void stage.map.call("a.b", { x: 1 });
    void stage.map.call("a.b", undefined, {
      requestId: "mine",
      parentRequestId: "parent",
      deadline: NOW + 5,
      idleTimeout: 3,
      identity,
      metadata: { k: 0 },
    });
    await turns();
    const [plain, all] = stage.peer.requests;
    expect(Object.keys(plain ?? {}).sort()).toEqual(["input", "operationId", "replyTo", "requestId", "type"]);
    expect(plain).toMatchObject({ type: "call.requested", operationId: "a.b", input: { x: 1 } });
    expect(all).toEqual({
      type: "call.requested",
      operationId: "a.b",
      replyTo: plain?.replyTo,
      requestId: "mine",
      parentRequestId: "parent",
      deadline: NOW + 5,
      idleTimeout: 3,
      identity,
      metadata: { k: 0 },
    });
  });

  test("resolves with the first response and counts what comes after it as late", async () => {
    const call = watched(stage.map.call("a.b", 1));
    await turns();
    expect([call.settled, stage.map.getPendingCount()]).toEqual([false, 1]);
    await stage.peer.reply(stage.peer.requests[0], responded("first"));
    await stage.peer.reply(stage.peer.requests[0], responded("second"));
    expect(call.value?.data).toBe("first");
    expect(stage.map.getPendingCount()).toBe(0);
    expect(stage.map.counts).toEqual({ late: 1, duplicate: 0, unknown: 0, malformed: 0, unconfirmed: 0 });
  });

  test("resolves with an envelope whose tool says that it failed", async () => {
    const output: ResponseEnvelope = { data: null, meta: { source: "mcp", isError: true, content: [] } };
    const call = watched(stage.map.call("a.b"));
    await turns();
    await stage.peer.reply(stage.peer.requests[0], { type: "call.responded", output });
    expect(call.value).toEqual(output);
  });

  test("rejects with everything that the error says, and with a stack that names the caller", async () => {
    const error = {
      category: "rate_limit",
      code: "SLOW_DOWN",
      message: "Too many calls",
      recoverable: true,
      details: { limit: 0 },
      issues: [{ path: "/a", message: "is wrong" }],
      suggestedAction: "Wait",
      nextTool: "clock.wait",
      retryAfterMs: 0,
    };
    const call = watched(theCaller());
    await turns();
    await stage.peer.reply(stage.peer.requests[0], { type: "call.error", ...error, cause: "not of the protocol" });
    expect(call.error).toBeInstanceOf(CallError);
    expect((call.error as CallError).toJSON()).toEqual(error);
    expect((call.error as CallError).cause).toBeUndefined();
    expect((call.error as CallError).stack).toContain("theCaller");
  });

  async function theCaller(): Promise<ResponseEnvelope> {
    return await stage.map.call("a.b");
  }

  test("rejects when the call completes without a response", async () => {
    const call = watched(stage.map.call("a.b"));
    await turns();
    await stage.peer.reply(stage.peer.requests[0], { type: "call.completed", count: 0 });
    expect(call.error).toMatchObject({ code: "NO_RESPONSE" });
  });

  test("tells onProgress how far the call is", async () => {
    const onProgress = vi.fn();
    void stage.map.call("a.b", 1, { onProgress });
    await turns();
    await stage.peer.reply(stage.peer.requests[0], { type: "call.progress", progress: 0 });
    await stage.peer.reply(stage.peer.requests[0], { type: "call.progress", progress: 1, total: 2, message: "half" });
    expect(onProgress.mock.calls).toEqual([[{ progress: 0 }], [{ progress: 1, total: 2, message: "half" }]]);
  });

  test("refuses an id that is pending, and leaves the one that waits alone", async () => {
    const first = watched(stage.map.call("a.b", 1, { requestId: "same" }));
    const second = watched(stage.map.call("a.b", 2, { requestId: "same" }));
    await turns();
    expect(second.error).toMatchObject({ category: "conflict" });
    await stage.peer.reply(stage.peer.requests[0], responded("first"));
    expect([first.value?.data, stage.peer.requests.length]).toEqual(["first", 1]);
  });

  test.each([
    { deadline: Number.NaN },
    { idleTimeout: 0 },
    { idleTimeout: -1 },
    { requestId: "" },
    { identity: { id: "ada" } as never },
    { metadata: [] as never },
  ])("refuses %j at once instead of waiting for an answer that cannot come", async (options) => {
    const call = watched(stage.map.call("a.b", 1, options));
    await turns();
    expect(call.error).toMatchObject({ category: "validation" });
    expect([stage.peer.requests.length, stage.map.getPendingCount()]).toEqual([0, 0]);
  });

  test("rejects with what the bus throws where it cannot carry the request", async () => {
    const cause = new Error("BigInt is no JSON");
    const broken: Bus = {
      ...stage.bus,
      publish: () => {
        throw cause;
      },
    };
    const caller = new PendingRequestMap({ bus: broken });
    const call = watched(caller.call("a.b", 1n));
    await turns();
    expect(call.error).toMatchObject({ category: "internal", cause });
    expect(caller.getPendingCount()).toBe(0);
  });
});

describe("a deadline", () => {
  test("that has passed times out at once, and nothing is published", async () => {
    const call = watched(stage.map.call("a.b", 1, { deadline: NOW }));
    await turns();
    expect(call.error).toMatchObject({ category: "timeout", code: "TIMEOUT" });
    expect([stage.peer.requests.length, vi.getTimerCount()]).toEqual([0, 0]);
  });

  test("times out when it comes and tells the serving side", async () => {
    const call = watched(stage.map.call("a.b", 1, { deadline: NOW + 100 }));
    await vi.advanceTimersByTimeAsync(99);
    expect(call.settled).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await turns();
    expect(call.error).toMatchObject({ code: "TIMEOUT" });
    expect(stage.peer.control).toMatchObject([{ type: "call.aborted", requestId: stage.peer.requests[0]?.requestId }]);
    expect(stage.map.getPendingCount()).toBe(0);
  });

  test("comes from the default where the call has none", async () => {
    const caller = new PendingRequestMap({ bus: stage.bus, defaultTimeout: 50 });
    const call = watched(caller.call("a.b"));
    const longer = watched(caller.call("a.b", 1, { deadline: NOW + 80 }));
    await vi.advanceTimersByTimeAsync(50);
    expect([call.settled, longer.settled]).toEqual([true, false]);
    expect(stage.peer.requests[0]?.deadline).toBe(NOW + 50);
    await vi.advanceTimersByTimeAsync(30);
    expect(longer.error).toMatchObject({ code: "TIMEOUT" });
  });

  test("shares one timer with a thousand others", async () => {
    const calls = Array.from({ length: 1000 }, (_, at) =>
      watched(stage.map.call("a.b", 1, { deadline: NOW + 1 + at })),
    );
    await turns();
    expect(vi.getTimerCount()).toBe(1);
    await vi.advanceTimersByTimeAsync(1010);
    expect(calls.every(({ error }) => (error as CallError).code === "TIMEOUT")).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("of Infinity is none", async () => {
    void stage.map.call("a.b", 1, { deadline: Number.POSITIVE_INFINITY });
    await turns();
    expect(stage.peer.requests[0]).not.toHaveProperty("deadline");
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("an idle time-out", () => {
  test("ends a call of which nothing is heard, and progress puts it off", async () => {
    const call = watched(stage.map.call("a.b", 1, { idleTimeout: 100 }));
    await vi.advanceTimersByTimeAsync(80);
    await stage.peer.reply(stage.peer.requests[0], { type: "call.progress", progress: 1 });
    await vi.advanceTimersByTimeAsync(99);
    expect(call.settled).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await turns();
    expect(call.error).toMatchObject({ code: "TIMEOUT" });
    expect(stage.peer.control).toMatchObject([{ type: "call.aborted" }]);
  });
});

describe("an abort", () => {
  test("by a signal rejects at once and tells the serving side why", async () => {
    const controller = new AbortController();
    const call = watched(stage.map.call("a.b", 1, { signal: controller.signal }));
    await turns();
    controller.abort("enough");
    await turns();
    expect(call.error).toMatchObject({ category: "aborted", code: "ABORTED", cause: "enough" });
    expect(stage.peer.control).toEqual([
      { type: "call.aborted", requestId: stage.peer.requests[0]?.requestId, reason: "enough" },
    ]);
    expect(getEventListeners(controller.signal, "abort")).toHaveLength(0);
  });

  test("before the call rejects without publishing", async () => {
    const call = watched(stage.map.call("a.b", 1, { signal: AbortSignal.abort() }));
    await turns();
    expect(call.error).toMatchObject({ code: "ABORTED" });
    expect(stage.peer.requests).toEqual([]);
  });

  test("by a signal that timed out is a time-out", async () => {
    const controller = new AbortController();
    const call = watched(stage.map.call("a.b", 1, { signal: controller.signal }));
    controller.abort(new DOMException("late", "TimeoutError"));
    await turns();
    expect(call.error).toMatchObject({ code: "TIMEOUT" });
  });

  test("by id rejects the call, and does nothing to a stranger", async () => {
    const call = watched(stage.map.call("a.b", 1, { requestId: "mine" }));
    stage.map.abort("stranger");
    stage.map.abort("mine", "enough");
    await turns();
    expect(call.error).toMatchObject({ code: "ABORTED" });
    expect(stage.peer.control).toEqual([{ type: "call.aborted", requestId: "mine", reason: "enough" }]);
  });
});

describe("an answer that does not come over the bus", () => {
  test("settles a request that waits as the event would", async () => {
    const calls = ["a", "b", "c"].map((requestId) => watched(stage.map.call("a.b", 1, { requestId })));
    stage.map.respond("a", envelope(0));
    stage.map.emitError("b", new CallError({ category: "unavailable", message: "The worker died." }));
    stage.map.complete("c");
    await turns();
    expect(calls[0]?.value?.data).toBe(0);
    expect(calls[1]?.error).toMatchObject({ code: "UNAVAILABLE", recoverable: true });
    expect(calls[2]?.error).toMatchObject({ code: "NO_RESPONSE" });
  });

  test("is counted where nothing waits for it", () => {
    stage.map.respond("x", envelope(0));
    stage.map.emitError("x", new Error("secret"));
    stage.map.complete("x");
    expect(stage.map.counts.unknown).toBe(3);
  });

  test.each([[undefined], [null], [{ data: 1 }], [{ data: 1, meta: { source: "elsewhere" } }], ["text"]])(
    "must be an envelope, not %j",
    (output) => {
      expect(() => stage.map.respond("x", output as never)).toThrow(expect.objectContaining({ category: "internal" }));
    },
  );
});

describe("close", () => {
  test("gives up what is pending, tells the serving side and takes no more calls", async () => {
    const call = watched(stage.map.call("a.b", 1, { deadline: NOW + 1000 }));
    await turns();
    await stage.map.close();
    const after = watched(stage.map.call("a.b"));
    await turns();
    expect(call.error).toMatchObject({ code: "UNAVAILABLE", recoverable: true });
    expect(after.error).toMatchObject({ code: "UNAVAILABLE" });
    expect(stage.peer.control).toMatchObject([{ type: "call.aborted" }]);
    expect([stage.map.getPendingCount(), vi.getTimerCount()]).toEqual([0, 0]);
    await stage.peer.reply(stage.peer.requests[0], responded("late"));
    expect(stage.map.counts.late).toBe(0);
  });
});

describe("events that nobody asked for", () => {
  test("are counted by their reason and hurt nobody", async () => {
    const call = watched(stage.map.call("a.b"));
    await turns();
    const [request] = stage.peer.requests;
    await stage.peer.reply(request, { type: "call.responded", output: { data: 1 } });
    await stage.peer.reply(request, { type: "call.credited", credit: 1 });
    await stage.peer.reply(request, { ...responded("x"), requestId: "somebody else's" });
    expect(stage.map.counts).toEqual({ late: 0, duplicate: 0, unknown: 2, malformed: 1, unconfirmed: 0 });
    await stage.peer.reply(request, responded("right"));
    expect(call.value?.data).toBe("right");
  });

  test("of any shape are counted and never thrown", async () => {
    const onError = vi.fn();
    const wild = memoryBus({ onError });
    const caller = new PendingRequestMap({ bus: wild });
    const wildPeer = peerOn(wild);
    const call = watched(caller.call("a.b"));
    await turns();
    const inbox = wildPeer.requests[0]?.replyTo ?? "";
    const values = [...hostileValues(), ...fc.sample(fc.oneof(fc.anything(), fc.object()), 2000)];
    for (const value of values) wild.publish(inbox, value as CallEvent);
    await turns();
    // The queue holds nothing for `undefined`.
    const sent = values.filter((value) => value !== undefined).length;
    expect([caller.counts.malformed, onError.mock.calls.length, call.settled]).toEqual([sent, 0, false]);
    await wildPeer.reply(wildPeer.requests[0], responded("still here"));
    expect(call.value?.data).toBe("still here");
  });
});

test("ten thousand calls leave nothing pending and no listener on the signal they share", async () => {
  stage.bus.subscribe("calls", (event) => {
    if (event.type === "call.requested") void stage.peer.reply(event, responded(event.input));
  });
  const { signal } = new AbortController();
  const caller = new PendingRequestMap({ bus: stage.bus, defaultTimeout: 1000 });
  const calls = Array.from({ length: 10_000 }, (_, at) => caller.call("a.b", at, { signal }));
  expect(getEventListeners(signal, "abort")).toHaveLength(1);
  const answers = await Promise.all(calls);
  expect(answers.every(({ data }, at) => data === at)).toBe(true);
  expect([caller.getPendingCount(), getEventListeners(signal, "abort").length]).toEqual([0, 0]);
});
