import { isContent, isTextBlock } from "../../dialects/content.js";
import { type McpResult, mcpResult } from "../../dialects/mcp-result.js";
import { callErrorData } from "../../envelope/call-error.js";
import type { Failure, Outcome, OutcomeMeta, Success } from "../../envelope/outcome.js";
import type { Warning } from "../../envelope/warning.js";
import { printJson } from "../../json/printable.js";
import { compact, isEqual, isRecord, type JsonRecord, omit, orNull } from "../../json/value.js";
import { compile } from "../../schema/compile.js";
import { hintsOf } from "./hints.js";
import { isSaidStructure, saidWith } from "./said-content.js";
import type { Tool } from "./tool.js";

/** A result in MCP's own way, of data that clients accept. Whatever its words cannot say travels in `_meta.plico`. */
export function plainResult(tool: Tool, outcome: Outcome): McpResult {
  return outcome.ok ? plainSuccess(tool, outcome) : plainFailure(tool, outcome);
}

function plainSuccess(tool: Tool, outcome: Success): McpResult {
  const { channels } = tool;
  const result = successResult(tool, asSource(tool, withLinks(outcome)));
  if (channels === "program") return forProgram(result, outcome.meta.summary);
  return withCuts(channels === "model" ? forModel(result, outcome.data) : result, outcome.meta);
}

/** Whether the data is what clients were shown. */
export function matchesShown({ output }: Tool, data: unknown): boolean {
  return output.schema === undefined || output.data === undefined || output.data.accepts(orNull(data));
}

function successResult({ output }: Tool, { data, meta }: Success): McpResult {
  const said = saidWith(data, meta);
  if (!output.isWrapped && said !== undefined && isEqual(said, data)) return onlySaid(data, meta);
  const isUsual = said === undefined || isSaidStructure(data, meta);
  if (!output.isWrapped && isUsual && (isRecord(data) || said === undefined))
    return mcpResult.write({ ok: true, data, meta }).wire;
  const wrapped = output.isWrapped || !isRecord(data);
  const { wire } = mcpResult.write({ ok: true, data, meta: hintsOf(meta) }, { layout: { wrapped } });
  const content = isContent(data) ? data : said;
  const _meta = { ...(meta.source === "mcp" && meta._meta), ...wire._meta };
  if (content === undefined) return { ...wire, _meta };
  const result = { ...wire, content, _meta };
  return output.isWrapped ? result : withCarried(result, (carried) => omit(carried, ["added"]));
}

/** Blocks of whatever kind, or none, are no structure: older clients throw away what is no object. */
function onlySaid(data: unknown, meta: OutcomeMeta): McpResult {
  const { structuredContent, ...result } = mcpResult.write({ ok: true, data, meta }).wire;
  return withCarried(result, (carried) => omit(carried, ["wrapped", "added"]));
}

/** Blocks are shown with the links; beside other data the links stand in the content anyway. */
function withLinks(outcome: Success): Success {
  const { data, meta } = outcome;
  if (meta.links === undefined || !isContent(data)) return outcome;
  return { ok: true, data: [...data, ...meta.links], meta: omit({ ...meta }, ["links"]) as OutcomeMeta };
}

/**
 * A tool behind Plico answers as it did there: nothing that it said is stripped. Data that someone else has changed
 * stays as it is, and what it was before is not told.
 */
function asSource({ spec, output }: Tool, outcome: Success): Success {
  const { data, meta } = outcome;
  if (meta.source !== "mcp") return { ok: true, data, meta: hintsOf(meta) };
  const { structuredContent: said } = meta;
  if (said === undefined || isEqual(data, said)) return outcome;
  const isOurs = isEqual(compile(spec.outputSchema).normalise(said).value, data);
  const isFit = isOurs && (output.data === undefined || output.data.accepts(said));
  return isFit ? { ok: true, data: said, meta } : outcome;
}

/** Hosts show models nothing of `_meta`, and what was cut looks complete: so it is told before the links. */
function withCuts(result: McpResult, { warnings = [] }: OutcomeMeta): McpResult {
  const cuts = warnings.filter(({ code }) => code === "TRUNCATED");
  if (cuts.length === 0) return result;
  const lines = cuts.map(({ path = "", message }) => `- ${path === "" ? "(root)" : path} ${message}`);
  const told = { type: "text", text: ["⚠️ This is not all of the result:", ...lines].join("\n") };
  const isLink = (block: unknown): boolean => isRecord(block) && block["type"] === "resource_link";
  const others = result.content.filter((block) => !isLink(block));
  return { ...result, content: [...others, told, ...result.content.filter(isLink)] };
}

/** The text alone: of data that is no blocks, its JSON. */
function forModel({ structuredContent, ...result }: McpResult, data: unknown): McpResult {
  if (structuredContent === undefined) return result;
  const isSaid = result.content.some((block) => isTextBlock(block)) && !isAdded(result);
  if (isSaid) return result;
  const text = typeof data === "string" ? data : printJson(data);
  const others = result.content.filter((block) => !isTextBlock(block));
  return withCarried({ ...result, content: [{ type: "text", text }, ...others] }, (carried) => ({
    ...omit(carried, ["added", "wrapped"]),
    ...(typeof data !== "string" && { at: "/content/0/text" }),
  }));
}

