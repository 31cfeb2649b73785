import { describe, expect, test } from "vitest";
import { parseText } from "./parse-text.js";

const parse = (text: string): Promise<unknown> => parseText(text, "https://api.test/openapi.yaml");

describe("the text of a document", () => {
  test("is JSON where it begins with a brace, also behind a byte order mark and spaces", async () => {
    expect(await parse('\uFEFF \n{"a": 1}')).toEqual({ a: 1 });
  });

  test("is YAML 1.2 otherwise: dates and yes are texts", async () => {
    expect(await parse("version: 2022-11-15\nanswer: yes\ntime: 12:30:45\nflag: true\nnothing: null\n")).toEqual({
      version: "2022-11-15",
      answer: "yes",
      time: "12:30:45",
      flag: true,
      nothing: null,
    });
  });

  test("has texts as keys: a status is one", async () => {
    expect(Object.keys((await parse("200: ok\n404: no\ntrue: x\n")) as object)).toEqual(["200", "404", "true"]);
  });

  test("merges keys, and the last of equal ones counts", async () => {
    expect(await parse("a: &a {x: 1, y: 2}\nb:\n  <<: *a\n  y: 3\nc: 1\nc: 2\n")).toEqual({
      a: { x: 1, y: 2 },
      b: { x: 1, y: 3 },
      c: 2,
    });
  });

  test("may use an alias often without becoming larger", async () => {
    const lines = Array.from({ length: 30 }, (_, at) => `a${at + 1}: &a${at + 1} [${`*a${at}, `.repeat(9)}*a${at}]`);
    const parsed = (await parse(["a0: &a0 [x]", ...lines].join("\n"))) as Record<string, unknown[]>;
    expect(parsed["a30"]?.[0]).toBe(parsed["a30"]?.[9]);
  });

  test("keeps a key that JavaScript uses itself as data", async () => {
    const parsed = (await parse("__proto__: {polluted: true}\n")) as object;
    expect(Object.keys(parsed)).toEqual(["__proto__"]);
    expect(parsed).not.toHaveProperty("polluted");
  });

  test.each([
    ['{"a": 1,\n "b": 2,}', { line: 2, column: 9 }],
    ['{"a": 1\n', { line: 1, column: 8 }],
    ['{"a": ', { line: 1, column: 6 }],
    [`{"${"a".repeat(26)}": 1,\n"${"b".repeat(12)}": oops, "${"c".repeat(22)}": 1}`, { line: 2, column: 17 }],
    ["a: 1\nb: [1,\nc: {", { line: 3 }],
    ["a: 1\nb: *unknown", { line: 2 }],
  ])("%j is refused with its place", async (text, details) => {
    await expect(parse(text)).rejects.toMatchObject({ category: "validation", code: "INVALID_DOCUMENT", details });
  });

  test.each([[""], ["<html></html>"], ["a: 1\n---\nb: 2\n"], ["{"], ["{x}"], ["\t"]])("%j is refused", async (text) => {
    await expect(parse(text)).rejects.toMatchObject({ category: "validation", code: "INVALID_DOCUMENT" });
  });

  test("that has more merged keys than there is room for is refused", async () => {
    const keys = Array.from({ length: 500 }, (_, at) => `k${at}: 1`).join(", ");
    const text = `a: &a {${keys}}\n${Array.from({ length: 500 }, (_, at) => `b${at}: {<<: *a}`).join("\n")}`;
    await expect(parse(text)).rejects.toMatchObject({ code: "INVALID_DOCUMENT" });
  });
});
