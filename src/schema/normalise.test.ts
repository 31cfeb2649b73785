import { describe, expect, test } from "vitest";
import { expectNormalised, type NormaliseCase, SAME } from "../../test/normalise-cases.js";
import { frozen, MODES, object, when } from "../../test/schema-values.js";
import { compile } from "./compile.js";

const number = { type: "number" };
const n = object({ n: number });
const tagged = [
  object({ kind: { const: "a" }, x: number }, { required: ["kind", "x"] }),
  object({ kind: { const: "b" }, y: { ...number, default: 3 } }, { required: ["kind"] }),
];
const requiresAOrB = [object({ a: {} }, { required: ["a"] }), object({ b: {} }, { required: ["b"] })];
const isA = { properties: { kind: { const: "a" } }, required: ["kind"] };

const STRIPPING: readonly NormaliseCase[] = [
  ["what the schema does not name", object({ a: {} }), { a: 1, b: 2 }, { a: 1 }, ["STRIPPED /b"]],
  [
    "what is not named in a part",
    object({ a: object({ b: {} }) }),
    { a: { b: 1, c: 1 } },
    { a: { b: 1 } },
    ["STRIPPED /a/c"],
  ],
  ["all where nothing else may be", { additionalProperties: false }, { a: 1 }, {}, ["STRIPPED /a"]],
  ["what is not named, at a name with signs", object({ a: {} }), { a: 1, "b/c~": 1 }, { a: 1 }, ["STRIPPED /b~1c~0"]],
  [
    "what has no pattern",
    { patternProperties: { "^x": number } },
    { x1: "1", y: 1 },
    { x1: 1 },
    ["CONVERTED /x1", "STRIPPED /y"],
  ],
  [
    "what has neither name nor pattern",
    object({ a: {} }, { patternProperties: { "^x": {} } }),
    { a: 1, x: 1, y: 1 },
    { a: 1, x: 1 },
    ["STRIPPED /y"],
  ],
  [
    "what no part evaluates",
    { allOf: [object({ a: {} })], unevaluatedProperties: false },
    { a: 1, b: 1 },
    { a: 1 },
    ["STRIPPED /b"],
  ],
  [
    "what none of all parts names",
    { allOf: [object({ a: {} }), object({ b: {} })] },
    { a: 1, b: 1, c: 1 },
    { a: 1, b: 1 },
    ["STRIPPED /c"],
  ],
  [
    "what is named neither beside a reference nor there",
    { $defs: { a: object({ a: {} }) }, $ref: "#/$defs/a", properties: { b: {} } },
    { a: 1, b: 1, c: 1 },
    { a: 1, b: 1 },
    ["STRIPPED /c"],
  ],
  [
    "what another alternative names",
    { anyOf: tagged },
    { kind: "a", x: 1, y: 1 },
    { kind: "a", x: 1 },
    ["STRIPPED /y"],
  ],
  [
    "what none of the alternatives that match names",
    { anyOf: requiresAOrB },
    { a: 1, b: 1, c: 1 },
    { a: 1, b: 1 },
    ["STRIPPED /c"],
  ],
  [
    "beside alternatives that name nothing",
    object({ a: {}, b: {} }, { anyOf: [{ required: ["a"] }, { required: ["b"] }] }),
    { a: 1, c: 1 },
    { a: 1 },
    ["STRIPPED /c"],
  ],
  [
    "the other branch of a condition",
    object({ kind: {} }, when(isA, { properties: { x: {} } }, { properties: { y: {} } })),
    { kind: "a", x: 1, y: 1 },
    { kind: "a", x: 1 },
    ["STRIPPED /y"],
  ],
  [
    "what depends on a field that is absent",
    object({ a: {} }, { dependentSchemas: { a: { properties: { b: {} } } } }),
    { b: 1 },
    {},
    ["STRIPPED /b"],
  ],
  [
    "what makes a name too long",
    object({ a: {} }, { propertyNames: { maxLength: 1 } }),
    { a: 1, bb: 1 },
    { a: 1 },
    ["STRIPPED /bb"],
  ],
  [
    "what is then missing",
    object({ a: {} }, { minProperties: 2 }),
    { a: 1, b: 1 },
    { a: 1 },
    ["STRIPPED /b", "MISMATCH "],
  ],
];

