import { describe, expect, test } from "vitest";
import { table } from "./table.js";
import { textWidth } from "./text-width.js";

const ROWS = [
  ["math.add", "query", "Adds two numbers."],
  ["weather.now", "query", "天気 ☀️ of a city, 今."],
];

describe("a table", () => {
  test("lines its columns up, wide characters too", () => {
    expect(
      table(
        [
          ["日本", "x"],
          ["abc", "y"],
        ],
        [{}, {}],
        80,
      ),
    ).toEqual(["日本  x", "abc   y"]);
  });

  test("is cut in the last columns that may shrink, and never wider than the terminal", () => {
    for (let width = 1; width < 60; width++) {
      const lines = table(ROWS, [{}, { least: 3 }, { least: 8 }], width);
      expect(Math.max(...lines.map(textWidth))).toBeLessThanOrEqual(width);
    }
    expect(table(ROWS, [{}, { least: 3 }, { least: 8 }], 30)[0]).toBe("math.add     query  Adds two…");
  });

  test("leaves columns out where they would say nothing any more", () => {
    expect(table(ROWS, [{}, {}, { least: 8 }], 22)).toEqual(["math.add     query", "weather.now  query"]);
  });

  test("is as wide as its text where nothing limits it, without blanks at the ends", () => {
    expect(table(ROWS, [{}, {}, {}], Number.POSITIVE_INFINITY)).toEqual([
      "math.add     query  Adds two numbers.",
      "weather.now  query  天気 ☀️ of a city, 今.",
    ]);
    expect(table([["a", "", ""]], [{}, {}, {}], 80)).toEqual(["a"]);
  });

  test("paints the text of a cell and not its blanks", () => {
    expect(
      table(
        [
          ["a", "b"],
          ["aaa", "b"],
        ],
        [{ paint: (text) => `<${text}>` }, {}],
        80,
      ),
    ).toEqual(["<a>    b", "<aaa>  b"]);
  });

  test("with no rows is empty", () => {
    expect(table([], [{}, {}], 80)).toEqual([]);
  });
});
