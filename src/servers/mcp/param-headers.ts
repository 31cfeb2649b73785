import type { IncomingHttpHeaders } from "node:http";
import type { Warning } from "../../envelope/warning.js";
import type { JsonSchemaObject } from "../../json/json-schema.js";
import { pointerSegments } from "../../json/pointer.js";
import { isRecord, type JsonRecord, omit, setField } from "../../json/value.js";
import type { JsonRpcError } from "../../mcp/json-rpc.js";
import {
  declaredHeaders,
  HEADER_KEYWORD,
  type HeaderFault,
  headerText,
  type ParamHeader,
  textOfHeader,
} from "../../mcp/param-headers.js";
import type { Tool } from "./tool.js";

/** The schema of a tool's arguments as clients can use it, with the headers that they must send. */
export interface ArgumentHeaders {
  readonly schema: JsonSchemaObject;
  readonly headers: readonly ParamHeader[];
  readonly warnings: readonly Warning[];
}

/** Leaves out what is declared wrongly: clients would not call the tool at all. */
export function argumentHeaders(schema: JsonSchemaObject): ArgumentHeaders {
  const { headers, faults } = declaredHeaders(schema);
  return {
    schema: faults.reduce((rest, { at }) => undeclared(rest, pointerSegments(at)) as JsonSchemaObject, schema),
    headers,
    warnings: warningsOf(faults),
  };
}

function undeclared(node: unknown, [segment, ...rest]: readonly string[]): unknown {
  if (Array.isArray(node)) return node.map((item, at) => (String(at) === segment ? undeclared(item, rest) : item));
  if (!isRecord(node)) return node;
  if (segment === undefined) return omit(node, [HEADER_KEYWORD]);
  const copy: JsonRecord = { ...node };
  setField(copy, segment, undeclared(node[segment], rest));
  return copy;
}

/** One for all, with the first place. */
function warningsOf([first, ...others]: readonly HeaderFault[]): Warning[] {
  if (first === undefined) return [];
  const { at: path, message } = first;
  const count = others.length > 0 && { count: others.length + 1 };
  return [{ code: "SCHEMA_UNSUPPORTED", message: `${message}; it is left out`, path, ...count }];
}

/** The argument and its header must say the same, else one was changed on the way. */
export function paramHeaderProblem(
  { input }: Pick<Tool, "input">,
  args: JsonRecord | undefined,
  headers: IncomingHttpHeaders,
): JsonRpcError | undefined {
  for (const declared of input.headers) {
    const header = `mcp-param-${declared.header.toLowerCase()}`;
    const argument = headerText(declared, args);
    if (argument === undefined) continue;
    const given = headers[header];
    const said = typeof given === "string" ? textOfHeader(given) : undefined;
    if (said === undefined || !isSame(said, argument)) return mismatch(header, declared.path.join("."), given);
  }
  return undefined;
}

function isSame(said: string, { value, text }: { value: unknown; text: string }): boolean {
  return said === text || (typeof value === "number" && /^-?\d+(\.\d+)?$/.test(said) && Number(said) === value);
}

function mismatch(header: string, argument: string, given: unknown): JsonRpcError {
  const what = given === undefined ? "is absent" : "says something else";
  const body = `the body has the argument ${argument}, and the header ${header} ${what}`;
  return {
    code: -32020,
    message: `Bad Request: the request headers and body disagree: ${body}`,
    data: { mismatch: { header, body } },
  };
}
