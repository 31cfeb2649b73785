import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { findInexactNumbers, findJsonFault } from "./json-text.js";

describe("findJsonFault", () => {
  test("agrees with JSON.parse on what is JSON", () => {
    const nearly = fc.tuple(
      fc.json(),
      fc.nat(),
      fc.constantFrom("", "]", "}", ",", '"', "\\", "\n", "1", "nul", "\u0000"),
    );
    fc.assert(
      fc.property(nearly, ([json, place, piece]) => {
        const at = place % (json.length + 1);
        const text = json.slice(0, at) + piece + json.slice(at + (place % 2));
        expect(findJsonFault(text) === undefined).toBe(isJson(text));
      }),
      { numRuns: 2000 },
    );
  });

  test.each([
    ["", 1, 1],
    ["{", 1, 2],
    ["[1,]", 1, 4],
    ['{"a" 1}', 1, 6],
    ["{a: 1}", 1, 2],
    ['{"a": tru}', 1, 7],
    ['["\\x"]', 1, 2],
    ['["open', 1, 2],
    ["1 2", 1, 3],
    ["01", 1, 2],
    ['{\n  "a": 1\n  "b": 2\n}', 3, 3],
    ['{"a": 1,\n\n', 1, 9],
  ])("finds the fault of %j in line %i, column %i", (text, line, column) => {
    expect(findJsonFault(text)).toMatchObject({ line, column });
  });

  test("is not impressed by depth", () => {
    expect(findJsonFault("[".repeat(100_000))).toMatchObject({ line: 1, column: 100_001 });
  });
});

describe("findInexactNumbers", () => {
  test("gives the path of each integer that changes", () => {
    const text = '{"a/b":[1,9007199254740993],"safe":9007199254740992,"text":"12345678901234567890","big":1e400}';
    expect(findInexactNumbers(text)).toEqual([
      { path: "/a~1b/1", written: "9007199254740993", held: 9007199254740992 },
      { path: "/big", written: "1e400", held: null },
    ]);
  });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
