import { majorOf } from "../../dialects/helper-output-rules.js";
import type { HelperDescription } from "../../helper/description.js";
import { orElse } from "../../json/attempt.js";
import { compact, isRecord } from "../../json/value.js";
import type { AnyHandler, OperationSpec } from "../../registry/operation.js";
import type { AnyOperation } from "../../registry/operation-map.js";
import { type AnySchema, readSchema } from "../../schema/standard-schema.js";
import { payloadSchema } from "../payload-schema.js";
import type { ScriptPlan } from "./handler.js";
import type { OutputForm, ScriptOptions } from "./options.js";

/** A script that was found, and what is known of it. */
export interface FoundScript {
  readonly name: string;
  readonly command: readonly string[];
  readonly options: ScriptOptions;
  readonly description?: HelperDescription | undefined;
}

/** An operation, and how its script is called. */
export interface ScriptOperation {
  readonly operation: AnyOperation;
  readonly plan: ScriptPlan;
}

/** What its user says of a script counts before what it says of itself. */
export function operationFromScript(
  script: FoundScript,
  namespace: string,
  handlerOf: (plan: ScriptPlan) => AnyHandler,
): ScriptOperation {
  const spec = specOf(script, namespace);
  const plan = planOf(script, spec);
  return { operation: { id: `${namespace}.${spec.name}`, spec, handler: handlerOf(plan) }, plan };
}

function specOf({ name, options, description }: FoundScript, namespace: string): OperationSpec {
  const { title, tags, annotations, errorSchemas, ...said } = { ...description, ...compact(options) };
  const { accessControl, input, output } = options;
  const isFlags = options.inputAs === "flags" || options.flags !== undefined;
  return compact({
    namespace,
    name: options.operation ?? name,
    version: said.version ?? "1.0.0",
    type: typeOf(options, description),
    title,
    description: said.description ?? "",
    tags,
    inputSchema: said.inputSchema ?? (isFlags ? { type: "object" } : true),
    outputSchema: options.outputSchema ?? outputSchemaOf(description),
    errorSchemas,
    accessControl,
    annotations,
    input,
    output,
  });
}

/** JSON lines are a subscription, and nothing else is. */
function typeOf({ type, outputAs }: ScriptOptions, description: HelperDescription | undefined): OperationSpec["type"] {
  if (type !== undefined) return type;
  if (outputAs === "json-lines") return "subscription";
  const said = description?.type ?? "mutation";
  return said === "subscription" && outputAs !== undefined ? "mutation" : said;
}

/** A helper may describe the whole document; the data of a call is its payload. */
function outputSchemaOf(description: HelperDescription | undefined): AnySchema {
  const declared = description?.outputSchema ?? true;
  return orElse(() => payloadSchema(declared, {}) as AnySchema, true);
}

function planOf({ command, options, description }: FoundScript, spec: OperationSpec): ScriptPlan {
  const { flags, major, exitCodes = [0] } = options;
  const accepts = description === undefined ? [] : (description.accepts ?? ["argument"]);
  const readsStdin = accepts.includes("stdin");
  const usualWay = PREFERRED.find((way) => accepts.includes(way)) ?? "argument";
  return {
    command,
    inputAs: options.inputAs ?? (flags === undefined ? usualWay : "flags"),
    ...(flags !== undefined && { flags }),
    fields: fieldsOf(spec.inputSchema, flags),
    isHelper: description !== undefined,
    readsStdin,
    outputAs: options.outputAs ?? usualForm(spec, description !== undefined || major !== undefined),
    major: major ?? majorOf(description?.version),
    exitCodes,
  };
}

/** Every user of the machine sees arguments. */
const PREFERRED = ["stdin", "argument", "flags"] as const;

function usualForm({ type }: OperationSpec, isHelper: boolean): OutputForm {
  if (type === "subscription") return "json-lines";
  return isHelper ? "helper-output" : "auto";
}

/** The names that a schema or the table of flags knows; undefined where there may be any, or neither says anything. */
function fieldsOf(schema: AnySchema, flags: ScriptOptions["flags"]): readonly string[] | undefined {
  const json = orElse(() => readSchema(schema, "input").json, true);
  if (!isRecord(json) || !isRecord(json["properties"])) return flags === undefined ? undefined : Object.keys(flags);
  const { additionalProperties: others, patternProperties } = json;
  const isOpen = others === true || isRecord(others) || patternProperties !== undefined;
  return isOpen ? undefined : Object.keys(json["properties"]);
}
