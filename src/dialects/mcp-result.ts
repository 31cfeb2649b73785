import type { CallErrorData } from "../envelope/call-error.js";
import { AnyContentBlockSchema, type MCPContentBlock, type MCPResourceLink } from "../envelope/content-block.js";
import { isHint } from "../envelope/hints.js";
import { originFields } from "../envelope/origin.js";
import type { OutcomeMeta } from "../envelope/outcome.js";
import { toolError } from "../envelope/tool-error.js";
import { orElse } from "../json/attempt.js";
import { arraySchema, objectSchema } from "../json/json-schema.js";
import { type JsonPointer, pointerSegments, pointerTo } from "../json/pointer.js";
import { printJson, printObject } from "../json/printable.js";
import { told } from "../json/told.js";
import { compact, isEqual, isRecord, isString, type JsonRecord, omit, orNull } from "../json/value.js";
import { type Carried, unwrapResult, wrapResult } from "./carried.js";
import { blockFaults, isContent, isTextBlock, textOf } from "./content.js";
import type { Dialect, Layout, Rules } from "./dialect.js";
import { decodeEnvelopeBlock, prefixOf } from "./envelope-block.js";
import { errorText } from "./error-text.js";
import { defineDialect } from "./frame.js";
import type { Broken, Draft, DraftOptions } from "./grammar.js";
import { reproduces } from "./payload-fields.js";

/** MCP's `CallToolResult`. */
export interface McpResult {
  content: unknown[];
  structuredContent?: unknown;
  isError?: boolean;
  _meta?: Record<string, unknown>;
  [key: string]: unknown;
}

const RULES: Rules = {
  content: { level: "fatal", demand: "`content` is a list" },
  "is-error": { level: "fatal", demand: "`isError` is true, false or absent" },
  "content-block": { level: "violation", demand: "each block of a known type has the fields of that type" },
  "block-type": { level: "violation", demand: "each block is an object with a string `type`" },
  meta: { level: "violation", demand: "`_meta` is an object" },
};

const NAME = "mcp-result";

export const mcpResult: Dialect<McpResult> = defineDialect<McpResult>({
  name: NAME,
  marker: "a `content` list",
  schema: objectSchema(
    {
      content: arraySchema(AnyContentBlockSchema),
      structuredContent: true,
      isError: { type: "boolean" },
      _meta: { type: "object" },
    },
    ["structuredContent", "isError", "_meta"],
  ),
  rules: RULES,
  carrier: "/_meta/plico",
  fillable: ["/content", "/structuredContent"],
  carriesMeta: true,
  claims: (value) => isRecord(value) && Array.isArray(value["content"]),
  resembles: (value) => isRecord(value) && "content" in value && ("isError" in value || "structuredContent" in value),
  check: checkResult,
  fromBody(body, carried) {
    const { structuredContent, content = [] } = body;
    const own = structuredContent === undefined ? content : structuredContent;
    const data = carried.at === undefined ? own : orElse(() => payloadAt(body, carried.at ?? ""), own);
    const failed = body["isError"] === true && carried.ok !== true;
    const meta = readMeta(body, carried, failed);
    if (failed) return { ok: false, error: readError(body), meta };
    companions.set(content as object, carried.wrapped ? unwrapResult(data) : data);
    return { ok: true, data, meta };
  },
  toBody: (outcome, options) =>
    outcome.ok ? writeSuccess(outcome.data, outcome.meta, options) : writeFailure(outcome.error, outcome.meta, options),
  print: printResult,
  ownExtra: (outcome, extra) =>
    outcome.ok && isStale(extra["content"], outcome.data) ? omit(extra, ["content"]) : extra,
});

/** The data where another layout has it: in a part of the structure, in the JSON of a text, or packed in a block. */
function payloadAt(body: JsonRecord, place: JsonPointer): unknown {
  let value: unknown = body;
  for (const key of pointerSegments(place)) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key))
      throw new RangeError("nothing there");
    value = (value as JsonRecord)[key];
  }
  if (!isString(value) || !place.startsWith("/content/")) return value;
  if (prefixOf(value) === undefined) return JSON.parse(value);
  const decoded = decodeEnvelopeBlock(value);
  if ("broken" in decoded) throw new RangeError("the block is damaged");
  return decoded.envelope["payload"];
}

function readMeta(body: JsonRecord, carried: Carried, isError: boolean): OutcomeMeta {
  const content = (body["content"] ?? []) as unknown[];
  const links = content.filter((block): block is MCPResourceLink => isHint("links", [block]));
  const hints = links.length > 0 && body["structuredContent"] !== undefined ? { links } : {};
  if (carried.meta?.["source"] !== "mcp") return hints;
  const { structuredContent, _meta } = body;
  const own = isRecord(_meta) ? omit(_meta, ["plico"]) : {};
  const origin = { source: "mcp", isError, content, structuredContent };
  return compact({
    ...origin,
    _meta: Object.keys(own).length === 0 ? undefined : own,
    ...hints,
  }) as unknown as OutcomeMeta;
}