const KEEPING: readonly NormaliseCase[] = [
  ["all of any object", { type: "object" }, { a: 1 }, SAME, []],
  ["all where no property is named", object({}), { a: 1 }, SAME, []],
  ["all where others may be there", object({ a: {} }, { additionalProperties: true }), { b: 1 }, SAME, []],
  ["all where others are anything", object({ a: {} }, { additionalProperties: {} }), { b: 1 }, SAME, []],
  ["others that have a schema", object({ a: {} }, { additionalProperties: number }), { b: 1 }, SAME, []],
  ["all where the rest may be there", { allOf: [object({ a: {} })], unevaluatedProperties: true }, { b: 1 }, SAME, []],
  [
    "all where one of all parts is open",
    { allOf: [object({ a: {} }), object({ b: {} }, { additionalProperties: true })] },
    { c: 1 },
    SAME,
    [],
  ],
  ["a name that is only required", object({ a: {} }, { required: ["b"] }), { a: 1, b: 2 }, SAME, []],
  ["a key that holds undefined", object({ a: {} }), { a: 1, b: undefined }, SAME, []],
  [
    "what a field brings along",
    object({ a: {} }, { dependentSchemas: { a: { properties: { b: {} } } } }),
    { a: 1, b: 1 },
    SAME,
    [],
  ],
  ["all where no alternative fits", { anyOf: tagged }, { kind: "c", z: 1 }, SAME, ["MISMATCH "]],
  [
    "all where the alternative that is meant fails",
    { anyOf: tagged },
    { kind: "a", x: "?", z: 1 },
    SAME,
    ["MISMATCH /x"],
  ],
  ["what must not be there", object({ a: false, b: {} }), { a: 1, b: 1 }, SAME, ["MISMATCH /a"]],
  ["what is something else", object({ a: {} }), "text", SAME, ["MISMATCH "]],
  ["items beyond the last", { prefixItems: [{}], items: false }, [1, 2], SAME, ["MISMATCH /1"]],
  [
    "what a condition allows once its field is converted",
    object({ kind: { type: "integer" } }, when({ properties: { kind: { const: 1 } } }, { properties: { x: {} } })),
    { kind: "1", x: 5 },
    { kind: 1, x: 5 },
    ["CONVERTED /kind"],
  ],
  [
    "what a condition allows once its field is filled",
    object({ kind: { default: "a" } }, when(isA, { properties: { x: {} } })),
    { x: 5 },
    { kind: "a", x: 5 },
    ["FILLED /kind"],
  ],
  [
    "what a field brings along once it is filled",
    object({ a: { default: 1 } }, { dependentSchemas: { a: { properties: { b: {} } } } }),
    { b: 5 },
    { a: 1, b: 5 },
    ["FILLED /a"],
  ],
];

