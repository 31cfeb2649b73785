import type { IncomingHttpHeaders } from "node:http";
import { decodeBase64 } from "../../json/base64.js";
import { isRecord, type JsonRecord } from "../../json/value.js";
import type { JsonRpcError } from "../../mcp/json-rpc.js";
import type { Tool } from "./tool.js";

/** An argument that the client also sends as a header, so that what stands between can see it. */
interface ParamHeader {
  readonly path: readonly string[];
  readonly header: string;
}

const KEYWORD = "x-mcp-header";
const DECLARED = new WeakMap<Tool, readonly ParamHeader[]>();

function declaredBy(tool: Tool): readonly ParamHeader[] {
  let declared = DECLARED.get(tool);
  if (declared === undefined) {
    declared = [...headersIn(tool.input.schema, [])];
    DECLARED.set(tool, declared);
  }
  return declared;
}

function* headersIn(schema: unknown, path: readonly string[]): Generator<ParamHeader> {
  if (!isRecord(schema) || path.length > 20) return;
  const header = schema[KEYWORD];
  if (typeof header === "string" && path.length > 0) yield { path, header: `mcp-param-${header.toLowerCase()}` };
  const properties = isRecord(schema["properties"]) ? schema["properties"] : {};
  for (const [name, property] of Object.entries(properties)) yield* headersIn(property, [...path, name]);
}

/** The argument and its header must say the same, else one was changed on the way. */
export function paramHeaderProblem(
  tool: Tool,
  args: JsonRecord | undefined,
  headers: IncomingHttpHeaders,
): JsonRpcError | undefined {
  for (const { path, header } of declaredBy(tool)) {
    const value = path.reduce<unknown>((node, key) => (isRecord(node) ? node[key] : undefined), args);
    const text = textOf(value);
    if (text === undefined) continue;
    const given = headers[header];
    const said = typeof given === "string" ? unpacked(given) : undefined;
    if (said === undefined || !isSame(said, text, value)) return mismatch(header, path.join("."), given);
  }
  return undefined;
}

function textOf(value: unknown): string | undefined {
  if (typeof value === "string" || typeof value === "boolean") return String(value);
  if (typeof value !== "number" || (Number.isInteger(value) && !Number.isSafeInteger(value))) return undefined;
  return String(value);
}

function isSame(said: string, text: string, value: unknown): boolean {
  return said === text || (typeof value === "number" && /^-?\d+(\.\d+)?$/.test(said) && Number(said) === value);
}

/** A text that no header can hold is packed in base64. */
function unpacked(value: string): string | undefined {
  const packed = /^=\?base64\?(.*)\?=$/.exec(value)?.[1];
  if (packed === undefined) return value;
  const decoded = decodeBase64(packed);
  return "text" in decoded ? decoded.text : undefined;
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
