import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { CallError } from "../../../envelope/call-error.js";
import { control } from "./fixtures/exchange-servers.js";
import { RequestWatch } from "./request-watch.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function watch(given: ReturnType<typeof control>): { readonly watching: RequestWatch; readonly ends: CallError[] } {
  const ends: CallError[] = [];
  const watching = new RequestWatch(given, "api.example", (error) => ends.push(error));
  watching.start();
  return { watching, ends };
}

test("what is expected ends after the time-out", () => {
  const { watching, ends } = watch(control({ timeout: 100 }));
  watching.expect("is silent");
  vi.advanceTimersByTime(99);
  expect(ends).toEqual([]);
  vi.advanceTimersByTime(2);
  expect(ends).toMatchObject([{ category: "timeout" }]);
  expect(vi.getTimerCount()).toBe(0);
});

test("a far deadline does not hide a near time-out", () => {
  const { watching, ends } = watch(control({ timeout: 100, deadline: Date.now() + 60_000 }));
  watching.expect("is silent");
  vi.advanceTimersByTime(101);
  expect(ends).toHaveLength(1);
});

test("each piece begins the time-out anew", () => {
  const { watching, ends } = watch(control({ timeout: 100 }));
  for (let count = 0; count < 10; count += 1) {
    watching.expect("is silent");
    vi.advanceTimersByTime(60);
  }
  expect(ends).toEqual([]);
  vi.advanceTimersByTime(101);
  expect(ends).toHaveLength(1);
});

test("a rest has no time-out, but its deadline", () => {
  const { watching, ends } = watch(control({ timeout: 100, deadline: Date.now() + 1_000 }));
  watching.expect("is silent");
  watching.rest();
  vi.advanceTimersByTime(990);
  expect(ends).toEqual([]);
  vi.advanceTimersByTime(11);
  expect(ends).toMatchObject([{ category: "timeout" }]);
});

test("the caller ends it once, and nobody listens any more", () => {
  const given = control({ timeout: 100 });
  const { watching, ends } = watch(given);
  watching.expect("is silent");
  given.end();
  given.end();
  vi.advanceTimersByTime(1_000);
  expect(ends).toMatchObject([{ category: "aborted" }]);
  expect([given.listeners.size, vi.getTimerCount()]).toEqual([0, 0]);
});

test("once stopped, nothing ends it and nothing starts it again", () => {
  const given = control({ timeout: 100, deadline: Date.now() + 200 });
  const { watching, ends } = watch(given);
  watching.stop();
  watching.expect("is silent");
  watching.rest();
  given.end();
  vi.advanceTimersByTime(1_000);
  expect(ends).toEqual([]);
  expect([given.listeners.size, vi.getTimerCount()]).toEqual([0, 0]);
});

test("a deadline beyond all timers is none for now", () => {
  const { watching, ends } = watch(control({ timeout: Number.POSITIVE_INFINITY, deadline: Date.now() + 1e13 }));
  watching.expect("is silent");
  vi.advanceTimersByTime(3_000_000_000);
  expect(ends).toEqual([]);
  watching.stop();
});
