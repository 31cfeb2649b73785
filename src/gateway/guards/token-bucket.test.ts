import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hintsOfFailure } from "../../registry/failure-hints.js";
import { rateOf, refusalBy, TokenBucket } from "./token-bucket.js";

const NOW = Date.UTC(2026, 0, 1);

describe("a bucket", () => {
  test("gives so many at once, and then as many as the time has filled in", () => {
    const bucket = new TokenBucket();
    const rate = rateOf({ perSecond: 2, burst: 3 });
    const taken = (now: number): number => bucket.take(rate, now);
    expect([taken(NOW), taken(NOW), taken(NOW), taken(NOW)]).toEqual([0, 0, 0, 500]);
    expect([taken(NOW + 499), taken(NOW + 500), taken(NOW + 500)]).toEqual([1, 0, 500]);
    expect([taken(NOW + 10_000), taken(NOW + 10_000), taken(NOW + 10_000), taken(NOW + 10_000)]).toEqual([
      0, 0, 0, 500,
    ]);
  });

  test.each([
    [{ perSecond: 10 }, 10],
    [{ perSecond: 0.1 }, 1],
    [{ perSecond: 100, burst: 5 }, 5],
    [{ perSecond: 2.5 }, 2],
  ])("of %j holds %i", (config, limit) => {
    expect(rateOf(config).limit).toBe(limit);
  });

  test("always has one after the wait that it told, and not before", () => {
    const rates = fc.record({
      perSecond: fc.double({ min: 0.01, max: 500, noNaN: true }),
      burst: fc.integer({ min: 1, max: 20 }),
    });
    fc.assert(
      fc.property(rates, fc.array(fc.integer({ min: 0, max: 300 }), { maxLength: 60 }), (config, steps) => {
        const rate = rateOf(config);
        const bucket = new TokenBucket();
        let now = NOW;
        for (const step of steps) {
          now += step;
          const wait = bucket.take(rate, now);
          if (wait === 0) continue;
          if (wait > 1) expect(bucket.take(rate, now + wait - 1)).toBeGreaterThan(0);
          now += wait;
          expect(bucket.take(rate, now)).toBe(0);
        }
      }),
    );
  });

  test("is not kept empty by a clock that was put back", () => {
    const bucket = new TokenBucket();
    const rate = rateOf({ perSecond: 1, burst: 2 });
    bucket.take(rate, NOW);
    bucket.take(rate, NOW);
    expect(bucket.take(rate, NOW - 3_600_000)).toBeLessThanOrEqual(1_000);
  });
});

test("who finds it empty is told when to come again", () => {
  const bucket = new TokenBucket();
  const rate = rateOf({ perSecond: 4, burst: 2 });
  expect([refusalBy(bucket, rate, NOW, "it"), refusalBy(bucket, rate, NOW, "it")]).toEqual([undefined, undefined]);
  const error = refusalBy(bucket, rate, NOW + 100, "it");
  expect(error).toMatchObject({ category: "rate_limit", code: "RATE_LIMITED", recoverable: true, retryAfterMs: 150 });
  expect(error && hintsOfFailure(error)).toEqual({
    rateLimit: { limit: 2, remaining: 0, resetSeconds: 1, retryAfterMs: 150 },
  });
});
