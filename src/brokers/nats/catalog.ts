import { createHash } from "node:crypto";
import { CallError } from "../../envelope/call-error.js";
import { orElse } from "../../json/attempt.js";
import { canonicalJson } from "../../json/canonical.js";
import { told } from "../../json/told.js";
import { compact, isRecord, isString, type JsonRecord, omit } from "../../json/value.js";
import type { ErrorDeclarations, OperationSpec } from "../../registry/operation.js";
import { checkSpec } from "../../registry/registration.js";
import { excessOf, type SizeLimits } from "../../schema/size.js";
import { jsonSchemaOf, type SchemaSide } from "../../schema/standard-schema.js";

/** What a worker offers. */
export interface Catalog {
  /** The same for the same operations, whoever offers them and in whichever order. */
  readonly digest: string;
  /** Their specs as JSON. */
  readonly operations: readonly JsonRecord[];
}

/** The operation by which a worker is asked for its catalog; no registry can have one of this name. */
export const CATALOG_OPERATION = "$catalog";

export function catalogOf(specs: readonly OperationSpec[]): Catalog {
  const lines = specs.map(lineOf);
  return { digest: digestOfTexts(lines.map(({ text }) => text)), operations: lines.map(({ json }) => json) };
}

/** The same of a catalog that came from a wire. */
export function catalogDigest(operations: readonly unknown[]): string {
  return digestOfTexts(operations.map((operation) => orElse(() => canonicalJson(operation), "")));
}

/** What tells one form of an operation from another. */
export function specDigest(spec: OperationSpec): string {
  return hashOf(lineOf(spec).text);
}

interface Line {
  readonly json: JsonRecord;
  readonly text: string;
}

const LINES = new WeakMap<OperationSpec, Line>();

function lineOf(spec: OperationSpec): Line {
  const known = LINES.get(spec);
  if (known !== undefined) return known;
  const json = specToJson(spec);
  const line = { json, text: canonicalJson(json) };
  LINES.set(spec, line);
  return line;
}

function digestOfTexts(texts: readonly string[]): string {
  return hashOf([...texts].sort().join("\n"));
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("base64url").slice(0, 22);
}

/** More than that no schema needs that somebody wrote, and a caller has to keep it. */
const LIMITS: SizeLimits = { depth: 200, size: 4 * 1024 * 1024 };

/** A spec with its schemas as JSON Schema; what JSON cannot hold is left out. */
export function specToJson(spec: OperationSpec): JsonRecord {
  const { namespace, name, version, type, title, description, tags, accessControl, annotations } = spec;
  const { input, output, http, delivery } = spec;
  return compact({
    ...{ namespace, name, version, type, title, description, tags, accessControl, annotations, input, output },
    ...{ http, delivery },
    inputSchema: schemaToJson(() => spec.inputSchema, "input"),
    outputSchema: schemaToJson(() => spec.outputSchema, "output"),
    errorSchemas: spec.errorSchemas === undefined ? undefined : errorsToJson(spec.errorSchemas),
    _meta: asJson(() => spec._meta, undefined),
  });
}

function schemaToJson(schema: () => unknown, side: SchemaSide): unknown {
  return asJson(() => jsonSchemaOf(schema, side), true);
}

function errorsToJson(errors: ErrorDeclarations): JsonRecord {
  const declared = Object.entries(errors).map(([code, { details, ...rest }]) => {
    const schema = details === undefined ? undefined : schemaToJson(() => details, "output");
    return [code, compact({ ...rest, details: schema })];
  });
  return Object.fromEntries(declared);
}

/** A value as it is after JSON; `instead` where JSON cannot hold it, or it is too large. */
function asJson(look: () => unknown, instead: unknown): unknown {
  return orElse(() => {
    const value = JSON.parse(JSON.stringify(look()));
    return excessOf(value, LIMITS) === undefined ? value : instead;
  }, instead);
}

const OPTIONAL: Readonly<Record<string, (value: unknown) => boolean>> = {
  title: isString,
  annotations: (value) => isRecord(value) && Object.values(value).every((one) => typeof one === "boolean"),
  _meta: isRecord,
};

const FIELDS = new Set([
  ...["namespace", "name", "version", "type", "title", "description", "tags", "inputSchema", "outputSchema"],
  ...["errorSchemas", "accessControl", "annotations", "input", "output", "http", "delivery", "_meta"],
]);

/** A spec that came from a wire. Throws a `CallError` that says what is wrong with it. */
export function specFromJson(value: unknown): OperationSpec {
  const excess = excessOf(value, LIMITS);
  if (excess !== undefined) throw unusable(value, excess === "depth" ? "it is nested too deep" : "it is too large");
  checkSpec(value as OperationSpec);
  // What was checked is a record.
  const record = value as JsonRecord;
  for (const [field, fits] of Object.entries(OPTIONAL)) {
    if (record[field] !== undefined && !fits(record[field])) throw unusable(value, `${field} has the wrong type`);
  }
  const unknown = Object.keys(record).filter((field) => !FIELDS.has(field));
  return (unknown.length === 0 ? record : omit(record, unknown)) as unknown as OperationSpec;
}

function unusable(value: unknown, why: string): CallError {
  const name = isRecord(value) ? `${told(value["namespace"])}.${told(value["name"])}`.replaceAll('"', "") : "This";
  return new CallError({ category: "validation", code: "INVALID_OPERATION", message: `${name} is unusable: ${why}.` });
}
