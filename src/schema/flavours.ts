import type { JsonPointer } from "../json/pointer.js";
import { isRecord, isString, type JsonRecord } from "../json/value.js";

/**
 * The keywords of one schema in the words of draft 2020-12. Older drafts and OpenAPI 3.0 are told by their keywords,
 * because most documents do not say which one they use.
 */
export function modernKeywords(schema: JsonRecord, draft: unknown): ModernKeywords {
  const older = isString(draft) && /draft-0[3467]/.test(draft);
  // Up to draft 7 the neighbours of a reference count for nothing.
  if (older && isString(schema["$ref"])) return { words: { $ref: schema["$ref"] }, places: {} };
  if (!hasOldWords(schema)) return { words: schema, places: NOWHERE_ELSE };
  const words = { ...schema };
  const places: Places = {};
  if (Array.isArray(words["items"])) upgradeTuple(words, places);
  if (isRecord(words["dependencies"])) upgradeDependencies(words, places, words["dependencies"]);
  if (typeof words["exclusiveMinimum"] === "boolean") upgradeLimit(words, places, "minimum", "exclusiveMinimum");
  if (typeof words["exclusiveMaximum"] === "boolean") upgradeLimit(words, places, "maximum", "exclusiveMaximum");
  if (words["nullable"] === true) upgradeNullable(words);
  return { words, places };
}

export interface ModernKeywords {
  readonly words: JsonRecord;
  /** Where the value of a word really stands, for those that were translated. */
  readonly places: Readonly<Record<string, JsonPointer>>;
}

const NOWHERE_ELSE: ModernKeywords["places"] = Object.freeze({});

/** Whether something is to be translated. Other schemas need no copy. */
export function hasOldWords(schema: JsonRecord): boolean {
  return (
    schema["nullable"] === true ||
    Array.isArray(schema["items"]) ||
    typeof schema["exclusiveMinimum"] === "boolean" ||
    typeof schema["exclusiveMaximum"] === "boolean" ||
    isRecord(schema["dependencies"])
  );
}

type Places = Record<string, JsonPointer>;

/** `items: [a, b], additionalItems: c` */
function upgradeTuple(schema: JsonRecord, places: Places): void {
  const { items, additionalItems } = schema;
  schema["prefixItems"] = items;
  delete schema["items"];
  places["prefixItems"] = "/items";
  places["items"] = "/additionalItems";
  if (additionalItems !== undefined) schema["items"] = additionalItems;
}

/** `dependencies: { a: ["b"], c: { … } }` */
function upgradeDependencies(schema: JsonRecord, places: Places, dependencies: JsonRecord): void {
  const entries = Object.entries(dependencies);
  places["dependentRequired"] = places["dependentSchemas"] = "/dependencies";
  schema["dependentRequired"] ??= Object.fromEntries(entries.filter(([, value]) => Array.isArray(value)));
  schema["dependentSchemas"] ??= Object.fromEntries(entries.filter(([, value]) => !Array.isArray(value)));
}

/** `minimum: 1, exclusiveMinimum: true` */
function upgradeLimit(schema: JsonRecord, places: Places, limit: string, exclusive: string): void {
  const isExclusive = schema[exclusive];
  delete schema[exclusive];
  if (!isExclusive || schema[limit] === undefined) return;
  schema[exclusive] = schema[limit];
  places[exclusive] = `/${limit}`;
  delete schema[limit];
}

/** `nullable: true` of OpenAPI 3.0, also beside a reference, where people write it. */
function upgradeNullable(schema: JsonRecord): void {
  delete schema["nullable"];
  const { type, enum: values } = schema;
  if (type !== undefined) schema["type"] = Array.isArray(type) ? [...type, "null"] : [type, "null"];
  if (Array.isArray(values)) schema["enum"] = values.includes(null) ? values : [...values, null];
  if (!COMPOSING_WORDS.some((word) => Object.hasOwn(schema, word))) return;
  const { type: _type, enum: _values, default: fallback, ...constrained } = schema;
  for (const word of Object.keys(schema)) delete schema[word];
  Object.assign(schema, {
    anyOf: [
      { type: "null" },
      { ...constrained, ...(type !== undefined && { type }), ...(values !== undefined && { enum: values }) },
    ],
  });
  if (fallback !== undefined) schema["default"] = fallback;
}

const COMPOSING_WORDS = ["$ref", "allOf", "anyOf", "oneOf", "const"];