function readError({ content, structuredContent }: JsonRecord): CallErrorData {
  const blocks = content as unknown[];
  const message = textOf(blocks);
  const onlyText = blocks.length === 1 && message !== "";
  const data =
    structuredContent !== undefined ? structuredContent : onlyText || blocks.length === 0 ? undefined : blocks;
  return { ...toolError(message, structuredContent), ...(data !== undefined && { data }) };
}

function writeSuccess(data: unknown, meta: OutcomeMeta, { brief = false, layout }: DraftOptions): Draft {
  const said = originContent(meta, data);
  const isShown = layout?.wrapped !== true && isOwnContent(data, meta) && meta.links === undefined;
  if (isShown) return result({ content: said ?? data }, meta);
  const text = brief || said !== undefined ? "" : typeof data === "string" ? data : printJson(data);
  const block = { type: "text", text };
  if (!brief && isRecord(data)) copies.set(block, data);
  const content = said ?? [block, ...(meta.links ?? [])];
  const draft = result({ content, ...structured(orNull(data), said !== undefined, layout) }, meta);
  return said === undefined ? { ...draft, added: ["/content"] } : draft;
}

/** Older clients take objects only; a document that has something else is written as it was. */
function structured(
  data: unknown,
  isSaid: boolean,
  layout: Layout | undefined,
): { structuredContent: unknown; wrapped: boolean } {
  const wraps = layout?.wrapped ?? (!isRecord(data) && !reproduces(layout));
  if (isSaid || !wraps) return { structuredContent: data, wrapped: false };
  return { structuredContent: wrapResult(data), wrapped: true };
}

/** Blocks of known types, or of any type where they came as the content of a result. */
function isOwnContent(data: unknown, { extra }: OutcomeMeta): data is unknown[] {
  if (isContent(data)) return true;
  const own = extra?.[NAME];
  return Array.isArray(data) && data.length > 0 && isRecord(own) && isEqual(own["content"], data);
}

/** The content of an MCP origin, where it still goes with the data. */
function originContent(meta: OutcomeMeta, data: unknown): MCPContentBlock[] | undefined {
  if (meta.source !== "mcp") return undefined;
  const { content, structuredContent } = meta;
  return isEqual(data, structuredContent === undefined ? content : structuredContent) ? content : undefined;
}

function writeFailure(error: CallErrorData, meta: OutcomeMeta, { layout }: DraftOptions): Draft {
  const said = originContent(meta, error.data);
  if (isOwnContent(error.data, meta)) return result({ content: said ?? error.data, isError: true }, meta);
  const plain = isEqual({ ...error, data: undefined }, { ...toolError(error.message) });
  const text = { type: "text", text: plain ? error.message : errorText(error) };
  const content = said ?? [text, ...(meta.links ?? [])];
  if (error.data === undefined) return result({ content, isError: true }, meta);
  return result({ content, ...structured(error.data, said !== undefined, layout), isError: true }, meta);
}

/** An MCP origin is this very document, so only its name has to travel; once the data differs, it is another's. */
function result({ wrapped, ...body }: McpResult & { wrapped?: boolean }, meta: OutcomeMeta): Draft {
  const carried: Carried = wrapped ? { wrapped } : {};
  if (meta.source !== "mcp") return { body: compact(body), carried };
  if (body.content !== meta.content) return { body: compact(body), carried, uncarried: originFields("mcp") };
  const own = omit(meta._meta ?? {}, ["plico"]);
  return { body: compact({ ...body, _meta: meta._meta && own }), carried: { ...carried, meta: { source: "mcp" } } };
}

/** The data that each content was read with. */
const companions = new WeakMap<object, unknown>();

/** Content that was read with other data would contradict this. */
function isStale(content: unknown, data: unknown): boolean {
  return Array.isArray(content) && companions.has(content) && !isEqual(companions.get(content), data);
}

/** Text blocks that hold the JSON of a value, so that the value need not be put into JSON a second time. */
const copies = new WeakMap<object, unknown>();

function printResult(wire: McpResult): string {
  const [block] = wire.content;
  const data = wire.structuredContent;
  const copied = isTextBlock(block) && data !== undefined && copies.get(block) === data;
  return copied ? printObject(wire, (value) => (value === data ? block.text : undefined)) : printJson(wire);
}

function checkResult(body: JsonRecord): Broken[] {
  const { content, isError, _meta } = body;
  const broken: Broken[] = [];
  if (!Array.isArray(content)) broken.push(["content", "/content", `it is ${told(content)}`]);
  if (isError !== undefined && typeof isError !== "boolean")
    broken.push(["is-error", "/isError", `it is ${told(isError)}`]);
  if (_meta !== undefined && !isRecord(_meta)) broken.push(["meta", "/_meta", `it is ${told(_meta)}`]);
  return [...broken, ...(Array.isArray(content) ? content.flatMap(checkBlock) : [])];
}

function checkBlock(block: unknown, at: number): Broken[] {
  if (!isRecord(block) || !isString(block["type"]))
    return [["block-type", pointerTo("content", at), `it is ${told(block)}`]];
  return blockFaults(block).map((field) => [
    "content-block",
    pointerTo("content", at, field),
    `it is ${told(block[field])}`,
  ]);
}
