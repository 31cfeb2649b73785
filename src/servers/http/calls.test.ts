import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { CallError } from "../../envelope/call-error.js";
import type { Outcome } from "../../envelope/outcome.js";
import { registryOf } from "../../registry/fixtures/operations.js";
import type { AnyHandler } from "../../registry/operation.js";
import { Calls } from "./calls.js";

const CLOSING = new CallError({ category: "unavailable", message: "closing" });

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000 });
});
afterEach(() => {
  vi.useRealTimers();
});

interface Stage {
  readonly calls: Calls;
  readonly outcomes: Outcome[];
  readonly run: (input?: unknown) => ReturnType<Calls["run"]>;
}

function stage(handler: AnyHandler, timeout = 1000): Stage {
  const calls = new Calls(registryOf(handler), timeout, () => {});
  const outcomes: Outcome[] = [];
  return { calls, outcomes, run: (input) => calls.run("test.run", input, (outcome) => outcomes.push(outcome)) };
}

const never = (): Promise<never> => new Promise(() => {});

describe("a call", () => {
  test("is told once what came of it", async () => {
    const { calls, outcomes, run } = stage((input) => input);
    const call = run(5);
    await vi.advanceTimersByTimeAsync(0);
    calls.leave(call);
    await vi.advanceTimersByTimeAsync(5000);
    expect(outcomes).toMatchObject([{ ok: true, data: 5, meta: { requestId: expect.stringMatching(/^req_/) } }]);
  });

  test("fails as it is thrown, with an id", async () => {
    const { outcomes, run } = stage(() => {
      throw new CallError({ category: "conflict", message: "no" });
    });
    run();
    await vi.advanceTimersByTimeAsync(0);
    expect(outcomes).toMatchObject([{ ok: false, error: { category: "conflict" } }]);
  });

  test("ends in time, whatever its handler does", async () => {
    const signals: AbortSignal[] = [];
    const { outcomes, run } = stage((_, { signal }) => {
      signals.push(signal);
      return never();
    });
    run();
    await vi.advanceTimersByTimeAsync(999);
    expect(outcomes).toEqual([]);
    await vi.advanceTimersByTimeAsync(10);
    expect(outcomes).toMatchObject([
      { ok: false, error: { category: "timeout" }, meta: { requestId: expect.any(String) } },
    ]);
    expect(signals[0]?.reason).toMatchObject({ category: "timeout" });
    await vi.advanceTimersByTimeAsync(5000);
    expect(outcomes).toHaveLength(1);
  });

  test("says nothing after it has ended", async () => {
    const { outcomes, run } = stage(() => new Promise((resolve) => setTimeout(resolve, 2000, "late")));
    run();
    await vi.advanceTimersByTimeAsync(5000);
    expect(outcomes).toMatchObject([{ ok: false }]);
  });

  test("may take for ever where that is said", async () => {
    const { outcomes, run } = stage(never, Number.POSITIVE_INFINITY);
    run();
    await vi.advanceTimersByTimeAsync(2 ** 32);
    expect(outcomes).toEqual([]);
  });

  test("is over when its client leaves", async () => {
    const reasons: unknown[] = [];
    const { calls, outcomes, run } = stage((_, { signal }) => {
      signal.addEventListener("abort", () => reasons.push(signal.reason));
      return never();
    });
    const call = run();
    await vi.advanceTimersByTimeAsync(0);
    calls.leave(call);
    calls.leave(call);
    expect(reasons).toMatchObject([{ category: "aborted" }]);
    expect(outcomes).toMatchObject([{ ok: false, error: { category: "aborted" } }]);
    await vi.advanceTimersByTimeAsync(5000);
    expect(outcomes).toHaveLength(1);
  });
});

describe("closing", () => {
  test("waits for calls, and no longer than they take", async () => {
    const { calls, outcomes, run } = stage(() => new Promise((resolve) => setTimeout(resolve, 300, "done")));
    run();
    let isClosed = false;
    const closed = calls.close(2000, CLOSING).then(() => {
      isClosed = true;
    });
    await vi.advanceTimersByTimeAsync(299);
    expect(isClosed).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await closed;
    expect(outcomes).toMatchObject([{ ok: true, data: "done" }]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("ends those that take too long", async () => {
    const { calls, outcomes, run } = stage(never, 60_000);
    run();
    run();
    const closed = calls.close(2000, CLOSING);
    await vi.advanceTimersByTimeAsync(2000);
    await closed;
    expect(outcomes).toMatchObject([{ error: { category: "unavailable" } }, { error: { category: "unavailable" } }]);
    expect(vi.getTimerCount()).toBe(0);
  });
});
