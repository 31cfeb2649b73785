import { isCarried } from "../../dialects/carried.js";
import { isTextBlock } from "../../dialects/content.js";
import { type FoundReading, read } from "../../dialects/convert.js";
import { mcpResult } from "../../dialects/mcp-result.js";
import { CallError } from "../../envelope/call-error.js";
import type { MCPContentBlock, MCPResourceLink } from "../../envelope/content-block.js";
import { hintsIn, isHint, type ResponseHints } from "../../envelope/hints.js";
import type { MCPResponseMeta } from "../../envelope/origin.js";
import { type Outcome, outcomeFromEnvelope } from "../../envelope/outcome.js";
import { mcpEnvelope, type ResponseEnvelope } from "../../envelope/response-envelope.js";
import type { Warning } from "../../envelope/warning.js";
import { orElse } from "../../json/attempt.js";
import { printJson } from "../../json/printable.js";
import { told } from "../../json/told.js";
import { isRecord, type JsonRecord, omit } from "../../json/value.js";
import { keepHints } from "../../registry/failure-hints.js";
import { invalidAnswer } from "./errors.js";

export interface ResultOptions {
  readonly recoverJson?: boolean;
  readonly unfold?: boolean;
  readonly throwOnToolError?: boolean;
}

/** The answer of a tool as an envelope, with all that it said. Throws what the answer itself calls an error of the call. */
export function envelopeFromResult(
  result: unknown,
  options: ResultOptions,
  hasOutputSchema: boolean,
): ResponseEnvelope {
  if (result === undefined) throw invalidAnswer("answered without a result");
  if (!isRecord(result)) throw invalidAnswer(`answered with ${told(result)} in place of a result`, result);
  const origin = originOf(result);
  const quick = ofPlico(result, origin);
  if (quick !== undefined) return quick;
  const { recoverJson = true, unfold = true, throwOnToolError = false } = options;
  const json = origin.structuredContent === undefined ? jsonIn(origin) : undefined;
  const reading = unfold || isOurs(result) ? readingOf(result, origin, json) : undefined;
  const isSafe = recoverJson && (origin.content.length === 1 || hasOutputSchema);
  const envelope =
    (reading === undefined ? undefined : unfolded(reading, origin)) ??
    plain(withDamage(origin, reading), isSafe ? json : undefined, hasOutputSchema);
  if (throwOnToolError && envelope.meta.source === "mcp" && envelope.meta.isError)
    throw keepHints(errorOf(envelope), envelope.meta);
  return envelope;
}

/**
 * The usual success of a Plico server, which says nothing but that the text was made from the structure, and whether that
 * is wrapped; what says more is read by the dialect, which takes several times as long for the same.
 */
function ofPlico({ _meta, isError }: JsonRecord, origin: Origin): ResponseEnvelope | undefined {
  const plico = isRecord(_meta) ? _meta["plico"] : undefined;
  const { structuredContent, content } = origin;
  if (!isRecord(plico) || isError === true || !isRecord(structuredContent) || !content.every(isTextBlock))
    return undefined;
  for (const key in plico) if (key !== "added" && key !== "wrapped") return undefined;
  const isWrapped = plico["wrapped"] === true;
  if (isWrapped && !("result" in structuredContent)) return undefined;
  return mcpEnvelope(isWrapped ? structuredContent["result"] : structuredContent, origin);
}

type Origin = Omit<MCPResponseMeta, "source"> & ResponseHints;

const KNOWN = ["content", "structuredContent", "isError", "_meta", "resultType"];

/** What came, where it belongs; what has no place of its own is kept beside it. */
function originOf(result: JsonRecord): Origin {
  const { content, structuredContent, isError, _meta, resultType } = result;
  const { blocks, faults } = blocksOf(content, structuredContent !== undefined);
  if (isError !== undefined && typeof isError !== "boolean") faults.push(`isError is ${told(isError)}`);
  if (_meta !== undefined && !isRecord(_meta)) faults.push(`_meta is ${told(_meta)}`);
  if (resultType !== undefined && resultType !== "complete") faults.push(`resultType is ${told(resultType)}`);
  const rest = omit(result, KNOWN);
  const warnings = faults.map((message): Warning => ({ code: "NONCONFORMING", message }));
  return {
    isError: isError === true,
    content: blocks,
    ...(structuredContent !== undefined && { structuredContent }),
    ...(isRecord(_meta) && { _meta }),
    ...(Object.keys(rest).length > 0 && { extra: { [mcpResult.name]: rest } }),
    ...(warnings.length > 0 && { warnings }),
  };
}

function blocksOf(content: unknown, mayBeAbsent: boolean): { blocks: MCPContentBlock[]; faults: string[] } {
  if (Array.isArray(content)) {
    const odd = content.filter((block) => !isRecord(block));
    const blocks = odd.length === 0 ? content : content.map((block) => (isRecord(block) ? block : textBlock(block)));
    return { blocks, faults: odd.map((block) => `a block of content is ${told(block)}`) };
  }
  if (content === undefined && mayBeAbsent) return { blocks: [], faults: [] };
  const blocks = content === undefined || content === null ? [] : [textBlock(content)];
  return { blocks, faults: [`content is ${told(content)}`] };
}

function textBlock(value: unknown): MCPContentBlock {
  return { type: "text", text: typeof value === "string" ? value : printJson(value) };
}

