import { isRecord, isString, type JsonRecord } from "../json/value.js";

/**
 * The keywords of one schema in the words of draft 2020-12. Older drafts and OpenAPI 3.0 are told by their keywords,
 * because most documents do not say which one they use.
 */
export function modernKeywords(schema: JsonRecord, draft: unknown): JsonRecord {
  const older = isString(draft) && /draft-0[3467]/.test(draft);
  // Up to draft 7 the neighbours of a reference count for nothing.
  if (older && isString(schema["$ref"])) return { $ref: schema["$ref"] };
  if (!OLD_WORDS.some((word) => Object.hasOwn(schema, word))) return schema;
  const modern = { ...schema };
  for (const upgrade of UPGRADES) upgrade(modern);
  return modern;
}

const OLD_WORDS = ["nullable", "exclusiveMinimum", "exclusiveMaximum", "items", "dependencies"];

const UPGRADES: readonly ((schema: JsonRecord) => void)[] = [
  upgradeTuple,
  upgradeDependencies,
  (schema) => upgradeLimit(schema, "minimum", "exclusiveMinimum"),
  (schema) => upgradeLimit(schema, "maximum", "exclusiveMaximum"),
  upgradeNullable,
];

/** `items: [a, b], additionalItems: c` */
function upgradeTuple(schema: JsonRecord): void {
  const { items, additionalItems } = schema;
  if (!Array.isArray(items)) return;
  schema["prefixItems"] = items;
  delete schema["items"];
  if (additionalItems !== undefined) schema["items"] = additionalItems;
}

/** `dependencies: { a: ["b"], c: { … } }` */
function upgradeDependencies(schema: JsonRecord): void {
  const { dependencies } = schema;
  if (!isRecord(dependencies)) return;
  const entries = Object.entries(dependencies);
  schema["dependentRequired"] ??= Object.fromEntries(entries.filter(([, value]) => Array.isArray(value)));
  schema["dependentSchemas"] ??= Object.fromEntries(entries.filter(([, value]) => !Array.isArray(value)));
}

/** `minimum: 1, exclusiveMinimum: true` */
function upgradeLimit(schema: JsonRecord, limit: string, exclusive: string): void {
  if (typeof schema[exclusive] !== "boolean") return;
  const isExclusive = schema[exclusive];
  delete schema[exclusive];
  if (!isExclusive || schema[limit] === undefined) return;
  schema[exclusive] = schema[limit];
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
