import { instantFromIso } from "../json/instant.js";
import type { JsonSchema } from "../json/json-schema.js";
import { arraySchema, objectSchema } from "../json/json-schema.js";
import { told } from "../json/told.js";
import { isRecord, isString, type JsonRecord } from "../json/value.js";
import type { Rules } from "./dialect.js";
import type { Broken } from "./grammar.js";

/** The fixed fields in the order in which they are written. */
export const HELPER_KEYS = ["schema_version", "status", "error", "agent", "ts"] as const;

export const HELPER_STATUSES = ["ok", "partial", "error", "tool-missing"] as const;

export const HELPER_RULES: Rules = {
  "schema-version": { level: "fatal", demand: "`schema_version` is a semantic version such as `1.0.0`" },
  status: { level: "fatal", demand: "`status` is one of ok, partial, error, tool-missing" },
  "ok-without-error": { level: "fatal", demand: "`error` is null when `status` is ok" },
  "error-present": { level: "violation", demand: "`error` is present, null when `status` is ok" },
  "error-object": { level: "violation", demand: "`error` is an object, so that consumers dispatch on its code" },
  "error-code": { level: "violation", demand: "`error.code` is a non-empty string" },
  "error-message": { level: "violation", demand: "`error.message` is a string" },
  "error-populated": { level: "violation", demand: "`error` is an object for every status but ok" },
  "skipped-sources": { level: "violation", demand: "a partial answer lists its `skipped_sources`" },
  "skipped-sources-list": { level: "violation", demand: "`skipped_sources` is a list of names or objects" },
  agent: { level: "violation", demand: "`agent` is a non-empty string" },
  ts: { level: "violation", demand: "`ts` is an ISO 8601 date and time" },
  "key-order": { level: "advice", demand: "the fixed fields come first, in the order of the specification" },
};

/** The pattern that semver.org recommends, without its groups. */
const SEMVER =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-(0|[1-9]\d*|\d*[a-zA-Z-][\da-zA-Z-]*)(\.(0|[1-9]\d*|\d*[a-zA-Z-][\da-zA-Z-]*))*)?(\+[\da-zA-Z-]+(\.[\da-zA-Z-]+)*)?$/;

/** The major of a semantic version, or `undefined` where the text is none. */
export function majorOf(version: unknown): number | undefined {
  const match = isString(version) && version.length <= 256 ? SEMVER.exec(version) : null;
  return match === null ? undefined : Number(match[1]);
}

export function checkHelperOutput(body: JsonRecord): Broken[] {
  const { schema_version: version, status } = body;
  const broken: Broken[] = [];
  if (majorOf(version) === undefined) broken.push(["schema-version", "/schema_version", `it is ${told(version)}`]);
  if (!isStatus(status)) broken.push(["status", "/status", `it is ${told(status)}`]);
  return [...broken, ...checkError(body), ...checkSkipped(body), ...checkStamp(body), ...checkOrder(body)];
}

function isStatus(status: unknown): boolean {
  return HELPER_STATUSES.some((known) => known === status);
}

function checkError({ status, error }: JsonRecord): Broken[] {
  if (error === undefined) return [["error-present", "/error", "it is absent"]];
  if (status === "ok")
    return error === null ? [] : [["ok-without-error", "/error", `it is ${told(error)} although the status is ok`]];
  if (error === null) return [["error-populated", "/error", `it is null although the status is ${told(status)}`]];
  if (!isRecord(error)) return [["error-object", "/error", `it is ${told(error)}`]];
  const broken: Broken[] = [];
  if (!isString(error["code"]) || error["code"] === "")
    broken.push(["error-code", "/error/code", `it is ${told(error["code"])}`]);
  if (!isString(error["message"])) broken.push(["error-message", "/error/message", `it is ${told(error["message"])}`]);
  return broken;
}

function checkSkipped({ status, skipped_sources: skipped }: JsonRecord): Broken[] {
  if (skipped === undefined)
    return status === "partial" ? [["skipped-sources", "/skipped_sources", "it is absent"]] : [];
  const listed = Array.isArray(skipped) && skipped.every((item) => isString(item) || isRecord(item));
  return listed ? [] : [["skipped-sources-list", "/skipped_sources", `it is ${told(skipped)}`]];
}

function checkStamp({ agent, ts }: JsonRecord): Broken[] {
  const broken: Broken[] = [];
  if (!isString(agent) || agent === "") broken.push(["agent", "/agent", `it is ${told(agent)}`]);
  if (instantFromIso(ts) === undefined) broken.push(["ts", "/ts", `it is ${told(ts)}`]);
  return broken;
}

function checkOrder(body: JsonRecord): Broken[] {
  const present: string[] = HELPER_KEYS.filter((key) => key in body);
  const first = Object.keys(body).slice(0, present.length);
  const at = present.findIndex((key, index) => first[index] !== key);
  return at < 0 ? [] : [["key-order", "", `\`${present[at]}\` is not number ${at + 1} of the fields`]];
}

const string = { type: "string" };

export const HelperOutputSchema: JsonSchema = {
  ...objectSchema(
    {
      schema_version: { type: "string", pattern: SEMVER.source },
      status: { enum: HELPER_STATUSES },
      error: { type: ["object", "null"], properties: { code: string, message: string }, required: ["code", "message"] },
      agent: string,
      ts: string,
      skipped_sources: arraySchema({ type: ["string", "object"] }),
    },
    ["skipped_sources"],
  ),
  if: { properties: { status: { const: "ok" } } },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { properties: { error: { const: null } } },
  else: { properties: { error: { type: "object" } } },
};
