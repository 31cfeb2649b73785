import fc from "fast-check";
import { expect, test } from "vitest";
import { deadlineHere, isFresh, isGivenUp } from "./clock-skew.js";

const SENT = 1_800_000_000_000;

test("a deadline stays as it is where the clocks agree", () => {
  fc.assert(
    fc.property(fc.integer({ min: -1e6, max: 1e6 }), fc.integer({ min: 0, max: 1000 }), (left, delay) => {
      expect(deadlineHere({ deadline: SENT + left, sentAt: SENT }, SENT + delay, 1000)).toBe(SENT + left);
    }),
  );
});

test("a deadline is never later than what the caller had left, and at most the skew earlier, whatever the clocks say", () => {
  const far = fc.integer({ min: -1e9, max: 1e9 });
  fc.assert(
    fc.property(far, far, (left, skew) => {
      const now = SENT + skew;
      const deadline = deadlineHere({ deadline: SENT + left, sentAt: SENT }, now, 1000);
      expect(deadline - now).toBeLessThanOrEqual(left);
      expect(deadline - now).toBeGreaterThanOrEqual(left - 1000);
    }),
  );
});

test("a caller has given up after three heartbeats and the skew", () => {
  expect(isGivenUp(SENT, 100, SENT + 1300, 1000)).toBe(false);
  expect(isGivenUp(SENT, 100, SENT + 1301, 1000)).toBe(true);
});

test("a signed request is fresh for a minute and the skew, in either direction", () => {
  expect([-61_001, -61_000, 0, 61_000, 61_001].map((age) => isFresh(SENT, SENT + age, 1000))).toEqual([
    ...[false, true, true],
    ...[true, false],
  ]);
});
