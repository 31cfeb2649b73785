import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { encodedSize, isSurelyWithin } from "./encoded-size.js";

/** Texts with escapes, half surrogates and characters of all lengths. */
const text = fc.string({
  unit: fc.constantFrom("a", '"', "\\", "\n", "\u0001", "\u007f", "é", "中", "😀", "\ud800", "\udc00"),
});

const value = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    text,
    fc.double(),
    fc.constantFrom<unknown>(
      null,
      true,
      false,
      undefined,
      -0,
      1e21,
      new Date(0),
      new Date(Number.NaN),
      () => 1,
      Symbol("s"),
    ),
    fc.constantFrom<unknown>(new Map([[1, 2]]), new Uint8Array(2), Object("boxed"), Object(5), {
      toJSON: () => ({ a: "é" }),
    }),
    fc.array(tie("value"), { maxLength: 5 }),
    fc.dictionary(text, tie("value"), { maxKeys: 5 }),
  ),
})).value;

function measured(given: unknown): number {
  return Buffer.byteLength(JSON.stringify([given])) - 2;
}

describe("the encoded size", () => {
  test("is that of the JSON in UTF-8", () => {
    fc.assert(
      fc.property(value, (given) => encodedSize(given) === measured(given)),
      { numRuns: 500 },
    );
  });

  test("is exact up to a limit, and over it beyond", () => {
    fc.assert(
      fc.property(value, fc.nat({ max: 200 }), (given, limit) => {
        const size = measured(given);
        expect(encodedSize(given, limit) > limit).toBe(size > limit);
        if (size <= limit) expect(encodedSize(given, limit)).toBe(size);
      }),
      { numRuns: 500 },
    );
  });

  test("is never more than a bound that is said to hold", () => {
    fc.assert(
      fc.property(value, fc.nat({ max: 2000 }), (given, bytes) => {
        if (isSurelyWithin(given, bytes)) expect(measured(given)).toBeLessThanOrEqual(bytes);
      }),
      { numRuns: 500 },
    );
  });

  test("does not look further than the limit", () => {
    const looked: number[] = [];
    const list = Array.from({ length: 1000 }, (_, at) => ({ toJSON: () => looked.push(at) }));
    expect(encodedSize(list, 20)).toBeGreaterThan(20);
    expect(looked.length).toBeLessThan(20);
  });

  test("of a cycle throws instead of running forever", () => {
    const cycle: unknown[] = [];
    cycle.push(cycle);
    expect(() => encodedSize(cycle)).toThrow(RangeError);
    expect(isSurelyWithin(cycle, 1e9)).toBe(false);
  });
});
