import * as guard from "../json/guard.js";
import { type Guard, listOf, oneOf, recordOf } from "../json/guard.js";
import { pointerTo } from "../json/pointer.js";
import { told } from "../json/told.js";
import { isRecord, isString, type JsonRecord } from "../json/value.js";
import { headline, STATUS_EMOJI, type ToolResponseMeta } from "./compose-tool-payload.js";
import { isTextBlock } from "./content.js";
import type { Rules } from "./dialect.js";
import type { Broken } from "./grammar.js";

export const TOOL_RESPONSE_RULES: Rules = {
  "meta-object": { level: "fatal", demand: "`meta` is an object" },
  status: { level: "fatal", demand: "`meta.status` is one of ok, error, info, warn" },
  summary: { level: "fatal", demand: "`meta.summary` is a string" },
  data: { level: "fatal", demand: "`data` is present" },
  details: { level: "violation", demand: "`meta.details` is a list of strings" },
  "next-steps": { level: "violation", demand: "`meta.nextSteps` is a list of strings" },
  truncated: { level: "violation", demand: "`meta.truncated` is true or false" },
  "token-usage": { level: "violation", demand: "`meta.tokenUsage` has numbers `inline` and `total`, none negative" },
  "rate-limit": {
    level: "violation",
    demand: "`meta.rateLimit` has numbers `remaining` and `resetSeconds`, none negative",
  },
  content: { level: "violation", demand: "the MCP result has a list `content`" },
  "is-error": { level: "violation", demand: "`isError` is true or false" },
  "is-error-agrees": { level: "advice", demand: "a result with status error sets `isError`" },
  "error-code": { level: "violation", demand: "`data.errorCode` of a failure is a string" },
  headline: { level: "advice", demand: "the first text is the status's emoji and the summary" },
  "summary-length": { level: "advice", demand: "the summary has at most 80 characters and one line" },
  "preview-length": { level: "advice", demand: "an inline text has at most 2,000 characters" },
};

const amount: Guard = (value) => guard.number(value) && (value as number) >= 0;

const META: readonly (readonly [field: string, rule: string, fits: Guard])[] = [
  ["details", "details", listOf(guard.string)],
  ["nextSteps", "next-steps", listOf(guard.string)],
  ["truncated", "truncated", guard.boolean],
  ["tokenUsage", "token-usage", recordOf({}, { inline: amount, total: amount })],
  ["rateLimit", "rate-limit", recordOf({}, { remaining: amount, resetSeconds: amount })],
];

export function checkToolResponse(body: JsonRecord, form: string | undefined): Broken[] {
  const envelope = isRecord(body["structuredContent"]) ? body["structuredContent"] : {};
  const inner = [...checkEnvelopeMeta(envelope["meta"]), ...checkData(envelope)];
  if (form === "bare") return inner;
  const nested = inner.map(([rule, path, message]): Broken => [rule, `/structuredContent${path}`, message]);
  return [...nested, ...checkResult(body, envelope["meta"])];
}

function checkEnvelopeMeta(meta: unknown): Broken[] {
  if (!isRecord(meta)) return [["meta-object", "/meta", `it is ${told(meta)}`]];
  const { status, summary } = meta;
  const broken: Broken[] = [];
  if (!oneOf(...Object.keys(STATUS_EMOJI))(status)) broken.push(["status", "/meta/status", `it is ${told(status)}`]);
  if (!isString(summary)) broken.push(["summary", "/meta/summary", `it is ${told(summary)}`]);
  else if (summary.length > 80 || summary.includes("\n")) {
    broken.push(["summary-length", "/meta/summary", `it has ${summary.length} characters`]);
  }
  const fields = META.filter(([field, , fits]) => meta[field] !== undefined && !fits(meta[field]));
  return [
    ...broken,
    ...fields.map(([field, rule]): Broken => [rule, pointerTo("meta", field), `it is ${told(meta[field])}`]),
  ];
}

function checkData(envelope: JsonRecord): Broken[] {
  const data = envelope["data"];
  if (data === undefined) return [["data", "/data", "it is absent"]];
  const failed = isRecord(envelope["meta"]) && envelope["meta"]["status"] === "error";
  const code = failed && isRecord(data) ? data["errorCode"] : undefined;
  return code === undefined || isString(code) ? [] : [["error-code", "/data/errorCode", `it is ${told(code)}`]];
}

function checkResult({ content, isError }: JsonRecord, meta: unknown): Broken[] {
  const broken: Broken[] = [];
  const status = isRecord(meta) ? meta["status"] : undefined;
  if (isError !== undefined && typeof isError !== "boolean")
    broken.push(["is-error", "/isError", `it is ${told(isError)}`]);
  else if (status === "error" && isError !== true)
    broken.push(["is-error-agrees", "/isError", `it is ${told(isError)} although the status is error`]);
  if (!Array.isArray(content)) return [...broken, ["content", "/content", `it is ${told(content)}`]];
  return [...broken, ...checkHeadline(content[0], meta), ...content.flatMap(checkPreview)];
}

function checkHeadline(first: unknown, meta: unknown): Broken[] {
  if (
    !isRecord(meta) ||
    !isString(meta["summary"]) ||
    !isString(meta["status"]) ||
    !Object.hasOwn(STATUS_EMOJI, meta["status"])
  )
    return [];
  const wanted = headline(meta as unknown as ToolResponseMeta);
  return isTextBlock(first) && first.text === wanted ? [] : [["headline", "/content/0", `it is not ${told(wanted)}`]];
}

function checkPreview(block: unknown, at: number): Broken[] {
  if (!isTextBlock(block) || block.text.length <= 2000) return [];
  return [["preview-length", pointerTo("content", at, "text"), `it has ${block.text.length} characters`]];
}
