import type { JsonSchema } from "../json/json-schema.js";
import type { JsonPointer } from "../json/pointer.js";
import { isRecord, isString, setField } from "../json/value.js";
import { NAMED_WORDS } from "./resources.js";

/** Keywords whose values are data, never schemas. */
const DATA_WORDS = new Set(["const", "enum", "default", "examples", "example"]);

/** A schema as a part of a larger one: what referred to its own root refers to its new place. */
export function relocate(schema: JsonSchema, place: JsonPointer): JsonSchema {
  return relocated(schema, place) as JsonSchema;
}

/** Deeper than this a schema is left as it is, so that none exhausts the stack. */
const DEPTH = 500;

function relocated(value: unknown, place: JsonPointer, depth: number = DEPTH): unknown {
  if (depth === 0) return value;
  if (Array.isArray(value)) return value.map((item) => relocated(item, place, depth - 1));
  if (!isRecord(value) || isString(value["$id"])) return value;
  return mapFields(value, (item, key) => {
    if (key === "$ref" && isString(item) && /^#($|\/)/.test(item)) return `#${place}${item.slice(1)}`;
    if (DATA_WORDS.has(key)) return item;
    if (NAMED_WORDS.has(key) && isRecord(item)) return mapFields(item, (named) => relocated(named, place, depth - 1));
    return relocated(item, place, depth - 1);
  });
}

function mapFields(
  record: Record<string, unknown>,
  change: (value: unknown, key: string) => unknown,
): Record<string, unknown> {
  const copy: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(record)) setField(copy, key, change(value, key));
  return copy;
}
