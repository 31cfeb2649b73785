import { expect, test } from "vitest";
import { WARNINGS } from "./warning.js";

test("every warning that the design names has a code and says what it means", () => {
  const named =
    "OUTPUT_STRIPPED OUTPUT_FILLED OUTPUT_CONVERTED OUTPUT_MISMATCH SCHEMA_UNSUPPORTED SOURCES_SKIPPED TRUNCATED FIELD_DEPRECATED";
  expect(Object.keys(WARNINGS)).toEqual(expect.arrayContaining(named.split(" ")));
  expect(Object.values(WARNINGS).filter((meaning) => !/^[A-Z].+\.$/.test(meaning))).toEqual([]);
});

test("the codes of warnings are words in capitals", () => {
  expect(Object.keys(WARNINGS).filter((code) => !/^[A-Z]+(_[A-Z0-9]+)*$/.test(code))).toEqual([]);
});
