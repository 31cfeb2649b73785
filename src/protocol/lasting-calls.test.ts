import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Bus } from "./bus.js";
import type { CallEvent, CallRequestedEvent } from "./events.js";
import { lastingStage, pass } from "./fixtures/lasting-stage.js";
import { NOW, type Peer, peerOn, responded, turns, watched } from "./fixtures/peer.js";
import { memoryBus } from "./memory-bus.js";
import { PendingRequestMap } from "./pending-request-map.js";

let bus: Bus;
let peer: Peer;
let map: PendingRequestMap;
/** What came to the one worker. */
let directed: CallEvent[];

beforeEach(() => {
  vi.useFakeTimers({ now: NOW });
  bus = memoryBus();
  peer = peerOn(bus);
  directed = [];
  bus.subscribe("worker", (event) => directed.push(event));
  map = new PendingRequestMap({ bus, heartbeat: 100 });
});
afterEach(() => {
  vi.useRealTimers();
});

const RUNNING = { type: "call.running", controlTo: "worker" };

async function reply(event: object): Promise<void> {
  await peer.reply(peer.requests[0], event);
}

/** A call, and its only request. */
async function call(options: object = {}): Promise<{ readonly settled: boolean; readonly error?: unknown }> {
  const state = watched(map.call("a.b", 1, options));
  await turns();
  return state;
}

async function subscribe(credit = 4): Promise<AsyncGenerator<{ data: unknown }>> {
  const values = map.subscribe("a.b", 1, { credit });
  watched(values.next());
  await turns();
  return values;
}

function types(events: readonly CallEvent[]): string[] {
  return events.map(({ type }) => type);
}

describe("a call with a heartbeat", () => {
  test("says so in its request; others do not", async () => {
    await call();
    void new PendingRequestMap({ bus }).call("a.b");
    await turns();
    expect(peer.requests.map(({ heartbeat }) => heartbeat)).toEqual([100, undefined]);
  });

  test("of which nothing is heard is asked for after two, lost after three, and aborted all the same", async () => {
    const state = await call();
    await vi.advanceTimersByTimeAsync(200);
    expect([types(peer.control), state.settled]).toEqual([["call.resumed"], false]);
    await vi.advanceTimersByTimeAsync(99);
    expect(state.settled).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(state.error).toMatchObject({
      category: "unavailable",
      code: "WORKER_LOST",
      recoverable: true,
      details: { mayHaveRun: true },
    });
    expect(types(peer.control)).toEqual(["call.resumed", "call.aborted"]);
  });

  test("that is lost names the worker that had it, where it is known", async () => {
    const state = await call();
    await reply(RUNNING);
    await vi.advanceTimersByTimeAsync(300);
    expect(state.error).toMatchObject({ code: "WORKER_LOST", details: { mayHaveRun: true, controlTo: "worker" } });
  });

  test("lives on while signs or progress come", async () => {
    const state = await call();
    for (const event of [RUNNING, { type: "call.progress", progress: 1 }, RUNNING]) {
      await vi.advanceTimersByTimeAsync(190);
      await reply(event);
    }
    await vi.advanceTimersByTimeAsync(190);
    expect([state.settled, peer.control, directed]).toEqual([false, [], []]);
  });

  test("is not lost where its own process stood still, until it has listened once more", async () => {
    const state = await call();
    await vi.advanceTimersByTimeAsync(250);
    vi.setSystemTime(NOW + 5000);
    await vi.advanceTimersByTimeAsync(50);
    expect(state.settled).toBe(false);
    await vi.advanceTimersByTimeAsync(100);
    expect(state.error).toMatchObject({ code: "WORKER_LOST" });
  });

  test("is not kept from its idleTimeout by signs of life", async () => {
    const state = await call({ idleTimeout: 250 });
    for (let at = 0; at < 3; at += 1) {
      await vi.advanceTimersByTimeAsync(80);
      await reply(RUNNING);
    }
    await vi.advanceTimersByTimeAsync(10);
    expect(state.error).toMatchObject({ code: "TIMEOUT" });
  });

  test.each([0, -1, 9, Number.NaN])("refuses a heartbeat of %d", (heartbeat) => {
    expect(() => new PendingRequestMap({ bus, heartbeat })).toThrow(
      expect.objectContaining({ category: "validation" }),
    );
  });
});

describe("a connection that breaks", () => {
  test("takes no call for lost until it is back, then asks for each, where its worker is known only there", async () => {
    const first = await call();
    await reply(RUNNING);
    const second = await call();
    map.suspend();
    await vi.advanceTimersByTimeAsync(5000);
    expect([first.settled, second.settled, peer.control, directed]).toEqual([false, false, [], []]);
    map.resume();
    await turns();
    expect([types(peer.control), types(directed)]).toEqual([["call.resumed"], ["call.resumed"]]);
    await vi.advanceTimersByTimeAsync(300);
    expect(first.error).toMatchObject({ code: "WORKER_LOST" });
  });

  test("and stays broken lets everything fail at once", async () => {
    const state = await call();
    const values = await subscribe();
    map.failAll({ category: "unavailable", code: "GONE", message: "m" });
    await turns();
    expect(state.error).toMatchObject({ code: "GONE" });
    expect([map.getPendingCount(), peer.control, await values.next()]).toMatchObject([0, [], { done: true }]);
  });

  test("changes nothing without a heartbeat", async () => {
    const plain = new PendingRequestMap({ bus });
    void plain.call("a.b");
    plain.suspend();
    plain.resume();
    await turns();
    expect(peer.control).toEqual([]);
  });
});

