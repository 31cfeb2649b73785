import { isRecord, isString, isStringArray, type JsonRecord, setField } from "../json/value.js";
import { modernKeywords } from "./flavours.js";
import { collectResources, type Resources } from "./resources.js";

/** The keywords of a schema together with those of all that it refers to and is composed of. */
export class MergedWords {
  readonly #resources: Resources;
  readonly #draft: unknown;
  #left: number;

  constructor(root: unknown, most: number) {
    this.#resources = collectResources(root);
    this.#draft = isRecord(root) ? root["$schema"] : undefined;
    this.#left = most;
  }

  /** Whether more may be looked at. */
  get isSpent(): boolean {
    return this.#left <= 0;
  }

  of(schema: JsonRecord): JsonRecord {
    this.#left -= 1;
    const { $ref, allOf, ...own } = modernKeywords(schema, this.#draft).words;
    if (this.isSpent) return own;
    const { root, ownerOf, find } = this.#resources;
    const target = isString($ref) ? find($ref, ownerOf(schema, root))?.schema : undefined;
    const parts = [target, ...(Array.isArray(allOf) ? allOf : [])].filter(isRecord);
    return parts.reduce<JsonRecord>((words, part) => merged(words, this.of(part)), own);
  }
}

function merged(words: JsonRecord, more: JsonRecord): JsonRecord {
  const all = { ...words };
  for (const [word, value] of Object.entries(more)) {
    const given = all[word];
    all[word] = given === undefined ? value : (MERGE[word]?.(given, value) ?? given);
  }
  return all;
}

type Merge = (given: unknown, more: unknown) => unknown;

const MERGE: Readonly<Record<string, Merge>> = {
  properties: mergedProperties,
  required: (given, more) => [given, more].filter(isStringArray).flat(),
  minimum: larger,
  exclusiveMinimum: larger,
  minLength: larger,
  minItems: larger,
  minProperties: larger,
  maximum: smaller,
  exclusiveMaximum: smaller,
  maxLength: smaller,
  maxItems: smaller,
};

function mergedProperties(given: unknown, more: unknown): unknown {
  if (!isRecord(given) || !isRecord(more)) return given;
  const all = { ...given };
  for (const [name, schema] of Object.entries(more))
    setField(all, name, Object.hasOwn(all, name) ? { allOf: [all[name], schema] } : schema);
  return all;
}

function larger(given: unknown, more: unknown): unknown {
  return typeof given === "number" && typeof more === "number" ? Math.max(given, more) : given;
}

function smaller(given: unknown, more: unknown): unknown {
  return typeof given === "number" && typeof more === "number" ? Math.min(given, more) : given;
}
