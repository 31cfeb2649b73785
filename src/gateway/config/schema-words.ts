import type { JsonSchemaObject } from "../../json/json-schema.js";

/** Each field of a part of the configuration with its schema: one that is forgotten does not compile. */
export type Properties<T> = { readonly [Name in keyof Required<T>]: JsonSchemaObject };

/** A variable as a file has it. */
export function variable(name: string): string {
  return `\${${name}}`;
}

export const AS_VARIABLE: string = `Write it as \`${variable("NAME")}\`.`;

/** What is said of an option beside its description. */
type Words = Readonly<{
  default?: unknown;
  examples?: readonly unknown[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  pattern?: string;
}>;

export function text(description: string, words: Words = {}): JsonSchemaObject {
  return { description, type: "string", ...words };
}

export function flag(description: string, standard?: boolean): JsonSchemaObject {
  return { description, type: "boolean", ...(standard !== undefined && { default: standard }) };
}

/** A whole number from 0. */
export function count(description: string, words: Words = {}): JsonSchemaObject {
  return { description, type: "integer", minimum: 0, ...words };
}

export function choice(description: string, values: readonly string[], standard?: string): JsonSchemaObject {
  return { description, type: "string", enum: values, ...(standard !== undefined && { default: standard }) };
}

export function texts(description: string, words: Words = {}): JsonSchemaObject {
  return { description, type: "array", items: { type: "string" }, ...words };
}

/** The program and its arguments. */
export const COMMAND: JsonSchemaObject = {
  type: "array",
  items: { type: "string" },
  minItems: 1,
};

/** Values by names that the user chooses. */
export function named(description: string, values: JsonSchemaObject, words: Words = {}): JsonSchemaObject {
  return { description, type: "object", additionalProperties: values, ...words };
}

export function either(description: string, kinds: readonly JsonSchemaObject[], words: Words = {}): JsonSchemaObject {
  return { description, anyOf: kinds, ...words };
}

/** An object that has these fields and no others. */
export function group(
  description: string,
  properties: Readonly<Record<string, JsonSchemaObject>>,
  required: readonly string[] = [],
): JsonSchemaObject {
  return {
    description,
    type: "object",
    properties,
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
}
