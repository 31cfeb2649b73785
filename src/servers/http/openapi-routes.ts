import { type JsonSchemaObject, objectSchema } from "../../json/json-schema.js";
import { isRecord, isString, type JsonRecord, omit } from "../../json/value.js";
import type { Node } from "../../schema/node.js";
import { type InputField, inputFields } from "../input-fields.js";
import { documentValue } from "./openapi-words.js";
import type { Component } from "./schema-components.js";

/** How the input of an operation travels. */
export interface RequestParts {
  readonly parameters: readonly JsonRecord[];
  readonly requestBody?: JsonRecord;
}

/** A field of the input that stands in the path, and the name that the path has for it. */
export interface RoutePlace {
  readonly field: string;
  readonly name: string;
}

/** The whole input as the body. */
export function wholeBody(input: Component): RequestParts {
  const required = !input.checked.accepts(undefined) && !input.checked.accepts({});
  return { parameters: [], requestBody: jsonBody(input.reference, required, input.example?.value) };
}

/** Fields of the input in the path, the others in the query, or in the body where the method has one. */
export function routeParts(input: Component, places: readonly RoutePlace[], hasBody: boolean): RequestParts {
  if (hasBody && places.length === 0) return wholeBody(input);
  const fields = inputFields(input.root);
  const parameters = places.map(({ field, name }) => {
    const known = fields.find((one) => one.name === field) ?? { name: field, schemas: [], form: "text" };
    return parameter(input, { ...known, isRequired: true }, { name, in: "path" });
  });
  const others = fields.filter(({ name }) => !places.some(({ field }) => field === name));
  if (!hasBody) {
    const inQuery = others.map((field) => parameter(input, field, { name: field.name, in: "query" }));
    return { parameters: [...parameters, ...inQuery] };
  }
  return others.length === 0 ? { parameters } : { parameters, requestBody: restBody(input, others, places) };
}

function parameter(
  input: Component,
  field: InputField,
  place: { readonly name: string; readonly in: "path" | "query" },
): JsonRecord {
  const schema = fieldSchema(input, field);
  const { description, deprecated } = schema;
  const isJson = field.form === "json" || (field.form === "list" && place.in === "path");
  return {
    ...place,
    ...(isString(description) && { description }),
    ...(field.isRequired && { required: true }),
    ...(deprecated === true && { deprecated }),
    ...(field.form === "list" && !isJson && { style: "form", explode: true }),
    ...(isJson ? { content: { "application/json": { schema } } } : { schema }),
  };
}

function fieldSchema(input: Component, { schemas }: InputField): JsonSchemaObject {
  const copies = schemas.map((schema) => input.copyOf(schema));
  return copies.length > 1 ? { anyOf: copies } : (copies[0] ?? {});
}

function restBody(input: Component, fields: readonly InputField[], places: readonly RoutePlace[]): JsonRecord {
  const entries = fields.map((field) => [field.name, fieldSchema(input, field)] as const);
  const optional = fields.filter(({ isRequired }) => !isRequired).map(({ name }) => name);
  const schema = { ...objectSchema(Object.fromEntries(entries), optional), ...(isClosed(input.root) && CLOSED) };
  const example = input.example?.value;
  const inPath = places.map(({ field }) => field);
  return jsonBody(schema, optional.length < fields.length, isRecord(example) ? omit(example, inPath) : undefined);
}

const CLOSED = { additionalProperties: false };

function isClosed({ additional, all, any, one }: Node): boolean {
  return additional?.never === true && [all, any, one].every((parts) => parts === undefined);
}

function jsonBody(schema: JsonSchemaObject, required: boolean, example: unknown): JsonRecord {
  const shown = example === undefined ? undefined : documentValue(example);
  const media = { schema, ...(shown !== undefined && { example: shown.value }) };
  return { ...(required && { required }), content: { "application/json": media } };
}
