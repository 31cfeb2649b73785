import { STATUS_EMOJI } from "../../dialects/compose-tool-payload.js";
import { isContent, isTextBlock } from "../../dialects/content.js";
import { detailsText } from "../../dialects/error-text.js";
import type { CallErrorData } from "../../envelope/call-error.js";
import { categoryFacts } from "../../envelope/category.js";
import type { Pagination, RateLimit } from "../../envelope/hints.js";
import type { Outcome, OutcomeMeta } from "../../envelope/outcome.js";
import type { Warning } from "../../envelope/warning.js";
import { instantToIso } from "../../json/instant.js";
import { printJson } from "../../json/printable.js";
import type { JsonRecord } from "../../json/value.js";
import { pretty } from "./pretty.js";
import type { Style } from "./style.js";

/** An outcome as a person reads it: headline, what came, what to mind, what to do. */
export function view(outcome: Outcome, dialect: string, style: Style): string {
  const { meta } = outcome;
  const payload = outcome.ok ? outcome.data : outcome.error.data;
  const sections = [
    [headline(outcome, dialect, style), ...(outcome.ok ? [] : advice(outcome.error)), ...listed(meta.details, "  ")],
    payload === undefined ? [] : block("Data", dataText(payload), style),
    section("Warnings", meta.warnings?.map(warningText), style.yellow),
    section(
      "Skipped sources",
      meta.skippedSources?.map((source) => (typeof source === "string" ? source : printJson(source))),
      style.yellow,
    ),
    section(
      "Links",
      meta.links?.map(({ name, uri }) => `${name}: ${uri}`),
      style.bold,
    ),
    section("Next steps", meta.nextSteps, style.bold),
    facts(meta, style),
  ];
  return `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join("\n"))
    .join("\n\n")}\n`;
}

function headline(outcome: Outcome, dialect: string, { bold, green, red, dim }: Style): string {
  const from = dim(` (${dialect})`);
  if (outcome.ok) {
    const unsaid = unsaidHeadline(outcome.meta);
    const { status = unsaid.status, summary = unsaid.summary } = outcome.meta;
    return `${STATUS_EMOJI[status]} ${green(bold(summary))}${from}`;
  }
  const { category, code, message } = outcome.error;
  const { emoji, label } = categoryFacts(category);
  return `${emoji} ${red(bold(`${label} [${code}]: ${message}`))}${from}`;
}

/** The headline of a source that gave none. */
function unsaidHeadline({ skippedSources, warnings = [] }: OutcomeMeta): { status: "ok" | "warn"; summary: string } {
  if (warnings.some(({ code }) => code === "ENVELOPE_DAMAGED"))
    return { status: "warn", summary: "Only the text could be read" };
  if (skippedSources !== undefined) return { status: "warn", summary: "The call succeeded in part" };
  return { status: "ok", summary: "The call succeeded" };
}

function advice({
  category,
  details,
  issues = [],
  suggestedAction,
  nextTool,
  retryAfterMs,
  recoverable,
}: CallErrorData): string[] {
  return [
    ...issues.map(({ path, message }) => `  ${path === "" ? "(the whole input)" : path}: ${message}`),
    ...(details === undefined ? [] : [`  Details: ${indented(detailsText(details), "  ").trimStart()}`]),
    ...(suggestedAction === undefined ? [] : [`  Suggestion: ${suggestedAction}`]),
    ...(nextTool === undefined ? [] : [`  Next tool: ${nextTool}`]),
    ...(retryAfterMs === undefined ? [] : [`  Wait ${retryAfterMs / 1000} s before the next try`]),
    ...(recoverable
      ? [category === "validation" ? "  Trying again with another input may help" : "  Trying again may help"]
      : []),
  ];
}

function block(title: string, text: string, { bold }: Style): string[] {
  return [bold(title), indented(text, "  ")];
}

