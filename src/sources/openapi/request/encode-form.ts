import type { FieldEncoding } from "../description.js";
import { percentEncode } from "../percent-encode.js";
import type { PlannedField } from "../plan.js";
import { type FileContent, readFileInputs, singleType } from "./file-input.js";
import { documentOf, plainOf } from "./plain-text.js";
import { queryOf } from "./serialise-parameter.js";

/**
 * What a field adds to `application/x-www-form-urlencoded`; empty where it adds nothing. Without a style of its own a
 * list repeats the name and an object is JSON, as OpenAPI has it since 3.0.4. Spaces are `%20`, which all decoders know.
 */
export function formFieldOf(name: string, value: unknown, field?: PlannedField): string {
  if (field?.isFile === true || field?.isFileList === true)
    return pairsOf(name, readFileInputs(value, field.isFileList).map(fileText));
  const encoding = field?.encoding;
  if (encoding !== undefined && hasStyle(encoding)) return queryOf(name, value, encoding);
  const contentType = documentType(encoding) ?? "text/plain";
  const plain = plainOf(value);
  const items = Array.isArray(plain) ? plain : [plain];
  return pairsOf(
    name,
    items.filter(isPresent).map((item) => documentOf(item, contentType)),
  );
}

/** The whole of a form whose fields have no rules of their own. */
export function formOf(record: object): string {
  return Object.entries(record)
    .map(([name, value]) => formFieldOf(name, value))
    .filter((text) => text !== "")
    .join("&");
}

function isPresent(value: unknown): boolean {
  return value !== undefined;
}

/** A content type speaks against a style, unless the style is not that which all fields have. */
function hasStyle(encoding: FieldEncoding): boolean {
  const isDefault = encoding.style === "form" && encoding.explode && !encoding.allowReserved;
  return !isDefault || documentType(encoding) === undefined;
}

function documentType(encoding: FieldEncoding | undefined): string | undefined {
  return encoding?.mediaType ?? singleType(encoding?.contentType);
}

function pairsOf(name: string, texts: readonly string[]): string {
  return texts.map((text) => `${percentEncode(name)}=${percentEncode(text)}`).join("&");
}

/** A form is text, so that bytes stay the base64 that they came as. */
function fileText({ content }: FileContent): string {
  return typeof content === "string" ? content : Buffer.from(content).toString("base64");
}
