import { expect, test } from "vitest";
import { randomHex } from "./random-hex.js";

test("has two lower-case digits for each byte", () => {
  expect(randomHex(8)).toMatch(/^[0-9a-f]{16}$/);
  expect(randomHex(16)).toMatch(/^[0-9a-f]{32}$/);
  expect(randomHex(0)).toBe("");
});

test("does not repeat itself, also when the bytes that were fetched at once are used up", () => {
  const made = Array.from({ length: 5000 }, () => randomHex(8));
  expect(new Set(made).size).toBe(made.length);
});
