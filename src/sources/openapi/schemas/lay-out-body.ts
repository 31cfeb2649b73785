import type { JsonSchema } from "../../../json/json-schema.js";
import { isRecord, isString, type JsonRecord, setField } from "../../../json/value.js";
import type { BodyDescription, SchemaPlace } from "../description.js";
import type { ApiDocument } from "../document/api-document.js";
import { ownValue } from "../own-value.js";
import type { PlannedBody, PlannedField } from "../plan.js";
import { fileSchema } from "./file-schema.js";
import { type FileUse, fileUseOf } from "./file-use.js";
import { type FlatBody, flattenBody, flattenChoices } from "./flatten-body.js";
import type { SchemaBundle } from "./schema-bundle.js";

/** The fields that a body adds to an input, and what is planned once they have keys. */
export interface LaidOutBody {
  readonly fields: readonly BodyField[];
  /** What fields may be that nobody has named. */
  readonly additional: JsonSchema;
  plan(keys: readonly string[]): PlannedBody;
}

interface BodyField {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly isRequired: boolean;
}

/** `undefined` where there is nothing that could be sent. */
export function layOutBody(
  document: ApiDocument,
  method: string,
  body: BodyDescription,
  bundle: SchemaBundle,
): LaidOutBody | undefined {
  if (body.kind === "text") return asWhole(body, { type: "string" });
  if (body.kind === "binary") return asWhole(body, fileSchema(body.description));
  if (!body.required && isUnusual(method) && hasNoFields(document, body.schema)) return undefined;
  const flat = flattenBody(document, body.schema);
  if (flat !== undefined) return asFields(fieldsOf(document, body, flat, bundle), body, flat, bundle);
  const choices = body.kind === "multipart" ? flattenChoices(document, body.schema) : undefined;
  if (choices === undefined) return asWhole(body, bundle.addWhole(body.schema));
  return asChoice(
    choices.map((choice) => fieldsOf(document, body, choice, bundle)),
    body,
  );
}

/** HTTP gives no meaning to a body there; some generators write an empty one. */
function isUnusual(method: string): boolean {
  return method === "GET" || method === "HEAD" || method === "DELETE";
}

function hasNoFields(document: ApiDocument, { schema, base }: SchemaPlace): boolean {
  const found = document.resolve({ value: schema, base })?.value;
  if (!isRecord(found) || !isRecord(found["properties"])) return false;
  const isClosed = found["additionalProperties"] === undefined || found["additionalProperties"] === false;
  return (
    isClosed &&
    Object.keys(found).every((word) => /^(type|properties|additionalProperties|title|x-.*)$/.test(word)) &&
    Object.keys(found["properties"]).length === 0
  );
}

function asWhole(body: BodyDescription, schema: JsonSchema, fields: readonly PlannedField[] = []): LaidOutBody {
  const { mediaType, kind, required } = body;
  return {
    fields: [{ name: "body", schema: describedAs(schema, body.description), isRequired: required }],
    additional: false,
    plan: ([wholeKey = "body"]) => ({ mediaType, kind, isRequired: required, wholeKey, fields, isOpen: false }),
  };
}

interface FlatField extends BodyField {
  readonly use: FileUse;
}

function fieldsOf(document: ApiDocument, body: BodyDescription, flat: FlatBody, bundle: SchemaBundle): FlatField[] {
  return [...flat.properties].map(([name, places]) => {
    const use = body.kind === "multipart" ? fileUse(document, places, body, name) : "no";
    return { name, use, schema: fieldSchema(places, use, bundle), isRequired: flat.required.has(name) };
  });
}

function asFields(
  fields: readonly FlatField[],
  body: BodyDescription,
  flat: FlatBody,
  bundle: SchemaBundle,
): LaidOutBody {
  const { mediaType, kind, required } = body;
  return {
    fields: fields.map((field) => ({ ...field, isRequired: required && field.isRequired })),
    additional: flat.additional === undefined ? false : bundle.add(flat.additional),
    plan: (keys) => ({
      mediaType,
      kind,
      isRequired: required,
      fields: fields.map(({ name, use }, at) => plannedField(keys[at] as string, name, use, body)),
      isOpen: flat.additional !== undefined,
    }),
  };
}

/** A choice stays one field, in which files must be known all the same. */
function asChoice(choices: readonly (readonly FlatField[])[], body: BodyDescription): LaidOutBody {
  const planned = choices.flat().map(({ name, use }) => plannedField(name, name, use, body));
  const byName = new Map(planned.map((field) => [field.name, field]));
  return asWhole(body, { anyOf: choices.map(objectOf) }, [...byName.values()]);
}

function objectOf(fields: readonly FlatField[]): JsonSchema {
  const properties: JsonRecord = {};
  for (const { name, schema } of fields) setField(properties, name, schema);
  return {
    type: "object",
    properties,
    required: fields.filter(({ isRequired }) => isRequired).map(({ name }) => name),
  };
}

function fileUse(document: ApiDocument, places: readonly SchemaPlace[], body: BodyDescription, name: string): FileUse {
  const encoding = ownValue(body.encoding, name);
  return places.map((place) => fileUseOf(document, place, encoding)).find((use) => use !== "no") ?? "no";
}

function fieldSchema(places: readonly SchemaPlace[], use: FileUse, bundle: SchemaBundle): JsonSchema {
  const description = places.map(({ schema }) => (isRecord(schema) ? schema["description"] : undefined)).find(isString);
  if (use === "file") return fileSchema(description);
  if (use === "files") return describedAs({ type: "array", items: fileSchema() }, description);
  const schemas = places.map((place) => bundle.add(place));
  return schemas.length === 1 ? (schemas[0] as JsonSchema) : { allOf: schemas };
}

function plannedField(key: string, name: string, use: FileUse, { encoding }: BodyDescription): PlannedField {
  const own = ownValue(encoding, name);
  return {
    key,
    name,
    isFile: use === "file",
    isFileList: use === "files",
    ...(own !== undefined && { encoding: own }),
  };
}

/** A schema with a description, where it has none of its own. What a reference leads to is described for another purpose. */
export function describedAs(schema: JsonSchema, description: string | undefined): JsonSchema {
  if (description === undefined || schema === false) return schema;
  if (schema === true) return { description };
  const keepsOwn = schema["description"] !== undefined && schema["$ref"] === undefined;
  return keepsOwn ? schema : { ...schema, description };
}
