import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Outcome } from "../../envelope/outcome.js";
import type { HandlerContext } from "../../registry/context.js";
import type { OperationSpec } from "../../registry/operation.js";
import { codeOf, failure, type GuardedStage, stage } from "./fixtures/guarded-stage.js";
import { waitBefore } from "./retries.js";

/** Fails as often as its input says, with `error`. */
function flaky(config: object, error: () => unknown, spec: Partial<OperationSpec> = {}) {
  let calls = 0;
  const made = stage(
    { retries: 2, ...config },
    async (times: number) => {
      calls += 1;
      if (calls <= times) throw error();
      return "done";
    },
    { spec },
  );
  return { ...made, calls: () => calls };
}

describe("a retry", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  async function ended({ call }: GuardedStage, times: number, options = {}): Promise<Outcome> {
    const outcome = call(times, options);
    await vi.runAllTimersAsync();
    return outcome;
  }

  test.each(["network", "unavailable", "timeout", "rate_limit"])("is made after %s, and told", async (category) => {
    const flow = flaky({}, () => failure(category));
    expect(await ended(flow, 2)).toMatchObject({
      ok: true,
      data: "done",
      meta: { warnings: [{ code: "RETRIED", count: 3 }] },
    });
    expect(flow.calls()).toBe(3);
  });

  test("is not told where the first attempt went well", async () => {
    const outcome = await ended(
      flaky({}, () => failure("network")),
      0,
    );
    expect(outcome.meta.warnings).toBeUndefined();
  });

  test("is made no more often than allowed; the last failure is given, with the number of attempts", async () => {
    const flow = flaky({ breaker: false }, () => failure("network"));
    expect(await ended(flow, 9)).toMatchObject({
      ok: false,
      error: { category: "network" },
      meta: { warnings: [{ code: "RETRIED", count: 3 }] },
    });
    expect(flow.calls()).toBe(3);
  });

  test.each(["validation", "execution", "not_found", "aborted", "authorization"])(
    "is not made after %s",
    async (category) => {
      const flow = flaky({}, () => failure(category));
      await ended(flow, 9);
      expect(flow.calls()).toBe(1);
    },
  );

  test("is not made after what cannot pass", async () => {
    const flow = flaky({}, () => failure("unavailable", { recoverable: false }));
    await ended(flow, 9);
    expect(flow.calls()).toBe(1);
  });

  test.each([
    [{ type: "mutation" }, 1],
    [{ type: "mutation", annotations: { idempotent: true } }, 3],
    [{ type: "mutation", annotations: { readOnly: true } }, 3],
    [{ type: "query" }, 3],
  ] as const)("of %j leads to %i attempts", async (spec, attempts) => {
    const flow = flaky({}, () => failure("network"), spec);
    await ended(flow, 9);
    expect(flow.calls()).toBe(attempts);
  });

  test("is not made by default", async () => {
    const flow = flaky({ retries: undefined }, () => failure("network"));
    await ended(flow, 9);
    expect(flow.calls()).toBe(1);
  });

  test("ends with its caller, also while it waits", async () => {
    const flow = flaky({}, () => failure("network", { retryAfterMs: 20_000 }));
    const controller = new AbortController();
    const outcome = flow.call(9, { signal: controller.signal });
    await vi.advanceTimersByTimeAsync(100);
    controller.abort();
    expect(codeOf(await outcome)).toBe("ABORTED");
    await vi.runAllTimersAsync();
    expect([flow.calls(), vi.getTimerCount()]).toEqual([1, 0]);
  });

  test("is not made where the breaker has opened, nor where the rate limit is used up; the reason stays", async () => {
    const broken = flaky({ breaker: { failures: 2 } }, () => failure("network"));
    expect(codeOf(await ended(broken, 9))).toBe("UNAVAILABLE");
    expect(broken.calls()).toBe(2);
    const limited = flaky({ limit: { perSecond: 0.01 } }, () => failure("timeout"));
    expect(codeOf(await ended(limited, 9))).toBe("TIMEOUT");
    expect(limited.calls()).toBe(1);
  });

  test("has the whole time again", async () => {
    let calls = 0;
    const slow = stage({ retries: 1, timeout: 50 }, () => {
      calls += 1;
      return calls === 1 ? new Promise(() => {}) : Promise.resolve("done");
    });
    expect(await ended(slow, 0)).toMatchObject({ ok: true, data: "done" });
  });
});

describe("the wait before it", () => {
  const context = { deadline: undefined } as HandlerContext;

  test("doubles up to five seconds, and any part of it may be enough", () => {
    const waits = [1, 2, 3, 4, 5, 6, 7].map((attempts) => waitBefore(failure("network"), attempts, context, () => 1));
    expect(waits).toEqual([200, 400, 800, 1_600, 3_200, 5_000, 5_000]);
    expect(waitBefore(failure("network"), 1, context, () => 0.5)).toBe(100);
  });

  test("is at least what the source wants, and none where that is too long", () => {
    expect(waitBefore(failure("rate_limit", { retryAfterMs: 7_000 }), 1, context, () => 1)).toBe(7_000);
    expect(waitBefore(failure("rate_limit", { retryAfterMs: 31_000 }), 1, context)).toBeUndefined();
  });

  test("does not go beyond the deadline", () => {
    const late = { deadline: Date.now() + 1_000 } as HandlerContext;
    expect(waitBefore(failure("network", { retryAfterMs: 2_000 }), 1, late)).toBeUndefined();
    expect(waitBefore(failure("network", { retryAfterMs: 100 }), 1, late, () => 0)).toBe(100);
  });
});
