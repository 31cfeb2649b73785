import { getEventListeners } from "node:events";
import { describe, expect, test, vi } from "vitest";
import { callerStage } from "./fixtures/caller-stage.js";
import { NOW, responded, turns, watched } from "./fixtures/peer.js";
import { PendingRequestMap } from "./pending-request-map.js";

const stage = callerStage();

async function send(from: number, to: number): Promise<void> {
  for (let sequence = from; sequence < to; sequence += 1) {
    await stage.peer.reply(stage.peer.requests[0], responded(sequence, sequence));
  }
}

function credits(): unknown[] {
  return stage.peer.control.flatMap((event) => (event.type === "call.credited" ? [event.credit] : []));
}

function aborts(): unknown[] {
  return stage.peer.control.filter(({ type }) => type === "call.aborted");
}

describe("subscribe", () => {
  test("requests nothing before the first value is asked for", async () => {
    const values = stage.map.subscribe("a.b", { x: 1 });
    await turns();
    expect([stage.peer.requests.length, stage.map.getPendingCount()]).toEqual([0, 0]);
    void values.next();
    await turns();
    expect(stage.peer.requests).toMatchObject([{ operationId: "a.b", input: { x: 1 }, credit: 16 }]);
  });

  test("publishes nothing at all where it is given up before the first value", async () => {
    const values = stage.map.subscribe("a.b");
    await values.return(undefined);
    expect(await values.next()).toEqual({ done: true, value: undefined });
    await turns();
    expect([...stage.peer.requests, ...stage.peer.control]).toEqual([]);
  });

  test("gives the values in order, then the end", async () => {
    const values = stage.map.subscribe("a.b");
    const first = watched(values.next());
    await turns();
    await send(0, 3);
    await stage.peer.reply(stage.peer.requests[0], { type: "call.completed", count: 3 });
    expect(first.value).toMatchObject({ done: false, value: { data: 0 } });
    const rest = [];
    for await (const { data } of values) rest.push(data);
    expect(rest).toEqual([1, 2]);
    expect([await values.next(), stage.map.getPendingCount()]).toEqual([{ done: true, value: undefined }, 0]);
    expect(stage.peer.control).toEqual([]);
  });

  test("answers several next() calls in their order", async () => {
    const values = stage.map.subscribe("a.b");
    const asked = [values.next(), values.next(), values.next()].map(watched);
    await turns();
    await send(0, 2);
    await stage.peer.reply(stage.peer.requests[0], { type: "call.completed" });
    expect(asked.map(({ value }) => (value?.done ? "end" : value?.value?.data))).toEqual([0, 1, "end"]);
  });

  test("gives what arrived before an error, then the error once, then the end", async () => {
    const values = stage.map.subscribe("a.b");
    void values.next();
    await turns();
    await send(0, 2);
    await stage.peer.reply(stage.peer.requests[0], {
      type: "call.error",
      category: "model",
      code: "X",
      message: "m",
      recoverable: true,
    });
    expect((await values.next()).value?.data).toBe(1);
    await expect(theConsumer(values)).rejects.toMatchObject({ category: "model", code: "X" });
    expect(await values.next()).toEqual({ done: true, value: undefined });
    expect(stage.peer.control).toEqual([]);
  });

  test("fails with a stack that names the consumer", async () => {
    const failed = watched(theConsumer(stage.map.subscribe("a.b")));
    await turns();
    await stage.peer.reply(stage.peer.requests[0], {
      type: "call.error",
      category: "model",
      code: "X",
      message: "m",
      recoverable: true,
    });
    expect((failed.error as Error).stack).toContain("theConsumer");
  });

  async function theConsumer(values: AsyncGenerator<unknown>): Promise<void> {
    for await (const _ of values);
  }

  test("gives the values of a stage.peer that does not number them", async () => {
    const values = stage.map.subscribe("a.b");
    const first = watched(values.next());
    await turns();
    await stage.peer.reply(stage.peer.requests[0], responded("x"));
    expect(first.value).toMatchObject({ value: { data: "x" } });
  });

  test.each([0, -1, 1.5, Number.NaN])("refuses a credit of %d", async (credit) => {
    await expect(stage.map.subscribe("a.b", 1, { credit }).next()).rejects.toMatchObject({ category: "validation" });
    expect(stage.peer.requests).toEqual([]);
  });

  test("tells onProgress how far it is", async () => {
    const onProgress = vi.fn();
    void stage.map.subscribe("a.b", 1, { onProgress }).next();
    await turns();
    await stage.peer.reply(stage.peer.requests[0], { type: "call.progress", progress: 1 });
    expect(onProgress.mock.calls).toEqual([[{ progress: 1 }]]);
  });
});

