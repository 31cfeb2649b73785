import fc from "fast-check";
import { type JsonObject, NAMES, TYPES, valueFor } from "./schema-following-values.js";
import { when } from "./schema-values.js";

/** A schema, and values of which many match it, or nearly do. */
export interface SchemaAndValues {
  readonly schema: JsonObject;
  readonly values: readonly unknown[];
}

export interface ArbitraryOptions {
  /**
   * What only JavaScript has, such as `undefined`, dates and big integers.
   * @default true
   */
  readonly beyondJson?: boolean;
  /** Keywords that no schema has. */
  readonly without?: readonly string[];
}

const PATTERNS = ["^a", "b$", "^[a-c]$", "^x-", "\\d", "^"];
const REFERENCES = ["#/$defs/p", "#/$defs/q", "#"];

const name = fc.oneof({ weight: 6, arbitrary: fc.constantFrom("a", "b", "c", "kind") }, fc.constantFrom(...NAMES));
const scalar = fc.oneof(
  fc.constantFrom<unknown>(null, true, false, 0, 1, 2, -1, 1.5, 12),
  fc.constantFrom("", "a", "b", "1", "12", "1.5", "true", "abc"),
);
const small = fc.nat({ max: 3 });

/** An object by its entries, because a name may be `__proto__`. */
function byName(value: fc.Arbitrary<unknown>, maxLength = 4): fc.Arbitrary<JsonObject> {
  return fc.uniqueArray(fc.tuple(name, value), { selector: ([key]) => key, maxLength }).map(Object.fromEntries);
}

const json = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 2 },
    { weight: 4, arbitrary: scalar },
    fc.array(tie("value"), { maxLength: 3 }),
    byName(tie("value"), 3),
  ),
})).value;

/** Random schemas over most keywords, with references to each other and to themselves. */
export function schemasWithValues({
  beyondJson = true,
  without = [],
}: ArbitraryOptions = {}): fc.Arbitrary<SchemaAndValues> {
  const { schema } = fc.letrec<{ schema: unknown }>((tie) => {
    const inner = tie("schema");
    const list = fc.array(inner, { minLength: 1, maxLength: 3 });
    const limit = fc.constantFrom(-1, 0, 1, 2, 12);
    const parts: Record<string, fc.Arbitrary<JsonObject>> = {
      anything: fc.constant({}),
      type: fc
        .oneof(fc.constantFrom(...TYPES), fc.subarray([...TYPES], { minLength: 1, maxLength: 3 }))
        .map((type) => ({ type })),
      values: fc.oneof(
        fc.array(json, { minLength: 1, maxLength: 3 }).map((values) => ({ enum: values })),
        json.map((value) => ({ const: value })),
      ),
      limits: fc.record(
        {
          type: fc.constantFrom("number", "integer"),
          minimum: limit,
          maximum: limit,
          exclusiveMinimum: limit,
          exclusiveMaximum: limit,
          multipleOf: fc.constantFrom(0.5, 1, 2, 0.1),
        },
        { requiredKeys: ["type"] },
      ),
      text: fc.record(
        { type: fc.constant("string"), minLength: small, maxLength: small, pattern: fc.constantFrom(...PATTERNS) },
        { requiredKeys: ["type"] },
      ),
      list: fc.record(
        {
          type: fc.constant("array"),
          items: inner,
          prefixItems: list,
          minItems: small,
          maxItems: small,
          uniqueItems: fc.boolean(),
          contains: inner,
          minContains: small,
          maxContains: small,
        },
        { requiredKeys: ["type"] },
      ),
      rows: fc.record({ type: fc.constant("array"), items: inner }),
      object: fc.record(
        {
          type: fc.constant("object"),
          properties: byName(inner),
          required: fc.uniqueArray(name, { maxLength: 3 }),
          additionalProperties: fc.oneof(fc.boolean(), inner),
        },
        { requiredKeys: ["type", "properties"] },
      ),
      wholeObject: fc.record(
        {
          properties: byName(inner),
          patternProperties: fc.dictionary(fc.constantFrom(...PATTERNS), inner, { maxKeys: 2, noNullPrototype: true }),
          required: fc.uniqueArray(name, { maxLength: 2 }),
          additionalProperties: fc.oneof(fc.boolean(), inner),
          propertyNames: inner,
          minProperties: small,
          maxProperties: small,
          dependentRequired: byName(fc.uniqueArray(name, { maxLength: 2 }), 2),
          dependentSchemas: byName(inner, 2),
        },
        { requiredKeys: [] },
      ),
      tagged: fc
        .tuple(fc.constantFrom("anyOf", "oneOf"), fc.array(byName(inner, 2), { minLength: 2, maxLength: 3 }))
        .map(([word, kinds]) => ({
          [word]: kinds.map((properties, at) => ({
            type: "object",
            properties: { ...properties, kind: { const: ["a", "b", 1][at] } },
            required: ["kind"],
          })),
        })),
      nullable: inner.map((schema) => ({ anyOf: [{ type: "null" }, schema] })),
      combined: fc.record({ allOf: list, anyOf: list, oneOf: list, not: inner }, { requiredKeys: [] }),
      conditional: fc
        .tuple(inner, inner, inner)
        .map(([test, consequence, other]) => when(test, consequence, other) as JsonObject),
      rest: fc.record(
        { allOf: list, anyOf: list, properties: byName(inner), unevaluatedProperties: inner, unevaluatedItems: inner },
        { requiredKeys: [] },
      ),
      reference: fc.constantFrom(...REFERENCES).map(($ref) => ({ $ref })),
    };
    const part = fc.oneof(
      ...Object.entries(parts).map(([kind, arbitrary]) => ({
        weight: ["object", "rows", "type"].includes(kind) ? 4 : 1,
        arbitrary,
      })),
    );
    const whole = fc
      .tuple(fc.array(part, { minLength: 1, maxLength: 2 }), fc.option(json, { freq: 4, nil: undefined }))
      .map(([some, fallback]) => merged([...some, fallback === undefined ? {} : { default: fallback }], without));
    return {
      schema: fc.oneof(
        { maxDepth: 4, depthSize: "small" },
        { weight: 2, arbitrary: parts["type"] as fc.Arbitrary<unknown> },
        { weight: 1, arbitrary: fc.boolean() },
        { weight: 6, arbitrary: whole },
      ),
    };
  });
  const isObject = (value: unknown): value is JsonObject => typeof value === "object";
  return fc
    .tuple(schema.filter(isObject), schema, schema, fc.array(fc.nat(), { minLength: 4, maxLength: 4 }))
    .map(([root, p, q, seeds]) => {
      const whole = { ...root, $defs: { p, q } };
      return { schema: whole, values: seeds.map((seed) => valueFor(whole, seed, beyondJson)) };
    });
}

function merged(parts: readonly JsonObject[], without: readonly string[]): JsonObject {
  const entries = parts.flatMap((part) => Object.entries(part));
  return Object.fromEntries(entries.filter(([word]) => !without.includes(word)));
}
