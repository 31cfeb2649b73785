import { expect } from "vitest";

/** The real ones, whatever a test does to the clock. */
const { setInterval, clearInterval } = globalThis;
const now = performance.now.bind(performance);

const TICK = 10;

/** What starting and ending of processes may take on top of a limit. */
export const SLACK = 5_000;

/**
 * What `work` gives, in so many milliseconds at most that this process had for itself: those in which the machine, or
 * another test in this process, kept it from running do not count.
 */
export async function within<T>(milliseconds: number, work: PromiseLike<T>): Promise<T> {
  let last = now();
  let own = 0;
  const count = (): void => {
    own += Math.min(now() - last, 2 * TICK);
    last = now();
  };
  const timer = setInterval(count, TICK);
  const result = await Promise.resolve(work).finally(() => clearInterval(timer));
  count();
  expect(own, "milliseconds").toBeLessThan(milliseconds);
  return result;
}

/** What `work` returns, for so many milliseconds of computing at most. */
export function computedWithin<T>(milliseconds: number, work: () => T): T {
  const before = process.cpuUsage();
  const result = work();
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1000, "milliseconds of computing").toBeLessThan(milliseconds);
  return result;
}
