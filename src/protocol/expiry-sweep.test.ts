import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { ExpirySweep } from "./expiry-sweep.js";

interface Member {
  readonly name: string;
  expiresAt: number;
}

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000 });
});
afterEach(() => {
  vi.useRealTimers();
});

function sweepOf(...members: Member[]) {
  const alive = new Set(members);
  const expired: string[] = [];
  const table = {
    get size() {
      return alive.size;
    },
    values: () => [...alive],
  };
  const sweep = new ExpirySweep<Member>(table, (member) => {
    alive.delete(member);
    expired.push(`${member.name}@${Date.now() - 1_000_000}`);
  });
  for (const { expiresAt } of members) sweep.watch(expiresAt);
  return { sweep, expired, alive };
}

function member(name: string, after: number): Member {
  return { name, expiresAt: 1_000_000 + after };
}

describe("ExpirySweep", () => {
  test("ends each member at its time, in whatever order they came, with one timer", () => {
    const { expired } = sweepOf(member("late", 300), member("soon", 100), member("next", 200));
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(1000);
    expect(expired).toEqual(["soon@100", "next@200", "late@300"]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("waits for a member whose time was put off", () => {
    const put = member("put off", 100);
    const { expired } = sweepOf(put);
    vi.advanceTimersByTime(50);
    put.expiresAt += 400;
    vi.advanceTimersByTime(1000);
    expect(expired).toEqual(["put off@500"]);
  });

  test("arms no timer for what never ends, and none after the last", () => {
    const { sweep, expired } = sweepOf({ name: "eternal", expiresAt: Number.POSITIVE_INFINITY });
    sweep.watch(Number.POSITIVE_INFINITY);
    expect(vi.getTimerCount()).toBe(0);
    expect(expired).toEqual([]);
  });

  test("reaches a time beyond the longest timer", () => {
    const days = 60 * 24 * 3600 * 1000;
    const { expired } = sweepOf(member("far", days));
    vi.advanceTimersByTime(days - 1);
    expect(expired).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(expired).toEqual([`far@${days}`]);
  });

  test("ends nothing once stopped, and can begin anew", () => {
    const { sweep, expired } = sweepOf(member("soon", 100));
    sweep.stop();
    expect(vi.getTimerCount()).toBe(0);
    vi.advanceTimersByTime(200);
    expect(expired).toEqual([]);
    sweep.watch(1_000_100);
    vi.advanceTimersByTime(10);
    expect(expired).toEqual(["soon@200"]);
  });

  test("looks at many members rarely", () => {
    const members = Array.from({ length: 50_000 }, (_, at) => member(String(at), 1 + at / 100));
    const looks = vi.fn(() => members);
    const sweep = new ExpirySweep<Member>({ size: members.length, values: looks }, (one) => {
      one.expiresAt = Number.POSITIVE_INFINITY;
    });
    sweep.watch(1_000_001);
    vi.advanceTimersByTime(600);
    expect(looks.mock.calls.length).toBeLessThan(40);
    expect(members.every(({ expiresAt }) => expiresAt === Number.POSITIVE_INFINITY)).toBe(true);
  });
});
