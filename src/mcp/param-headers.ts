import { decodeBase64, encodeBase64 } from "../json/base64.js";
import { type JsonPointer, pointerTo } from "../json/pointer.js";
import { isRecord, isString, type JsonRecord } from "../json/value.js";

/** An argument that a server also wants as a header, so that what stands between can see it. */
export interface ParamHeader {
  readonly path: readonly string[];
  /** The name of the header, without the prefix `Mcp-Param-`. */
  readonly header: string;
}

/** A declaration that the protocol forbids: it makes its tool one that must not be called over HTTP. */
export interface HeaderFault {
  /** The schema that has the declaration. */
  readonly at: JsonPointer;
  readonly message: string;
}

export interface DeclaredHeaders {
  readonly headers: readonly ParamHeader[];
  readonly faults: readonly HeaderFault[];
}

export const HEADER_KEYWORD = "x-mcp-header";

/** The headers that a tool's input schema declares, and what is wrong with those that it must not declare. */
export function declaredHeaders(inputSchema: unknown): DeclaredHeaders {
  const found = { headers: [], faults: [], names: new Set<string>() };
  collect({ schema: inputSchema, at: "", path: [] }, found, MAX_DEPTH);
  return { headers: found.headers, faults: found.faults };
}

/** The same for those who call the tool, which they must not do where something is wrong. */
export function paramHeadersOf(inputSchema: unknown): readonly ParamHeader[] | { readonly fault: string } {
  const { headers, faults } = declaredHeaders(inputSchema);
  return faults[0] === undefined ? headers : { fault: faults[0].message };
}

/** Deeper than this no server declares anything. */
const MAX_DEPTH = 200;

/** A schema in the schema. `path` is absent where no argument stands. */
interface Place {
  readonly schema: unknown;
  readonly at: JsonPointer;
  readonly path: readonly string[] | undefined;
}

interface Found {
  readonly headers: ParamHeader[];
  readonly faults: HeaderFault[];
  readonly names: Set<string>;
}

function collect({ schema, at, path }: Place, found: Found, depth: number): void {
  if (!isRecord(schema) || depth === 0) return;
  if (HEADER_KEYWORD in schema) {
    const message = faultOf(schema, path, found.names);
    const header = schema[HEADER_KEYWORD] as string;
    if (message !== undefined) found.faults.push({ at, message });
    else {
      found.names.add(header.toLowerCase());
      found.headers.push({ path: path ?? [], header });
    }
  }
  for (const place of placesIn(schema, at, path)) collect(place, found, depth - 1);
}

/** Keywords that hold a schema or a list of them, and keywords that hold schemas by name: no argument stands there. */
const INNER = [
  ...["items", "prefixItems", "contains", "additionalProperties", "unevaluatedProperties", "unevaluatedItems"],
  ...["propertyNames", "oneOf", "anyOf", "allOf", "not", "if", "then", "else"],
];
const INNER_BY_NAME = ["patternProperties", "dependentSchemas", "$defs", "definitions"];

function* placesIn(schema: JsonRecord, at: JsonPointer, path: Place["path"]): Generator<Place> {
  for (const [name, part] of entriesOf(schema["properties"]))
    yield { schema: part, at: at + pointerTo("properties", name), path: path && [...path, name] };
  for (const keyword of INNER_BY_NAME)
    for (const [name, part] of entriesOf(schema[keyword]))
      yield { schema: part, at: at + pointerTo(keyword, name), path: undefined };
  for (const keyword of INNER) {
    const inner = schema[keyword];
    if (!Array.isArray(inner)) yield { schema: inner, at: at + pointerTo(keyword), path: undefined };
    else
      for (const [index, part] of inner.entries())
        yield { schema: part, at: at + pointerTo(keyword, index), path: undefined };
  }
}

function entriesOf(value: unknown): [string, unknown][] {
  return isRecord(value) ? Object.entries(value) : [];
}

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const TYPES = ["string", "integer", "boolean"];

function faultOf(schema: JsonRecord, path: Place["path"], names: ReadonlySet<string>): string | undefined {
  const header = schema[HEADER_KEYWORD];
  if (path === undefined || path.length === 0) return `${HEADER_KEYWORD} stands where no argument is`;
  const what = `${HEADER_KEYWORD} of ${path.join(".")}`;
  if (!isString(header) || !TOKEN.test(header)) return `${what} is no name of a header`;
  if (!TYPES.includes(schema["type"] as string)) return `${what} is only for texts, integers and booleans`;
  return names.has(header.toLowerCase()) ? `${what} is a second declaration of the header ${header}` : undefined;
}

/** The value of the argument, and the text that its header must have; nothing for what has no header. */
export function headerText({ path }: ParamHeader, args: unknown): { value: unknown; text: string } | undefined {
  const value = path.reduce<unknown>((node, key) => (isRecord(node) ? node[key] : undefined), args);
  const isInexact = typeof value === "number" && Number.isInteger(value) && !Number.isSafeInteger(value);
  const hasText = isString(value) || typeof value === "boolean" || Number.isFinite(value);
  return hasText && !isInexact ? { value, text: String(value) } : undefined;
}

/** The headers of one call. */
export function headersFor(declared: readonly ParamHeader[], args: unknown): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const one of declared) {
    const found = headerText(one, args);
    if (found !== undefined) headers[`Mcp-Param-${one.header}`] = headerValue(found.text);
  }
  return headers;
}

const PACKED = /^=\?base64\?(.*)\?=$/;

/** A text as the value of a header: as it is where every header may hold it, else packed in base64. */
export function headerValue(text: string): string {
  const isPlain = /^[\t\x20-\x7e]+$/.test(text) && text === text.trim() && !PACKED.test(text);
  return isPlain ? text : `=?base64?${encodeBase64(text)}?=`;
}

/** The text that the value of a header stands for; `undefined` where it is packed badly. */
export function textOfHeader(value: string): string | undefined {
  const packed = PACKED.exec(value)?.[1];
  if (packed === undefined) return value;
  const decoded = decodeBase64(packed);
  return "text" in decoded ? decoded.text : undefined;
}
