import { orElse } from "../json/attempt.js";
import { type JsonPointer, pointerTo } from "../json/pointer.js";
import { isEqual, type JsonRecord, omit } from "../json/value.js";
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
  const inside =
    deep && dialect === mcpResult ? orElse(() => findInside(value as JsonRecord, dialects), undefined) : undefined;
  return inside ?? { dialect, document: value };
}

function findInside(result: JsonRecord, dialects: readonly Dialect[]): Found | undefined {
  const isError = result["isError"] === true;
  // A number and a title are no proof of a problem unless the result itself says that it is an error.
  const inner = dialects.filter((dialect) => dialect !== mcpResult && (isError || dialect !== problemDetails));
  for (const { document, at } of candidates(result)) {
    const dialect = inner.find((candidate) => candidate.claims(document));
    if (dialect === undefined) continue;
    const path = at === undefined ? "/structuredContent" : pointerTo("content", at, "text");
    return { dialect, document, carrier: { dialect: mcpResult, path, isError, rest: restOf(result, document, at) } };
  }
  return undefined;
}

interface Candidate {
  readonly document: unknown;
  /** The block that holds it; else it is the structured content. */
  readonly at?: number;
}

function* candidates({ structuredContent, content }: JsonRecord): Generator<Candidate> {
  if (structuredContent !== undefined) yield { document: structuredContent };
  for (const [at, block] of (Array.isArray(content) ? content : []).entries()) {
    const document = isTextBlock(block) ? parseObject(block.text) : undefined;
    if (document !== undefined) yield { document, at };
  }
}

/** What the result has beside the document and texts that only repeat it. */
function restOf(result: JsonRecord, document: unknown, at: number | undefined): JsonRecord {
  const { structuredContent, content } = result;
  const outer = omit(result, ["structuredContent", "content", "isError"]);
  const others = (Array.isArray(content) ? content : []).filter((block, index) =>
    at === undefined ? !isTextBlock(block) || !isEqual(parseObject(block.text), document) : index !== at,
  );
  if (at === undefined || structuredContent === undefined) return withContent(outer, others);
  return withContent({ ...outer, structuredContent }, others);
}

function withContent(rest: JsonRecord, content: readonly unknown[]): JsonRecord {
  return content.length === 0 ? rest : { ...rest, content };
}

function parseObject(text: string): unknown {
  if (!/^\s*\{/.test(text)) return undefined;
  return orElse<unknown>(() => JSON.parse(text), undefined);
}
