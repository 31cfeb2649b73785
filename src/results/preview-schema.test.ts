import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { schemasWithValues } from "../../test/schema-arbitrary.js";
import { object, when } from "../../test/schema-values.js";
import { isRecord } from "../json/value.js";
import { type CompiledSchema, compile } from "../schema/compile.js";
import { encodedSize } from "./encoded-size.js";
import { previewOf } from "./preview.js";

const long = (length = 500, letter = "x") => letter.repeat(length);
const list = (length: number, item: (at: number) => unknown = (at) => at) =>
  Array.from({ length }, (_, at) => item(at));
const text = { type: "string" };

type Row = readonly [what: string, schema: object, data: unknown, preview: unknown];

const WITHIN_BUDGET: readonly Row[] = [
  ["minItems", { type: "array", minItems: 40 }, list(200), expect.toSatisfy((shown: unknown[]) => shown.length >= 40)],
  ["minLength", { ...text, minLength: 100 }, long(), `${long(195)}…`],
  ["maxLength", { ...text, maxLength: 500 }, long(), `${long(195)}…`],
  [
    "prefixItems",
    { prefixItems: [text, text], items: text },
    ["a", "b", ...list(90, () => "cccc")],
    expect.arrayContaining(["a", "b"]),
  ],
  [
    "items of older drafts",
    { $schema: "http://json-schema.org/draft-07/schema#", items: [text, { type: "integer" }] },
    [long(), 7],
    [expect.stringMatching(/…$/), 7],
  ],
  ["uniqueItems", { uniqueItems: true }, list(90, (at) => `${long(30)}${at}`), list(5, (at) => `${long(30)}${at}`)],
  ["contains", { contains: { const: 9 } }, list(200), expect.arrayContaining([9])],
  [
    "a contained item that could be cut",
    { contains: object({ kind: { enum: [long(60)] } }, { required: ["kind"] }) },
    [{ kind: long(60), text: long() }],
    [{ kind: long(60), text: expect.stringMatching(/^x+…$/) }],
  ],
  [
    "required",
    object({ id: { type: "integer" }, a: text, z: text }, { required: ["id", "z"] }),
    { a: long(), z: "z", id: 7 },
    { a: expect.stringMatching(/…$/), z: "z", id: 7 },
  ],
  [
    "minProperties",
    { minProperties: 20, additionalProperties: { type: "integer" } },
    Object.fromEntries(list(90, (at) => [at, at]) as [string, number][]),
    expect.toSatisfy((shown) => Object.keys(shown).length >= 20),
  ],
  [
    "dependentRequired",
    { dependentRequired: { "0": ["89"] } },
    Object.fromEntries(list(90, (at) => [at, "value"]) as [string, string][]),
    expect.objectContaining({ "0": "value", "89": "value" }),
  ],
  [
    "pattern",
    object({ a: { ...text, pattern: "^x+$" }, b: text }),
    { a: long(100), b: long() },
    { a: long(100), b: expect.stringMatching(/…$/) },
  ],
  [
    "format",
    object({ a: { ...text, format: "uri" }, b: text }),
    { a: `http://${long(100)}`, b: long() },
    { a: `http://${long(100)}`, b: expect.stringMatching(/…$/) },
  ],
  [
    "a format of free text",
    object({ a: { ...text, format: "markdown" } }),
    { a: long() },
    { a: expect.stringMatching(/…$/) },
  ],
  [
    "enum",
    object({ a: { enum: [long(120), "b"] }, b: text }),
    { a: long(120), b: long() },
    { a: long(120), b: expect.stringMatching(/…$/) },
  ],
  [
    "const",
    object({ a: { const: [long(120)] }, b: text }),
    { a: [long(120)], b: long() },
    { a: [long(120)], b: expect.stringMatching(/…$/) },
  ],
  [
    "a discriminator",
    {
      oneOf: ["kind-a", "kind-b"].map((kind) =>
        object({ kind: { const: kind }, text }, { required: ["kind", "text"] }),
      ),
    },
    { text: long(), kind: "kind-b" },
    { text: expect.stringMatching(/…$/), kind: "kind-b" },
  ],
  [
    "a reference",
    {
      $defs: { row: object({ id: text, note: text }, { required: ["id"] }) },
      type: "array",
      items: { $ref: "#/$defs/row" },
    },
    list(9, (at) => ({ note: long(90), id: `id ${at}` })),
    expect.arrayContaining([{ note: expect.any(String), id: "id 0" }]),
  ],
  [
    "not",
    { not: { type: "array", maxItems: 10 }, items: true },
    list(12, () => long(30)),
    expect.toSatisfy((shown: unknown[]) => shown.length > 10),
  ],
  [
    "if and then",
    {
      ...when(object({ a: { minLength: 100, type: "string" } }), { required: ["b"] }),
      ...object({ a: text, b: text }),
    },
    { b: long(), a: long(110) },
    expect.objectContaining({ b: expect.any(String) }),
  ],
  [
    "a map",
    { type: "object", additionalProperties: { type: "integer" } },
    Object.fromEntries(list(90, (at) => [`k${at}`, at]) as [string, number][]),
    expect.objectContaining({ k0: 0, k1: 1 }),
  ],
  [
    "propertyNames",
    { propertyNames: { pattern: "^k" } },
    { k1: long(), k2: 2 },
    { k1: expect.stringMatching(/…$/), k2: 2 },
  ],
  ["an open enum", { anyOf: [{ enum: ["a", "b"] }, text] }, long(), expect.stringMatching(/…$/)],
];

