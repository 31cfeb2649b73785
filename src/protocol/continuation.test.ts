import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { OperationSpec, OperationType } from "../registry/operation.js";
import { OperationRegistry } from "../registry/registry.js";
import type { Bus } from "./bus.js";
import { buildCallHandler, type CallHandler } from "./call-handler.js";
import type { CallEvent } from "./events.js";
import { type Caller, callerOn, dataOf, gate } from "./fixtures/caller.js";
import { NOW, turns } from "./fixtures/peer.js";
import { memoryBus } from "./memory-bus.js";

let bus: Bus;
let caller: Caller;
let handler: CallHandler;
let opened: { readonly opened: Promise<void>; open(): void };

beforeEach(() => {
  vi.useFakeTimers({ now: NOW });
  bus = memoryBus();
  caller = callerOn(bus);
  opened = gate();
  const registry = new OperationRegistry()
    .registerSpec(spec("ask", "query"))
    .registerHandler("a.ask", () => opened.opened.then(() => "asked"))
    .registerSpec(spec("change", "mutation"))
    .registerHandler("a.change", () => opened.opened.then(() => "changed"))
    .registerSpec(spec("count", "subscription"))
    .registerHandler("a.count", async function* (to) {
      for (let at = 0; at < Number(to); at += 1) yield at;
    });
  handler = buildCallHandler({ registry, bus, ownAddress: "worker" });
});
afterEach(() => {
  vi.useRealTimers();
});

function spec(name: string, type: OperationType): OperationSpec {
  return { namespace: "a", name, version: "1.0.0", type, description: "", inputSchema: true, outputSchema: true };
}

function direct(event: object): Promise<void> {
  bus.publish("worker", { requestId: "1", replyTo: "inbox", ...event } as CallEvent);
  return turns();
}

const RUNNING = { type: "call.running", requestId: "1", controlTo: "worker" };