/** Whether Plico made the text. */
function isAdded({ _meta }: McpResult): boolean {
  const plico = _meta?.["plico"];
  return isRecord(plico) && Array.isArray(plico["added"]) && plico["added"].includes("/content");
}

/** The structure alone, and what only blocks can say. */
function forProgram(result: McpResult, summary: string | undefined): McpResult {
  if (result.structuredContent === undefined) return result;
  const blocks = result.content.filter((block) => !isTextBlock(block));
  const content = summary === undefined ? blocks : [{ type: "text", text: summary }, ...blocks];
  const isAdded = blocks.length === result.content.length || content.every(isTextBlock);
  return withCarried({ ...result, content }, (carried) => (isAdded ? { ...carried, added: ["/content"] } : carried));
}

/**
 * Data that does not match the schema that clients were shown. Strict ones would throw the result away, so it is told as
 * an error, for people and models, with the data; a reader of Plico's makes the success of it that it is.
 */
export function mismatchResult(tool: Tool, { data, meta }: Success): McpResult {
  const hints = { ...meta, warnings: withMismatch(tool, data, meta.warnings ?? []) };
  const given = { ok: true, data, meta: hints.source === "mcp" ? hints : hintsOf(hints) } as const;
  const { structuredContent, ...result } = mcpResult.write(given).wire;
  const isBlocks = structuredContent === undefined;
  const told = [toldMismatch(hints.warnings), ...(isSaidStructure(data, meta) ? [printJson(data)] : [])];
  const content = isBlocks ? result.content : [...told.map((text) => ({ type: "text", text })), ...result.content];
  return withCarried({ ...result, content, isError: true }, (carried) => ({
    ...omit(carried, ["wrapped"]),
    ok: true,
    ...(!isBlocks && { data: orNull(data) }),
  }));
}

function withMismatch({ output }: Tool, data: unknown, warnings: readonly Warning[]): readonly Warning[] {
  if (warnings.some(({ code }) => code === "OUTPUT_MISMATCH")) return warnings;
  const issues = output.data?.issues(orNull(data)) ?? [];
  return [...warnings, ...issues.slice(0, 20).map(({ path, message }) => ({ code: "OUTPUT_MISMATCH", message, path }))];
}

function toldMismatch(warnings: readonly Warning[]): string {
  const lines = warnings
    .filter(({ code }) => code === "OUTPUT_MISMATCH")
    .slice(0, 5)
    .map(({ path = "", message }) => `- ${path === "" ? "(root)" : path} ${message}`);
  return ["⚠️ The call succeeded, but its result does not match the tool's output schema:", ...lines].join("\n");
}

/** The error as text, and for programs as structure, where no schema says that it must be something else. */
function plainFailure({ output, channels }: Tool, { error: given, meta }: Failure): McpResult {
  const error = callErrorData(given);
  const isSource = meta.source === "mcp" && isEqual(error.data, meta.structuredContent ?? meta.content);
  if (isSource || isContent(error.data)) {
    const { wire } = mcpResult.write({ ok: false, error, meta: isSource ? meta : hintsOf(meta) });
    const isFit = channels !== "model" && isShowable(output, wire.structuredContent);
    return isFit ? wire : withoutStructure(wire, error.data);
  }
  const { data, ...others } = error;
  const { wire } = mcpResult.write({ ok: false, error: others, meta: hintsOf(meta) });
  const result = data === undefined ? wire : withoutStructure(wire, data);
  if (channels === "model" || output.schema !== undefined) return result;
  return withCarried({ ...result, structuredContent: { error } }, (carried) => ({
    ...carried,
    added: ["/structuredContent"],
  }));
}

/** Whether clients take the structure of a failure, which they hold against the schema of a success. */
function isShowable({ schema, data, isWrapped }: Tool["output"], structure: unknown): boolean {
  if (structure === undefined) return true;
  if (!isRecord(structure)) return false;
  return schema === undefined || (!isWrapped && data?.accepts(structure) === true);
}

/** What the call returned although it failed is carried instead. */
function withoutStructure({ structuredContent, ...wire }: McpResult, data: unknown): McpResult {
  return withCarried(wire, (carried) => {
    const known = isRecord(carried["error"]) ? carried["error"] : {};
    return { ...omit(carried, ["wrapped"]), error: compact({ ...known, data }) };
  });
}

function withCarried(result: McpResult, change: (carried: JsonRecord) => JsonRecord): McpResult {
  const { plico, ...others } = result._meta ?? {};
  const carried = change(isRecord(plico) ? plico : {});
  const _meta = { ...others, ...(Object.keys(carried).length > 0 && { plico: carried }) };
  const { _meta: _, ...rest } = result;
  return Object.keys(_meta).length === 0 ? rest : { ...rest, _meta };
}
