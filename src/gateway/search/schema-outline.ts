import type { JsonSchema } from "../../json/json-schema.js";
import { isRecord, type JsonRecord, omit, setField } from "../../json/value.js";

/** A schema that a model can read at once. */
export interface SchemaOutline {
  readonly schema: JsonSchema;
  /** Whether something was left out. */
  readonly isShortened: boolean;
}

const MOST_DEPTH = 8;

/** The schema as it is, where it has not too many bytes; else as many levels of it as fit. */
export function schemaOutline(schema: JsonSchema, bytes: number): SchemaOutline {
  if (!isRecord(schema) || sizeOf(schema) <= bytes) return { schema, isShortened: false };
  for (let depth = MOST_DEPTH; depth > 0; depth--) {
    const outline = new Outline(schema, bytes).of(schema, depth);
    if (outline !== undefined && sizeOf(outline) <= bytes) return { schema: outline, isShortened: true };
  }
  return { schema: stub(schema), isShortened: true };
}

function sizeOf(schema: JsonSchema): number {
  return Buffer.byteLength(JSON.stringify(schema));
}

const LISTS = ["allOf", "anyOf", "oneOf", "prefixItems"];
const SINGLE = ["items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames"];
const NAMED = ["properties", "patternProperties", "dependentSchemas"];
const DEFINITIONS = ["$defs", "definitions", "$schema"];

class Outline {
  readonly #root: JsonRecord;
  /** Nodes that may still be written: what is certainly too large need not be made. */
  #left: number;

  constructor(root: JsonRecord, bytes: number) {
    this.#root = root;
    this.#left = bytes;
  }

  /** `undefined` where it is too large. */
  of(schema: JsonRecord, depth: number): JsonRecord | undefined {
    const outline = this.#part(schema, depth) as JsonRecord;
    return this.#left < 0 ? undefined : outline;
  }

  #part(schema: unknown, depth: number): unknown {
    this.#left -= 1;
    if (!isRecord(schema) || this.#left < 0) return schema;
    const target = this.#target(schema);
    if (depth === 0) return stub(target);
    const copy: JsonRecord = {};
    for (const [key, value] of Object.entries(omit(target, DEFINITIONS)))
      setField(copy, key, this.#keyword(key, value, depth - 1));
    return copy;
  }

  #keyword(key: string, value: unknown, depth: number): unknown {
    if (LISTS.includes(key) && Array.isArray(value)) return value.map((one) => this.#part(one, depth));
    if (SINGLE.includes(key)) return this.#part(value, depth);
    if (!NAMED.includes(key) || !isRecord(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, this.#part(one, depth)]));
  }

  /** What a reference stands for, as far as it is in the schema itself; it may lead to another one. */
  #target(schema: JsonRecord, most: number = MOST_DEPTH): JsonRecord {
    const reference = schema["$ref"];
    if (most === 0 || typeof reference !== "string" || !/^#(\/|$)/.test(reference)) return schema;
    const steps = reference.split("/").slice(1).map(unescaped);
    const found = steps.reduce<unknown>((at, step) => (isRecord(at) ? at[step] : undefined), this.#root);
    return isRecord(found) ? this.#target({ ...found, ...omit(schema, ["$ref"]) }, most - 1) : schema;
  }
}

function unescaped(step: string): string {
  return step.replaceAll("~1", "/").replaceAll("~0", "~");
}

const SHOWN_AT_THE_END = ["type", "format", "enum", "const"];

/** What is said of a part whose own parts are left out. */
function stub(schema: JsonRecord): JsonRecord {
  const said = SHOWN_AT_THE_END.filter((key) => schema[key] !== undefined);
  return Object.fromEntries(said.map((key) => [key, schema[key]]));
}
