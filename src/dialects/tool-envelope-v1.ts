import { type CallErrorData, callErrorData } from "../envelope/call-error.js";
import { categoryFacts } from "../envelope/category.js";
import { type Deprecation, isDeprecation, type ResponseHints } from "../envelope/hints.js";
import type { Failure, Outcome, OutcomeMeta, Success } from "../envelope/outcome.js";
import { toolError } from "../envelope/tool-error.js";
import type { Warning } from "../envelope/warning.js";
import { instantFromIso, instantToIso, isSameInstant } from "../json/instant.js";
import { printJson, printObject } from "../json/printable.js";
import { compact, isEqual, isRecord, isString, type JsonRecord, orNull } from "../json/value.js";
import { isTextBlock, textOf } from "./content.js";
import type { Dialect, Layout } from "./dialect.js";
import {
  decodeEnvelopeBlock,
  ENVELOPE_VERSION,
  encodeEnvelopeBlock,
  envelopePrefix,
  prefixOf,
} from "./envelope-block.js";
import { detailsText, errorText } from "./error-text.js";
import { defineDialect } from "./frame.js";
import type { Draft, DraftOptions, Opened } from "./grammar.js";
import { errorDataFromFields, errorDataToFields } from "./payload-fields.js";
import {
  checkToolEnvelope,
  isErrorPayload,
  TOOL_ENVELOPE_RULES,
  ToolEnvelopeSchema,
} from "./tool-envelope-v1-rules.js";

/** An MCP result of two blocks, text and `__ENVELOPE_V1__:` + base64; or the second block alone. */
export type ToolEnvelopeWire = { content: unknown[]; isError?: boolean; [key: string]: unknown } | string;

/** What the block holds. */
export interface ToolEnvelope<T = unknown> {
  payload: T;
  meta: { tool: string; ts: string; version: number; deprecations?: readonly Deprecation[] };
}

const TAKEN = ["category", "code", "message", "details", "recoverable", "suggestedAction", "nextTool"];

/** The body is `{ result, envelope }`: the MCP result with the bare prefix in place of the block, and what the block holds. */
export const toolEnvelopeV1: Dialect<ToolEnvelopeWire> = defineDialect<ToolEnvelopeWire>({
  name: "tool-envelope-v1",
  marker: "a text block that starts with `__ENVELOPE_V<n>__:`",
  schema: ToolEnvelopeSchema,
  rules: TOOL_ENVELOPE_RULES,
  carrier: "/envelope/meta/plico",
  fillable: ["/envelope/meta/tool", "/envelope/meta/ts", "/result/content"],
  claims: (value) => contentOf(value).some(isEnvelopeBlock),
  open: openResult,
  close: closeResult,
  print: printResult,
  check: checkToolEnvelope,
  fromBody({ result, envelope }, carried) {
    const { payload, meta } = envelope as { payload: unknown; meta: JsonRecord };
    const { content = [], isError } = result as { content?: unknown[]; isError?: unknown };
    const said = !isErrorPayload(payload) && isError !== true;
    if (carried.ok ?? said)
      return { ok: true, data: payload, meta: compact({ ...readText(content), ...readHints(meta) }) };
    return { ok: false, error: readError(payload, content), meta: readHints(meta) };
  },
  toBody: (outcome, options) => (outcome.ok ? writeSuccess(outcome, options) : writeFailure(outcome, options)),
  isSpelling: (place, theirs, ours) => place === "/envelope/meta/ts" && isSameInstant(theirs, ours),
  notes: ({ meta }) => (meta.deprecations ?? []).map(deprecationWarning),
});

function contentOf(value: unknown): readonly unknown[] {
  if (isString(value)) return [{ type: "text", text: value }];
  if (isTextBlock(value)) return [value];
  return isRecord(value) && Array.isArray(value["content"]) ? value["content"] : [];
}

function isEnvelopeBlock(block: unknown): block is { type: "text"; text: string } {
  return isTextBlock(block) && prefixOf(block.text) !== undefined;
}

function openResult(wire: unknown): Opened {
  const content = contentOf(wire);
  const block = content.find(isEnvelopeBlock);
  const decoded = decodeEnvelopeBlock(block?.text ?? "");
  const outer = isRecord(wire) && !isTextBlock(wire) ? wire : {};
  if ("broken" in decoded) return { ...decoded, ...fallback(content, outer) };
  const bare = content.map((item) =>
    isEnvelopeBlock(item) && item === block ? { ...item, text: prefixOf(item.text) } : item,
  );
  const form = isString(wire) ? "block" : isTextBlock(wire) ? "text-block" : undefined;
  const body = { result: { ...outer, content: bare }, envelope: decoded.envelope };
  return { body, packed: block?.text ?? "", ...(form !== undefined && { form }) };
}

/** The text beside a damaged block is still an answer. */
function fallback(content: readonly unknown[], { isError }: JsonRecord): { fallback?: Outcome } {
  const text = textOf(content.filter((block) => !isEnvelopeBlock(block)));
  if (text === "") return {};
  const message = "The envelope block could not be read; the data is the text that came with it.";
  const meta = { warnings: [{ code: "ENVELOPE_DAMAGED", message }] };
  if (isError !== true) return { fallback: { ok: true, data: text, meta } };
  return {
    fallback: { ok: false, error: callErrorData({ category: "execution", code: "TOOL_ERROR", message: text }), meta },
  };
}

