import type { Warning } from "../../envelope/warning.js";
import type { JsonSchema } from "../../json/json-schema.js";
import { isRecord } from "../../json/value.js";
import type { OperationDescription } from "./description.js";
import type { ApiDocument } from "./document/api-document.js";
import type { IndexedOperation } from "./document/index-operations.js";
import type { RequestPlan } from "./plan.js";
import { SchemaBundle } from "./schemas/schema-bundle.js";

/** What a server of Plico can answer in that loses nothing. */
export const OWN_TYPE = "application/vnd.plico.response-envelope+json";

const WHOLE = "body";

/** How an operation of Plico's own server is called: the body is the input, whatever it is. */
export interface OwnInput {
  readonly schema: JsonSchema;
  readonly plan: RequestPlan;
  readonly wholeInput: string;
  readonly warnings: readonly Warning[];
}

export function ownInput(
  document: ApiDocument,
  { method, path }: IndexedOperation,
  { body }: OperationDescription,
): OwnInput {
  const bundle = new SchemaBundle(document, "input");
  const schema = body === undefined ? true : bundle.finish(bundle.addWhole(body.schema));
  const mediaType = "application/json";
  const whole = { mediaType, kind: "json", isRequired: false, wholeKey: WHOLE, fields: [], isOpen: false } as const;
  return {
    schema,
    plan: { method, path, parameters: [], body: whole, fallbacks: {} },
    wholeInput: WHOLE,
    warnings: bundle.warnings,
  };
}

/** The schema of the data in the envelope that such a server answers in. */
export function ownOutput(document: ApiDocument, { responses }: OperationDescription): JsonSchema {
  const media = responses.flatMap(({ content }) => content).find(({ mediaType }) => mediaType === OWN_TYPE);
  const place = media?.schema && document.resolve({ value: media.schema.schema, base: media.schema.base });
  const properties = isRecord(place?.value) ? place.value["properties"] : undefined;
  if (place === undefined || !isRecord(properties) || properties["data"] === undefined) return true;
  const bundle = new SchemaBundle(document, "output");
  return bundle.finish(bundle.addWhole({ schema: properties["data"], base: place.base }));
}
