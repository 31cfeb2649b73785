import type { JsonSchemaObject } from "../../../json/json-schema.js";

const text = { type: "string" };
const about = {
  filename: { type: "string", description: "The name that the receiver sees." },
  mediaType: { type: "string", description: "Such as image/png." },
};

/** A `FileInput` as a schema. That it has a text or bytes is checked where they are read, which says it better. */
export function fileSchema(description?: string): JsonSchemaObject {
  return {
    description: description === undefined ? HOW : `${description} (${HOW})`,
    type: ["string", "object"],
    properties: { text, base64: BASE64, ...about },
    additionalProperties: false,
  };
}

const HOW =
  'A file: its text, or { "text", "filename" }, or { "base64", "filename", "mediaType" } where it is not text.';

const BASE64: JsonSchemaObject = { type: "string", contentEncoding: "base64", description: "The bytes." };

/** Bytes in an answer, which may be kept elsewhere. */
export const BYTES_SCHEMA: JsonSchemaObject = {
  type: "object",
  properties: {
    mediaType: text,
    bytes: { type: "integer", minimum: 0 },
    base64: { type: "string", contentEncoding: "base64" },
    uri: text,
  },
  required: ["mediaType", "bytes"],
};
