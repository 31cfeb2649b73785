import { type CallErrorData, callErrorData, isIssue } from "../envelope/call-error.js";
import { categoryFacts, categoryFromCode, categoryFromErrorType } from "../envelope/category.js";
import type { RateLimit, ResponseHints } from "../envelope/hints.js";
import type { Failure, Outcome } from "../envelope/outcome.js";
import type { Warning } from "../envelope/warning.js";
import * as guard from "../json/guard.js";
import { instantFromIso, instantToIso, isSameInstant } from "../json/instant.js";
import type { Issue } from "../json/issue.js";
import { pointerFromDotted, pointerToDotted } from "../json/pointer.js";
import { compact, isRecord, isString, isStringArray, type JsonRecord, omit } from "../json/value.js";
import type { Dialect } from "./dialect.js";
import { defineDialect } from "./frame.js";
import type { Draft, DraftOptions } from "./grammar.js";
import { errorDataFromFields, errorDataToFields, payloadToFields, reproduces } from "./payload-fields.js";
import { hintFromRecord, hintsFromFields, hintsToFields, hintToRecord } from "./renamed-fields.js";
import { checkResponseV2, RESPONSE_V2_RULES, RESPONSE_V2_VERSION } from "./response-v2-rules.js";
import { ResponseV2Schema } from "./response-v2-schema.js";

/** `{ success, data, error, meta }`, the envelope of HTTP services and CLIs. */
export interface ResponseV2 {
  success: boolean;
  data: Record<string, unknown>;
  error: string | null;
  meta: { version: string; [key: string]: unknown };
}

const IDS = { requestId: "request_id", traceId: "trace_id", spanId: "span_id", telemetry: "telemetry" };
const PAGINATION = {
  cursor: "cursor",
  hasMore: "has_more",
  totalCount: "total_count",
  pageSize: "page_size",
  page: "page",
};
const RATE_LIMIT = { limit: "limit", remaining: "remaining" };
/** Where null says as much as nothing. */
const NULLABLE = [
  ...["request_id", "trace_id", "span_id", "warnings", "pagination", "rate_limit", "telemetry"],
  ...["rate_limit/reset_at", "rate_limit/retry_after_seconds", "pagination/total_count", "pagination/page_size"],
].map((key) => `/meta/${key}`);
const ERROR_KEYS = ["error_code", "error_type", "remediation", "details", "validation_errors"];

export const responseV2: Dialect<ResponseV2> = defineDialect<ResponseV2>({
  name: "response-v2",
  marker: "boolean `success` and a `meta.version` that starts with `response-v`",
  schema: ResponseV2Schema,
  rules: RESPONSE_V2_RULES,
  carrier: "/meta/plico",
  claims: (value) =>
    isRecord(value) &&
    typeof value["success"] === "boolean" &&
    isRecord(value["meta"]) &&
    isString(value["meta"]["version"]) &&
    value["meta"]["version"].startsWith("response-v"),
  resembles: (value) => isRecord(value) && typeof value["success"] === "boolean",
  check: checkResponseV2,
  fromBody(body, { absent = [] }) {
    const meta = body["meta"] as JsonRecord;
    const data = body["data"] as JsonRecord;
    if (body["success"] === true) return { ok: true, data, meta: readHints(meta, true) };
    const error = readError(body["error"] as string, data, meta);
    return { ok: false, error, meta: readHints(meta, absent.includes("retryAfterMs")) };
  },
  toBody: (outcome, options) => (outcome.ok ? writeSuccess(outcome.data, outcome) : writeFailure(outcome, options)),
  isSpelling: (place, theirs, ours) =>
    (NULLABLE.includes(place) && theirs === null) ||
    (place === "/meta/rate_limit/reset_at" && isSameInstant(theirs, ours)),
});

/** A failure says it in `data`; some producers say it in `meta`, or deeper in `details`. */
function readError(message: string, data: JsonRecord, meta: JsonRecord): CallErrorData {
  const said = (key: string): string | undefined => [data[key], meta[key]].find(isString);
  const code = said("error_code");
  const type = said("error_type");
  const details = isRecord(data["details"]) ? data["details"] : {};
  const issues = readIssues(data["validation_errors"]) ?? readIssues(details["validation_errors"]);
  const byCode = code === undefined ? undefined : categoryFromCode(code);
  const category = type === undefined ? (byCode ?? unsaidCategory(issues)) : categoryFromErrorType(type);
  const seconds = [meta["rate_limit"], data, details].flatMap(retrySeconds).find((value) => typeof value === "number");
  return callErrorData(
    compact({
      category,
      code: code ?? (type === undefined ? "TOOL_ERROR" : undefined),
      message,
      details: data["details"],
      data: errorDataFromFields(data, readableKeys(data)),
      issues,
      suggestedAction: said("remediation"),
      retryAfterMs: typeof seconds === "number" ? milliseconds(seconds) : undefined,
    }),
  );
}

/** What a failure is that says neither code nor type: with wrong fields, a validation error. */
function unsaidCategory(issues: readonly Issue[] | undefined): "validation" | "execution" {
  return issues === undefined || issues.length === 0 ? "execution" : "validation";
}

/** Our keys, but those whose value is not ours to read: it stays with the data. */
function readableKeys(data: JsonRecord): string[] {
  const readable: Record<string, boolean> = {
    error_code: isString(data["error_code"]),
    error_type: isString(data["error_type"]),
    remediation: isString(data["remediation"]),
    details: true,
    validation_errors: readIssues(data["validation_errors"]) !== undefined,
  };
  return ERROR_KEYS.filter((key) => readable[key]);
}

