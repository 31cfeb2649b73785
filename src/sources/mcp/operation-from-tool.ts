import type { ResponseEnvelope } from "../../envelope/response-envelope.js";
import { orElse } from "../../json/attempt.js";
import { compact, isRecord, isString, type JsonRecord } from "../../json/value.js";
import { OPERATION_KEY, TOOL_KEY } from "../../mcp/keys.js";
import { leaveData } from "../../registry/answer-schema.js";
import type {
  AnyHandler,
  InputPolicy,
  OperationAnnotations,
  OperationSpec,
  OutputPolicy,
} from "../../registry/operation.js";
import type { AnyOperation } from "../../registry/operation-map.js";
import { portableName, uniqueName } from "../../registry/portable-name.js";
import { VERSION } from "../../registry/registration.js";
import { inside } from "../../schema/inside.js";
import { type AnySchema, readSchema } from "../../schema/standard-schema.js";
import { payloadSchema } from "../payload-schema.js";
import { isOurs, isPayload } from "./result.js";
import type { RawTool } from "./tool-list.js";

export interface ToolOperations {
  readonly namespace: string;
  /** Whether the data of a call is what another format's document holds, and not the document. */
  readonly unfold: boolean;
  readonly input?: InputPolicy | undefined;
  readonly output?: OutputPolicy | undefined;
  readonly handlerOf: (tool: RawTool) => AnyHandler;
}

/** The tools of a server as operations. Names are kept where a registry takes them. */
export function operationsFromTools(tools: readonly RawTool[], options: ToolOperations): AnyOperation[] {
  const taken = new Set<string>();
  return tools.map((tool) => {
    const portable = portableName(tool.name, { maxLength: MAX_NAME, also: "./", isExact: true });
    const name = uniqueName(portable, taken, MAX_NAME);
    taken.add(name);
    return operationFromTool(tool, name, options);
  });
}

const MAX_NAME = 128;

function operationFromTool(tool: RawTool, name: string, options: ToolOperations): AnyOperation {
  const { namespace, input, output, unfold, handlerOf } = options;
  const annotations = isRecord(tool["annotations"]) ? tool["annotations"] : {};
  const meta = isRecord(tool["_meta"]) ? tool["_meta"] : {};
  const ours = isRecord(meta[OPERATION_KEY]) ? meta[OPERATION_KEY] : {};
  const title = [tool["title"], annotations["title"]].find(isString);
  const declared = tool["outputSchema"];
  const payload = unfold ? orElse<unknown>(() => payloadSchema(declared, ours), true) : declared;
  const spec: OperationSpec = {
    namespace,
    name,
    version: versionOf(ours["version"]),
    type: annotations["readOnlyHint"] === true ? "query" : "mutation",
    ...(title !== undefined && { title }),
    description: isString(tool["description"]) ? tool["description"] : (title ?? ""),
    inputSchema: schemaOf(inputSchemaOf(tool), wrapsInput(tool) ? true : { type: "object" }),
    outputSchema: schemaOf(payload, true),
    annotations: annotationsOf(annotations),
    ...(input !== undefined && { input }),
    ...(output !== undefined && { output }),
    _meta: {
      ...meta,
      [TOOL_KEY]: compact({ name: tool.name, icons: tool["icons"], annotations: tool["annotations"] }),
    },
  };
  const handler = declared === undefined ? handlerOf(tool) : described(handlerOf(tool), payload !== declared);
  return { id: `${namespace}.${name}`, spec, handler };
}

function inputSchemaOf(tool: RawTool): unknown {
  const { inputSchema } = tool;
  return wrapsInput(tool) ? orElse<unknown>(() => inside(inputSchema, "input"), undefined) : inputSchema;
}

/** Whether the arguments of a tool have the input as their field `input`, because Plico had to wrap what is no object. */
export function wrapsInput({ _meta, inputSchema }: RawTool): boolean {
  const ours = isRecord(_meta) ? _meta[OPERATION_KEY] : undefined;
  return isRecord(ours) && ours["wrapsInput"] === true && isRecord(inputSchema);
}

/** The schema describes either the documents of a tool or their payloads; an answer of the other kind is left as it is. */
function described(handler: AnyHandler, isOfPayload: boolean): AnyHandler {
  return async (input, context) => {
    const envelope = (await handler(input, context)) as ResponseEnvelope;
    return isPayload(envelope) === isOfPayload || isOurs(envelope.meta) ? envelope : leaveData(envelope);
  };
}

function versionOf(version: unknown): string {
  return isString(version) && VERSION.test(version) ? version : "1.0.0";
}

/** A schema that cannot even be looked at accepts anything; what is wrong inside one is told by the registry. */
function schemaOf(schema: unknown, instead: AnySchema): AnySchema {
  if (!isRecord(schema)) return instead;
  return orElse(() => {
    readSchema(schema, "output");
    return schema;
  }, instead);
}

const HINTS = {
  readOnlyHint: "readOnly",
  idempotentHint: "idempotent",
  destructiveHint: "destructive",
  openWorldHint: "openWorld",
} as const satisfies Record<string, keyof OperationAnnotations>;

function annotationsOf(annotations: JsonRecord): OperationAnnotations {
  const known = Object.entries(HINTS).filter(([hint]) => typeof annotations[hint] === "boolean");
  return Object.fromEntries(known.map(([hint, name]) => [name, annotations[hint]]));
}
