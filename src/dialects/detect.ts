import { type JsonPointer, pointerTo } from "../json/pointer.js";
import { isEqual, isRecord, type JsonRecord, omit } from "../json/value.js";
import { DIALECTS } from "./all.js";
import { isTextBlock } from "./content.js";
import type { Dialect } from "./dialect.js";
import { mcpResult } from "./mcp-result.js";
import { problemDetails } from "./problem-details.js";

export interface DetectOptions {
  /** Also look for a document inside the text or the structured content of an MCP result. @default false */
  readonly deep?: boolean;
  readonly dialects?: readonly Dialect[];
}

/** A document, and the MCP result around it if it was found inside one. */
export interface Found {
  readonly dialect: Dialect;
  readonly document: unknown;
  readonly carrier?: Carrier;
}

export interface Carrier {
  readonly dialect: Dialect;
  /** Where in the result the document was. */
  readonly path: JsonPointer;
  readonly isError: boolean;
  /** What else the result has. */
  readonly rest: JsonRecord;
}

/** The dialect that claims a value. */
export function detect(value: unknown, options: DetectOptions = {}): Dialect | undefined {
  return find(value, options)?.dialect;
}

/** As `detect`, with the document itself and where it was. */
export function find(value: unknown, { deep = false, dialects = DIALECTS }: DetectOptions = {}): Found | undefined {
  const dialect = dialects.find((candidate) => candidate.claims(value));
  if (dialect === undefined) return undefined;
  const inside = deep && dialect === mcpResult ? findInside(value as JsonRecord, dialects) : undefined;
  return inside ?? { dialect, document: value };
}

function findInside(result: JsonRecord, dialects: readonly Dialect[]): Found | undefined {
  const isError = result["isError"] === true;
  // A number and a title are no proof of a problem unless the result itself says that it is an error.
  const inner = dialects.filter((dialect) => dialect !== mcpResult && (isError || dialect !== problemDetails));
  for (const { path, document, rest } of candidates(result)) {
    const dialect = inner.find((candidate) => candidate.claims(document));
    if (dialect !== undefined) return { dialect, document, carrier: { dialect: mcpResult, path, isError, rest } };
  }
  return undefined;
}

interface Candidate {
  readonly path: JsonPointer;
  readonly document: unknown;
  readonly rest: JsonRecord;
}

function candidates(result: JsonRecord): Candidate[] {
  const { structuredContent: structured, content } = result;
  const blocks = Array.isArray(content) ? content : [];
  const outer = omit(result, ["structuredContent", "content", "isError"]);
  const texts = blocks.flatMap((block, at): Candidate[] => {
    const document = isTextBlock(block) ? parseObject(block.text) : undefined;
    if (document === undefined) return [];
    const others = blocks.filter((_, index) => index !== at);
    const rest = withContent({ ...outer, ...(structured !== undefined && { structuredContent: structured }) }, others);
    return [{ path: pointerTo("content", at, "text"), document, rest }];
  });
  if (structured === undefined) return texts;
  const copies = texts.filter(({ document }) => isEqual(document, structured)).map(({ path }) => path);
  const others = blocks.filter((_, at) => !copies.includes(pointerTo("content", at, "text")));
  return [{ path: "/structuredContent", document: structured, rest: withContent(outer, others) }, ...texts];
}

function withContent(rest: JsonRecord, content: readonly unknown[]): JsonRecord {
  return content.length === 0 ? rest : { ...rest, content };
}

function parseObject(text: string): unknown {
  if (!/^\s*\{/.test(text)) return undefined;
  try {
    const parsed: unknown = JSON.parse(text);
    return isRecord(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}
