import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hostileValues } from "../testing/hostile-values.js";
import { told } from "./told.js";

describe("told", () => {
  test.each([
    ["a text", "ok", '"ok"'],
    ["an empty text", "", '""'],
    ["a text with a line break", "a\nb", '"a\\nb"'],
    ["zero", 0, "0"],
    ["a fraction", -1.5, "-1.5"],
    ["true", true, "true"],
    ["false", false, "false"],
    ["null", null, "null"],
  ])("shows %s as JSON does", (_, value, text) => {
    expect(told(value)).toBe(text);
  });

  test("tells kinds of nothing and kinds of values apart", () => {
    const values = [undefined, null, 0, "", false, [], {}, 10n, Symbol("plico"), () => 1, "null", "0"];
    expect(new Set(values.map(told)).size).toBe(values.length);
  });

  test("tells a number that JSON cannot hold from null", () => {
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) {
      expect(told(value)).not.toBe(told(null));
    }
  });

  test("does not show the contents of what is large", () => {
    expect(told({ password: "hunter2" })).not.toContain("hunter2");
    expect(told(["hunter2"])).not.toContain("hunter2");
    expect(told(`${"x".repeat(55)}hunter2`)).not.toContain("hunter2");
  });

  test("is never longer than sixty characters", () => {
    fc.assert(fc.property(fc.anything({ withBigInt: true }), (value) => told(value).length <= 60));
    expect(told("x".repeat(100))).toHaveLength(58);
  });

  test("shows a text of 58 characters whole", () => {
    const text = "x".repeat(58);
    expect(told(text)).toBe(`"${text}"`);
  });

  test("does not cut a character in two", () => {
    for (const text of ["🎉".repeat(40), `x${"🎉".repeat(40)}`]) expect(told(text)).not.toMatch(/\p{Surrogate}/u);
  });

  test("does not touch the fields of a hostile value", () => {
    const touchy = hostileValues().filter((value) => {
      try {
        return typeof told(value) !== "string";
      } catch {
        return true;
      }
    });
    expect(touchy).toEqual([]);
  });
});
