import { isRecord, isString, type JsonRecord } from "../../../json/value.js";
import type { FieldEncoding, SchemaPlace } from "../description.js";
import type { ApiDocument } from "../document/api-document.js";
import { bodyKindOf } from "../document/body-kind.js";

/** Whether a field of a form is a file, several, or neither. */
export type FileUse = "no" | "file" | "files";

/** What versions say of files: 2.0 by a type, 3.0 by a format, 3.1 by the media type of the content. */
export function fileUseOf(document: ApiDocument, place: SchemaPlace, encoding?: FieldEncoding): FileUse {
  return useOf(document, place, isBytesType(encoding?.contentType), 0);
}

function isBytesType(contentType: string | undefined): boolean {
  return contentType?.split(",").some((type) => bodyKindOf(type) === "binary") === true;
}

function useOf(document: ApiDocument, { schema, base }: SchemaPlace, isSaid: boolean, depth: number): FileUse {
  const found = document.resolve({ value: schema, base });
  if (!isRecord(found?.value) || depth > 5) return isSaid && found?.value === true ? "file" : "no";
  const inner = (value: unknown): FileUse => useOf(document, { schema: value, base: found.base }, isSaid, depth + 1);
  const { type, items, anyOf, oneOf, allOf } = found.value;
  if (isFile(found.value, isSaid)) return "file";
  if (type === "array" || (type === undefined && items !== undefined)) return inner(items) === "no" ? "no" : "files";
  const choices = [anyOf, oneOf, allOf].find(Array.isArray)?.filter((choice) => !isNull(choice)) ?? [];
  const uses = new Set(choices.map(inner));
  if (uses.size === 0 || uses.has("no")) return "no";
  return uses.has("files") ? "files" : "file";
}

function isFile(schema: JsonRecord, isSaid: boolean): boolean {
  const { type, format, contentMediaType, contentEncoding } = schema;
  if (type === "file") return true;
  const isText = type === "string" || (Array.isArray(type) && type.includes("string"));
  if (!isText && type !== undefined) return false;
  if (isText && (format === "binary" || format === "byte")) return true;
  if (isString(contentMediaType)) return bodyKindOf(contentMediaType) === "binary";
  if (isString(contentEncoding)) return true;
  return isSaid && format === undefined && (isText || isEmpty(schema));
}

function isEmpty(schema: JsonRecord): boolean {
  return Object.keys(schema).every((word) => /^(title|description|example|examples|x-.*)$/.test(word));
}

function isNull(schema: unknown): boolean {
  return isRecord(schema) && schema["type"] === "null";
}
