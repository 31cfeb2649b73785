import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { JsoncFault, jsoncPlaces, parseJsonc, placeOf } from "./jsonc.js";

describe("JSON with comments", () => {
  test("is what JSON says, whatever the value", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(undefined, 2, "\t"), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        expect(parseJsonc(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  test.each([
    ['// first\n{ /* inside */ "a": 1, // after\n }', { a: 1 }],
    ["[1, 2, /* last */ ]", [1, 2]],
    ['\uFEFF{ "a": "// no comment" }', { a: "// no comment" }],
    ['{ "a": "\\u00e9\\n\\/\u007f" }', { a: "é\n/\u007f" }],
    ["/**/ -0.5e2 //", -50],
  ])("may have comments, commas at the end and a byte order mark: %s", (text, value) => {
    expect(parseJsonc(text)).toEqual(value);
  });

  test("keeps __proto__ as a field like any other", () => {
    const value = parseJsonc('{ "__proto__": { "polluted": true } }') as object;
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(Object.keys(value)).toEqual(["__proto__"]);
  });

  test.each([
    ["", 1, 1],
    ["  // nothing\n", 1, 1],
    ['{ "a": 1\n  "b": 2 }', 1, 9],
    ['{ "a": 1, "a": 2 }', 1, 11],
    ["{ a: 1 }", 1, 3],
    ["{ 'a': 1 }", 1, 3],
    ['{\n  "a": True }', 2, 8],
    ['{ "a": 01 }', 1, 8],
    ['{ "a": undefined }', 1, 8],
    ['{ "a": "x\n" }', 1, 8],
    ['{ "a": "\\x" }', 1, 9],
    ['{ "a": "\t" }', 1, 9],
    ['{ "a": { "b": 1 }', 1, 1],
    ["[1,, 2]", 1, 4],
    ['{ "a" 1 }', 1, 7],
    ["/* open", 1, 1],
    ["{} {}", 1, 4],
    ["[}", 1, 2],
    ['{ "é𝒳": nope }', 1, 9],
    ["[".repeat(300), 1, 201],
  ])("says where %j is wrong", (text, line, column) => {
    expect(() => parseJsonc(text)).toThrow(JsoncFault);
    try {
      parseJsonc(text);
    } catch (thrown) {
      expect(placeOf(text, (thrown as JsoncFault).at)).toEqual({ line, column });
    }
  });

  test("throws its own fault and nothing else, whatever is cut off", () => {
    const text = '{ "a": [1, { "b": "c\\n" /* x */ }], "d": true }';
    for (let end = 0; end < text.length; end++) expect(() => parseJsonc(text.slice(0, end))).toThrow(JsoncFault);
  });

  test("knows where every value and every name is", () => {
    const text = '{\n  "a/b": [1, { "c": 2 }]\n}';
    const { values, keys } = jsoncPlaces(text);
    expect(placeOf(text, keys.get("/a~1b") ?? 0)).toEqual({ line: 2, column: 3 });
    expect(placeOf(text, values.get("/a~1b/1/c") ?? 0)).toEqual({ line: 2, column: 21 });
    expect(values.get("")).toBe(0);
  });
});
