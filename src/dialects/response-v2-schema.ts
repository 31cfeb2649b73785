import { type JsonSchema, objectSchema } from "../json/json-schema.js";

const string = { type: "string" };
const count = { type: ["integer", "null"], minimum: 0 };
const number = { type: ["number", "null"] };

const PaginationSchema: JsonSchema = {
  ...objectSchema(
    {
      cursor: { type: ["string", "null"] },
      has_more: { type: "boolean" },
      total_count: count,
      page_size: count,
      page: count,
    },
    "all",
  ),
  type: ["object", "null"],
};

const RateLimitSchema: JsonSchema = {
  ...objectSchema(
    {
      limit: number,
      remaining: number,
      reset_at: { type: ["string", "null"] },
      retry_after_seconds: number,
      retry_after: number,
    },
    "all",
  ),
  type: ["object", "null"],
};

const MetaSchema: JsonSchema = objectSchema(
  {
    version: { const: "response-v2" },
    request_id: { type: ["string", "null"] },
    trace_id: { type: ["string", "null"] },
    span_id: { type: ["string", "null"] },
    warnings: { type: ["array", "null"], items: string },
    pagination: PaginationSchema,
    rate_limit: RateLimitSchema,
    telemetry: { type: ["object", "null"] },
  },
  ["request_id", "trace_id", "span_id", "warnings", "pagination", "rate_limit", "telemetry"],
);

export const ResponseV2Schema: JsonSchema = {
  ...objectSchema({
    success: { type: "boolean" },
    data: { type: "object" },
    error: { type: ["string", "null"] },
    meta: MetaSchema,
  }),
  additionalProperties: false,
  if: { properties: { success: { const: true } } },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { properties: { error: { const: null } } },
  else: { properties: { error: { type: "string", minLength: 1 } } },
};