/** The first line is the summary, the others its details. */
function readText(content: readonly unknown[]): ResponseHints {
  const block = content.filter(isTextBlock).find(({ text }) => prefixOf(text) === undefined);
  if (block === undefined) return {};
  const [summary = "", ...details] = block.text.split("\n");
  return { summary, ...(details.length > 0 && { details }) };
}

function readHints({ ts, deprecations }: JsonRecord): ResponseHints {
  const listed = Array.isArray(deprecations) && deprecations.every(isDeprecation) ? deprecations : undefined;
  return compact({
    timestamp: instantFromIso(ts),
    deprecations: listed,
  });
}

function deprecationWarning({ field, since, removeInVersion, replacement, note }: Deprecation): Warning {
  const instead = replacement === undefined ? "" : `; use ${replacement}`;
  const message = `${field} is deprecated since version ${since} and goes in version ${removeInVersion}${instead}`;
  return { code: "FIELD_DEPRECATED", message: note === undefined ? message : `${message} (${note})` };
}

function readError(payload: unknown, content: readonly unknown[]): CallErrorData {
  if (!isErrorPayload(payload)) {
    return { ...toolError(textOf(content.filter((block) => !isEnvelopeBlock(block)))), data: payload };
  }
  const { category, code, message, recoverable, details, suggestedAction, nextTool } = payload;
  return callErrorData(
    compact({
      category,
      code,
      message,
      recoverable,
      details: isString(details) ? details : undefined,
      suggestedAction: isString(suggestedAction) ? suggestedAction : undefined,
      nextTool: isString(nextTool) ? nextTool : undefined,
      data: errorDataFromFields({ ...payload }, TAKEN),
    }),
  );
}

function writeSuccess({ data, meta }: Success, options: DraftOptions): Draft {
  const { summary, details } = meta;
  const stated = stamp(meta, options);
  const lines = summary === undefined ? undefined : [summary, ...(details ?? [])];
  const said = lines?.map((line) => line.replaceAll("\n", " ")).join("\n");
  const text = said ?? "The call succeeded.";
  const body = {
    result: { content: twoBlocks(text, options) },
    envelope: { payload: orNull(data), meta: stated.meta },
  };
  return { body, added: said === undefined ? [...stated.added, "/result/content"] : stated.added };
}

function writeFailure({ error, meta }: Failure, options: DraftOptions): Draft {
  const { category, code, message, details, recoverable, suggestedAction, nextTool, data } = error;
  const { fields, carried } = errorDataToFields(data, TAKEN);
  const stated = stamp(meta, options);
  const payload = compact({
    category: categoryFacts(category).envelopeCategory,
    code,
    message,
    details: details === undefined ? undefined : detailsText(details),
    recoverable,
    suggestedAction,
    nextTool,
    ...fields,
  });
  const result = {
    content: twoBlocks(errorText(error), options),
    ...(options.layout?.form === undefined && { isError: true }),
  };
  return { body: { result, envelope: { payload, meta: stated.meta } }, carried, added: stated.added };
}

function twoBlocks(text: string, { layout }: DraftOptions): JsonRecord[] {
  const block = { type: "text", text: envelopePrefix(ENVELOPE_VERSION) };
  return layout?.form === undefined ? [{ type: "text", text }, block] : [block];
}

function stamp(meta: OutcomeMeta, { tool, now }: DraftOptions): { meta: JsonRecord; added: string[] } {
  const operation = meta.source === "local" ? meta.operationId : undefined;
  const name = [tool, operation].find((candidate) => candidate !== undefined && candidate !== "");
  const ts = instantToIso(meta.timestamp);
  const places = { "/envelope/meta/tool": name, "/envelope/meta/ts": ts };
  return {
    meta: compact({
      tool: name ?? "unknown",
      ts: ts ?? instantToIso(now ?? Date.now()),
      version: ENVELOPE_VERSION,
      deprecations: meta.deprecations?.length === 0 ? undefined : meta.deprecations,
    }),
    added: Object.entries(places).flatMap(([place, value]) => (value === undefined ? [place] : [])),
  };
}

function closeResult({ result, envelope }: JsonRecord, { form, packed }: Layout): ToolEnvelopeWire {
  const { content, ...outer } = result as { content: unknown[] };
  const at = content.findIndex(isEnvelopeBlock);
  const prefixed = content[at] as { type: "text"; text: string };
  const text = repacked(envelope as JsonRecord, packed) ?? encodeEnvelopeBlock(envelope as JsonRecord, prefixed.text);
  if (form === "block") return text;
  const block = { ...prefixed, text };
  encoded.add(block);
  return form === "text-block"
    ? (block as unknown as ToolEnvelopeWire)
    : { content: content.with(at, block), ...outer };
}

/** The block as it was, where it still says the same. */
function repacked(envelope: JsonRecord, packed: string | undefined): string | undefined {
  const decoded = packed === undefined ? undefined : decodeEnvelopeBlock(packed);
  return decoded !== undefined && "envelope" in decoded && isEqual(decoded.envelope, envelope) ? packed : undefined;
}

/** Blocks whose text is base64, which needs no escapes, so that JSON need not look for any. */
const encoded = new WeakSet<object>();

function printResult(wire: ToolEnvelopeWire): string {
  if (isString(wire)) return wire;
  const [text, block, ...others] = Array.isArray(wire.content) ? wire.content : [];
  if (!isTextBlock(block) || !encoded.has(block) || others.length > 0) return printJson(wire);
  const content = `[${printJson(text)},${printObject(block, (value) => (value === block.text ? `"${block.text}"` : undefined))}]`;
  return printObject(wire, (value) => (value === wire.content ? content : undefined));
}
