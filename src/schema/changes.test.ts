import { describe, expect, test } from "vitest";
import { expectNormalised, type NormaliseCase, SAME } from "../../test/normalise-cases.js";
import { inShort, MODES, object } from "../../test/schema-values.js";
import { compile } from "./compile.js";

const number = { type: "number" };
const n = object({ n: number });
const tagged = [
  object({ kind: { const: "a" }, x: number }, { required: ["kind", "x"] }),
  object({ kind: { const: "b" }, y: { ...number, default: 3 } }, { required: ["kind"] }),
];
const FOLDING: readonly NormaliseCase[] = [
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

describe.each(MODES)("the changes to a value, %s", (_, options) => {
  test.each(FOLDING)("are counted where they are the same in %s", expectNormalised(options));

  test("are those to this value alone", () => {
    const compiled = compile({ items: n }, options);
    const first = compiled.normalise([{ n: "1" }, { n: "1" }]).warnings;
    expect(compiled.normalise([{ n: 1 }]).warnings).toEqual([]);
    expect(inShort(compiled.normalise([{ n: 1 }, { n: "2", x: 1 }]).warnings)).toEqual([
      "CONVERTED /1/n",
      "STRIPPED /1/x",
    ]);
    expect(inShort(first)).toEqual(["CONVERTED /0/n ×2"]);
  });

  test("are named up to a hundred, and then counted", () => {
    const value = Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`k${at}`, 1]));
    const { warnings } = compile(n, options).normalise(value);
    expect(warnings).toHaveLength(101);
    expect(warnings.at(-1)).toMatchObject({ code: "OUTPUT_STRIPPED", count: 900 });
  });

  test("are counted for each of many fields that are stripped from rows", () => {
    const row = Object.fromEntries(Array.from({ length: 80 }, (_, at) => [`k${at}`, 1]));
    const { warnings } = compile({ items: n }, options).normalise([row, row, row]);
    expect(inShort(warnings)).toEqual(Object.keys(row).map((key) => `STRIPPED /0/${key} ×3`));
  });
});