const CHOOSING: readonly NormaliseCase[] = [
  [
    "the alternative that matches once it is converted",
    { anyOf: tagged },
    { kind: "a", x: "1", z: 1 },
    { kind: "a", x: 1 },
    ["CONVERTED /x", "STRIPPED /z"],
  ],
  [
    "exactly one of several",
    { oneOf: tagged },
    { kind: "a", x: "1", z: 1 },
    { kind: "a", x: 1 },
    ["CONVERTED /x", "STRIPPED /z"],
  ],
  [
    "by a tag that is converted",
    { oneOf: [object({ kind: { const: 1 }, x: {} }, { required: ["kind"] }), object({ kind: { const: 2 } })] },
    { kind: "1", x: 1 },
    { kind: 1, x: 1 },
    ["CONVERTED /kind"],
  ],
  ["what is not null", { anyOf: [{ type: "null" }, n] }, { n: "1", x: 1 }, { n: 1 }, ["CONVERTED /n", "STRIPPED /x"]],
  ["null", { anyOf: [{ type: "null" }, n] }, null, SAME, []],
  [
    "what is not null also where it fails",
    { anyOf: [{ type: "null" }, n] },
    { n: "?", x: 1 },
    { n: "?" },
    ["STRIPPED /x", "MISMATCH /n"],
  ],
  ["null of OpenAPI 3.0", { ...n, nullable: true }, { n: "1" }, { n: 1 }, ["CONVERTED /n"]],
  [
    "all parts at once",
    { allOf: [n, object({ b: { default: 1 } })] },
    { n: "1", c: 1 },
    { n: 1, b: 1 },
    ["CONVERTED /n", "FILLED /b", "STRIPPED /c"],
  ],
  [
    "both branches of a condition in turn",
    {
      items: object({ kind: {} }, when(isA, { properties: { v: number } }, { properties: { v: { type: "string" } } })),
    },
    [
      { kind: "a", v: "1" },
      { kind: "b", v: 1 },
    ],
    [
      { kind: "a", v: 1 },
      { kind: "b", v: "1" },
    ],
    ["CONVERTED /0/v ×2"],
  ],
  [
    "the items of a tuple",
    { prefixItems: [number, n], items: { type: "string" } },
    ["1", { n: 1, m: 1 }, 5],
    [1, { n: 1 }, "5"],
    ["CONVERTED /0 ×2", "STRIPPED /1/m"],
  ],
  [
    "a mismatch inside, and the rest is done",
    object({ a: number, b: number }, { required: ["c"] }),
    { a: "?", b: "1", d: 1 },
    { a: "?", b: 1 },
    ["CONVERTED /b", "STRIPPED /d", "MISMATCH /c", "MISMATCH /a"],
  ],
  [
    "the rest where it has a schema",
    { allOf: [object({ a: {} })], unevaluatedProperties: number },
    { a: 1, b: "1" },
    { a: 1, b: 1 },
    ["CONVERTED /b"],
  ],
];

describe.each(MODES)("normalising, %s", (_, options) => {
  test.each(STRIPPING)("strips %s", expectNormalised(options));
  test.each(KEEPING)("keeps %s", expectNormalised(options));
  test.each(CHOOSING)("follows %s", expectNormalised(options));

  test("gives the same object, and the same parts, where nothing is to be changed", () => {
    const rows = { items: object({ a: n, b: n, c: { type: "array", items: n } }) };
    const value = frozen([
      { a: { n: 1 }, b: { n: 2 }, c: [{ n: 3 }] },
      { a: { n: 1 }, b: { n: "2" }, c: [{ n: 3 }, { n: 4, m: 1 }] },
    ]);
    const result = compile(rows, options).normalise(value).value as typeof value;
    expect(result).not.toBe(value);
    expect(result[0]).toBe(value[0]);
    expect(result[1]?.a).toBe(value[1]?.a);
    expect(result[1]?.c[0]).toBe(value[1]?.c[0]);
    expect(compile(rows, options).normalise(result).value).toBe(result);
  });

  test("gives the same object also where something in it is not equal to itself", () => {
    const [list, record] = [[Number.NaN], { n: Number.NaN }];
    expect(compile({ items: number }, options).normalise(list).value).toBe(list);
    expect(compile({ items: object({ a: {} }) }, options).normalise(list).value).toBe(list);
    expect(compile(n, options).normalise(record).value).toBe(record);
    expect(compile({ additionalProperties: number }, options).normalise(record).value).toBe(record);
  });

  test("takes as data only what an object has itself", () => {
    const required = compile(object({ n: number }, { required: ["n"] }), options);
    class Row {
      n = "1";
      m = 1;
    }
    expect(required.normalise(new Row()).value).toStrictEqual({ n: 1 });
    expect(required.normalise(Object.assign(Object.create(null), { n: "1" })).value).toStrictEqual({ n: 1 });
  });
});
