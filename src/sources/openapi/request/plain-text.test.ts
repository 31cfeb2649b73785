import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decimalOf, documentOf, jsonOf, textOf, wellFormed } from "./plain-text.js";
import { Refusal } from "./refusal.js";

describe("a number as text", () => {
  test("has no exponent, and is the same number", () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
        const text = decimalOf(number);
        return /^-?\d+(\.\d+)?$/.test(text) && Number(text) === (number === 0 ? 0 : number);
      }),
    );
  });

  test.each([
    [1e21, "1000000000000000000000"],
    [1.5e-7, "0.00000015"],
    [-1e-10, "-0.0000000001"],
    [1.2345e23, "123450000000000000000000"],
    [0.1, "0.1"],
    [-0, "0"],
  ])("%d is %s", (number, text) => {
    expect(textOf(number)).toBe(text);
  });

  test.each([Number.NaN, Number.POSITIVE_INFINITY])("%d is refused", (number) => {
    expect(() => textOf(number)).toThrow(Refusal);
  });
});

describe("a value as text", () => {
  test.each([
    ["", ""],
    [null, "null"],
    [false, "false"],
    [12n, "12"],
    [new Date(0), "1970-01-01T00:00:00.000Z"],
    [new URL("http://a/b"), "http://a/b"],
    [{ a: [1] }, '{"a":[1]}'],
    [Object.assign(Object.create(null), { a: 1 }), '{"a":1}'],
    [{ a: 12n }, '{"a":"12"}'],
  ])("%o is %j", (value, text) => {
    expect(textOf(value)).toBe(text);
  });

  test.each([undefined, () => 1, Symbol("a")])("%o is refused", (value) => {
    expect(() => textOf(value)).toThrow(Refusal);
  });
});

test("JSON is written for JSON types only", () => {
  expect(documentOf("a", "application/vnd.api+json; v=1")).toBe('"a"');
  expect(documentOf("a", "application/xml")).toBe("a");
  expect(documentOf({ a: 1 }, "application/xml")).toBe('{"a":1}');
});

test("a cycle is not JSON", () => {
  const cycle: unknown[] = [];
  cycle.push(cycle);
  expect(() => jsonOf(cycle)).toThrow();
});

test("half of a surrogate pair is not well-formed", () => {
  expect(wellFormed("🎉")).toBe("🎉");
  expect(() => wellFormed("a\udf89")).toThrow(Refusal);
});
