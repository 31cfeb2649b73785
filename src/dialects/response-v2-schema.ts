import { arraySchema, type JsonSchema, objectSchema } from "../json/json-schema.js";

const string = { type: "string" };
const count = { type: "integer", minimum: 0 };

const PaginationSchema: JsonSchema = {
  ...(objectSchema(
    {
      cursor: { type: ["string", "null"] },
      has_more: { type: "boolean" },
      total_count: count,
      page_size: count,
      page: count,
    },
    "all",
  ) as object),
  type: ["object", "null"],
};

const RateLimitSchema: JsonSchema = {
  ...(objectSchema(
    {
      limit: { type: "number" },
      remaining: { type: "number" },
      reset_at: string,
      retry_after_seconds: { type: ["number", "null"] },
      retry_after: { type: ["number", "null"] },
    },
    "all",
  ) as object),
  type: ["object", "null"],
};

const MetaSchema: JsonSchema = objectSchema(
  {
    version: { const: "response-v2" },
    request_id: { type: "string", pattern: "^[a-zA-Z0-9_-]+$" },
    trace_id: string,
    span_id: string,
    warnings: arraySchema(string),
    pagination: PaginationSchema,
    rate_limit: RateLimitSchema,
    telemetry: { type: ["object", "null"] },
  },
  ["request_id", "trace_id", "span_id", "warnings", "pagination", "rate_limit", "telemetry"],
);

export const ResponseV2Schema: JsonSchema = {
  ...(objectSchema({
    success: { type: "boolean" },
    data: { type: "object" },
    error: { type: ["string", "null"] },
    meta: MetaSchema,
  }) as object),
  additionalProperties: false,
  if: { properties: { success: { const: true } } },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { properties: { error: { const: null } } },
  else: { properties: { error: { type: "string", minLength: 1 } } },
};
