import { describe, expect, test, vi } from "vitest";
import { frozen, inShort, MODES, object } from "../../test/schema-values.js";
import { compile } from "./compile.js";

const number = { type: "number" };

/** The schema, a value, what becomes of it, and what is said of it. */
const CASTS: readonly (readonly [string, object, unknown, unknown, readonly string[]])[] = [
  [
    "what is required is filled with an empty value",
    object(
      { n: number, t: { type: "string" }, b: { type: "boolean" }, z: { type: "null" } },
      { required: ["n", "t", "b", "z"] },
    ),
    {},
    { n: 0, t: "", b: false, z: null },
    ["FILLED /n", "FILLED /t", "FILLED /b", "FILLED /z"],
  ],
  [
    "what is required inside is filled with it",
    object(
      { list: { type: "array", items: {} }, inner: object({ n: number }, { required: ["n"] }) },
      { required: ["list", "inner"] },
    ),
    {},
    { list: [], inner: { n: 0 } },
    ["FILLED /list", "FILLED /inner"],
  ],
  ["what is not required stays absent", object({ n: number, m: number }, { required: ["n"] }), { n: 1 }, { n: 1 }, []],
  [
    "what does not match is replaced",
    object({ n: number, m: number }),
    { n: "x", m: 1 },
    { n: 0, m: 1 },
    ["FILLED /n"],
  ],
  [
    "a default comes before an empty value",
    object({ n: { type: "number", default: 7 } }),
    { n: "x" },
    { n: 7 },
    ["FILLED /n"],
  ],
  [
    "the first of the values comes before others",
    object({ k: { enum: ["a", "b"] } }),
    { k: "c" },
    { k: "a" },
    ["FILLED /k"],
  ],
  ["a limit is kept", { type: "number", minimum: 5 }, "x", 5, ["FILLED "]],
  [
    "the whole is replaced where it is something else",
    object({ n: number }, { required: ["n"] }),
    "x",
    { n: 0 },
    ["FILLED "],
  ],
  [
    "an alternative is made up",
    object({ n: { anyOf: [number, { type: "null" }] } }),
    { n: "x" },
    { n: 0 },
    ["FILLED /n"],
  ],
  ["what can be converted is not replaced", object({ n: number }), { n: "12" }, { n: 12 }, ["CONVERTED /n"]],
  [
    "what is not named is stripped first",
    object({ n: number }),
    { n: "x", other: 1 },
    { n: 0 },
    ["STRIPPED /other", "FILLED /n"],
  ],
  ["items are replaced one by one", { items: number }, [1, "x", 3], [1, 0, 3], ["FILLED /1"]],
  [
    "the same in many items is told once",
    { items: object({ n: number }, { required: ["n"] }) },
    [{}, { n: 1 }, {}],
    [{ n: 0 }, { n: 1 }, { n: 0 }],
    ["FILLED /0/n ×2"],
  ],
  ["what nothing is known of stays and is named", { type: "string", pattern: "^a+$" }, null, null, ["MISMATCH "]],
  [
    "a schema that requires itself does not go on for ever",
    { type: "object", properties: { next: { $ref: "#" } }, required: ["next"] },
    {},
    {},
    ["MISMATCH /next"],
  ],
];

describe.each(MODES)("casting, %s", (_, options) => {
  test("ends where two schemas require each other", () => {
    const inner = { properties: { k: { type: "object" } }, $ref: "#" };
    const schema = { type: "object", required: ["k"], additionalProperties: inner };
    expect(compile(schema, options).normalise({ k: {} }, { cast: true }).isValid).toBe(false);
  });

  test.each(CASTS)("%s", (_what, schema, value, expected, warnings) => {
    const result = compile(schema, options).normalise(frozen(value), { cast: true });
    expect(result.value).toEqual(expected);
    expect(inShort(result.warnings)).toEqual(warnings);
    expect(result.isValid).toBe(!warnings.some((warning) => warning.startsWith("MISMATCH")));
    expect(compile(schema, options).accepts(result.value)).toBe(result.isValid);
  });

  test("leaves a value that matches as it is", () => {
    const value = { n: 1 };
    expect(compile(object({ n: number }), options).normalise(value, { cast: true }).value).toBe(value);
  });

  test("leaves the parts that match as they are", () => {
    const value = { n: "x", part: { a: 1 } };
    const schema = object({ n: number, part: object({ a: number }) });
    const result = compile(schema, options).normalise(value, { cast: true }).value as typeof value;
    expect(result.part).toBe(value.part);
  });

  test("makes no prototype of what is named like one", () => {
    const properties = JSON.parse('{"__proto__":{"type":"object"},"constructor":{"type":"string"}}');
    const schema = object(properties, { required: ["__proto__", "constructor"] });
    const { value } = compile(schema, options).normalise({}, { cast: true });
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(JSON.stringify(value)).toBe('{"__proto__":{},"constructor":""}');
  });

  test("gives a default that is no one else's", () => {
    const schema = object({ list: { type: "array", default: [1] } });
    const cast = () => compile(schema, options).normalise({ list: "x" }, { cast: true }).value as { list: number[] };
    cast().list.push(2);
    expect(cast()).toEqual({ list: [1] });
  });

  test("does not try out all ways in which a schema could contain itself", () => {
    const self = { $ref: "#" };
    const schema = { ...object({ a: self, b: self }, { required: ["a", "b"] }), default: [] };
    // Each attempt copies the default, which does not match.
    const { parse } = JSON;
    let copies = 0;
    const spy = vi.spyOn(JSON, "parse").mockImplementation((text) => {
      if (++copies > 10_000) throw new RangeError("too many attempts");
      return parse(text);
    });
    try {
      expect(compile(schema, options).normalise({}, { cast: true }).isValid).toBe(false);
    } finally {
      spy.mockRestore();
    }
  });
});