/** The one list or object in the texts of a result. A text such as "007" or "true" means itself. */
function jsonIn({ content }: Origin): { value: unknown } | undefined {
  const texts = content.filter(isTextBlock).filter(({ text }) => /^\s*[[{]/.test(text));
  const [block] = texts;
  if (texts.length !== 1 || block === undefined) return undefined;
  return orElse(() => ({ value: JSON.parse(block.text) as unknown }), undefined);
}

/** A document of another format in the result, where there is a sign of one: looking for it costs. */
function readingOf(
  result: JsonRecord,
  { content, isError, structuredContent }: Origin,
  json: { value: unknown } | undefined,
): FoundReading | undefined {
  if (isOurs(result)) return { ...mcpResult.read(result), dialect: mcpResult.name };
  const document = structuredContent === undefined ? json?.value : structuredContent;
  const isPacked = content.some((block) => isTextBlock(block) && block.text.startsWith("__ENVELOPE_V"));
  if (!isPacked && !(isRecord(document) && SIGNS.some((sign) => sign in document))) return undefined;
  const reading = read({ ...result, content, isError }, { deep: true });
  return reading.dialect === mcpResult.name || reading.kind === "stranger" ? undefined : reading;
}

const SIGNS = ["meta", "success", "schema_version", "status"];

/** Whether a result was written by Plico, which put its own words beside it. */
export function isOurs(result: object): boolean {
  const _meta = "_meta" in result ? result._meta : undefined;
  return isRecord(_meta) && isCarried(_meta["plico"]);
}

/** `undefined` where the document is damaged: then the result is what it would be without it. */
function unfolded(reading: FoundReading, origin: Origin): ResponseEnvelope | undefined {
  if (reading.kind === "stranger") return undefined;
  if (reading.kind === "malformed") return rescued(reading, origin);
  const { outcome, notes } = reading;
  const isOverruled = notes.some(({ code }) => code === "VERDICTS_DIFFER");
  const hints = hintsOf(outcome, origin, notes);
  if (!outcome.ok && !isOverruled)
    throw keepHints(new CallError(outcome.error), { ...origin, ...hints, isError: true, source: "mcp" });
  const data = outcome.ok ? outcome.data : outcome.error.data;
  const envelope = mcpEnvelope(data, { ...origin, ...hints, isError: !outcome.ok });
  if (reading.dialect !== mcpResult.name) payloads.add(envelope);
  return envelope;
}

type Malformed = Extract<FoundReading, { kind: "malformed" }>;

/** The text beside a damaged block, where nothing else came. */
function rescued(reading: Malformed, origin: Origin): ResponseEnvelope | undefined {
  const { fallback } = reading;
  if (fallback?.ok !== true || origin.structuredContent !== undefined || origin.isError) return undefined;
  const envelope = mcpEnvelope(fallback.data, withDamage(origin, reading));
  payloads.add(envelope);
  return envelope;
}

function withDamage(origin: Origin, reading: FoundReading | undefined): Origin {
  if (reading?.kind !== "malformed") return origin;
  const [issue] = reading.issues;
  const message = `it looks like ${reading.dialect} and cannot be read: ${issue?.path ?? ""} ${issue?.message ?? ""}`;
  const code = reading.fallback === undefined ? "NONCONFORMING" : "ENVELOPE_DAMAGED";
  return { ...origin, warnings: [...(origin.warnings ?? []), { code, message }] };
}

const payloads = new WeakSet<ResponseEnvelope>();

/** Whether the data was taken out of another format's document. */
export function isPayload(envelope: ResponseEnvelope): boolean {
  return payloads.has(envelope);
}

/** The document's own hints, and what was noticed on the way. */
function hintsOf({ meta }: Outcome, origin: Origin, notes: readonly Warning[]): ResponseHints {
  const { extra, warnings: own = [], ...others } = hintsIn(meta);
  const warnings = [...own, ...notes, ...(origin.warnings ?? [])];
  const kept = extra === undefined ? undefined : extraOf(extra);
  return { ...others, ...(kept !== undefined && { extra: kept }), ...(warnings.length > 0 && { warnings }) };
}

/** What only a dialect knows; the result around its document is in the origin already. */
function extraOf(extra: JsonRecord): JsonRecord | undefined {
  const entries = Object.entries(extra)
    .filter(([dialect]) => dialect !== mcpResult.name)
    .map(([dialect, fields]) => [dialect, isRecord(fields) ? omit(fields, ["content", "isError"]) : fields] as const)
    .filter(([, fields]) => !isRecord(fields) || Object.keys(fields).length > 0);
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

function plain(origin: Origin, recovered: { value: unknown } | undefined, hasOutputSchema: boolean): ResponseEnvelope {
  const { structuredContent, content, isError } = origin;
  if (structuredContent === undefined && recovered === undefined) {
    const warnings = [...(origin.warnings ?? []), UNSTRUCTURED];
    return mcpEnvelope(content as unknown, hasOutputSchema && !isError ? { ...origin, warnings } : origin);
  }
  const links = content.filter((block): block is MCPResourceLink => isHint("links", [block]));
  const data = structuredContent === undefined ? recovered?.value : structuredContent;
  return mcpEnvelope(data, links.length === 0 ? origin : { links, ...origin });
}

const UNSTRUCTURED: Warning = {
  code: "OUTPUT_MISMATCH",
  message: "the tool declares what it returns and sent only content, which is passed on",
  path: "",
};

function errorOf(envelope: ResponseEnvelope): CallError {
  const outcome = outcomeFromEnvelope(envelope);
  return new CallError(outcome.ok ? { category: "execution", message: "The tool failed." } : outcome.error);
}
