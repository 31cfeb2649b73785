import type { Warning } from "../../envelope/warning.js";
import { orElse } from "../../json/attempt.js";
import type { JsonSchema } from "../../json/json-schema.js";
import { compact, type JsonRecord } from "../../json/value.js";
import type { OperationSpec } from "../../registry/operation.js";
import type { AnySchema, SchemaSide } from "../../schema/standard-schema.js";
import { publishedSchema } from "../published-schema.js";
import { declaredErrors } from "./declared-errors.js";
import { operationPath } from "./operation-path.js";
import { readOneSide } from "./schema-components.js";

export interface ListingOptions {
  /** Comes before every path. */
  readonly basePath?: string | undefined;
}

/** What there is to call. */
export function listOperations(specs: readonly OperationSpec[], options: ListingOptions = {}): JsonRecord {
  return { operations: specs.map((spec) => summaryOf(spec, options)) };
}

/** All that a caller of one operation has to know. */
export function describeOperation(spec: OperationSpec, options: ListingOptions = {}): JsonRecord {
  const input = shownSchema(() => spec.inputSchema, "input");
  const output = shownSchema(() => spec.outputSchema, "output");
  const warnings = [...input.warnings, ...output.warnings];
  return {
    ...summaryOf(spec, options),
    inputSchema: input.json,
    outputSchema: output.json,
    errors: Object.fromEntries(
      declaredErrors(spec).map(({ code, details, ...error }) => {
        const schema = details === undefined ? undefined : shownSchema(() => details, "output").json;
        return [code, compact({ ...error, details: schema })];
      }),
    ),
    ...(warnings.length > 0 && { warnings }),
  };
}

/** As it may be read by anybody: open where it cannot be shown or cannot be had. */
function shownSchema(schema: () => AnySchema, side: SchemaSide): { json: JsonSchema; warnings: readonly Warning[] } {
  const { json, lacking } = readOneSide(schema, side);
  // Formats stay, also those of results: nobody but people will look at them.
  const published = publishedSchema(json, "input");
  return { json: published.schema ?? {}, warnings: [...lacking, ...published.warnings] };
}

export function isDeprecated(spec: OperationSpec): boolean {
  const said: JsonRecord = { ...spec.annotations };
  return metaOf(spec)?.["deprecated"] === true || said["deprecated"] === true;
}

/** What a source says beside the rest is made when it is asked for, and may then fail. */
export function metaOf(spec: OperationSpec): OperationSpec["_meta"] {
  return orElse(() => spec._meta, undefined);
}

function summaryOf(spec: OperationSpec, { basePath = "" }: ListingOptions): JsonRecord {
  const { namespace, name, type, version, title, description, tags, annotations, http } = spec;
  const id = `${namespace}.${name}`;
  return compact({
    id,
    type,
    version,
    title,
    description,
    tags,
    annotations,
    deprecated: isDeprecated(spec) ? true : undefined,
    url: basePath + operationPath(id),
    route: http === undefined ? undefined : { method: http.method, path: basePath + http.path },
  });
}
