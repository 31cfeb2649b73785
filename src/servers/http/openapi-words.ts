import { orElse } from "../../json/attempt.js";
import * as guard from "../../json/guard.js";
import { isRecord, isString, isStringArray } from "../../json/value.js";

/** What a word of a JSON Schema holds. */
export type WordKind = "schema" | "schemas" | "named" | "data" | "plain";

/** Of words whose schema may be `true` or `false` also to tools that want objects everywhere else. */
export const MAY_BE_BOOLEAN: ReadonlySet<string> = new Set([
  "additionalProperties",
  "unevaluatedItems",
  "unevaluatedProperties",
]);

const KINDS: Readonly<Record<string, WordKind>> = {
  ...ofKind("schema", ["items", "additionalProperties", "unevaluatedItems", "unevaluatedProperties", "contains"]),
  ...ofKind("schema", ["propertyNames", "contentSchema", "not", "if", "then", "else"]),
  ...ofKind("schemas", ["allOf", "anyOf", "oneOf", "prefixItems"]),
  ...ofKind("named", ["properties", "patternProperties", "dependentSchemas"]),
  ...ofKind("data", ["const", "enum", "default", "examples", "example"]),
};

function ofKind(kind: WordKind, words: readonly string[]): Record<string, WordKind> {
  return Object.fromEntries(words.map((word) => [word, kind]));
}

const GUARDS: Readonly<Record<string, (value: unknown) => boolean>> = {
  type: (value) => isString(value) || isStringArray(value),
  title: isString,
  description: isString,
  format: isString,
  pattern: isPattern,
  patternProperties: (value) => isRecord(value) && Object.keys(value).every(isPattern),
  contentEncoding: isString,
  contentMediaType: isString,
  $comment: isString,
  multipleOf: Number.isFinite,
  minimum: Number.isFinite,
  maximum: Number.isFinite,
  exclusiveMinimum: Number.isFinite,
  exclusiveMaximum: Number.isFinite,
  minLength: guard.count,
  maxLength: guard.count,
  minItems: guard.count,
  maxItems: guard.count,
  minContains: guard.count,
  maxContains: guard.count,
  minProperties: guard.count,
  maxProperties: guard.count,
  uniqueItems: guard.boolean,
  deprecated: guard.boolean,
  readOnly: guard.boolean,
  writeOnly: guard.boolean,
  required: isStringArray,
  dependentRequired: (value) => isRecord(value) && Object.values(value).every(isStringArray),
  enum: Array.isArray,
  examples: Array.isArray,
};

function isPattern(value: unknown): boolean {
  return isString(value) && orElse(() => new RegExp(value, "u") !== undefined, false);
}

/** How a word is to be read, or `undefined` where a validator of OpenAPI would not take it: nothing depends on it. */
export function wordKind(word: string, value: unknown): WordKind | undefined {
  const kind = Object.hasOwn(KINDS, word) ? KINDS[word] : undefined;
  if (Object.hasOwn(GUARDS, word)) return GUARDS[word]?.(value) === true ? (kind ?? "plain") : undefined;
  return kind ?? (word.startsWith("x-") ? "data" : undefined);
}

/**
 * A value as JSON has it, if it may stand in a document of OpenAPI: many tools follow whatever looks like a reference,
 * also to files, wherever it stands.
 */
export function documentValue(value: unknown): { readonly value: unknown } | undefined {
  const text = orElse(() => JSON.stringify(value), undefined);
  return text === undefined || /"\$ref":"/.test(text) ? undefined : { value: JSON.parse(text) };
}
