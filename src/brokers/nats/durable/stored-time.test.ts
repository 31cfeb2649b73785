import { expect, test } from "vitest";
import { ageOf, storedTime } from "./stored-time.js";

test.each([
  ["2026-11-16T20:15:37.672123456Z", 1794860137672123456n],
  ["2026-11-16T20:15:37.672123457Z", 1794860137672123457n],
  ["2026-11-16T20:15:37.5Z", 1794860137500000000n],
  ["2026-11-16T20:15:37Z", 1794860137000000000n],
])("%s is exact", (timestamp, nanos) => {
  expect(storedTime(timestamp)).toBe(nanos);
});

test("an age is in milliseconds", () => {
  const age = ageOf(storedTime(new Date(Date.now() - 1000).toISOString()));
  expect(age).toBeGreaterThanOrEqual(1000);
  expect(age).toBeLessThan(2000);
});
