import { isRecord, type JsonRecord } from "../../json/value.js";

/**
 * Whether a value matches a schema of the configuration. It knows only the words that these schemas use, needs no
 * preparation, and so costs a start next to nothing; what it refuses is looked at again by the real check, which can say
 * why.
 */
export function fitsSchema(schema: unknown, value: unknown): boolean {
  if (schema === true) return true;
  if (!isRecord(schema)) return false;
  for (const word in schema) {
    const rule = RULES[word];
    if (rule === undefined || !rule(schema[word], value, schema)) return false;
  }
  return true;
}

type Rule = (wanted: never, value: unknown, schema: JsonRecord) => boolean;

const always = (): boolean => true;

const RULES: Readonly<Record<string, (wanted: unknown, value: unknown, schema: JsonRecord) => boolean>> = rules({
  description: always,
  default: always,
  examples: always,
  type: (types: string | readonly string[], value) => [types].flat().some((type) => isOfType(type, value)),
  enum: (values: readonly unknown[], value) => values.includes(value),
  const: (wanted: unknown, value) => wanted === value,
  minimum: (limit: number, value) => typeof value !== "number" || value >= limit,
  maximum: (limit: number, value) => typeof value !== "number" || value <= limit,
  exclusiveMinimum: (limit: number, value) => typeof value !== "number" || value > limit,
  minLength: (limit: number, value) => typeof value !== "string" || value.length >= limit,
  pattern: (source: string, value) => typeof value !== "string" || new RegExp(source, "u").test(value),
  minItems: (limit: number, value) => !Array.isArray(value) || value.length >= limit,
  items: (schema: unknown, value) => !Array.isArray(value) || value.every((item) => fitsSchema(schema, item)),
  required: (names: readonly string[], value) => !isRecord(value) || names.every((name) => Object.hasOwn(value, name)),
  anyOf: (schemas: readonly unknown[], value) => schemas.some((schema) => fitsSchema(schema, value)),
  properties: (properties: JsonRecord, value) =>
    !isRecord(value) ||
    Object.keys(value).every((name) => !Object.hasOwn(properties, name) || fitsSchema(properties[name], value[name])),
  additionalProperties: (schema: unknown, value, { properties = {} }) =>
    !isRecord(value) ||
    Object.keys(value).every((name) => Object.hasOwn(properties as object, name) || fitsSchema(schema, value[name])),
});

/** What a word of a schema holds is known by the word. */
function rules<T extends Readonly<Record<string, Rule>>>(
  table: T,
): Readonly<Record<string, (...all: unknown[]) => boolean>> {
  return table as unknown as Readonly<Record<string, (...all: unknown[]) => boolean>>;
}

function isOfType(type: string, value: unknown): boolean {
  if (type === "object") return isRecord(value);
  if (type === "array") return Array.isArray(value);
  if (type === "integer") return Number.isInteger(value);
  return typeof value === type;
}
