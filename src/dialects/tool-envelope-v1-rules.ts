import { DeprecationSchema, isDeprecation } from "../envelope/hints.js";
import type { McpErrorPayload } from "../envelope/payload.js";
import { instantFromIso } from "../json/instant.js";
import { arraySchema, type JsonSchema, objectSchema } from "../json/json-schema.js";
import { pointerTo } from "../json/pointer.js";
import { told } from "../json/told.js";
import { isRecord, isString, type JsonRecord } from "../json/value.js";
import { readCarried } from "./carried.js";
import { isTextBlock } from "./content.js";
import type { Rules } from "./dialect.js";
import { ENVELOPE_VERSION, envelopePrefix, prefixOf } from "./envelope-block.js";
import type { Broken } from "./grammar.js";

export const TOOL_ENVELOPE_RULES: Rules = {
  prefix: { level: "fatal", demand: `a text block starts with \`${envelopePrefix(ENVELOPE_VERSION)}\`` },
  UNSUPPORTED_VERSION: { level: "fatal", demand: `prefix and \`meta.version\` say version ${ENVELOPE_VERSION}` },
  base64: { level: "fatal", demand: "the block is standard base64 with right padding and no stray characters" },
  utf8: { level: "fatal", demand: "the decoded bytes are UTF-8" },
  json: { level: "fatal", demand: "the decoded text is JSON" },
  "envelope-object": { level: "fatal", demand: "the JSON is an object" },
  payload: { level: "fatal", demand: "`payload` is present" },
  "meta-object": { level: "fatal", demand: "`meta` is an object" },
  "meta-version": { level: "fatal", demand: "`meta.version` is a whole number" },
  tool: { level: "violation", demand: "`meta.tool` is a string" },
  ts: { level: "violation", demand: "`meta.ts` is an ISO 8601 date and time" },
  deprecations: { level: "violation", demand: "`meta.deprecations` is a list of { field, since, removeInVersion }" },
  "remove-in-version": { level: "violation", demand: "a deprecated field goes in a later version than this" },
  "error-payload": { level: "violation", demand: "details, suggestedAction and nextTool of an error are strings" },
  "is-error": { level: "violation", demand: "`isError` is true or false, and true with an error payload" },
  "one-envelope": { level: "violation", demand: "a result has one envelope block" },
  "text-first": { level: "advice", demand: "block 0 is text for people, block 1 the envelope" },
};

/** The required fields of an error payload tell it; its category may be one we do not know. */
export function isErrorPayload(payload: unknown): payload is McpErrorPayload {
  return (
    isRecord(payload) &&
    ["category", "code", "message"].every((field) => isString(payload[field])) &&
    typeof payload["recoverable"] === "boolean"
  );
}

export function checkToolEnvelope({ result, envelope }: JsonRecord, form: string | undefined): Broken[] {
  const { payload, meta } = envelope as { payload: unknown; meta: JsonRecord };
  const isError = isErrorPayload(payload) && readCarried(meta["plico"]).ok !== true;
  const inner = [...checkMeta(meta), ...(isError ? checkErrorPayload({ ...payload }) : [])];
  return form === undefined ? [...inner, ...checkResult(result as JsonRecord, isError)] : inner;
}

function checkMeta({ tool, ts, deprecations }: JsonRecord): Broken[] {
  const broken: Broken[] = [];
  if (!isString(tool) || tool === "") broken.push(["tool", "/meta/tool", `it is ${told(tool)}`]);
  if (instantFromIso(ts) === undefined) broken.push(["ts", "/meta/ts", `it is ${told(ts)}`]);
  return deprecations === undefined ? broken : [...broken, ...checkDeprecations(deprecations)];
}

function checkDeprecations(deprecations: unknown): Broken[] {
  if (!Array.isArray(deprecations)) return [["deprecations", "/meta/deprecations", `it is ${told(deprecations)}`]];
  return deprecations.flatMap((item, at): Broken[] => {
    const path = pointerTo("meta", "deprecations", at);
    if (!isDeprecation(item)) return [["deprecations", path, "it is no deprecation"]];
    const later = item.removeInVersion > ENVELOPE_VERSION;
    return later ? [] : [["remove-in-version", `${path}/removeInVersion`, `it is ${item.removeInVersion}`]];
  });
}

function checkErrorPayload(fields: JsonRecord): Broken[] {
  return ["details", "suggestedAction", "nextTool"]
    .filter((field) => fields[field] !== undefined && !isString(fields[field]))
    .map((field) => ["error-payload", pointerTo("payload", field), `it is ${told(fields[field])}`]);
}

function checkResult({ content, isError }: JsonRecord, failed: boolean): Broken[] {
  const blocks = content as unknown[];
  const broken: Broken[] = [];
  const wrong = isError !== undefined && typeof isError !== "boolean";
  if (wrong || (failed && isError !== true)) broken.push(["is-error", "/isError", `it is ${told(isError)}`]);
  const marked = blocks.map((block) => isTextBlock(block) && prefixOf(block.text) !== undefined);
  if (marked.filter(Boolean).length > 1) broken.push(["one-envelope", "/content", "several blocks are envelopes"]);
  if (marked.indexOf(true) !== 1)
    broken.push(["text-first", "/content", `the envelope is block ${marked.indexOf(true)}`]);
  return broken;
}

const string = { type: "string" };

/** Of what the block holds; the block itself is text. */
export const ToolEnvelopeSchema: JsonSchema = objectSchema({
  payload: true,
  meta: objectSchema(
    { tool: string, ts: string, version: { const: ENVELOPE_VERSION }, deprecations: arraySchema(DeprecationSchema) },
    ["deprecations"],
  ),
});