/** Data as a person reads it: a text as it is, of content blocks what they say. */
export function dataText(data: unknown): string {
  if (typeof data === "string") return data === "" ? '""' : data;
  if (!isContent(data)) return pretty(data);
  return data.map(blockText).join("\n");
}

/** A block as a person can use it: nobody reads base64. */
function blockText(block: JsonRecord): string {
  if (isTextBlock(block)) return block.text;
  const { type, data, mimeType, uri, name } = block;
  if (typeof data === "string") return `[${type}: ${mimeType}, ${data.length} characters of base64]`;
  return type === "resource_link" ? `[link: ${name}, ${uri}]` : pretty(block);
}

function warningText({ code, message, path }: Warning): string {
  const told = code === "SOURCE_WARNING" ? message : `${code}: ${message}`;
  return path === undefined || path === "" ? told : `${told} (${path})`;
}

function section(title: string, lines: readonly string[] | undefined, paint: (text: string) => string): string[] {
  return lines === undefined || lines.length === 0 ? [] : [paint(title), ...listed(lines, "  - ")];
}

function listed(lines: readonly string[] | undefined, prefix: string): string[] {
  return (lines ?? []).filter((line) => line.trim() !== "").map((line) => prefix + line);
}

/** The small print, a line each. */
function facts(meta: OutcomeMeta, { dim }: Style): string[] {
  const named: readonly (readonly [string, string | undefined])[] = [
    ["page", meta.pagination && pageText(meta.pagination)],
    ["rate limit", meta.rateLimit && limitText(meta.rateLimit)],
    ["tokens", meta.tokenUsage && pairs({ ...meta.tokenUsage })],
    ["telemetry", meta.telemetry && pairs(meta.telemetry)],
    ["truncated", meta.truncated === true ? "some of the text was cut" : undefined],
    ["request", meta.requestId],
    ["trace", meta.traceId],
    ["at", instantToIso(meta.timestamp)],
    ["source", originText(meta)],
  ];
  return named.flatMap(([name, text]) => (text === undefined || text === "" ? [] : [dim(`${name}: ${text}`)]));
}

function originText(meta: OutcomeMeta): string | undefined {
  if (meta.source === "local") return `operation ${meta.operationId}`;
  if (meta.source === "http") return `HTTP ${meta.statusCode}`;
  if (meta.source === "script") return `${meta.command.join(" ")}, exit code ${meta.exitCode}`;
  return meta.source === "mcp" ? "MCP" : undefined;
}

function pageText({ cursor, hasMore, totalCount, pageSize, page }: Pagination): string {
  const more = hasMore === undefined ? undefined : hasMore ? "more to come" : "the last page";
  const parts = [
    page === undefined ? undefined : `page ${page}`,
    more,
    totalCount === undefined ? undefined : `${totalCount} in all`,
    pageSize === undefined ? undefined : `${pageSize} a page`,
    cursor === undefined || cursor === null ? undefined : `next cursor ${cursor}`,
  ];
  return parts.filter((part) => part !== undefined).join(", ");
}

function limitText({ limit, remaining, resetAt, resetSeconds, retryAfterMs }: RateLimit): string {
  const of = limit === undefined ? "" : ` of ${limit}`;
  const parts = [
    remaining === undefined ? (limit === undefined ? undefined : `${limit} in all`) : `${remaining}${of} left`,
    instantToIso(resetAt) === undefined ? undefined : `resets at ${instantToIso(resetAt)}`,
    resetSeconds === undefined ? undefined : `resets in ${resetSeconds} s`,
    retryAfterMs === undefined ? undefined : `retry after ${retryAfterMs / 1000} s`,
  ];
  return parts.filter((part) => part !== undefined).join(", ");
}

function pairs(record: Readonly<Record<string, unknown>>): string {
  return Object.entries(record)
    .map(([key, value]) => `${key} ${printJson(value)}`)
    .join(", ");
}

function indented(text: string, by: string): string {
  return text.replaceAll(/^(?=.)/gm, by);
}
