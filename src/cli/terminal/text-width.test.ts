import { describe, expect, test } from "vitest";
import { fitText, padText, textWidth } from "./text-width.js";

describe("textWidth", () => {
  test.each([
    ["plain", 5],
    ["", 0],
    ["é", 1],
    ["e\u0301", 1],
    ["日本語", 6],
    ["한국", 4],
    ["ｆｕｌｌ", 8],
    ["🚦", 2],
    ["👩‍👩‍👧", 2],
    ["🇨🇭", 2],
    ["⚠️", 2],
    ["⚠", 1],
    ["a\u200bb", 2],
    ["→…", 2],
  ])("%s takes %i columns", (text, width) => {
    expect(textWidth(text)).toBe(width);
  });
});

describe("fitText", () => {
  test("leaves what fits as it is", () => {
    expect(fitText("plain", 5)).toBe("plain");
  });

  test("ends in a sign where it cuts, which counts", () => {
    expect(fitText("plain text", 7)).toBe("plain…");
    expect(fitText("日本語", 5)).toBe("日本…");
    expect(fitText("日本語", 4)).toBe("日…");
  });

  test("never cuts through a picture of several characters", () => {
    expect(fitText("👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧", 5)).toBe("👩‍👩‍👧👩‍👩‍👧…");
  });

  test("gives nothing where there is no room", () => {
    expect(fitText("plain", 0)).toBe("");
  });
});

test("padText counts columns, not characters", () => {
  expect(padText("日本", 6)).toBe("日本  ");
});
