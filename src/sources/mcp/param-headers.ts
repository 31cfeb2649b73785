import { encodeBase64 } from "../../json/base64.js";
import { isRecord, isString, type JsonRecord } from "../../json/value.js";

/** An argument that a server also wants as a header, so that what stands between can see it. */
export interface ParamHeader {
  readonly path: readonly string[];
  readonly header: string;
}

const KEYWORD = "x-mcp-header";
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const TYPES = ["string", "integer", "boolean"];

/** The headers that a tool's input schema declares, or what is wrong with them: such a tool must not be called. */
export function paramHeadersOf(inputSchema: unknown): readonly ParamHeader[] | { readonly fault: string } {
  const found: ParamHeader[] = [];
  const fault = collect(inputSchema, [], found);
  if (fault !== undefined) return { fault };
  const names = found.map(({ header }) => header.toLowerCase());
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  return twice === undefined ? found : { fault: `the header ${twice} is declared twice` };
}

function collect(schema: unknown, path: readonly string[], found: ParamHeader[]): string | undefined {
  if (!isRecord(schema)) return undefined;
  if (KEYWORD in schema) {
    const fault = faultOf(schema, path);
    if (fault !== undefined) return `${path.join(".") || "the input"}: ${fault}`;
    found.push({ path, header: schema[KEYWORD] as string });
  }
  const properties = isRecord(schema["properties"]) ? Object.entries(schema["properties"]) : [];
  for (const [name, property] of properties) {
    const fault = collect(property, [...path, name], found);
    if (fault !== undefined) return fault;
  }
  const elsewhere = Object.entries(schema).filter(([keyword]) => keyword !== "properties" && keyword !== KEYWORD);
  return elsewhere.some(([, value]) => holdsKeyword(value)) ? `${KEYWORD} stands where no argument is` : undefined;
}

function faultOf(schema: JsonRecord, path: readonly string[]): string | undefined {
  const header = schema[KEYWORD];
  if (path.length === 0) return `${KEYWORD} stands where no argument is`;
  if (!isString(header) || !TOKEN.test(header)) return `${KEYWORD} is no name of a header`;
  return TYPES.includes(schema["type"] as string) ? undefined : `${KEYWORD} is only for texts, integers and booleans`;
}

/** Whether a schema below this value has the keyword; examples and constants are no schemas. */
function holdsKeyword(value: unknown, depth: number = 100): boolean {
  if (depth === 0 || typeof value !== "object" || value === null) return false;
  if (isRecord(value) && KEYWORD in value && ("type" in value || isString(value[KEYWORD]))) return true;
  return Object.entries(value).some(([key, inner]) => !DATA.includes(key) && holdsKeyword(inner, depth - 1));
}

const DATA = ["const", "default", "enum", "example", "examples"];

/** The headers of one call. What is absent or null has none. */
export function headersFor(declared: readonly ParamHeader[], input: unknown): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const { path, header } of declared) {
    const value = path.reduce<unknown>((node, key) => (isRecord(node) ? node[key] : undefined), input);
    const text = typeof value === "number" && !Number.isSafeInteger(value) ? undefined : value;
    if (["string", "boolean", "number"].includes(typeof text))
      headers[`Mcp-Param-${header}`] = headerValue(String(text));
  }
  return headers;
}

/** A text as the value of a header: as it is where every header may hold it, else packed in base64. */
export function headerValue(text: string): string {
  const plain = /^[\t\x20-\x7e]+$/.test(text) && text === text.trim() && !/^=\?base64\?.*\?=$/.test(text);
  return plain ? text : `=?base64?${encodeBase64(text)}?=`;
}