describe("an abort", () => {
  test("goes to the worker that has the call, and is settled before it is confirmed", async () => {
    const state = await call({ requestId: "1" });
    await reply(RUNNING);
    map.abort("1", "enough");
    await turns();
    expect(state.error).toMatchObject({ code: "ABORTED" });
    const { replyTo } = peer.requests[0] as CallRequestedEvent;
    expect([directed, peer.control]).toEqual([
      [{ type: "call.aborted", requestId: "1", reason: "enough", replyTo }],
      [],
    ]);
  });

  test("that is confirmed is not sent again, and counts as nothing", async () => {
    await call({ requestId: "1" });
    map.abort("1");
    await turns();
    await reply({ type: "call.aborted" });
    await vi.advanceTimersByTimeAsync(2000);
    expect([peer.control.length, map.counts]).toEqual([
      1,
      { late: 0, duplicate: 0, unknown: 0, malformed: 0, unconfirmed: 0 },
    ]);
  });

  test("that nobody confirms is sent five times more, then counted", async () => {
    await call({ requestId: "1" });
    map.abort("1");
    await vi.advanceTimersByTimeAsync(599);
    expect([peer.control.length, map.counts.unconfirmed]).toEqual([6, 0]);
    await vi.advanceTimersByTimeAsync(1000);
    expect([peer.control.length, map.counts.unconfirmed, vi.getTimerCount()]).toEqual([6, 1, 0]);
  });

  test("waits for a connection that is gone, and is sent once it is back", async () => {
    await call({ requestId: "1" });
    map.suspend();
    map.abort("1");
    await vi.advanceTimersByTimeAsync(2000);
    expect(peer.control).toHaveLength(1);
    map.resume();
    await turns();
    expect([peer.control.length, map.counts.unconfirmed]).toEqual([2, 0]);
  });

  test("follows a sign of life to the worker that gave it, and ends with a late answer", async () => {
    await call({ requestId: "1" });
    map.abort("1");
    await turns();
    await reply(RUNNING);
    expect([types(peer.control), types(directed)]).toEqual([["call.aborted"], ["call.aborted"]]);
    await reply(responded("late"));
    await vi.advanceTimersByTimeAsync(2000);
    expect([directed.length, map.counts.unconfirmed]).toEqual([1, 0]);
  });

  test("is sent to a worker that still runs the call after all that, until it confirms", async () => {
    await call({ requestId: "1" });
    map.abort("1");
    await vi.advanceTimersByTimeAsync(2000);
    expect(map.counts.unconfirmed).toBe(1);
    await reply(RUNNING);
    await reply(RUNNING);
    expect(directed).toMatchObject([{ type: "call.aborted", requestId: "1" }]);
    await reply({ type: "call.aborted" });
    await vi.advanceTimersByTimeAsync(2000);
    expect([directed.length, map.counts.unconfirmed]).toEqual([1, 1]);
  });

  test("is not sent again once the same request is made again", async () => {
    await call({ requestId: "1" });
    map.abort("1");
    await turns();
    const again = await call({ requestId: "1" });
    await vi.advanceTimersByTimeAsync(150);
    expect([types(peer.control), again.settled]).toEqual([["call.aborted"], false]);
  });
});

