import { problemDetails } from "../../dialects/problem-details.js";
import { ResponseV2Schema } from "../../dialects/response-v2-schema.js";
import { CallErrorSchema } from "../../envelope/call-error.js";
import { CATEGORIES, CATEGORY_FACTS } from "../../envelope/category.js";
import { ResponseMetaSchema } from "../../envelope/response-envelope.js";
import { arraySchema, type JsonSchemaObject, objectSchema } from "../../json/json-schema.js";
import { isRecord, type JsonRecord } from "../../json/value.js";
import { TYPE } from "../../schema/node.js";
import type { Component, SchemaReference } from "./schema-components.js";

const string = { type: "string" };

/** What the documents of all operations have in common, by the names that it has among the components. */
export function sharedSchemas(): JsonRecord {
  return {
    Meta: { ...metaSchema(), description: "What else response-v2 says of an answer." },
    Failure: { ...failureSchema(), description: "A failure as response-v2 tells it." },
    ResponseMeta: {
      ...asRecord(withOpenObjects(ResponseMetaSchema)),
      description: "Where an answer came from, and what else is known of it.",
    },
    FailureEnvelope: { ...failureEnvelope(), description: "A failure as Plico's own envelope tells it." },
    Problem: { ...problemSchema(), description: "A failure as RFC 9457 tells it." },
  };
}

export function referenceTo(
  name: "Meta" | "Failure" | "ResponseMeta" | "FailureEnvelope" | "Problem",
): SchemaReference {
  return { $ref: `#/components/schemas/${name}` };
}

/** What the client gets who asks for nothing else: data that is no object stands in the field `result`. */
export function successSchema(data: Component): JsonSchemaObject {
  return objectSchema({
    success: { type: "boolean", const: true },
    data: sentData(data),
    error: { type: "null" },
    meta: referenceTo("Meta"),
  });
}

export function isAlwaysWrapped({ types }: Component): boolean {
  return (types & TYPE.object) === 0;
}

function sentData(data: Component): JsonSchemaObject {
  if (data.checked.acceptsAll) return OPEN_OBJECT;
  const wrapped = objectSchema({ result: data.reference });
  if (isAlwaysWrapped(data)) return wrapped;
  return data.types === TYPE.object ? data.reference : { anyOf: [data.reference, wrapped] };
}

export function envelopeSchema({ reference }: Component): JsonSchemaObject {
  return objectSchema({ data: reference, meta: referenceTo("ResponseMeta") });
}

/** The failure of one error that is known beforehand. */
export function knownFailure(code: string, details: SchemaReference | undefined): JsonSchemaObject {
  const data = objectSchema({ error_code: { ...string, const: code }, ...(details && { details }) }, ["details"]);
  return { allOf: [referenceTo("Failure"), objectSchema({ data: { ...data, additionalProperties: true } })] };
}

function metaSchema(): JsonSchemaObject {
  const meta = asRecord(withOpenObjects(asRecord(asRecord(ResponseV2Schema)["properties"])["meta"]));
  const warning = objectSchema({ code: string, severity: string, message: string, context: OPEN_OBJECT }, "all");
  const more = { warning_details: arraySchema(warning), plico: { ...OPEN_OBJECT, description: "For Plico itself." } };
  return { ...meta, properties: { ...asRecord(meta["properties"]), ...more } };
}

function failureSchema(): JsonSchemaObject {
  const fields = {
    error_code: { ...string, description: "What went wrong, for programs." },
    error_type: { ...string, description: "What kind of failure it is.", examples: ERROR_TYPES },
    remediation: { ...string, description: "What can be done about it." },
    details: {},
    validation_errors: arraySchema(objectSchema({ field: string, message: string })),
  };
  return objectSchema({
    success: { type: "boolean", const: false },
    data: { ...objectSchema(fields, "all"), additionalProperties: true },
    error: { ...string, minLength: 1, description: "What went wrong, for people." },
    meta: referenceTo("Meta"),
  });
}

const ERROR_TYPES = [...new Set(CATEGORIES.map((category) => CATEGORY_FACTS[category].errorType))];

function failureEnvelope(): JsonSchemaObject {
  const failed = objectSchema({ isError: { type: "boolean", const: true }, error: CallErrorSchema });
  return objectSchema({ data: {}, meta: { allOf: [referenceTo("ResponseMeta"), failed] } });
}

function problemSchema(): JsonSchemaObject {
  const members = isRecord(problemDetails.schema) ? asRecord(problemDetails.schema["properties"]) : {};
  const issue = objectSchema({ detail: string, pointer: string });
  const own = { code: { ...string, description: "What went wrong, for programs." }, errors: arraySchema(issue) };
  const properties = { ...(members as Record<string, JsonSchemaObject>), ...own };
  const optional = Object.keys(properties).filter((name) => name !== "status");
  return { ...objectSchema(properties, optional), additionalProperties: true };
}

const OPEN_OBJECT = { type: "object", additionalProperties: true };

/** Generators of types take an object of which nothing is said for an empty one. */
function withOpenObjects(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withOpenObjects);
  if (!isRecord(schema)) return schema;
  const isBare = [schema["type"]].flat().includes("object") && schema["properties"] === undefined;
  const entries = Object.entries(schema).map(([word, inner]) => [word, withOpenObjects(inner)]);
  return { ...(isBare && { additionalProperties: true }), ...Object.fromEntries(entries) };
}

function asRecord(value: unknown): JsonRecord {
  return isRecord(value) ? value : {};
}