describe("signs of life", () => {
  test("come for a call that lasts: soon after it began, then within every heartbeat", async () => {
    await caller.request({ operationId: "a.ask", heartbeat: 100 });
    await vi.advanceTimersByTimeAsync(4);
    expect(caller.answers).toEqual([]);
    await vi.advanceTimersByTimeAsync(6);
    expect(caller.answers).toEqual([RUNNING]);
    await vi.advanceTimersByTimeAsync(1000);
    expect(caller.answers.length).toBeGreaterThanOrEqual(11);
    expect(caller.answers.length).toBeLessThanOrEqual(15);
  });

  test("do not come for calls that end before, nor after the end, and leave no timer", async () => {
    opened.open();
    await caller.request({ operationId: "a.ask", heartbeat: 100 });
    await vi.advanceTimersByTimeAsync(1000);
    expect(caller.types()).toEqual(["call.responded"]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("do not come where nobody asks for them", async () => {
    await caller.request({ operationId: "a.ask" });
    await vi.advanceTimersByTimeAsync(1000);
    expect([caller.answers, vi.getTimerCount()]).toEqual([[], 0]);
  });

  test("come at once for a subscription, with its counts", async () => {
    await caller.request({ operationId: "a.count", input: 9, credit: 2, heartbeat: 100 });
    expect(caller.answers[0]).toEqual({ ...RUNNING, sent: 0, granted: 2 });
    await vi.advanceTimersByTimeAsync(100);
    expect(caller.answers.at(-1)).toEqual({ ...RUNNING, sent: 2, granted: 2 });
  });

  test("share one timer, however many calls there are, and end with the worker", async () => {
    for (let at = 0; at < 50; at += 1)
      await caller.request({ operationId: "a.ask", requestId: `${at}`, heartbeat: 100 });
    expect(vi.getTimerCount()).toBe(1);
    await vi.advanceTimersByTimeAsync(500);
    expect(vi.getTimerCount()).toBe(1);
    const closed = handler.close({ timeoutMs: 1 });
    await vi.advanceTimersByTimeAsync(1);
    await closed;
    expect(vi.getTimerCount()).toBe(0);
  });

  test("can be asked for as rarely as anybody wants", async () => {
    await caller.request({ operationId: "a.ask", heartbeat: 1e300 });
    await vi.advanceTimersByTimeAsync(10_000);
    expect([caller.answers, vi.getTimerCount()]).toEqual([[RUNNING], 1]);
    const rings = vi.spyOn(globalThis, "setTimeout");
    await vi.advanceTimersByTimeAsync(10_000);
    expect(rings).not.toHaveBeenCalled();
    rings.mockRestore();
  });

  test("cannot be asked for so often that the worker does nothing else", async () => {
    await caller.request({ operationId: "a.ask", heartbeat: 0.001 });
    await vi.advanceTimersByTimeAsync(1000);
    expect(caller.answers.length).toBeLessThan(140);
  });
});

describe("a request that comes again", () => {
  test("while it runs is told so, and runs once", async () => {
    const request = { operationId: "a.change", heartbeat: 100 };
    await caller.request(request);
    await caller.request(request);
    expect([caller.answers, handler.getRunningCount(), handler.counts.duplicate]).toEqual([[RUNNING], 1, 1]);
  });

  test("after its end gets the same answer, where it must not run twice", async () => {
    opened.open();
    await caller.request({ operationId: "a.change", heartbeat: 100 });
    await caller.request({ operationId: "a.change", heartbeat: 100 });
    expect([dataOf(caller.answers), handler.counts.duplicate]).toEqual([["changed", "changed"], 1]);
  });

  test("from another caller is refused, whether it runs or has ended, and neither runs nor tells anything", async () => {
    const heard: CallEvent[] = [];
    bus.subscribe("another", (event) => heard.push(event));
    const request = { operationId: "a.change", heartbeat: 100 };
    await caller.request(request);
    await caller.request({ ...request, replyTo: "another" });
    opened.open();
    await turns();
    await caller.request({ ...request, replyTo: "another" });
    expect(heard).toMatchObject([{ code: "CONFLICT" }, { code: "CONFLICT" }]);
    expect([dataOf(caller.answers), handler.counts.duplicate]).toEqual([["changed"], 2]);
  });

  test("after it was aborted, while its handler does not end, is refused as not begun", async () => {
    await caller.request({ operationId: "a.ask", heartbeat: 100 });
    await caller.control({ type: "call.aborted" });
    await caller.request({ operationId: "a.ask", heartbeat: 100 });
    expect(caller.answers).toMatchObject([{ type: "call.error", code: "UNAVAILABLE", details: { taken: false } }]);
  });
});

describe("an abort with replyTo", () => {
  test("is confirmed to whoever has the request", async () => {
    await caller.request({ operationId: "a.ask", heartbeat: 100 });
    await caller.control({ type: "call.aborted", replyTo: "inbox" });
    expect(caller.answers).toEqual([{ type: "call.aborted", requestId: "1" }]);
  });

  test("for a request that is not known is confirmed only where this worker was asked", async () => {
    await caller.control({ type: "call.aborted", replyTo: "inbox" });
    expect(caller.answers).toEqual([]);
    await direct({ type: "call.aborted" });
    expect(caller.answers).toEqual([{ type: "call.aborted", requestId: "1" }]);
  });

  test("makes the worker forget the answer", async () => {
    opened.open();
    await caller.request({ operationId: "a.change", heartbeat: 100 });
    await caller.control({ type: "call.aborted", replyTo: "inbox" });
    await direct({ type: "call.resumed" });
    expect(caller.types()).toEqual(["call.responded", "call.aborted", "call.error"]);
  });
});

describe("a caller that asks for what it has missed", () => {
  test("hears that its call runs", async () => {
    await caller.request({ operationId: "a.ask", heartbeat: 100 });
    await caller.control({ type: "call.resumed", replyTo: "inbox" });
    expect(caller.answers).toEqual([RUNNING]);
  });

  test("gets the answer again for 30 seconds, where the operation must not run twice", async () => {
    opened.open();
    await caller.request({ operationId: "a.change", heartbeat: 100 });
    await caller.control({ type: "call.resumed", replyTo: "inbox" });
    expect(dataOf(caller.answers)).toEqual(["changed", "changed"]);
    await vi.advanceTimersByTimeAsync(30_000);
    await direct({ type: "call.resumed" });
    expect(caller.answers.at(-1)).toMatchObject({ code: "ANSWER_LOST", details: { mayHaveRun: true } });
  });

  test("is told of an answer that was not kept only by the worker that it asks", async () => {
    opened.open();
    await caller.request({ operationId: "a.ask", heartbeat: 100 });
    await caller.control({ type: "call.resumed", replyTo: "inbox" });
    expect(caller.types()).toEqual(["call.responded"]);
    await direct({ type: "call.resumed" });
    expect(caller.answers.at(-1)).toMatchObject({ type: "call.error", code: "ANSWER_LOST", recoverable: true });
  });

  test("gets the values again that it has not received, and its credit counts as a whole", async () => {
    await caller.request({ operationId: "a.count", input: 9, credit: 4, heartbeat: 100 });
    await direct({ type: "call.resumed", received: 2, granted: 6 });
    expect(dataOf(caller.answers)).toEqual([0, 1, 2, 3, 2, 3, 4, 5]);
    expect(caller.answers.filter(({ type }) => type === "call.running")).toHaveLength(2);
  });

  test("gets the values and the end of a subscription that is over", async () => {
    await caller.request({ operationId: "a.count", input: 3, credit: 4, heartbeat: 100 });
    caller.answers.length = 0;
    await direct({ type: "call.resumed", received: 1, granted: 4 });
    expect(caller.answers).toMatchObject([{ sequence: 1 }, { sequence: 2 }, { type: "call.completed", count: 3 }]);
  });

  test("fails where the values are no longer there", async () => {
    await caller.request({ operationId: "a.count", input: 9, credit: 2, heartbeat: 100 });
    await caller.control({ type: "call.credited", credit: 2 });
    await direct({ type: "call.resumed", received: 0, granted: 4 });
    expect(caller.answers.at(-1)).toMatchObject({ type: "call.error", code: "ANSWER_LOST" });
  });

  test("with another address than that of the request gets nothing of it", async () => {
    opened.open();
    await caller.request({ operationId: "a.change", heartbeat: 100 });
    const heard: CallEvent[] = [];
    bus.subscribe("thief", (event) => heard.push(event));
    await caller.control({ type: "call.resumed", replyTo: "thief" });
    await direct({ type: "call.resumed", replyTo: "thief" });
    expect(heard).toMatchObject([{ type: "call.error", code: "ANSWER_LOST" }]);
  });
});

describe("listen", () => {
  test("serves one operation at an address of its own, and refuses others there", async () => {
    opened.open();
    const leave = handler.listen("just-ask", { operationId: "a.ask" });
    for (const operationId of ["a.ask", "a.change"]) {
      bus.publish("just-ask", { type: "call.requested", requestId: operationId, operationId, replyTo: "inbox" });
    }
    await turns();
    expect(caller.answers).toMatchObject([
      { type: "call.error", requestId: "a.change", code: "ACCESS_DENIED" },
      { type: "call.responded", requestId: "a.ask" },
    ]);
    leave();
    expect(() =>
      bus.publish("just-ask", { type: "call.requested", requestId: "2", operationId: "a.ask", replyTo: "inbox" }),
    ).toThrow();
  });

  test("refuses as not begun what comes while the address is not open", async () => {
    opened.open();
    let isOpen = false;
    handler.listen("door", { isOpen: () => isOpen });
    const knock = (requestId: string) => {
      bus.publish("door", { type: "call.requested", requestId, operationId: "a.ask", replyTo: "inbox" });
      return turns();
    };
    await knock("1");
    isOpen = true;
    await knock("2");
    expect(caller.answers).toMatchObject([
      { requestId: "1", code: "UNAVAILABLE", details: { taken: false } },
      { requestId: "2", type: "call.responded" },
    ]);
  });

  test("is the only way in for a worker without an address", async () => {
    const registry = new OperationRegistry();
    const other = buildCallHandler({ registry, bus, address: null, control: "all", ownAddress: "other" });
    other.listen("alone", { group: null });
    bus.publish("alone", { type: "call.requested", requestId: "1", operationId: "a.none", replyTo: "inbox" });
    await turns();
    expect(caller.answers).toMatchObject([{ code: "OPERATION_NOT_FOUND" }]);
    await other.close();
    other.listen("alone");
    expect(() =>
      bus.publish("alone", { type: "call.requested", requestId: "2", operationId: "a.b", replyTo: "inbox" }),
    ).toThrow();
  });
});

describe("a subscription whose consumer", () => {
  const subscribe = (given: object = {}) =>
    caller.request({ operationId: "a.count", input: 9, credit: 2, heartbeat: 1000, ...given });
  const present = async (seconds: number): Promise<void> => {
    for (let at = 0; at < seconds; at += 3) {
      await direct({ type: "call.credited", credit: 0 });
      await vi.advanceTimersByTimeAsync(3000);
    }
  };

  test("is not heard of for ten heartbeats is given up, without a word, and holds nobody up", async () => {
    await subscribe();
    const closing = handler.close();
    await vi.advanceTimersByTimeAsync(9_900);
    expect(handler.getRunningCount()).toBe(1);
    await vi.advanceTimersByTimeAsync(3_000);
    await closing;
    expect(handler.getRunningCount()).toBe(0);
    expect(new Set(caller.types())).toEqual(new Set(["call.running", "call.responded"]));
  });

  test("is not heard of for ten heartbeats that are short has ten seconds all the same", async () => {
    await subscribe({ heartbeat: 50 });
    await vi.advanceTimersByTimeAsync(9_900);
    expect(handler.getRunningCount()).toBe(1);
    await vi.advanceTimersByTimeAsync(300);
    expect(handler.getRunningCount()).toBe(0);
  });

  test("says that it is there waits on, until its idleTimeout", async () => {
    await subscribe({ idleTimeout: 50_000 });
    await present(48);
    expect(handler.getRunningCount()).toBe(1);
    await present(3);
    expect(handler.getRunningCount()).toBe(0);
    expect(caller.answers.at(-1)).toMatchObject({ type: "call.error", code: "TIMEOUT" });
  });

  test("cannot be heard because the worker is disconnected is not given up until it has had its time", async () => {
    await subscribe();
    handler.suspend();
    await vi.advanceTimersByTimeAsync(60_000);
    handler.resume();
    await vi.advanceTimersByTimeAsync(9_000);
    expect(handler.getRunningCount()).toBe(1);
    await vi.advanceTimersByTimeAsync(4_000);
    expect(handler.getRunningCount()).toBe(0);
  });
});
