import { describe, expect, test } from "vitest";
import { frozen, inShort, MODES, object, when } from "../../test/schema-values.js";
import { compile } from "./compile.js";

type Case = readonly [what: string, schema: object, value: unknown, expected: unknown, warnings: readonly string[]];

/** Expected where nothing is to be changed. */
const SAME = Symbol("the same object");

const number = { type: "number" };
const n = object({ n: number });
const tagged = [
  object({ kind: { const: "a" }, x: number }, { required: ["kind", "x"] }),
  object({ kind: { const: "b" }, y: { ...number, default: 3 } }, { required: ["kind"] }),
];
const requiresAOrB = [object({ a: {} }, { required: ["a"] }), object({ b: {} }, { required: ["b"] })];
const isA = { properties: { kind: { const: "a" } }, required: ["kind"] };

const STRIPPING: readonly Case[] = [
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

const KEEPING: readonly Case[] = [
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

const FILLING: readonly Case[] = [
  ["a field that is absent", object({ a: { default: 1 } }), {}, { a: 1 }, ["FILLED /a"]],
  ["a field that holds undefined", object({ a: { default: 1 } }), { a: undefined }, { a: 1 }, ["FILLED /a"]],
  ["a field that is required", object({ a: { default: 1 } }, { required: ["a"] }), {}, { a: 1 }, ["FILLED /a"]],
  [
    "with what is false, empty or null",
    object({ a: { default: false }, b: { default: "" }, c: { default: null }, d: { default: 0 } }),
    {},
    { a: false, b: "", c: null, d: 0 },
    ["FILLED /a", "FILLED /b", "FILLED /c", "FILLED /d"],
  ],
  ["no field that is null", object({ a: { default: 1 } }), { a: null }, SAME, []],
  [
    "no field that is empty, false or zero",
    object({ a: { default: 1 }, b: { default: 1 }, c: { default: 1 } }),
    { a: "", b: false, c: 0 },
    SAME,
    [],
  ],
  [
    "from where a reference leads",
    object({ a: { $ref: "#/$defs/a" } }, { $defs: { a: { default: 7 } } }),
    {},
    { a: 7 },
    ["FILLED /a"],
  ],
  [
    "from beside a reference first",
    object({ a: { $ref: "#/$defs/a", default: 8 } }, { $defs: { a: { default: 7 } } }),
    {},
    { a: 8 },
    ["FILLED /a"],
  ],
  ["in the alternative that matches", { anyOf: tagged }, { kind: "b" }, { kind: "b", y: 3 }, ["FILLED /y"]],
  [
    "in the branch of a condition",
    object({ kind: {} }, when(isA, { properties: { x: { default: 1 } } })),
    { kind: "a" },
    { kind: "a", x: 1 },
    ["FILLED /x"],
  ],
  [
    "what another field then requires",
    object({ a: {}, b: { default: 1 } }, { dependentRequired: { a: ["b"] } }),
    { a: 1 },
    { a: 1, b: 1 },
    ["FILLED /b"],
  ],
  ["nothing inside what is absent", object({ a: object({ b: { default: 1 } }) }), {}, SAME, []],
  [
    "inside a default",
    object({ a: { ...object({ b: { default: 1 } }), default: {} } }),
    {},
    { a: { b: 1 } },
    ["FILLED /a", "FILLED /a/b"],
  ],
  [
    "with a default that is converted",
    object({ a: { type: "number", default: "5" } }),
    {},
    { a: 5 },
    ["FILLED /a", "CONVERTED /a"],
  ],
  [
    "with a default that is stripped",
    object({ a: { ...n, default: { n: 1, m: 1 } } }),
    {},
    { a: { n: 1 } },
    ["FILLED /a", "STRIPPED /a/m"],
  ],
  [
    "with a default that does not match, and says so",
    object({ a: { type: "number", default: "x" } }),
    {},
    { a: "x" },
    ["FILLED /a", "MISMATCH /a"],
  ],
  ["no item of a list", { prefixItems: [{ default: 1 }], minItems: 1 }, [], SAME, ["MISMATCH "]],
];

const FOLDING: readonly Case[] = [
  [
    "rows",
    { items: n },
    [{ n: "1", x: 1 }, { n: 2 }, { n: "3", x: 1 }],
    [{ n: 1 }, { n: 2 }, { n: 3 }],
    ["CONVERTED /0/n ×2", "STRIPPED /0/x ×2"],
  ],
  [
    "rows, at the first place",
    { items: n },
    [{ n: 1 }, { n: "2" }, { n: "3" }],
    [{ n: 1 }, { n: 2 }, { n: 3 }],
    ["CONVERTED /1/n ×2"],
  ],
  ["lists of lists", { items: { items: number } }, [["1"], [2], ["3", "4"]], [[1], [2], [3, 4]], ["CONVERTED /0/0 ×3"]],
  [
    "maps",
    { additionalProperties: n },
    { a: { n: "1" }, b: { n: "2" } },
    { a: { n: 1 }, b: { n: 2 } },
    ["CONVERTED /a/n ×2"],
  ],
  [
    "lists of maps",
    { items: { additionalProperties: number } },
    [{ a: "1" }, { b: "2" }],
    [{ a: 1 }, { b: 2 }],
    ["CONVERTED /0/a ×2"],
  ],
  [
    "names by pattern",
    { patternProperties: { "^x": number } },
    { x1: "1", x2: "2" },
    { x1: 1, x2: 2 },
    ["CONVERTED /x1 ×2"],
  ],
  [
    "rows of one alternative",
    { items: { anyOf: tagged } },
    [{ kind: "a", x: "1" }, { kind: "b" }, { kind: "a", x: "2" }],
    [
      { kind: "a", x: 1 },
      { kind: "b", y: 3 },
      { kind: "a", x: 2 },
    ],
    ["CONVERTED /0/x ×2", "FILLED /1/y"],
  ],
  ["rows that miss something", { items: object({ a: {} }, { required: ["a"] }) }, [{}, {}], SAME, ["MISMATCH /0/a ×2"]],
  ["rows of another type", { items: number }, ["a", "b", 1], SAME, ["MISMATCH /0 ×2"]],
  [
    "no trees",
    { type: "object", properties: { n: number, kids: { items: { $ref: "#" } } } },
    { n: "1", kids: [{ n: "2" }, { n: "3", kids: [{ x: 1 }] }] },
    { n: 1, kids: [{ n: 2 }, { n: 3, kids: [{}] }] },
    ["CONVERTED /n", "CONVERTED /kids/0/n ×2", "STRIPPED /kids/1/kids/0/x"],
  ],
];

const CHOOSING: readonly Case[] = [
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
  const holds = (_what: string, schema: object, value: unknown, expected: unknown, warnings: readonly string[]) => {
    const compiled = compile(schema, options);
    const result = compiled.normalise(frozen(value));
    if (expected === SAME) expect(result.value).toBe(value);
    else expect(result.value).toStrictEqual(expected);
    expect(inShort(result.warnings)).toEqual(warnings);
    expect(result.isValid).toBe(!warnings.some((warning) => warning.startsWith("MISMATCH")));
    expect(compiled.check(result.value)).toBe(result.isValid);
  };

  test.each(STRIPPING)("strips %s", holds);
  test.each(KEEPING)("keeps %s", holds);
  test.each(FILLING)("fills %s", holds);
  test.each(FOLDING)("counts what is the same in %s", holds);
  test.each(CHOOSING)("follows %s", holds);

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

  test("gives each answer a default of its own", () => {
    const schema = frozen(object({ list: { default: [{ a: 1 }] } }));
    const fill = () => compile(schema, options).normalise({}).value as { list: { a: number }[] };
    const first = fill();
    first.list.push({ a: 2 });
    Object.assign(first.list[0] ?? {}, { a: 3 });
    expect(fill()).toEqual({ list: [{ a: 1 }] });
  });

  test("tells each value what was done to it alone", () => {
    const compiled = compile({ items: n }, options);
    const first = compiled.normalise([{ n: "1" }, { n: "1" }]).warnings;
    expect(compiled.normalise([{ n: 1 }]).warnings).toEqual([]);
    expect(inShort(compiled.normalise([{ n: 1 }, { n: "2", x: 1 }]).warnings)).toEqual([
      "CONVERTED /1/n",
      "STRIPPED /1/x",
    ]);
    expect(inShort(first)).toEqual(["CONVERTED /0/n ×2"]);
  });

  test("names a hundred fields that are stripped, and counts the others", () => {
    const value = Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`k${at}`, 1]));
    const { warnings } = compile(n, options).normalise(value);
    expect(warnings).toHaveLength(101);
    expect(warnings.at(-1)).toMatchObject({ code: "OUTPUT_STRIPPED", count: 900 });
  });

  test("takes as data only what an object has itself", () => {
    const required = compile(object({ n: number }, { required: ["n"] }), options);
    expect(required.normalise(Object.create({ n: 1 })).isValid).toBe(false);
    expect(required.normalise(Object.create({ n: "1" })).warnings).toMatchObject([{ code: "OUTPUT_MISMATCH" }]);
    class Row {
      n = "1";
      m = 1;
    }
    expect(required.normalise(new Row()).value).toStrictEqual({ n: 1 });
    expect(required.normalise(Object.assign(Object.create(null), { n: "1" })).value).toStrictEqual({ n: 1 });
  });
});

