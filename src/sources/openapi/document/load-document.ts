import type { Warning } from "../../../envelope/warning.js";
import { isString } from "../../../json/value.js";
import { documentTooLarge, GIVEN, invalidDocument } from "./document-errors.js";
import { fileShelf, givenShelf, OtherDocuments, type Shelf, urlShelf } from "./other-documents.js";
import { parseText, WANTED } from "./parse-text.js";
import { type ApiVersion, recognise } from "./recognise.js";

/** Where a document comes from. `read` fetches a text, and only of the host of `url`. */
export type DocumentOrigin =
  | { readonly file: string | URL }
  | { readonly url: string; readonly read: (url: string) => Promise<string> }
  | { readonly document: unknown };

export interface DocumentLimits {
  /** Of all its files together. */
  readonly maxBytes: number;
}

/** A document of OpenAPI with the other documents that its references lead to, by address. */
export interface LoadedDocument {
  readonly address: string;
  readonly version: ApiVersion;
  readonly documents: ReadonlyMap<string, unknown>;
  readonly warnings: readonly Warning[];
}

/** Throws a `CallError` where there is no OpenAPI document. What is wrong with the others is a warning. */
export async function loadDocument(origin: DocumentOrigin, { maxBytes }: DocumentLimits): Promise<LoadedDocument> {
  if ("document" in origin && !isString(origin.document)) return loaded(origin.document, GIVEN);
  const shelf = shelfOf(origin, maxBytes);
  const text = await shelf.read(shelf.address);
  if (text.length > maxBytes) throw documentTooLarge(shelf.address, maxBytes);
  const root = loaded(await parseText(text, shelf.address), shelf.address);
  const others = new OtherDocuments(shelf, maxBytes - text.length);
  await others.readAll(text);
  return {
    ...root,
    documents: new Map([...root.documents, ...others.documents]),
    warnings: [...root.warnings, ...others.warnings],
  };
}

function shelfOf(origin: DocumentOrigin, maxBytes: number): Shelf {
  if ("file" in origin) return fileShelf(origin.file, maxBytes);
  return "url" in origin ? urlShelf(origin.url, origin.read) : givenShelf(origin.document as string);
}

function loaded(document: unknown, address: string): LoadedDocument {
  const recognised = recognise(document);
  if (recognised.version === undefined)
    throw invalidDocument(address, `is no OpenAPI document but ${recognised.found}. ${WANTED}`);
  const { version, isNewer } = recognised;
  return { address, version, documents: new Map([[address, document]]), warnings: isNewer ? [NEWER] : [] };
}

const NEWER: Warning = {
  code: "NONCONFORMING",
  message: "The document has a newer version of OpenAPI than is known; it is read as 3.2.",
};
