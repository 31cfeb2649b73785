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
const isA = { properties: { kind: { const: "a" } }, required: ["kind"] };

const FILLING: readonly NormaliseCase[] = [
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
    ["FILLED /a"],
  ],
  ["with a default that is converted", object({ a: { type: "number", default: "5" } }), {}, { a: 5 }, ["FILLED /a"]],
  [
    "with a default that is stripped",
    object({ a: { ...n, default: { n: 1, m: 1 } } }),
    {},
    { a: { n: 1 } },
    ["FILLED /a"],
  ],
  ["not with a default that does not match", object({ a: { type: "number", default: "x" } }), {}, SAME, []],
  ["no item of a list", { prefixItems: [{ default: 1 }], minItems: 1 }, [], SAME, ["MISMATCH "]],
];

describe.each(MODES)("normalising, %s", (_, options) => {
  test.each(FILLING)("fills %s", expectNormalised(options));

  test("gives each answer a default of its own", () => {
    const schema = frozen(object({ list: { default: [{ a: 1 }] } }));
    const fill = () => compile(schema, options).normalise({}).value as { list: { a: number }[] };
    const first = fill();
    first.list.push({ a: 2 });
    Object.assign(first.list[0] ?? {}, { a: 3 });
    expect(fill()).toEqual({ list: [{ a: 1 }] });
  });
});
