import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isRecord } from "../../json/value.js";
import { compile } from "../../schema/compile.js";
import { CONFIG_SCHEMA } from "./config-schema.js";
import { fitsSchema } from "./fits-schema.js";
import { SOURCE_KINDS } from "./source-kind.js";
import { SOURCE_SCHEMAS } from "./source-schemas.js";

const SCHEMAS = [...SOURCE_KINDS.map((kind) => [kind, SOURCE_SCHEMAS[kind]] as const), ["all", CONFIG_SCHEMA] as const];

/** Values that are often right, and wrong in a few places. */
function nearly(schema: unknown): fc.Arbitrary<unknown> {
  const {
    type,
    properties,
    required = [],
    enum: values,
    const: only,
    anyOf,
    items,
    additionalProperties,
  } = isRecord(schema) ? schema : {};
  const wrong = fc.constantFrom<unknown>(null, -1, 1.5, "", "x y", [], {}, true, false, 0);
  const mostly = (right: fc.Arbitrary<unknown>) =>
    fc.oneof({ weight: 15, arbitrary: right }, { weight: 1, arbitrary: wrong });
  if (Array.isArray(values)) return mostly(fc.constantFrom<unknown>(...values));
  if (Array.isArray(anyOf)) return fc.oneof(...anyOf.map(nearly));
  if (only !== undefined) return mostly(fc.constant(only));
  if (isRecord(properties)) {
    const fields = Object.fromEntries(Object.entries(properties).map(([name, inner]) => [name, nearly(inner)]));
    const some = fc.record(fields, { requiredKeys: required as string[] });
    return mostly(
      fc.oneof(
        some,
        some.map((record) => ({ ...record, strange: 1 })),
      ),
    );
  }
  if (type === "array") return mostly(fc.array(nearly(items), { maxLength: 3 }));
  if (type === "string") return mostly(fc.constantFrom("a", "https://a.b", "1.0.0", "/x", "a/b"));
  if (type === "integer" || type === "number") return mostly(fc.constantFrom(0, 1, 5, 70_000));
  if (type === "boolean") return mostly(fc.boolean());
  const inner = additionalProperties === undefined ? fc.jsonValue() : nearly(additionalProperties);
  return mostly(fc.dictionary(fc.string(), inner, { maxKeys: 2 }));
}

describe.each(SCHEMAS)("the quick check of %s", (_, schema) => {
  test("says what the real one says", () => {
    const real = compile(schema);
    expect(real.warnings).toEqual([]);
    fc.assert(
      fc.property(nearly(schema), (value) => {
        expect(fitsSchema(schema, value)).toBe(real.accepts(value));
      }),
    );
  });
});

test("a word that it does not know is left to the real one", () => {
  expect(fitsSchema({ type: "array", uniqueItems: true }, [])).toBe(false);
});
