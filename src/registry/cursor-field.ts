import { isRecord } from "../json/value.js";
import { type AnySchema, readSchema } from "../schema/standard-schema.js";

/** What the field of an input is called that takes a cursor, or the number of a page: the first that there is. */
const NAMES: readonly string[] = [
  ...["cursor", "after", "starting_after", "start_cursor", "next_cursor", "page_token", "pageToken", "next_token"],
  ...["continuation_token", "continuationToken", "continue", "marker", "page", "offset", "since"],
];

/** The fields of an input that lead to the next page, the likeliest first. */
export function cursorFieldsIn(schema: AnySchema): readonly string[] {
  const { json } = readSchema(schema, "input");
  const fields = isRecord(json) && isRecord(json["properties"]) ? json["properties"] : {};
  return NAMES.filter((name) => Object.hasOwn(fields, name));
}
