import { describe, expect, test } from "vitest";
import { parseIdempotencyKey } from "./idempotency-key.js";

describe("parseIdempotencyKey", () => {
  test.each([
    ["abc", "abc"],
    ['"abc"', "abc"],
    ["  8e03978e-40d5-43dd-bc93-6894a57f9324\t", "8e03978e-40d5-43dd-bc93-6894a57f9324"],
    [String.raw`"a\"b\\c"`, String.raw`a"b\c`],
    ['a"b', 'a"b'],
    ["0", "0"],
    ["~".repeat(255), "~".repeat(255)],
  ])("reads %s", (header, key) => {
    expect(parseIdempotencyKey(header)).toBe(key);
  });

  test.each([
    "",
    " ",
    '""',
    '"',
    '"abc',
    '"a"b"',
    '"abc";x=1',
    String.raw`"a\b"`,
    "a b",
    "one, two",
    "é",
    "a\0",
    "a".repeat(256),
    `"${"a".repeat(256)}"`,
  ])("refuses %j", (header) => {
    expect(parseIdempotencyKey(header)).toMatchObject({ category: "validation", code: "IDEMPOTENCY_KEY_INVALID" });
  });
});