describe("sequence numbers", () => {
  test("make a value that comes twice count once", async () => {
    const values = stage.map.subscribe("a.b");
    void values.next();
    await turns();
    await send(0, 2);
    await send(0, 2);
    await send(2, 3);
    expect([(await values.next()).value?.data, (await values.next()).value?.data]).toEqual([1, 2]);
    expect(stage.map.counts.duplicate).toBe(2);
  });

  test("make a lost value an error after those before it, and stop the serving side", async () => {
    const values = stage.map.subscribe("a.b");
    void values.next();
    await turns();
    await send(0, 2);
    await send(3, 4);
    expect((await values.next()).value?.data).toBe(1);
    await expect(values.next()).rejects.toMatchObject({
      category: "network",
      code: "SEQUENCE_GAP",
      details: { expected: 2, got: 3 },
    });
    expect(aborts()).toHaveLength(1);
    expect(stage.map.getPendingCount()).toBe(0);
  });

  test("make a lost last value an error too", async () => {
    const values = stage.map.subscribe("a.b");
    void values.next();
    await turns();
    await send(0, 1);
    await stage.peer.reply(stage.peer.requests[0], { type: "call.completed", count: 2 });
    await expect(values.next()).rejects.toMatchObject({ code: "SEQUENCE_GAP" });
  });
});

describe("credit", () => {
  test("is given back in batches, as the consumer takes values", async () => {
    const values = stage.map.subscribe("a.b", 1, { credit: 4 });
    void values.next();
    await turns();
    await send(0, 4);
    expect(credits()).toEqual([]);
    await values.next();
    await turns();
    expect(credits()).toEqual([2]);
    await values.next();
    await values.next();
    await turns();
    expect(credits()).toEqual([2, 2]);
    await send(4, 8);
    expect((await values.next()).value?.data).toBe(4);
  });

  test("of one is given back with each value", async () => {
    const values = stage.map.subscribe("a.b", 1, { credit: 1 });
    for (let at = 0; at < 3; at += 1) {
      const step = watched(values.next());
      await turns();
      await send(at, at + 1);
      expect(step.value).toMatchObject({ value: { data: at } });
    }
    expect(credits()).toEqual([1, 1, 1]);
  });

  test("bounds what is kept: a value beyond it is counted, dropped and ends the subscription", async () => {
    const values = stage.map.subscribe("a.b", 1, { credit: 2 });
    void values.next();
    await turns();
    // The first is taken at once, which allows a third.
    await send(0, 3);
    expect(stage.map.counts.malformed).toBe(0);
    await send(3, 4);
    expect(stage.map.counts.malformed).toBe(1);
    expect([(await values.next()).value?.data, (await values.next()).value?.data]).toEqual([1, 2]);
    await expect(values.next()).rejects.toMatchObject({ category: "network", code: "SEQUENCE_GAP" });
    expect(aborts()).toHaveLength(1);
  });
});

