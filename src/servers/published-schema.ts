import type { Warning } from "../envelope/warning.js";
import { orElse } from "../json/attempt.js";
import type { JsonSchema, JsonSchemaObject } from "../json/json-schema.js";
import { type JsonPointer, pointerTo } from "../json/pointer.js";
import { isRecord, isString, type JsonRecord, setField } from "../json/value.js";
import { compile } from "../schema/compile.js";
import { modernKeywords } from "../schema/flavours.js";
import { loadSchema } from "../schema/load.js";
import { type AnySchema, readSchema, type SchemaSide } from "../schema/standard-schema.js";

/** A schema as it may be shown to any client. */
export interface PublishedSchema {
  /** `undefined` where it cannot be shown. */
  readonly schema: JsonSchema | undefined;
  /** As it was given, if only to see what its root is. */
  readonly given: JsonSchema;
  readonly warnings: readonly Warning[];
}

/**
 * A schema in words that the validators of strict clients take: they refuse a tool, and some of them all tools, for one
 * schema with a dangling reference, an old draft or a pattern of another language. What is broken is left out, so that
 * the rest can still be read; where that does not help, nothing is shown.
 */
export function publishedSchema(schema: AnySchema, side: SchemaSide): PublishedSchema {
  const { json } = readSchema(schema, side);
  const { warnings } = compile(schema, { side });
  const faults = new Set(loadSchema(json).faults.map(({ at }) => at));
  const copy = orElse(() => new Copying(json, faults, side).run(), undefined);
  if (copy !== undefined && compile(copy).warnings.length === 0) return { schema: copy, given: json, warnings };
  const message = "The schema is not shown: it is too large, or uses references or names that clients cannot follow.";
  const told = warnings.length > 0 ? warnings : [{ code: "SCHEMA_UNSUPPORTED", message }];
  return { schema: undefined, given: json, warnings: told };
}

/** The same schema as an object: older clients refuse all tools for a property whose schema is `true`. */
export function asObject(schema: JsonSchema): JsonSchemaObject {
  if (typeof schema !== "boolean") return schema;
  return schema ? {} : { not: {} };
}

const NAMED = new Set(["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"]);

const NESTED = new Set([
  ...["items", "prefixItems", "contains", "unevaluatedItems", "contentSchema", "additionalProperties"],
  ...["propertyNames", "unevaluatedProperties", "allOf", "anyOf", "oneOf", "not", "if", "then", "else"],
]);

/** Names of this kind are known to all schemas of a validator together, and two tools may use the same. */
const GLOBAL = ["$id", "id", "$anchor", "$dynamicAnchor", "$dynamicRef", "$recursiveAnchor", "$recursiveRef"];

/** What was translated, or says nothing once it was, or is a mark of a library. */
const GONE = new Set(["additionalItems", "dependencies", "~standard"]);

const MOST_NODES = 20_000;
/** What a tool puts out need not be shown, and with all that it refers to it may be larger than all the rest. */
const MOST_OUTPUT_NODES = 2_000;
const DEPTH = 100;

class Copying {
  readonly #root: JsonSchema;
  readonly #faults: ReadonlySet<JsonPointer>;
  readonly #isOutput: boolean;
  #left: number;

  constructor(root: JsonSchema, faults: ReadonlySet<JsonPointer>, side: SchemaSide) {
    this.#root = root;
    this.#faults = faults;
    this.#isOutput = side === "output";
    this.#left = this.#isOutput ? MOST_OUTPUT_NODES : MOST_NODES;
  }

  /** Throws where a schema cannot be copied. */
  run(): JsonSchema {
    return this.#schema(this.#root, "", DEPTH);
  }

  #schema(schema: unknown, at: JsonPointer, depth: number): JsonSchema {
    if (typeof schema === "boolean") return schema;
    if (!isRecord(schema) || this.#faults.has(at)) return {};
    if (depth === 0 || this.#left-- === 0) throw new RangeError("too large");
    const { words, places } = modernKeywords(schema, isRecord(this.#root) ? this.#root["$schema"] : undefined);
    if (this.#isOutput && GLOBAL.some((word) => isGlobal(word, words, at))) throw new RangeError("not portable");
    const copy: JsonRecord = {};
    for (const [word, value] of Object.entries({ ...definitionsOf(schema), ...words })) {
      const place = at + (places[word] ?? pointerTo(word));
      if (value !== undefined && !this.#isLeftOut(word, value, place))
        setField(copy, word, this.#value(word, value, place, depth - 1));
    }
    return copy;
  }

  #value(word: string, value: unknown, at: JsonPointer, depth: number): unknown {
    if (NAMED.has(word) && isRecord(value)) {
      const copy: JsonRecord = {};
      for (const [name, inner] of Object.entries(value))
        setField(copy, name, asObject(this.#schema(inner, at + pointerTo(name), depth)));
      return copy;
    }
    if (!NESTED.has(word)) return value;
    if (!Array.isArray(value)) return this.#schema(value, at, depth);
    return value.map((inner, index) => this.#schema(inner, at + pointerTo(index), depth));
  }

  #isLeftOut(word: string, value: unknown, place: JsonPointer): boolean {
    if (GONE.has(word) || this.#faults.has(place)) return true;
    if (word === "$schema") return this.#isOutput || !isString(value) || !value.includes("2020-12");
    // To Plico a format is only a hint; clients throw a result away for it.
    if (word === "format" || word === "$id" || word === "id") return this.#isOutput;
    if (word === "pattern") return !isPattern(value);
    if (word !== "patternProperties" || !isRecord(value)) return false;
    if (Object.keys(value).every(isPattern)) return false;
    throw new RangeError("not portable");
  }
}

/** That of the whole schema is only its name, and can be left out. */
function isGlobal(word: string, words: JsonRecord, at: JsonPointer): boolean {
  if (words[word] === undefined || (word === "id" && !isString(words[word]))) return false;
  return at !== "" || (word !== "$id" && word !== "id");
}

/** Beside a reference an old draft hides everything, but the definitions are still referred to. */
function definitionsOf({ $defs, definitions }: JsonRecord): JsonRecord {
  return { ...($defs !== undefined && { $defs }), ...(definitions !== undefined && { definitions }) };
}

function isPattern(value: unknown): boolean {
  return isString(value) && orElse(() => new RegExp(value, "u") !== undefined, false);
}
