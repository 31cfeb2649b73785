import { expect, test } from "vitest";
import { retryAfterMs } from "./retry-after.js";

const NOW = Date.parse("2026-11-16T12:00:00Z");

test.each([
  ["120", 120_000],
  [" 0 ", 0],
  ["1.5", 1500],
  ["Mon, 16 Nov 2026 12:00:30 GMT", 30_000],
  ["Mon, 16 Nov 2026 11:00:00 GMT", 0],
  ["soon", undefined],
  ["-5", undefined],
  ["2026", 2_026_000],
  ["", undefined],
  [undefined, undefined],
])("reads %j", (header, expected) => {
  expect(retryAfterMs(header, NOW)).toBe(expected);
});
