import { createToolResponseEnvelopeSchema } from "../../dialects/tool-response-schema.js";
import type { Warning } from "../../envelope/warning.js";
import { arraySchema, type JsonSchema, type JsonSchemaObject } from "../../json/json-schema.js";
import { isRecord, omit } from "../../json/value.js";
import type { ParamHeader } from "../../mcp/param-headers.js";
import type { OperationSpec } from "../../registry/operation.js";
import { type CompiledSchema, compile } from "../../schema/compile.js";
import { relocate } from "../../schema/relocate.js";
import { asObject, publishedSchema } from "../published-schema.js";
import type { McpChannels, McpLayout } from "./options.js";
import { argumentHeaders } from "./param-headers.js";

/** What a tool takes. */
export interface ToolInput {
  readonly schema: JsonSchemaObject;
  /** The arguments of a tool are an object; another input is their field `input`. */
  readonly isWrapped: boolean;
  /** The arguments that are headers too. */
  readonly headers: readonly ParamHeader[];
  readonly warnings: readonly Warning[];
}

export function toolInput({ inputSchema }: OperationSpec): ToolInput {
  const { schema, given, warnings } = publishedSchema(inputSchema, "input");
  const root = objectRoot(schema ?? given);
  const whole = root === undefined ? wrapped(schema) : schema === undefined ? { type: "object" } : root;
  const shown = argumentHeaders(whole);
  return { ...shown, isWrapped: root === undefined, warnings: [...warnings, ...shown.warnings] };
}

function wrapped(schema: JsonSchema | undefined): JsonSchemaObject {
  const inner = isRecord(schema) ? omit(schema, ["$schema"]) : (schema ?? {});
  const input = relocate(asObject(inner), "/properties/input");
  return { type: "object", properties: { input }, required: ["input"] };
}

/** The schema as one of objects only, where objects are what it is about. */
function objectRoot(schema: JsonSchema): JsonSchemaObject | undefined {
  if (compile(schema).acceptsAll) return { ...(isRecord(schema) && schema), type: "object" };
  if (!isRecord(schema)) return undefined;
  const { type } = schema;
  if (type === "object") return schema;
  const isObject = Array.isArray(type) ? type.includes("object") : type === undefined && isRecord(schema["properties"]);
  return isObject ? { ...schema, type: "object" } : undefined;
}

/** What a tool gives. */
export interface ToolOutput {
  /** What clients are shown: true of every result that is no error. */
  readonly schema: JsonSchemaObject | undefined;
  /** Of the data, as far as clients are shown it. */
  readonly data: CompiledSchema | undefined;
  /** The data is sent as the field `result` of an object. */
  readonly isWrapped: boolean;
  readonly warnings: readonly Warning[];
}

export function toolOutput(spec: OperationSpec, layout: McpLayout, channels: McpChannels): ToolOutput {
  const { schema: whole, warnings } = publishedSchema(spec.outputSchema, "output");
  const isOpen = whole === undefined || compile(whole).acceptsAll;
  const ofData = isOpen ? undefined : whole;
  const data = spec.type === "subscription" ? arraySchema(relocate(ofData ?? true, "/items")) : ofData;
  const compiled = data === undefined ? undefined : compile(data);
  if (channels === "model" || layout === "tool-envelope-v1")
    return { schema: undefined, data: compiled, isWrapped: false, warnings };
  if (layout === "tool-response")
    return { schema: toolResponseSchema(data), data: compiled, isWrapped: false, warnings };
  if (data === undefined) return { schema: undefined, data: undefined, isWrapped: false, warnings };
  const isWrapped = !isRecord(data) || data["type"] !== "object";
  const result = { properties: { result: relocate(asObject(data), "/properties/result") }, required: ["result"] };
  return { schema: isWrapped ? { type: "object", ...result } : data, data: compiled, isWrapped, warnings };
}

/** Strict clients hold failures against the schema too, whose data is something else. */
function toolResponseSchema(data: JsonSchema | undefined): JsonSchemaObject {
  const whole = createToolResponseEnvelopeSchema({}) as JsonSchemaObject;
  if (data === undefined) return whole;
  return { ...whole, if: FAILED, else: { properties: { data: relocate(asObject(data), "/else/properties/data") } } };
}

const FAILED = {
  properties: { meta: { type: "object", properties: { status: { const: "error" } }, required: ["status"] } },
};