function readIssues(value: unknown): Issue[] | undefined {
  if (!Array.isArray(value) || !value.every((item) => isRecord(item) && isString(item["field"]))) return undefined;
  const issues = value.map((item: JsonRecord) => ({
    path: pointerFromDotted(String(item["field"])),
    message: item["message"],
  }));
  return issues.every(isIssue) ? issues : undefined;
}

/** In a failure the time to wait belongs to the error, otherwise to the limit. */
function readHints(meta: JsonRecord, waits: boolean): ResponseHints {
  return compact({
    ...hintsFromFields(meta, IDS),
    warnings: readWarnings(meta["warnings"], meta["warning_details"]),
    pagination: hintFromRecord("pagination", meta["pagination"], PAGINATION),
    rateLimit: readRateLimit(meta["rate_limit"], waits),
  });
}

function readWarnings(messages: unknown, details: unknown): Warning[] | undefined {
  if (!isStringArray(messages)) return undefined;
  const detailed: unknown[] = Array.isArray(details) ? details : [];
  return messages.map((message, at) => {
    const detail = isRecord(detailed[at]) && detailed[at]["message"] === message ? detailed[at] : {};
    const { path, count } = isRecord(detail["context"]) ? detail["context"] : {};
    const code = isString(detail["code"]) ? detail["code"] : "SOURCE_WARNING";
    return { code, message, ...(isString(path) && { path }), ...(guard.count(count) && { count: count as number }) };
  });
}

function readRateLimit(value: unknown, waits: boolean): RateLimit | undefined {
  if (!isRecord(value)) return undefined;
  const seconds = retrySeconds(value).find((item) => typeof item === "number");
  const limit = compact({
    ...hintFromRecord("rateLimit", value, RATE_LIMIT),
    resetAt: instantFromIso(value["reset_at"]),
    retryAfterMs: waits && typeof seconds === "number" ? milliseconds(seconds) : undefined,
  });
  const onlyRetry = !waits && Object.keys(limit).length === 0 && seconds !== undefined;
  return onlyRetry ? undefined : limit;
}

/** Without the dust that a product of decimals leaves. */
function milliseconds(seconds: number): number {
  return Math.round(seconds * 1e6) / 1e3;
}

function retrySeconds(record: unknown): unknown[] {
  return isRecord(record) ? [record["retry_after_seconds"], record["retry_after"]] : [];
}

function writeSuccess(data: unknown, outcome: Outcome): Draft {
  const { fields, carried } = payloadToFields(data, []);
  return { body: { success: true, data: fields, error: null, meta: writeMeta(outcome) }, carried };
}

function writeFailure(outcome: Failure, { layout }: DraftOptions): Draft {
  const { error, meta } = outcome;
  const said = error.code !== "TOOL_ERROR" || error.category !== unsaidCategory(error.issues);
  const all = compact({
    error_code: said ? error.code : undefined,
    error_type: said ? categoryFacts(error.category).errorType : undefined,
    remediation: error.suggestedAction,
    details: error.details,
    validation_errors: error.issues?.map(({ path, message }) => ({ field: pointerToDotted(path), message })),
  });
  const same = reproduces(layout) && isRecord(error.data) ? error.data : undefined;
  const own = same === undefined ? all : omit(all, Object.keys(same));
  const taken = same === undefined ? ERROR_KEYS : readableKeys(same);
  const { fields, carried } = errorDataToFields(error.data, taken);
  const message = [error.message, error.code].find((text) => text !== "") ?? "The call failed";
  const hinted = error.retryAfterMs === undefined && meta.rateLimit?.retryAfterMs !== undefined;
  return {
    body: { success: false, data: { ...fields, ...own }, error: message, meta: writeMeta(outcome) },
    carried: { ...carried, ...(hinted && { absent: ["retryAfterMs"] }) },
  };
}

function writeMeta({ ok, meta, ...rest }: Outcome): JsonRecord & { version: string } {
  const retryAfterMs = (ok ? undefined : (rest as Failure).error.retryAfterMs) ?? meta.rateLimit?.retryAfterMs;
  const coded = meta.warnings?.some(
    ({ code, path, count }) => code !== "SOURCE_WARNING" || (path ?? count) !== undefined,
  );
  return compact({
    version: RESPONSE_V2_VERSION,
    ...hintsToFields(meta, IDS),
    warnings: meta.warnings?.map(({ message }) => message),
    warning_details: coded ? meta.warnings?.map(writeWarningDetail) : undefined,
    pagination: hintToRecord(meta.pagination, PAGINATION),
    rate_limit: writeRateLimit(meta.rateLimit, retryAfterMs),
  });
}

function writeWarningDetail({ code, message, path, count }: Warning): JsonRecord {
  const context = compact({ path, count });
  return { code, severity: "warning", message, ...(Object.keys(context).length > 0 && { context }) };
}

function writeRateLimit(limit: RateLimit | undefined, retryAfterMs: number | undefined): JsonRecord | undefined {
  if (limit === undefined && retryAfterMs === undefined) return undefined;
  return compact({
    ...hintToRecord(limit, RATE_LIMIT),
    reset_at: instantToIso(limit?.resetAt),
    retry_after_seconds: retryAfterMs === undefined ? undefined : retryAfterMs / 1000,
  });
}
