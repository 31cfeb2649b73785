import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Refresher } from "./refresher.js";

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

test("one runs and one waits, however often there is a reason", async () => {
  let runs = 0;
  const refresher = new Refresher(
    async () => {
      runs += 1;
    },
    () => true,
  );
  for (let count = 0; count < 100; count++) refresher.soon();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(runs).toBe(2);
});

test("what has a new reason each time is done ever more rarely", async () => {
  let runs = 0;
  const refresher: Refresher = new Refresher(
    async () => {
      runs += 1;
      refresher.soon();
    },
    () => true,
  );
  refresher.soon();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(runs).toBeGreaterThan(5);
  expect(runs).toBeLessThan(20);
});

test("what fails is done again while it may be, and is known to have failed until it succeeds", async () => {
  let runs = 0;
  const work = async (): Promise<void> => {
    runs += 1;
    if (runs < 3) throw new Error("no");
  };
  const refresher = new Refresher(work, () => true);
  refresher.soon();
  await vi.advanceTimersByTimeAsync(0);
  expect(refresher.failure).toBeDefined();
  await vi.advanceTimersByTimeAsync(10_000);
  expect([runs, refresher.failure]).toEqual([3, undefined]);
});

test("nothing begins of itself where it may not", async () => {
  let runs = 0;
  let mayBegin = true;
  const refresher = new Refresher(
    () => {
      runs += 1;
      mayBegin = false;
      return Promise.reject(new Error("no"));
    },
    () => mayBegin,
  );
  refresher.soon();
  await vi.advanceTimersByTimeAsync(100_000);
  expect(runs).toBe(1);
  await expect(refresher.run()).rejects.toThrow();
  expect(runs).toBe(2);
});

test("runs that are asked for come one after the other, and tell how they ended", async () => {
  const order: string[] = [];
  let count = 0;
  const refresher = new Refresher(
    async () => {
      const own = ++count;
      order.push(`begin ${own}`);
      await Promise.resolve();
      order.push(`end ${own}`);
      if (own === 1) throw new Error("first");
    },
    () => false,
  );
  const [first, second] = await Promise.allSettled([refresher.run(), refresher.run()]);
  expect([first?.status, second?.status]).toEqual(["rejected", "fulfilled"]);
  expect(order).toEqual(["begin 1", "end 1", "begin 2", "end 2"]);
});

test("nothing begins after it was stopped", async () => {
  let runs = 0;
  const refresher = new Refresher(
    async () => {
      runs += 1;
    },
    () => true,
  );
  refresher.soon();
  refresher.soon();
  refresher.stop();
  refresher.soon();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(runs).toBe(1);
});
