import { orElse } from "../json/attempt.js";
import type { JsonSchema } from "../json/json-schema.js";
import { told } from "../json/told.js";
import { compact, isRecord, isString, isStringArray, type JsonRecord } from "../json/value.js";
import type { ErrorDeclarations, OperationAnnotations, OperationSpec, OperationType } from "../registry/operation.js";
import { errorIssues, OPERATION_TYPES, VERSION } from "../registry/registration.js";
import { readSchema } from "../schema/standard-schema.js";

/**
 * How a helper can be given its input: `argument` is `--input JSON`, `stdin` is `--input -` with the JSON on standard
 * input, `flags` is one flag a field.
 */
export const INPUT_WAYS = ["argument", "stdin", "flags"] as const;

export type InputWay = (typeof INPUT_WAYS)[number];

/** What a helper says of itself when it is called with `--schema`: the words of an operation's spec, as JSON. */
export interface HelperDescription {
  readonly name?: string;
  /** The helper's own: consumers pin its major. */
  readonly version?: string;
  readonly type?: OperationType;
  readonly title?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly inputSchema: JsonSchema;
  readonly outputSchema: JsonSchema;
  readonly errorSchemas?: ErrorDeclarations;
  readonly annotations?: OperationAnnotations;
  /** @default ["argument"] */
  readonly accepts?: readonly InputWay[];
}

export function describeHelper(spec: OperationSpec): HelperDescription {
  const { name, version, type, title, description, tags, annotations, errorSchemas } = spec;
  return compact({
    name,
    version,
    type,
    title,
    description,
    tags,
    inputSchema: readSchema(spec.inputSchema, "input").json,
    outputSchema: readSchema(spec.outputSchema, "output").json,
    errorSchemas: errorSchemas === undefined ? undefined : plainErrors(errorSchemas),
    annotations,
    accepts: INPUT_WAYS,
  });
}

function plainErrors(errors: ErrorDeclarations): ErrorDeclarations {
  const entries = Object.entries(errors).map(([code, { details, ...rest }]) => {
    const plain = details === undefined ? {} : { details: readSchema(details, "output").json as object };
    return [code, { ...rest, ...plain }] as const;
  });
  return Object.fromEntries(entries);
}

/** What was printed for `--schema`, or why it is no description. A helper in another language may leave most of it out. */
export function readDescription(value: unknown): HelperDescription | { readonly fault: string } {
  if (!isRecord(value)) return { fault: `it is ${told(value)} and not an object` };
  const { version, inputSchema, outputSchema } = value;
  if (version === undefined && inputSchema === undefined && outputSchema === undefined)
    return { fault: "it has neither `version` nor `inputSchema` nor `outputSchema`" };
  if (version !== undefined && (!isString(version) || !VERSION.test(version)))
    return { fault: `its \`version\` is ${told(version)} and not a semantic version such as 1.0.0` };
  for (const [field, isMet] of Object.entries(FIELDS))
    if (value[field] !== undefined && !isMet(value[field]))
      return { fault: `its \`${field}\` cannot be ${told(value[field])}` };
  const [issue] = errorIssues(value["errorSchemas"]);
  if (issue !== undefined) return { fault: `its \`${issue.path.slice(1)}\` ${issue.message}` };
  const known = Object.keys(FIELDS).map((field) => [field, value[field]]);
  return {
    inputSchema: true,
    outputSchema: true,
    ...(compact(Object.fromEntries(known)) as JsonRecord),
    ...(version !== undefined && { version }),
  };
}

const isSchema = (value: unknown): boolean =>
  orElse(() => readSchema(value as JsonSchema, "output") !== undefined, false);

const FIELDS: Readonly<Record<string, (value: unknown) => boolean>> = {
  name: isString,
  type: (value) => isString(value) && OPERATION_TYPES.includes(value),
  title: isString,
  description: isString,
  tags: isStringArray,
  inputSchema: isSchema,
  outputSchema: isSchema,
  errorSchemas: isRecord,
  annotations: isRecord,
  accepts: (value) =>
    isStringArray(value) && value.length > 0 && value.every((way) => INPUT_WAYS.includes(way as InputWay)),
};
