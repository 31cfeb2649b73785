import { isRecord } from "../../../json/value.js";
import type { SchemaPlace } from "../description.js";
import { mediaTypeOf } from "../media-type.js";
import type { ApiDocument } from "./api-document.js";

/** What one value of a stream looks like, if the schema of its media type says it. */
export function streamItemPlace(document: ApiDocument, place: SchemaPlace, mediaType: string): SchemaPlace | undefined {
  const isEvents = mediaTypeOf(mediaType).kind === "events";
  const inner = isEvents ? dataOfEvent(document, place) : itemOfList(document, place);
  // That a stream is a text says nothing of what comes in it.
  return inner === undefined || typeAt(document, inner) === "string" ? undefined : inner;
}

/** 3.2 describes a whole event; others what they send as its data. */
function dataOfEvent(document: ApiDocument, place: SchemaPlace): SchemaPlace | undefined {
  const event = document.resolve({ value: place.schema, base: place.base });
  if (event === undefined || !isRecord(event.value)) return undefined;
  const { anyOf, oneOf, properties } = event.value;
  const choices = [anyOf, oneOf].find(Array.isArray) ?? [];
  // Which event has which data is not told by the data.
  if (choices.some((choice) => isEvent(document, choice, event.base))) return undefined;
  if (!isEvent(document, event.value, event.base) || !isRecord(properties)) return place;
  const data = document.resolve({ value: properties["data"], base: event.base });
  if (!isRecord(data?.value)) return undefined;
  return { schema: data.value["contentSchema"] ?? data.value, base: data.base };
}

/** Whether a schema is that of an event, or a choice of them. */
function isEvent(document: ApiDocument, value: unknown, base: string, depth: number = 3): boolean {
  const found = document.resolve({ value, base });
  if (!isRecord(found?.value)) return false;
  const { properties, anyOf, oneOf } = found.value;
  const names = isRecord(properties) ? Object.keys(properties) : [];
  if (names.includes("data") && names.every((name) => EVENT_FIELDS.has(name))) return true;
  const choices = [anyOf, oneOf].find(Array.isArray) ?? [];
  return depth > 0 && choices.some((choice) => isEvent(document, choice, found.base, depth - 1));
}

const EVENT_FIELDS: ReadonlySet<string> = new Set(["data", "event", "id", "retry", "comment"]);

function itemOfList(document: ApiDocument, place: SchemaPlace): SchemaPlace | undefined {
  const list = document.resolve({ value: place.schema, base: place.base });
  if (!isRecord(list?.value) || list.value["type"] !== "array") return place;
  return list.value["items"] === undefined ? undefined : { schema: list.value["items"], base: list.base };
}

function typeAt(document: ApiDocument, { schema, base }: SchemaPlace): unknown {
  const found = document.resolve({ value: schema, base })?.value;
  return isRecord(found) ? found["type"] : undefined;
}
