import { arraySchema, type JsonSchema, objectSchema } from "../json/json-schema.js";
import { relocate } from "../schema/relocate.js";
import { type AnySchema, toJsonSchema } from "../schema/standard-schema.js";

const strings = arraySchema({ type: "string" });
const count = { type: "number", minimum: 0 };

export const ToolResponseMetaSchema: JsonSchema = objectSchema(
  {
    status: { enum: ["ok", "error", "info", "warn"] },
    summary: { type: "string" },
    details: strings,
    nextSteps: strings,
    truncated: { type: "boolean" },
    tokenUsage: objectSchema({ inline: count, total: count }, "all"),
    rateLimit: objectSchema({ remaining: count, resetSeconds: count }, "all"),
  },
  ["details", "nextSteps", "truncated", "tokenUsage", "rateLimit"],
);

/** The `outputSchema` of a tool that answers in tool-response, from the schema of its data. */
export function createToolResponseEnvelopeSchema(data: AnySchema): JsonSchema {
  return objectSchema({ meta: ToolResponseMetaSchema, data: relocate(toJsonSchema(data), "/properties/data") });
}