describe("an end before its time", () => {
  test("by break stops the serving side and gives no more", async () => {
    const values = stage.map.subscribe("a.b");
    const loop = (async () => {
      for await (const { data } of values) if (data === 1) break;
    })();
    await turns();
    await send(0, 4);
    await loop;
    await turns();
    expect(aborts()).toEqual([{ type: "call.aborted", requestId: stage.peer.requests[0]?.requestId }]);
    expect([await values.next(), stage.map.getPendingCount()]).toEqual([{ done: true, value: undefined }, 0]);
  });

  test("by return() does not wait for a next() that waits", async () => {
    const values = stage.map.subscribe("a.b");
    const waiting = watched(values.next());
    await turns();
    expect(await values.return(undefined)).toEqual({ done: true, value: undefined });
    await turns();
    expect(waiting.value).toEqual({ done: true, value: undefined });
    expect(aborts()).toHaveLength(1);
    await values.return(undefined);
    expect(aborts()).toHaveLength(1);
  });

  test("by throw() rejects with what was thrown, and stops the serving side", async () => {
    const values = stage.map.subscribe("a.b");
    void values.next();
    await turns();
    const thrown = new Error("mine");
    await expect(values.throw(thrown)).rejects.toBe(thrown);
    await turns();
    expect(aborts()).toHaveLength(1);
  });

  test("by a signal comes before what has arrived", async () => {
    const controller = new AbortController();
    const values = stage.map.subscribe("a.b", 1, { signal: controller.signal });
    void values.next();
    await turns();
    await send(0, 3);
    controller.abort();
    await expect(values.next()).rejects.toMatchObject({ code: "ABORTED" });
    await turns();
    expect(aborts()).toHaveLength(1);
    expect(getEventListeners(controller.signal, "abort")).toHaveLength(0);
  });

  test("by a signal that was aborted before publishes nothing", async () => {
    await expect(stage.map.subscribe("a.b", 1, { signal: AbortSignal.abort() }).next()).rejects.toMatchObject({
      code: "ABORTED",
    });
    await turns();
    expect([...stage.peer.requests, ...stage.peer.control]).toEqual([]);
  });

  test("by close is an error that says so", async () => {
    const next = watched(stage.map.subscribe("a.b").next());
    await turns();
    await stage.map.close();
    await turns();
    expect(next.error).toMatchObject({ code: "UNAVAILABLE" });
  });
});

describe("time", () => {
  test("ends the whole at its deadline, also while values come", async () => {
    const values = stage.map.subscribe("a.b", 1, { deadline: NOW + 100 });
    void values.next();
    await vi.advanceTimersByTimeAsync(60);
    await send(0, 1);
    const next = watched(values.next());
    await vi.advanceTimersByTimeAsync(40);
    await turns();
    expect(next.error).toMatchObject({ code: "TIMEOUT" });
    expect(aborts()).toHaveLength(1);
  });

  test("has no default end", async () => {
    const caller = new PendingRequestMap({ bus: stage.bus, defaultTimeout: 10 });
    const next = watched(caller.subscribe("a.b").next());
    await vi.advanceTimersByTimeAsync(1000);
    expect(next.settled).toBe(false);
  });

  test("ends a subscription that is silent, and progress breaks the silence", async () => {
    const caller = new PendingRequestMap({ bus: stage.bus, idleTimeout: 100 });
    const next = watched(caller.subscribe("a.b").next());
    await vi.advanceTimersByTimeAsync(80);
    await stage.peer.reply(stage.peer.requests[0], { type: "call.progress", progress: 1 });
    await vi.advanceTimersByTimeAsync(99);
    expect(next.settled).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await turns();
    expect(next.error).toMatchObject({ code: "TIMEOUT" });
    expect(aborts()).toHaveLength(1);
  });

  test("does not count the consumer's own slowness as silence", async () => {
    const values = stage.map.subscribe("a.b", 1, { idleTimeout: 100 });
    void values.next();
    await turns();
    await send(0, 1);
    await vi.advanceTimersByTimeAsync(1000);
    const next = watched(values.next());
    await vi.advanceTimersByTimeAsync(99);
    await send(1, 2);
    expect(next.value).toMatchObject({ value: { data: 1 } });
  });

  test("makes a slow consumer show that it lives before half of the credit is used", async () => {
    const values = stage.map.subscribe("a.b", 1, { idleTimeout: 100, credit: 100 });
    void values.next();
    await turns();
    await send(0, 3);
    await values.next();
    await turns();
    expect(credits()).toEqual([]);
    await vi.advanceTimersByTimeAsync(30);
    await values.next();
    await turns();
    expect(credits()).toEqual([3]);
  });
});
