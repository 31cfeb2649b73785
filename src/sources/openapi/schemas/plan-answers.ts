import type { Warning } from "../../../envelope/warning.js";
import type { JsonSchema } from "../../../json/json-schema.js";
import { isEqual, isRecord } from "../../../json/value.js";
import type { MediaDescription, OperationDescription, ResponseDescription, SchemaPlace } from "../description.js";
import type { ApiDocument } from "../document/api-document.js";
import { bodyKindOf, isInRange, isStreamType } from "../document/body-kind.js";
import { streamItemPlace } from "../document/stream-item-place.js";
import { describesSuccess, isBodiless } from "../http-status.js";
import { BYTES_SCHEMA } from "./file-schema.js";
import { SchemaBundle } from "./schema-bundle.js";

/** What an operation may answer. */
export interface AnswerPlan {
  /** Of the data of a success, or of each value of a stream. */
  readonly outputSchema: JsonSchema;
  /** Of the data of an answer that came; `undefined` where the document does not say. */
  schemaFor(status: number, mediaType: string, options?: SchemaOptions): JsonSchema | undefined;
  readonly warnings: readonly Warning[];
}

interface SchemaOptions {
  /** The values of a stream came as one list. */
  readonly isList?: boolean;
}

export interface AnswerPlanOptions {
  /** The values are wanted one by one, also where the operation can answer at once. */
  readonly isStream?: boolean;
}

export function planAnswers(
  document: ApiDocument,
  { responses }: OperationDescription,
  { isStream = false }: AnswerPlanOptions = {},
): AnswerPlan {
  const bundle = new SchemaBundle(document, "output");
  const read = (media: MediaDescription): JsonSchema => dataSchema(document, media, bundle);
  const outputSchema = bundle.finish(joined(successes(responses), isStream, read));
  const known = new Map<MediaDescription, JsonSchema>();
  const lists = new Map<MediaDescription, JsonSchema>();
  return {
    outputSchema,
    warnings: bundle.warnings,
    schemaFor: (status, mediaType, { isList = false } = {}) => {
      const response = responseFor(responses, status);
      if (response === undefined || response.content.length === 0) return isBodiless(status) ? NULL : undefined;
      const media = mediaFor(response.content, mediaType);
      if (media === undefined) return undefined;
      const isWrapped = isList && isStreamType(media.mediaType);
      const made = isWrapped ? lists : known;
      const schema = made.get(media) ?? alone(document, media, isWrapped);
      made.set(media, schema);
      return schema;
    },
  };
}

const NULL: JsonSchema = { type: "null" };

function alone(document: ApiDocument, media: MediaDescription, isList: boolean): JsonSchema {
  const bundle = new SchemaBundle(document, "output");
  const schema = dataSchema(document, media, bundle);
  return bundle.finish(isList ? { type: "array", items: schema } : schema);
}

/** What `default` describes is a failure, unless nothing else describes a success. */
export function successes(responses: readonly ResponseDescription[]): readonly ResponseDescription[] {
  const good = responses.filter(({ status }) => describesSuccess(status));
  return good.length > 0 ? good : responses.filter(({ status }) => status === "default");
}

/** One schema for all that may come. What says nothing of its body only counts where others do. */
function joined(
  responses: readonly ResponseDescription[],
  isStream: boolean,
  read: (media: MediaDescription) => JsonSchema,
): JsonSchema {
  const schemas = responses.flatMap(({ content }) => preferred(content, isStream).map(read));
  const withoutBody = responses.filter(({ content }) => content.length === 0);
  if (schemas.length > 0) return anyOf(withoutBody.length > 0 ? [...schemas, NULL] : schemas);
  const isEmpty = withoutBody.length > 0 && withoutBody.every(({ status }) => isBodiless(Number(status)));
  return isEmpty ? NULL : true;
}

/** Those in which the answer is asked for: all at once or one by one, and JSON before text and bytes. */
function preferred(content: readonly MediaDescription[], isStream: boolean): readonly MediaDescription[] {
  const wanted = content.filter(({ mediaType }) => isStreamType(mediaType) === isStream);
  if (wanted.length === 0) return content;
  const json = wanted.filter(({ mediaType }) => bodyKindOf(mediaType) === "json");
  return json.length > 0 ? json : wanted;
}

function anyOf(schemas: readonly JsonSchema[]): JsonSchema {
  const distinct: JsonSchema[] = [];
  for (const schema of schemas) if (!distinct.some((known) => isEqual(known, schema))) distinct.push(schema);
  if (distinct.includes(true)) return true;
  return distinct.length === 1 ? (distinct[0] as JsonSchema) : { anyOf: distinct };
}

/** The schema of what an answer of this type becomes. */
function dataSchema(document: ApiDocument, { mediaType, schema }: MediaDescription, bundle: SchemaBundle): JsonSchema {
  if (isStreamType(mediaType)) {
    const item = schema === undefined ? undefined : streamItemPlace(document, schema, mediaType);
    return item === undefined ? true : bundle.addWhole(item);
  }
  const kind = bodyKindOf(mediaType);
  if (kind === "text" || kind === "form") return { type: "string" };
  if (kind !== "json" || isBytes(document, schema, mediaType)) return BYTES_SCHEMA;
  return schema === undefined ? true : bundle.addWhole(schema);
}

/** Of a range of types only the schema says whether it is JSON. */
function isBytes(document: ApiDocument, place: SchemaPlace | undefined, mediaType: string): boolean {
  if (place === undefined || !mediaType.includes("*")) return false;
  const found = document.resolve({ value: place.schema, base: place.base })?.value;
  return isRecord(found) && found["format"] === "binary";
}

function responseFor(responses: readonly ResponseDescription[], status: number): ResponseDescription | undefined {
  const names = [String(status), `${String(status).charAt(0)}XX`, "default"];
  const described = describesSuccess(String(status)) ? successes(responses) : responses;
  return names
    .map((name) => described.find((response) => response.status === name))
    .find((found) => found !== undefined);
}

/** With its parameters, but for the spaces between them. */
function plainType(mediaType: string): string {
  return mediaType.toLowerCase().replaceAll(/\s/g, "");
}

function mediaFor(content: readonly MediaDescription[], mediaType: string): MediaDescription | undefined {
  const same = content.find((media) => plainType(media.mediaType) === plainType(mediaType));
  if (same !== undefined) return same;
  const exact = content.find((media) => !media.mediaType.includes("*") && isInRange(mediaType, media.mediaType));
  const inRange = exact ?? content.find((media) => isInRange(mediaType, media.mediaType));
  if (inRange !== undefined || content.length === 1) return inRange ?? content[0];
  return content.find((media) => bodyKindOf(media.mediaType) === bodyKindOf(mediaType));
}
