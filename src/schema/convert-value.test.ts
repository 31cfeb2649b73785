import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { inShort, MODES } from "../../test/schema-values.js";
import { compile } from "./compile.js";
import { decimalFromText } from "./convert-value.js";

const FIRST_DAY = "1970-01-01T00:00:00.000Z";

describe.each(MODES)("a value of another type, %s", (_, options) => {
  test.each([
    ["12", { type: "number" }, 12],
    ["-12", { type: "integer" }, -12],
    ["0", { type: "integer" }, 0],
    ["1.5", { type: "number" }, 1.5],
    ["9007199254740991", { type: "integer" }, Number.MAX_SAFE_INTEGER],
    ["0.1234567890123", { type: "number" }, 0.1234567890123],
    ["true", { type: "boolean" }, true],
    ["false", { type: ["boolean", "null"] }, false],
    ["true", { type: ["number", "boolean"] }, true],
    [true, { type: "string" }, "true"],
    [5, { type: "string" }, "5"],
    [-1.5, { type: "string" }, "-1.5"],
    [5n, { type: "integer" }, 5],
    [5n, { type: "string" }, "5"],
    [2n ** 60n, { type: ["integer", "string"] }, "1152921504606846976"],
    [new Date(0), { type: "string" }, FIRST_DAY],
    [new Date(0), { type: ["string", "null"] }, FIRST_DAY],
    [new Date(0), { anyOf: [{ type: "null" }, { type: "string" }] }, FIRST_DAY],
    [new Date(0), { const: FIRST_DAY }, FIRST_DAY],
    [new Date(0), { enum: [FIRST_DAY, null] }, FIRST_DAY],
    ["1", { enum: [1, 2] }, 1],
    ["1", { enum: [1, "a"] }, 1],
    [1, { enum: ["1", "2"] }, "1"],
    ["true", { const: true }, true],
    ["2", { anyOf: [{ const: 1 }, { const: 2 }] }, 2],
    ["5", { anyOf: [{ type: "number" }, { type: "null" }] }, 5],
    ["5", { allOf: [{ type: "number" }, { type: "integer" }] }, 5],
    ["5", { $ref: "#/$defs/n", $defs: { n: { type: "number" } } }, 5],
  ])("%o is converted for %j", (value, schema, converted) => {
    const result = compile(schema, options).normalise(value);
    expect(result).toMatchObject({ value: converted, isValid: true });
    expect(inShort(result.warnings)).toEqual(["CONVERTED "]);
  });

  test.each([
    ...["012", "1e3", " 12", "12 ", "12.50", "", "0x10", "-0", "9007199254740993", "abc", "+1", ".5", "5.", "-", "00"],
    ...["1_000", "12n", "Infinity", "NaN", "null", "１２", "1.0", "123456789012345678", "0.12345678901234567890"],
  ])("the text %j is no number and stays", (text) => {
    const result = compile({ type: "number" }, options).normalise(text);
    expect(result).toMatchObject({ value: text, isValid: false });
    expect(inShort(result.warnings)).toEqual(["MISMATCH "]);
  });

  test.each([
    ["1.5", { type: "integer" }],
    ["True", { type: "boolean" }],
    ["1", { type: "boolean" }],
    [1, { type: "boolean" }],
    [0, { type: "boolean" }],
    [true, { type: "number" }],
    [null, { type: "string" }],
    [null, { type: "number" }],
    ["null", { type: "null" }],
    ["", { type: "null" }],
    ["3", { enum: [1, 2] }],
    [[1], { type: "string" }],
    [5, { type: "array", items: { type: "number" } }],
    ['{"a":1}', { type: "object" }],
    [Number.NaN, { type: "string" }],
    [Number.NaN, { type: "number" }],
    [2n ** 60n, { type: "number" }],
    [new Date(Number.NaN), { type: "string" }],
    [new Date(0), { type: "number" }],
    [{ toString: () => "5" }, { type: "string" }],
    [{ toJSON: () => "5" }, { type: "string" }],
  ])("%o would lose something as %j and stays", (value, schema) => {
    const result = compile(schema, options).normalise(value);
    expect(result.value).toBe(value);
    expect(result.isValid).toBe(false);
    expect(inShort(result.warnings)).toEqual(["MISMATCH "]);
  });

  test.each([
    ["12", { type: ["number", "string"] }],
    ["5", { anyOf: [{ type: "number" }, { type: "string" }] }],
    [5, { type: ["number", "string"] }],
  ])("%o stays where its own type is allowed by %j", (value, schema) => {
    expect(compile(schema, options).normalise(value)).toEqual({ value, isValid: true, warnings: [] });
  });

  test.each([
    ["12", { type: "number", maximum: 10 }, 12],
    [5, { type: "string", minLength: 3 }, "5"],
  ])("%o is converted also where it then breaks another rule of %j", (value, schema, converted) => {
    const result = compile(schema, options).normalise(value);
    expect(result).toMatchObject({ value: converted, isValid: false });
    expect(inShort(result.warnings)).toEqual(["CONVERTED ", "MISMATCH "]);
  });

  test("is converted once or not at all where two parts want different types", () => {
    const schema = { allOf: [{ properties: { a: { type: "integer" } } }, { properties: { a: { type: "string" } } }] };
    const result = compile(schema, options).normalise({ a: "1" });
    expect(result).toMatchObject({ value: { a: "1" }, isValid: false });
    expect(inShort(result.warnings)).toEqual(["MISMATCH /a"]);
  });
});

describe("the number of a text", () => {
  test("is written in the same way again", () => {
    const character = fc.constantFrom(..."0123456789.-e+ ");
    fc.assert(
      fc.property(fc.string({ unit: character, maxLength: 22 }), (text) => {
        const number = decimalFromText(text);
        if (number !== undefined) expect(String(number)).toBe(text);
      }),
      { numRuns: 5_000 },
    );
  });

  test("is found for every number that is written without an exponent", () => {
    const any = fc.oneof(fc.integer(), fc.maxSafeInteger(), fc.double({ noNaN: true, noDefaultInfinity: true }));
    const plain = any.filter((value) => !String(value).includes("e") && !Object.is(value, -0));
    fc.assert(
      fc.property(plain, (value) => {
        expect(decimalFromText(String(value))).toBe(value);
      }),
      { numRuns: 5_000 },
    );
  });

  test("is undefined for a text with an exponent", () => {
    expect(["1e3", "1e+21", "1e-7", "-1e+21", "1.5e+300"].map(decimalFromText)).toEqual(Array(5).fill(undefined));
  });
});
