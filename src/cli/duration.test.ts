import { expect, test } from "vitest";
import { durationMs } from "./duration.js";

test.each([
  ["30", 30_000],
  ["0.5", 500],
  ["30s", 30_000],
  ["500ms", 500],
  ["2m", 120_000],
  ["1h", 3_600_000],
])("%s is a time", (text, ms) => {
  expect(durationMs(text)).toBe(ms);
});

test.each(["", "0", "-1", "soon", "1 m", "1d", "1e3"])("%j is none", (text) => {
  expect(durationMs(text)).toBeUndefined();
});
