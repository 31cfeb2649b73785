import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { isCallError } from "../envelope/call-error.js";
import type { CallEvent } from "./events.js";
import { type LastingStage, lastingStage, pass } from "./fixtures/lasting-stage.js";
import { NOW, watched } from "./fixtures/peer.js";

beforeEach(() => {
  vi.useFakeTimers({ now: NOW });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Loses some events, and then, for a while, none. */
function losing(losses: readonly boolean[]): (event: CallEvent) => boolean {
  let at = 0;
  return () => {
    at += 1;
    return losses[at - 1] === true;
  };
}

async function collect(stage: LastingStage, count: number, credit: number): Promise<unknown[]> {
  const seen: unknown[] = [];
  for await (const { data } of stage.map.subscribe("a.count", count, { credit })) seen.push(data);
  return seen;
}

async function end({ map, handler }: LastingStage): Promise<void> {
  await map.close();
  const closed = handler.close({ timeoutMs: 1 });
  await pass(1000);
  await closed;
}

/** Mostly nothing, now and then a run of losses, as when a connection breaks. */
const losses = fc
  .array(fc.tuple(fc.nat(30), fc.integer({ min: 1, max: 6 })), { maxLength: 8 })
  .map((runs) => runs.flatMap(([fine, lost]) => [...Array(fine).fill(false), ...Array(lost).fill(true)]));

describe("over a bus that loses events", () => {
  test("a subscription gives each value once and in order, or says that it failed", async () => {
    let whole = 0;
    await fc.assert(
      fc.asyncProperty(losses, fc.integer({ min: 1, max: 20 }), async (lost, credit) => {
        const stage = lastingStage(losing(lost));
        const seen: unknown[] = [];
        const loop = watched(
          (async () => {
            for await (const { data } of stage.map.subscribe("a.count", 60, { credit })) seen.push(data);
          })(),
        );
        for (let at = 0; at < 20 && !loop.settled; at += 1) await pass(500);
        expect(loop.settled).toBe(true);
        expect(seen).toEqual(Array.from({ length: seen.length }, (_, at) => at));
        if (loop.error === undefined) expect(seen.length).toBe(60);
        else expect(isCallError(loop.error) && ["WORKER_LOST", "SEQUENCE_GAP"].includes(loop.error.code)).toBe(true);
        if (loop.error === undefined) whole += 1;
        await end(stage);
        expect(stage.handler.getRunningCount() + stage.map.getPendingCount()).toBe(0);
      }),
      { numRuns: 100 },
    );
    expect(whole).toBeGreaterThan(50);
  });

  test("every call ends once, and none runs twice", async () => {
    await fc.assert(
      fc.asyncProperty(losses, async (lost) => {
        const stage = lastingStage(losing(lost));
        const inputs = [0, 1, 3, 7, 15, 40, 150, 420];
        const calls = inputs.map((ms) => watched(stage.map.call("a.change", ms)));
        for (let at = 0; at < 20 && calls.some(({ settled }) => !settled); at += 1) await pass(100);
        for (const [at, call] of calls.entries()) {
          expect(call.settled).toBe(true);
          if (call.error === undefined) expect(call.value?.data).toBe(inputs[at]);
          else expect(call.error).toMatchObject({ code: "WORKER_LOST" });
          expect(stage.runs.get(inputs[at]) ?? 0).toBeLessThanOrEqual(1);
        }
        await end(stage);
      }),
      { numRuns: 100 },
    );
  });

  test("what is lost before the connection breaks comes when it is back, however long that takes", async () => {
    let isDown = false;
    const stage = lastingStage(() => isDown);
    const values = watched(collect(stage, 60, 4));
    const calls = [5, 50, 200, 300].map((ms) => watched(stage.map.call("a.change", ms)));
    await pass(30);
    isDown = true;
    stage.map.suspend();
    await pass(5000);
    isDown = false;
    stage.map.resume();
    await pass(500);
    expect(calls.map(({ value }) => value?.data)).toEqual([5, 50, 200, 300]);
    expect(values.value).toEqual(Array.from({ length: 60 }, (_, at) => at));
    expect([...stage.runs.values()]).toEqual([1, 1, 1, 1]);
  });
});