const NAMES = ["__proto__", "constructor", "prototype", "toString", "hasOwnProperty", "valueOf"];

/** An object whose own keys are these names, as only `JSON.parse` makes it from a source. */
function named(value: unknown, names: readonly string[] = NAMES): Record<string, unknown> {
  return JSON.parse(`{${names.map((name) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(",")}}`);
}

describe.each(MODES)("names that objects inherit, %s", (_, options) => {
  const inherited = Object.getOwnPropertyNames(Object.prototype);

  const isPlain = (value: unknown) => {
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(inherited);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
    expect(JSON.parse(JSON.stringify(value))).toEqual(value);
  };

  test.each([
    ["are stripped where they are not named", n, named({ polluted: 1 }), {}],
    [
      "are kept where others may be there",
      { ...n, additionalProperties: true },
      { ...named({ polluted: 1 }), n: "1" },
      { ...named({ polluted: 1 }), n: 1 },
    ],
    ["are converted in maps", { additionalProperties: number }, named("1"), named(1)],
    ["are converted where they are named", object(named(number)), named("1"), named(1)],
    ["are absent where they are inherited", object(named(number)), {}, {}],
    ["are filled with defaults", object(named({ default: { polluted: 1 } })), {}, named({ polluted: 1 })],
    ["are filled inside a default", object({ a: { default: named(1) } }), {}, { a: named(1) }],
    ["are found by patterns", { patternProperties: { "^": n } }, named({ n: "1", m: 1 }), named({ n: 1 })],
  ])("%s", (_what, schema, value, expected) => {
    const result = compile(schema, options).normalise(frozen(value));
    expect(JSON.stringify(sorted(result.value))).toBe(JSON.stringify(sorted(expected)));
    expect(result.isValid).toBe(true);
    isPlain(result.value);
  });

  test.each(NAMES)("are missing where %s is required and only inherited", (name) => {
    const compiled = compile(object({ n: number }, { required: [name] }), options);
    expect(compiled.issues({}).map(({ path }) => path)).toEqual([`/${name}`]);
    expect(compiled.normalise({}).isValid).toBe(false);
    expect(compiled.check(named(1, [name]))).toBe(true);
  });
});

function sorted(value: unknown): [string, unknown][] {
  return Object.entries(value as object).sort(([a], [b]) => (a < b ? -1 : 1));
}