const TOO_LARGE: readonly Row[] = [
  [
    "what has a format stays whole, although Plico itself does not check it",
    object({ a: { ...text, format: "uri" }, b: text }, { required: ["a"] }),
    { a: `urn:${long()}`, b: long() },
    { a: `urn:${long()}` },
  ],
  [
    "a list of such texts",
    { type: "array", minItems: 1, uniqueItems: true, items: { ...text, format: "uri" } },
    [`urn:${long()}`, "urn:x"],
    [`urn:${long()}`],
  ],
  [
    "what must be whole stays, and the rest gives way",
    object({ a: { ...text, pattern: "^x+$" }, b: text, c: { type: "array" } }, { required: ["a", "b"] }),
    { a: long(), b: long(), c: [1] },
    { a: long(), b: "…" },
  ],
  [
    "a list whose items must be there",
    { type: "array", minItems: 90, items: { type: "integer" } },
    list(90),
    undefined,
  ],
  ["one word of a few", { enum: [long(), "b"] }, long(), undefined],
  ["a number", { type: "number" }, 12_345, undefined],
];

describe("a preview of data with a schema", () => {
  test.each(WITHIN_BUDGET)("holds to %s", (_, schema, data, expected) => {
    const compiled = compile(schema as never);
    expect(compiled.accepts(data)).toBe(true);
    const preview = previewOf(data, { schema: compiled, bytes: 200 });
    expect(preview?.data).toEqual(expected);
    expect(compiled.accepts(preview?.data)).toBe(true);
    expect(encodedSize(preview?.data)).toBeLessThanOrEqual(200);
  });

  test.each(TOO_LARGE)(
    "is the smallest that is valid where the budget cannot be met: %s",
    (_, schema, data, expected) => {
      expect(previewOf(data, { schema: compile(schema as never), bytes: 4 })?.data).toEqual(expected);
    },
  );

  test("leaves whole what the schema refuses otherwise, and shortens the rest with care", () => {
    const rows = list(500, (id) => ({ id, name: `row ${id}` }));
    const odd = { not: { type: "string", maxLength: 240 } };
    const schema = compile(object({ odd, rows: { type: "array", items: object({ id: { type: "integer" } }) } }));
    const preview = previewOf({ odd: long(250), rows, text: long(300) }, { schema, bytes: 500 });
    expect(preview?.data).toEqual({
      odd: long(250),
      rows: rows.slice(0, 4),
      text: expect.stringMatching(/^x{90,}…$/),
    });
  });

  test("is made for data that does not match, too", () => {
    const schema = compile(object({ rows: { type: "array", items: text } }));
    expect(previewOf({ rows: list(200) }, { schema, bytes: 100 })?.shortened).toMatchObject([{ path: "/rows" }]);
  });

  test("is valid, smaller than the data, and within the budget or as small as single cuts can make it", () => {
    const cases = fc.tuple(schemasWithValues({ beyondJson: false }), fc.nat({ max: 60 }));
    const property = fc.property(cases, ([{ schema, values }, bytes]) => {
      const compiled = compile(schema);
      for (const data of values.filter((value) => compiled.accepts(value))) {
        const preview = previewOf(data, { schema: compiled, bytes });
        const shown = preview === undefined ? data : preview.data;
        expect(compiled.accepts(shown)).toBe(true);
        if (preview !== undefined) expect(encodedSize(shown)).toBeLessThan(encodedSize(data));
        if (encodedSize(shown) > bytes) expect(cutsThatFit(shown, compiled)).toEqual([]);
      }
    });
    fc.assert(property, { numRuns: 500 });
  });
});

/** Values with one part less that the schema accepts all the same. */
function cutsThatFit(data: unknown, schema: CompiledSchema): unknown[] {
  const found: unknown[] = [];
  const tryCut = (cut: unknown, put: (value: unknown) => unknown): void => {
    if (schema.accepts(put(cut))) found.push(put(cut));
  };
  const visit = (value: unknown, put: (value: unknown) => unknown): void => {
    if (typeof value === "string" && encodedSize(value) > 5) tryCut("…", put);
    if (Array.isArray(value)) {
      if (value.length > 0) tryCut([], put);
      value.forEach((item, at) => {
        visit(item, (inner) => put(value.with(at, inner)));
      });
    } else if (isRecord(value)) {
      for (const [name, member] of Object.entries(value)) {
        const entries = (inner: unknown) =>
          Object.entries(value).flatMap(([key, other]) =>
            key !== name ? [[key, other]] : inner === undefined ? [] : [[key, inner]],
          );
        tryCut(undefined, (inner) => put(Object.fromEntries(entries(inner))));
        visit(member, (inner) => put(Object.fromEntries(entries(inner))));
      }
    }
  };
  visit(data, (value) => value);
  return found;
}
