import { expect, test } from "vitest";
import { retryDelay } from "./retry-delay.js";

test("waits twice as long each time, up to a minute, and a little less by chance", () => {
  const longest = [1, 2, 3, 7, 50, 5_000].map((failures) => retryDelay(failures, () => 0));
  expect(longest).toEqual([1_000, 2_000, 4_000, 60_000, 60_000, 60_000]);
  expect(retryDelay(1, () => 1)).toBe(750);
});
