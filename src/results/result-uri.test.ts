import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { pointerTo } from "../json/pointer.js";
import { parseResultUri, printResultUri } from "./result-uri.js";

const span = fc
  .tuple(fc.nat(), fc.option(fc.nat(), { nil: undefined }))
  .map(([from, width]) => ({ from, ...(width !== undefined && { to: from + width + 1 }) }));
const pointer = fc.array(fc.string({ unit: "grapheme" }), { maxLength: 4 }).map((segments) => pointerTo(...segments));
const range = fc.record({ pointer, items: span, bytes: span }, { requiredKeys: [] });

describe("the address of a result", () => {
  test("is read as it was printed", () => {
    fc.assert(
      fc.property(range, (given) => {
        const uri = printResultUri("ID_1-x", given);
        expect(parseResultUri(uri)).toEqual({ id: "ID_1-x", range: given });
        expect(new URL(uri).href).toBe(uri);
      }),
    );
  });

  test.each([
    ["plico://results/abc", {}],
    ["plico://results/abc?", {}],
    ["plico://results/abc?bytes=0-10", { bytes: { from: 0, to: 10 } }],
    ["plico://results/abc?items=10-", { items: { from: 10 } }],
    ["plico://results/abc?pointer=", { pointer: "" }],
    ["plico://results/abc?pointer=%2Fa%2Fb%20c&items=0-1", { pointer: "/a/b c", items: { from: 0, to: 1 } }],
    ["plico://results/abc?pointer=/a=b/~0~1", { pointer: "/a=b/~0~1" }],
    ["plico://results/abc?pointer=/a+b", { pointer: "/a+b" }],
  ])("may be %s", (uri, expected) => {
    expect(parseResultUri(uri)).toEqual({ id: "abc", range: expected });
  });

  test.each([
    "",
    "plico://results/",
    "plico://other/abc",
    "http://results/abc",
    "plico://results/abc/def",
    "plico://results/../abc",
    "plico://results/abc#part",
    "plico://results/abc?other=1",
    "plico://results/abc?__proto__=1",
    "plico://results/abc?bytes",
    "plico://results/abc?bytes=",
    "plico://results/abc?bytes=-5",
    "plico://results/abc?bytes=5",
    "plico://results/abc?bytes=5-5",
    "plico://results/abc?bytes=9-5",
    "plico://results/abc?bytes=0-1e9",
    "plico://results/abc?bytes=0-99999999999999999999",
    "plico://results/abc?bytes=0-1&bytes=1-2",
    "plico://results/abc?pointer=a",
    "plico://results/abc?pointer=/a~2",
    "plico://results/abc?pointer=/%E4",
    "plico://results/abc?pointer=/%",
  ])("is not %s", (uri) => {
    expect(parseResultUri(uri)).toBeUndefined();
  });

  test("is printed also for names that no URI can hold", () => {
    expect(parseResultUri(printResultUri("abc", { pointer: "/\ud800" }))).toBeDefined();
  });
});