describe("a subscription that misses values", () => {
  test("asks its worker once for each place, ignores what is out of order, and goes on", async () => {
    const values = await subscribe(8);
    await reply({ ...RUNNING, sent: 0, granted: 8 });
    await reply(responded(0, 0));
    await reply(responded(2, 2));
    await reply(responded(3, 3));
    expect(directed).toMatchObject([{ type: "call.resumed", received: 1, granted: 8 }]);
    for (const at of [1, 2, 3]) await reply(responded(at, at));
    expect([await values.next(), await values.next()]).toMatchObject([{ value: { data: 1 } }, { value: { data: 2 } }]);
  });

  test("asks again for the same place, but less and less often", async () => {
    await subscribe(8);
    await reply({ ...RUNNING, sent: 0, granted: 8 });
    const asked: number[] = [];
    for (let at = 0; at < 16; at += 1) {
      await reply(responded(1, 1));
      asked.push(directed.length);
      await vi.advanceTimersByTimeAsync(50);
    }
    expect(asked).toEqual([1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3, 4, 4]);
  });

  test("fails with the gap where the worker no longer has them", async () => {
    const values = await subscribe();
    await reply({ ...RUNNING, sent: 0, granted: 4 });
    await reply(responded(0, 0));
    await reply(responded(2, 2));
    await reply({ type: "call.error", category: "unavailable", code: "ANSWER_LOST", message: "m", recoverable: true });
    await expect(values.next()).rejects.toMatchObject({ code: "SEQUENCE_GAP", details: { expected: 1, got: 2 } });
  });

  test("asks every worker where it does not know its own", async () => {
    const values = await subscribe();
    await reply(responded(1, 1));
    expect(peer.control).toMatchObject([{ type: "call.resumed", received: 0, granted: 4 }]);
    for (const at of [0, 1]) await reply(responded(at, at));
    expect(await values.next()).toMatchObject({ value: { data: 1 } });
  });

  test("is lost where no worker has it", async () => {
    const values = await subscribe();
    await reply(responded(0, 0));
    await reply(responded(2, 2));
    const state = watched(values.next());
    await vi.advanceTimersByTimeAsync(400);
    expect(state.error).toMatchObject({ code: "WORKER_LOST" });
  });

  test("learns of the last ones by a sign of life, or by the end", async () => {
    const values = await subscribe();
    await reply({ ...RUNNING, sent: 0, granted: 4 });
    await reply({ ...RUNNING, sent: 1, granted: 4 });
    expect(directed).toMatchObject([{ type: "call.resumed", received: 0 }]);
    await reply(responded(0, 0));
    await reply({ type: "call.completed", count: 2 });
    expect(directed).toMatchObject([{ received: 0 }, { received: 1 }]);
    await reply(responded(1, 1));
    await reply({ type: "call.completed", count: 2 });
    expect([await values.next(), await values.next()]).toMatchObject([{ value: { data: 1 } }, { done: true }]);
  });

  test("tells its whole credit where the worker has missed some, but not while it may be on its way", async () => {
    const values = await subscribe(2);
    await reply({ ...RUNNING, sent: 0, granted: 2 });
    await reply(responded(0, 0));
    await reply(responded(1, 1));
    await values.next();
    await turns();
    directed.length = 0;
    await reply({ ...RUNNING, sent: 2, granted: 2 });
    expect(directed).toEqual([]);
    await reply({ ...RUNNING, sent: 2, granted: 2 });
    expect(directed).toMatchObject([{ type: "call.resumed", received: 2, granted: 4 }]);
  });
});

describe("a subscription that takes nothing", () => {
  test("tells its worker now and then that it is there, and no oftener", async () => {
    await subscribe();
    for (let at = 0; at < 100; at += 1) {
      await reply({ ...RUNNING, sent: 0, granted: 4 });
      await vi.advanceTimersByTimeAsync(100);
    }
    expect(directed.map((event) => ({ ...event, requestId: "" }))).toEqual(
      Array(3).fill({ type: "call.credited", requestId: "", credit: 0 }),
    );
  });

  test("is still served after a long time", async () => {
    const { map: patient, handler } = lastingStage();
    const values = patient.subscribe("a.count", 50, { credit: 4 });
    const first = values.next();
    await pass(60_000);
    expect([(await first).value?.data, handler.getRunningCount()]).toEqual([0, 1]);
    const second = values.next();
    await turns();
    expect((await second).value?.data).toBe(1);
    await values.return();
    await pass(100);
    expect(handler.getRunningCount()).toBe(0);
  });
});

describe("addresses", () => {
  test("may depend on the operation or be chosen for one call, and answers come where they are wanted", async () => {
    const seen: [string, unknown][] = [];
    for (const address of ["to.a.b", "to.me", "all"]) {
      bus.subscribe(address, (event) => seen.push([address, (event as CallRequestedEvent).replyTo]));
    }
    const other = new PendingRequestMap({ bus, address: (id) => `to.${id}`, control: "all", inbox: "mine" });
    const state = watched(other.call("a.b", 1, { requestId: "1" }));
    watched(other.call("a.b", 1, { address: "to.me", requestId: "2" }));
    await turns();
    bus.publish("mine", { requestId: "1", ...responded("x") } as CallEvent);
    other.abort("2");
    await turns();
    expect(seen).toEqual([
      ["to.a.b", "mine"],
      ["to.me", "mine"],
      ["all", undefined],
    ]);
    expect(state.value?.data).toBe("x");
  });

  test("at which nobody is reached fail what was sent there, and nothing else", async () => {
    const error = { category: "authorization", message: "No." } as const;
    for (const address of ["shut", "shut.not"]) bus.subscribe(address, () => {});
    const there = [
      watched(map.call("a.b", 1, { address: "shut" })),
      watched(map.subscribe("a.b", 1, { address: "shut" }).next()),
    ];
    const elsewhere = [watched(map.call("a.b")), watched(map.call("a.b", 1, { address: "shut.not" }))];
    await turns();
    map.failAt("shut", error);
    map.failAt("calls", error);
    await turns();
    expect(there.map((state) => state.error)).toMatchObject([{ code: "ACCESS_DENIED" }, { code: "ACCESS_DENIED" }]);
    expect([elsewhere.map(({ settled }) => settled), map.getPendingCount()]).toEqual([[false, false], 2]);
    expect(peer.control).toEqual([]);
  });

  test("that cannot be told fail the call", async () => {
    const address = () => {
      throw new Error("no such place");
    };
    await expect(new PendingRequestMap({ bus, address, control: "all" }).call("a.b")).rejects.toMatchObject({
      category: "internal",
    });
  });
});
