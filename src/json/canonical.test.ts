import { describe, expect, test } from "vitest";
import { canonicalJson } from "./canonical.js";

describe("canonicalJson", () => {
  test("gives one text for one value, however its keys are ordered", () => {
    expect(canonicalJson({ b: [1, { d: null, c: "x" }], a: 0 })).toBe('{"a":0,"b":[1,{"c":"x","d":null}]}');
    expect(canonicalJson({ a: 0, b: [1, { c: "x", d: null }] })).toBe('{"a":0,"b":[1,{"c":"x","d":null}]}');
  });

  test("tells null from what is absent, and 0 from its text", () => {
    const values = [{}, { a: null }, { a: 0 }, { a: "0" }, { a: false }, { a: "" }, [], null];
    expect(new Set(values.map(canonicalJson)).size).toBe(values.length);
    expect(canonicalJson({ a: undefined })).toBe("{}");
  });

  test("says null where JSON has no word", () => {
    expect(canonicalJson(undefined)).toBe("null");
    expect(canonicalJson([undefined, Number.NaN])).toBe("[null,null]");
  });
});
