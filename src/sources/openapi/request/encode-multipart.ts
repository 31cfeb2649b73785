import { randomUUID } from "node:crypto";
import type { FieldEncoding } from "../description.js";
import { isJsonType } from "../media-type.js";
import { isToken } from "../percent-encode.js";
import type { PlannedField } from "../plan.js";
import { type FileContent, fileType, readFileInputs, singleType } from "./file-input.js";
import { oneLine } from "./header-text.js";
import { documentOf, jsonOf, plainOf, textOf, wellFormed } from "./plain-text.js";
import { Refusal } from "./refusal.js";
import { PLAIN, pairsOf } from "./serialise-parameter.js";

/** A part of a multipart body: its head as it is sent, and its content. */
export interface Part {
  readonly head: string;
  readonly content: string | Uint8Array;
}

/** The parts that a field becomes: lists repeat it, objects are JSON, and primitives need no type. */
export function partsOf(name: string, value: unknown, field?: PlannedField): Part[] {
  const encoding = field?.encoding;
  if (field?.isFile === true || field?.isFileList === true)
    return readFileInputs(value, field.isFileList).map((file) => filePart(name, file, encoding));
  if (encoding?.isStyled === true)
    return pairsOf(name, value, encoding, PLAIN).map(([key, text]) => partOf(text, { name: key, encoding }));
  const plain = plainOf(value);
  const items = Array.isArray(plain) ? plain : [plain];
  return items.filter((item) => item !== undefined).map((item) => valuePart(name, plainOf(item), encoding));
}

function valuePart(name: string, value: unknown, encoding: FieldEncoding | undefined): Part {
  const planned = encoding?.mediaType ?? encoding?.contentType;
  if (typeof value !== "object" || value === null) {
    const contentType = singleType(planned);
    const text = contentType === undefined ? textOf(value) : documentOf(value, contentType);
    return partOf(text, { name, encoding, contentType });
  }
  const contentType =
    planned
      ?.split(",")
      .map((type) => type.trim())
      .find(isJsonType) ?? "application/json";
  return partOf(jsonOf(value), { name, encoding, contentType });
}

/** Servers take a part for a file only where it has a filename. */
function filePart(name: string, { content, filename, mediaType }: FileContent, encoding?: FieldEncoding): Part {
  const contentType = fileType(encoding?.mediaType ?? encoding?.contentType, mediaType);
  return partOf(content, { name, filename: filename ?? name, contentType, encoding });
}

interface PartFacts {
  readonly name: string;
  readonly filename?: string;
  readonly contentType?: string | undefined;
  readonly encoding: FieldEncoding | undefined;
}

function partOf(content: string | Uint8Array, { name, filename, contentType, encoding }: PartFacts): Part {
  let head = `Content-Disposition: form-data; name="${quoted(name)}"`;
  if (filename !== undefined) head += `; filename="${quoted(filename)}"`;
  if (contentType !== undefined) head += `\r\nContent-Type: ${oneLine(contentType)}`;
  for (const [key, text] of Object.entries(encoding?.headers ?? {})) head += ownHeader(key, text);
  return { head, content: typeof content === "string" ? wellFormed(content) : content };
}

const QUOTE_OR_CONTROL = /["\p{Cc}]/gu;

/** As browsers do it: the text is UTF-8, and what would end it is a triplet. */
function quoted(text: string): string {
  return wellFormed(text).replace(QUOTE_OR_CONTROL, encodeURIComponent);
}

function ownHeader(name: string, text: string): string {
  if (/^content-(?:type|disposition)$/i.test(name)) return "";
  if (!isToken(name)) throw new Refusal("name", "cannot be sent: the document has a header for it with a wrong name");
  return `\r\n${name}: ${oneLine(text)}`;
}

/** The whole body and its type, as RFC 7578 wants them. */
export function joinParts(
  parts: readonly Part[],
  mediaType: string,
  newBoundary: () => string = () => `plico-${randomUUID()}`,
): { readonly content: Uint8Array; readonly contentType: string } {
  const contents = parts.map(({ content }) => (typeof content === "string" ? Buffer.from(content) : content));
  let boundary = newBoundary();
  while (contents.some((content) => Buffer.from(content.buffer, content.byteOffset, content.length).includes(boundary)))
    boundary = newBoundary();
  const pieces = parts.flatMap(({ head }, at): Uint8Array[] => [
    Buffer.from(`${at === 0 ? "" : "\r\n"}--${boundary}\r\n${head}\r\n\r\n`),
    contents[at] ?? new Uint8Array(),
  ]);
  const end = Buffer.from(`${parts.length === 0 ? "" : "\r\n"}--${boundary}--\r\n`);
  return { content: Buffer.concat([...pieces, end]), contentType: `${mediaType}; boundary=${boundary}` };
}
