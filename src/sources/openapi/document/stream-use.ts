import { isRecord, isString, type JsonRecord } from "../../../json/value.js";
import { describesSuccess } from "../http-status.js";
import type { ApiDocument } from "./api-document.js";
import { isStreamType } from "./body-kind.js";

/** Whether an operation answers with many values: always, if the caller wants it, or never. */
export type StreamUse = "no" | "only" | "also";

/** Looks at the media types of the answers only, and makes no objects, because it is done for each operation. */
export function streamUseOf(document: ApiDocument, operation: JsonRecord, base: string): StreamUse {
  if (document.version === "2.0") return streamUseOfTypes(producedTypes(document, operation));
  const { responses } = operation;
  let use: StreamUse | undefined;
  for (const status in isRecord(responses) ? responses : {}) {
    if (!describesSuccess(status)) continue;
    const content = contentOf(document, (responses as JsonRecord)[status], base);
    for (const mediaType in content) use = together(use, isStream(mediaType) ? "only" : "no");
  }
  return use ?? "no";
}

function streamUseOfTypes(mediaTypes: readonly string[]): StreamUse {
  return mediaTypes.map((type): StreamUse => (isStream(type) ? "only" : "no")).reduce(together, undefined) ?? "no";
}

function together(a: StreamUse | undefined, b: StreamUse): StreamUse {
  return a === undefined || a === b ? b : "also";
}

function producedTypes({ root }: ApiDocument, operation: JsonRecord): string[] {
  const produces = operation["produces"] ?? root["produces"];
  return Array.isArray(produces) ? produces.filter(isString) : [];
}

function contentOf(document: ApiDocument, response: unknown, base: string): JsonRecord {
  if (!isRecord(response)) return NOTHING;
  const value = response["$ref"] === undefined ? response : document.resolve({ value: response, base })?.value;
  const content = isRecord(value) ? value["content"] : undefined;
  return isRecord(content) ? content : NOTHING;
}

const NOTHING: JsonRecord = {};

/** The same few types come again and again. */
function isStream(mediaType: string): boolean {
  const known = KNOWN.get(mediaType);
  if (known !== undefined) return known;
  const isOne = isStreamType(mediaType);
  if (KNOWN.size < 1_000) KNOWN.set(mediaType, isOne);
  return isOne;
}

const KNOWN = new Map<string, boolean>();
