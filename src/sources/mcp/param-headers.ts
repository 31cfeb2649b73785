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
  const fault = collect(inputSchema, [], found, MAX_DEPTH);
  if (fault !== undefined) return { fault };
  const names = found.map(({ header }) => header.toLowerCase());
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  return twice === undefined ? found : { fault: `the header ${twice} is declared twice` };
}

/** Deeper than this no server declares anything. */
const MAX_DEPTH = 200;

/** Keywords that hold a schema or a list of them, and keywords that hold schemas by name: no argument stands there. */
const INNER = [
  ...["items", "prefixItems", "contains", "additionalProperties", "unevaluatedProperties", "unevaluatedItems"],
  ...["propertyNames", "oneOf", "anyOf", "allOf", "not", "if", "then", "else"],
];
const INNER_BY_NAME = ["patternProperties", "dependentSchemas", "$defs", "definitions"];

/** `path` is absent where no argument stands. Gives the first fault. */
function collect(
  schema: unknown,
  path: readonly string[] | undefined,
  found: ParamHeader[],
  depth: number,
): string | undefined {
  if (!isRecord(schema) || depth === 0) return undefined;
  if (KEYWORD in schema) {
    const fault = faultOf(schema, path);
    if (fault !== undefined) return fault;
    found.push({ path: path ?? [], header: schema[KEYWORD] as string });
  }
  return firstFault(partsOf(schema, path), ([part, where]) => collect(part, where, found, depth - 1));
}

type Part = readonly [schema: unknown, path: readonly string[] | undefined];

function partsOf(schema: JsonRecord, path: readonly string[] | undefined): Part[] {
  const properties = isRecord(schema["properties"]) ? Object.entries(schema["properties"]) : [];
  const inner = [
    ...INNER.flatMap((keyword) => schema[keyword] ?? []),
    ...INNER_BY_NAME.flatMap((keyword) => (isRecord(schema[keyword]) ? Object.values(schema[keyword]) : [])),
  ];
  return [
    ...properties.map(([name, part]): Part => [part, path && [...path, name]]),
    ...inner.map((part): Part => [part, undefined]),
  ];
}

function firstFault<T>(items: readonly T[], faultIn: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const fault = faultIn(item);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function faultOf(schema: JsonRecord, path: readonly string[] | undefined): string | undefined {
  const header = schema[KEYWORD];
  if (path === undefined || path.length === 0) return `${KEYWORD} stands where no argument is`;
  if (!isString(header) || !TOKEN.test(header)) return `${KEYWORD} of ${path.join(".")} is no name of a header`;
  const isSimple = TYPES.includes(schema["type"] as string);
  return isSimple ? undefined : `${KEYWORD} of ${path.join(".")} is only for texts, integers and booleans`;
}

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
