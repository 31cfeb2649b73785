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
  if (!OLD_WORDS.some((word) => Object.hasOwn(schema, word))) return { words: schema, places: {} };
  const modern = { words: { ...schema }, places: {} };
  for (const upgrade of UPGRADES) upgrade(modern.words, modern.places);
  return modern;
}

export interface ModernKeywords {
  readonly words: JsonRecord;
  /** Where the value of a word really stands, for those that were translated. */
  readonly places: Readonly<Record<string, JsonPointer>>;
}

const OLD_WORDS = ["nullable", "exclusiveMinimum", "exclusiveMaximum", "items", "dependencies"];

type Places = Record<string, JsonPointer>;

const UPGRADES: readonly ((schema: JsonRecord, places: Places) => void)[] = [
  upgradeTuple,
  upgradeDependencies,
  (schema, places) => upgradeLimit(schema, places, "minimum", "exclusiveMinimum"),
  (schema, places) => upgradeLimit(schema, places, "maximum", "exclusiveMaximum"),
  upgradeNullable,
];

/** `items: [a, b], additionalItems: c` */
function upgradeTuple(schema: JsonRecord, places: Places): void {
  const { items, additionalItems } = schema;
  if (!Array.isArray(items)) return;
  schema["prefixItems"] = items;
  delete schema["items"];
  places["prefixItems"] = "/items";
  places["items"] = "/additionalItems";
  if (additionalItems !== undefined) schema["items"] = additionalItems;
}

/** `dependencies: { a: ["b"], c: { … } }` */
function upgradeDependencies(schema: JsonRecord, places: Places): void {
  const { dependencies } = schema;
  if (!isRecord(dependencies)) return;
  const entries = Object.entries(dependencies);
  places["dependentRequired"] = places["dependentSchemas"] = "/dependencies";
  schema["dependentRequired"] ??= Object.fromEntries(entries.filter(([, value]) => Array.isArray(value)));
  schema["dependentSchemas"] ??= Object.fromEntries(entries.filter(([, value]) => !Array.isArray(value)));
}

/** `minimum: 1, exclusiveMinimum: true` */
function upgradeLimit(schema: JsonRecord, places: Places, limit: string, exclusive: string): void {
  if (typeof schema[exclusive] !== "boolean") return;
  const isExclusive = schema[exclusive];
  delete schema[exclusive];
  if (!isExclusive || schema[limit] === undefined) return;
  schema[exclusive] = schema[limit];
  places[exclusive] = `/${limit}`;
  delete schema[limit];
}

/** `nullable: true` of OpenAPI 3.0, also beside a reference, where people write it. */
function upgradeNullable(schema: JsonRecord): void {
  const { nullable, type, enum: values, ...rest } = schema;
  if (nullable !== true) return;
  delete schema["nullable"];
  if (type !== undefined) schema["type"] = Array.isArray(type) ? [...type, "null"] : [type, "null"];
  if (Array.isArray(values)) schema["enum"] = values.includes(null) ? values : [...values, null];
  const composed = ["$ref", "allOf", "anyOf", "oneOf", "const"].some((word) => Object.hasOwn(rest, word));
  if (!composed) return;
  for (const word of Object.keys(schema)) delete schema[word];
  const { default: fallback, ...constrained } = rest;
  Object.assign(schema, {
    anyOf: [
      { type: "null" },
      { ...constrained, ...(type !== undefined && { type }), ...(values !== undefined && { enum: values }) },
    ],
  });
  if (fallback !== undefined) schema["default"] = fallback;
}
