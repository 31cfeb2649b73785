import { isRecord, type JsonRecord } from "../src/json/value.js";
import { compile } from "../src/schema/compile.js";
import { exampleOf } from "../src/schema/example.js";
import type { AnySchema } from "../src/schema/standard-schema.js";
import { leastValue } from "./least-value.js";

/** Inputs that a schema accepts: what is required and no more, and all that it has. None where that is not easy. */
export function inputsFor(schema: AnySchema): JsonRecord[] {
  const compiled = compile(schema);
  const accepts = (value: unknown): boolean => compiled.accepts(value);
  const least = [leastValue(schema), exampleOf(schema)?.value].filter(isRecord).find(accepts);
  if (least === undefined) return [];
  const full = withMore(schema, least, accepts);
  return Object.keys(full).length === Object.keys(least).length ? [least] : [least, full];
}

/** With each field that it may have beside the others. */
function withMore(schema: unknown, least: JsonRecord, accepts: (value: unknown) => boolean): JsonRecord {
  const properties = isRecord(schema) && isRecord(schema["properties"]) ? schema["properties"] : {};
  let full = least;
  for (const [name, property] of Object.entries(properties)) {
    const more = { ...full, [name]: oneOrMore(property, schema) };
    if (!Object.hasOwn(full, name) && accepts(more)) full = more;
  }
  return full;
}

/** An empty list leaves nothing to see in a request. */
function oneOrMore(schema: unknown, root: unknown): unknown {
  const value = leastValue(schema, root);
  const isList = Array.isArray(value) && value.length === 0 && isRecord(schema);
  return isList ? [leastValue(schema["items"], root)] : value;
}
