import { orElse } from "../../json/attempt.js";
import type { JsonSchema } from "../../json/json-schema.js";
import { compact, type JsonRecord, omit } from "../../json/value.js";
import type { OperationSpec } from "../../registry/operation.js";
import { operationIdOf } from "../../registry/operation-id.js";
import { exampleOf } from "../../schema/example.js";
import { describeOperation } from "../../servers/http/listing.js";
import { toolInput } from "../../servers/mcp/tool-schemas.js";
import { schemaOutline } from "./schema-outline.js";

/** Where an operation stands over HTTP says nothing to those who call it here. */
const OF_HTTP = ["url", "route"];

/** What a call has to be is worth more than what will come of it. */
const INPUT_BYTES = 12_000;
const OUTPUT_BYTES = 4_000;

/** All that a model has to know of an operation to call it; `inputSchema` is that of the argument `input`. */
export function operationDescription(spec: OperationSpec): JsonRecord {
  const described = describeOperation(spec);
  const whole = orElse<JsonSchema>(() => toolInput(spec).schema, {});
  const input = schemaOutline(whole, INPUT_BYTES);
  const output = schemaOutline(described["outputSchema"] as JsonSchema, OUTPUT_BYTES);
  const example = orElse(() => exampleOf(whole, "input"), undefined);
  const isShortened = input.isShortened || output.isShortened;
  return compact({
    ...omit(described, OF_HTTP),
    inputSchema: input.schema,
    outputSchema: output.schema,
    note: isShortened ? "The schemas are shortened: of what lies deeper only the types are shown." : undefined,
    example: example === undefined ? undefined : { id: operationIdOf(spec), input: example.value },
  });
}
