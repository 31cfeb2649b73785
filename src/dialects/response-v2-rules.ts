import * as guard from "../json/guard.js";
import { type Guard, nullable } from "../json/guard.js";
import { instantFromIso } from "../json/instant.js";
import { pointerTo } from "../json/pointer.js";
import { told } from "../json/told.js";
import { isRecord, isString, isStringArray, type JsonRecord, presentKeys } from "../json/value.js";
import type { Rules } from "./dialect.js";
import type { Broken } from "./grammar.js";

export const RESPONSE_V2_VERSION = "response-v2";

export const RESPONSE_V2_RULES: Rules = {
  "success-boolean": { level: "fatal", demand: "`success` is true or false" },
  "data-object": { level: "fatal", demand: "`data` is an object, `{}` when empty" },
  "error-null": { level: "fatal", demand: "`error` is null when `success` is true" },
  "error-string": { level: "fatal", demand: "`error` is a non-empty string when `success` is false" },
  "error-present": { level: "violation", demand: "`error` is present, null on success" },
  "meta-object": { level: "fatal", demand: "`meta` is an object" },
  UNSUPPORTED_VERSION: { level: "fatal", demand: "`meta.version` is `response-v2`" },
  "anti-pattern-missing-version": { level: "fatal", demand: "`meta.version` is in every response" },
  "anti-pattern-data-at-root": { level: "violation", demand: "business data is inside `data`, never at the root" },
  "anti-pattern-error-key": { level: "fatal", demand: "a failure is told in `error`, in no other key" },
  "request-id": { level: "violation", demand: "`meta.request_id` is a string" },
  "trace-id": { level: "violation", demand: "`meta.trace_id` and `meta.span_id` are strings" },
  "warnings-strings": { level: "violation", demand: "`meta.warnings` is a list of strings" },
  pagination: {
    level: "violation",
    demand: "`meta.pagination` has cursor, has_more, total_count, page_size, page of their types",
  },
  "rate-limit": {
    level: "violation",
    demand: "`meta.rate_limit` has limit, remaining, reset_at, retry_after_seconds of their types",
  },
  telemetry: { level: "violation", demand: "`meta.telemetry` is an object" },
  "validation-errors": { level: "violation", demand: "`data.validation_errors` is a list of `{ field, message }`" },
  "error-type": { level: "advice", demand: "`data.error_type` is one of the known types" },
};

const ROOT_KEYS = ["success", "data", "error", "meta"];
const OTHER_ERROR_KEYS = ["errors", "message", "error_message", "err"];
const ERROR_TYPES =
  "validation authentication authorization not_found conflict rate_limit feature_flag internal unavailable ai_provider".split(
    " ",
  );

const PAGINATION: Record<string, Guard> = {
  cursor: nullable(isString),
  has_more: guard.boolean,
  total_count: nullable(guard.count),
  page_size: nullable(guard.count),
  page: nullable(guard.count),
};

const RATE_LIMIT: Record<string, Guard> = {
  limit: nullable(guard.number),
  remaining: nullable(guard.number),
  reset_at: nullable((value) => instantFromIso(value) !== undefined),
  retry_after_seconds: nullable(guard.number),
  retry_after: nullable(guard.number),
};

export function checkResponseV2(body: JsonRecord): Broken[] {
  return [...checkRoot(body), ...checkVerdict(body), ...checkMeta(body["meta"]), ...checkErrorData(body)];
}

function checkRoot(body: JsonRecord): Broken[] {
  return presentKeys(body)
    .filter((key) => !ROOT_KEYS.includes(key) && !(insteadOfError(body) === key))
    .map((key) => [
      "anti-pattern-data-at-root",
      pointerTo(key),
      `\`${key}\` stands at the root; move it into \`data\``,
    ]);
}

/** The key that a failure uses where `error` should be. */
function insteadOfError(body: JsonRecord): string | undefined {
  if (body["success"] !== false || "error" in body) return undefined;
  return OTHER_ERROR_KEYS.find((key) => key in body);
}

function checkVerdict(body: JsonRecord): Broken[] {
  const { success, error, data } = body;
  const broken: Broken[] = [];
  if (typeof success !== "boolean") broken.push(["success-boolean", "/success", `it is ${told(success)}`]);
  if (!isRecord(data)) broken.push(["data-object", "/data", `it is ${told(data)}`]);
  const instead = insteadOfError(body);
  if (instead !== undefined) {
    broken.push(["anti-pattern-error-key", pointerTo(instead), `the failure is told in \`${instead}\`; use \`error\``]);
  } else if (success === false && (!isString(error) || error === "")) {
    broken.push(["error-string", "/error", `it is ${told(error)}`]);
  } else if (success === true && error === undefined) {
    broken.push(["error-present", "/error", "it is absent; write null"]);
  } else if (success === true && error !== null) {
    broken.push(["error-null", "/error", `it is ${told(error)} although the call succeeded`]);
  }
  return broken;
}

function checkMeta(meta: unknown): Broken[] {
  if (meta === undefined) return [["anti-pattern-missing-version", "/meta/version", "there is no `meta` at all"]];
  if (!isRecord(meta)) return [["meta-object", "/meta", `it is ${told(meta)}`]];
  return [...checkVersion(meta["version"]), ...checkMetaFields(meta)];
}

function checkVersion(version: unknown): Broken[] {
  if (version === RESPONSE_V2_VERSION) return [];
  if (version === undefined) return [["anti-pattern-missing-version", "/meta/version", "it is absent"]];
  return [["UNSUPPORTED_VERSION", "/meta/version", `it is ${told(version)}; this reader knows ${RESPONSE_V2_VERSION}`]];
}

function checkMetaFields(meta: JsonRecord): Broken[] {
  const broken: Broken[] = [];
  const expect = (rule: string, key: string, fits: Guard): void => {
    const value = meta[key];
    if (value !== undefined && !fits(value)) broken.push([rule, pointerTo("meta", key), `it is ${told(value)}`]);
  };
  expect("request-id", "request_id", nullable(isString));
  expect("trace-id", "trace_id", nullable(isString));
  expect("trace-id", "span_id", nullable(isString));
  expect("warnings-strings", "warnings", nullable(isStringArray));
  expect("telemetry", "telemetry", nullable(isRecord));
  return [...broken, ...checkRecord("pagination", meta, PAGINATION), ...checkRecord("rate-limit", meta, RATE_LIMIT)];
}

function checkRecord(rule: string, meta: JsonRecord, checks: Record<string, Guard>): Broken[] {
  const key = rule.replace("-", "_");
  const value = meta[key];
  if (value === undefined || value === null) return [];
  if (!isRecord(value)) return [[rule, pointerTo("meta", key), `it is ${told(value)}`]];
  return Object.entries(checks)
    .filter(([name, fits]) => value[name] !== undefined && !fits(value[name]))
    .map(([name]) => [rule, pointerTo("meta", key, name), `it is ${told(value[name])}`]);
}

function checkErrorData({ success, data }: JsonRecord): Broken[] {
  if (success !== false || !isRecord(data)) return [];
  const broken: Broken[] = [];
  const { error_type: type, validation_errors: fields } = data;
  if (isString(type) && !ERROR_TYPES.includes(type))
    broken.push(["error-type", "/data/error_type", `\`${type}\` is no known type`]);
  const listed =
    Array.isArray(fields) &&
    fields.every((item) => isRecord(item) && isString(item["field"]) && isString(item["message"]));
  if (fields !== undefined && !listed)
    broken.push(["validation-errors", "/data/validation_errors", "an entry is no `{ field, message }`"]);
  return broken;
}
