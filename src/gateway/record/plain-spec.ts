import { orElse } from "../../json/attempt.js";
import type { JsonSchema } from "../../json/json-schema.js";
import { compact, isRecord, type JsonRecord, omit } from "../../json/value.js";
import type { ErrorDeclaration, OperationSpec } from "../../registry/operation.js";
import { type AnySchema, jsonSchemaOf, type SchemaSide } from "../../schema/standard-schema.js";

/** A spec as plain JSON: getters are asked, and schemas of other libraries told as JSON Schema. */
export function plainSpec(spec: OperationSpec): JsonRecord {
  const { namespace, name, version, type, title, description, tags, accessControl, annotations, http } = spec;
  return compact({
    ...{ namespace, name, version, type, title, description, tags },
    inputSchema: plainSchema(() => spec.inputSchema, "input"),
    outputSchema: plainSchema(() => spec.outputSchema, "output"),
    errorSchemas: spec.errorSchemas === undefined ? undefined : plainErrors(spec.errorSchemas),
    ...{ accessControl, annotations, input: spec.input, output: spec.output, http },
    _meta: orElse(() => spec._meta, undefined),
  });
}

/** One that cannot be had says nothing. */
function plainSchema(schema: () => AnySchema, side: SchemaSide): JsonSchema {
  const json = jsonSchemaOf(schema, side);
  return isRecord(json) && "~standard" in json ? omit(json, ["~standard"]) : json;
}

function plainErrors(errors: Readonly<Record<string, ErrorDeclaration>>): JsonRecord {
  return Object.fromEntries(
    Object.entries(errors).map(([code, { details, ...others }]) => [
      code,
      details === undefined ? others : { ...others, details: plainSchema(() => details, "output") },
    ]),
  );
}
