import { orElse } from "../../json/attempt.js";
import { compact, type JsonRecord, omit } from "../../json/value.js";
import type { OperationSpec } from "../../registry/operation.js";
import { exampleOf } from "../../schema/example.js";
import { describeOperation } from "../../servers/http/listing.js";
import { toolInput } from "../../servers/mcp/tool-schemas.js";
import { idOf } from "./catalog.js";

/** Where an operation stands over HTTP says nothing to those who call it here. */
const OF_HTTP = ["url", "route"];

/** All that a model has to know of an operation to call it; `inputSchema` is that of the argument `input`. */
export function operationDescription(spec: OperationSpec): JsonRecord {
  const inputSchema = orElse(() => toolInput(spec).schema, {});
  const example = orElse(() => exampleOf(inputSchema, "input"), undefined);
  return compact({
    ...omit(describeOperation(spec), OF_HTTP),
    inputSchema,
    example: example === undefined ? undefined : { id: idOf(spec), input: example.value },
  });
}
