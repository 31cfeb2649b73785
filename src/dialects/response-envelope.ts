import { type CallErrorData, callErrorData, isCallErrorField } from "../envelope/call-error.js";
import { HINT_NAMES, isHint } from "../envelope/hints.js";
import { isResponseSource, originFaults, originFields, RESPONSE_SOURCES } from "../envelope/origin.js";
import { type Failure, type OutcomeMeta, outcomeFromEnvelope } from "../envelope/outcome.js";
import { type ResponseEnvelope, ResponseEnvelopeSchema, type ResponseMeta } from "../envelope/response-envelope.js";
import { pointerTo } from "../json/pointer.js";
import { told } from "../json/told.js";
import { compact, isEqual, isRecord, type JsonRecord, omit, orNull } from "../json/value.js";
import type { Dialect, Rules } from "./dialect.js";
import { defineDialect } from "./frame.js";
import type { Broken, Draft } from "./grammar.js";

const RULES: Rules = {
  data: { level: "fatal", demand: "`data` is present; write null where there is none" },
  source: { level: "fatal", demand: `\`meta.source\` is one of ${RESPONSE_SOURCES.join(", ")}` },
  "local-fields": { level: "fatal", demand: "a local origin has a string operationId and a numeric timestamp" },
  "http-fields": { level: "fatal", demand: "an http origin has statusCode, headers and contentType" },
  "mcp-fields": { level: "fatal", demand: "an mcp origin has a boolean isError and a list of content blocks" },
  "script-fields": { level: "fatal", demand: "a script origin has a list command, exitCode and timestamp" },
  "error-fields": { level: "fatal", demand: "`meta.error` has category, code and message" },
  hint: { level: "violation", demand: "each hint in `meta` has its type" },
  timestamp: { level: "violation", demand: "a timestamp is whole milliseconds since 1970" },
  "status-code": { level: "violation", demand: "`meta.statusCode` is an HTTP status from 100 to 599" },
};

const NAME = "response-envelope";

/** Plico's own: an origin, and every hint by its name. A failure is told in `meta.error`. */
export const responseEnvelope: Dialect<ResponseEnvelope> = defineDialect<ResponseEnvelope>({
  name: NAME,
  marker: "`data` and a known `meta.source`",
  schema: ResponseEnvelopeSchema,
  rules: RULES,
  carrier: "/meta/plico",
  fillable: ["/meta/source", "/meta/operationId", "/meta/timestamp"],
  claims: (value) =>
    isRecord(value) && "data" in value && isRecord(value["meta"]) && isResponseSource(value["meta"]["source"]),
  resembles: (value) => isRecord(value) && isRecord(value["meta"]) && "source" in value["meta"],
  check: checkEnvelope,
  fromBody(body) {
    const wire = body["meta"] as JsonRecord;
    const meta = readMeta(wire);
    const error = readError(wire["error"], body, meta);
    return error === undefined ? { ok: true, data: body["data"], meta } : { ok: false, error, meta };
  },
  toBody(outcome, { tool, now }) {
    const own = compact({ ...outcome.meta, extra: foreignExtra(outcome.meta) });
    const origin = originFor(outcome.meta, tool ?? "plico.convert", now ?? Date.now());
    if (outcome.ok) return placed({ ...origin.fields, ...own }, orNull(outcome.data), origin.added);
    return placed({ ...origin.fields, ...own, ...failureFields(outcome) }, orNull(outcome.error.data), origin.added);
  },
});

function readMeta(wire: JsonRecord): OutcomeMeta {
  const source = wire["source"];
  const ofOrigin = isResponseSource(source) ? originFields(source) : [];
  const hints = HINT_NAMES.filter((name) => isHint(name, wire[name]));
  const names = [...new Set([...ofOrigin, ...hints])].filter((name) => wire[name] !== undefined);
  return Object.fromEntries(names.map((name) => [name, wire[name]])) as unknown as OutcomeMeta;
}

function readError(error: unknown, body: JsonRecord, meta: OutcomeMeta): CallErrorData | undefined {
  const data = body["data"] === null ? undefined : body["data"];
  if (!isRecord(error)) return mcpError(meta, body["data"]);
  const known = omit(
    error,
    Object.keys(error).filter((field) => !isCallErrorField(field, error[field])),
  );
  return callErrorData({ ...(known as unknown as CallErrorData), ...(data !== undefined && { data }) });
}

function mcpError(meta: OutcomeMeta, data: unknown): CallErrorData | undefined {
  if (meta.source !== "mcp") return undefined;
  const outcome = outcomeFromEnvelope({ data, meta: meta as ResponseMeta });
  return outcome.ok ? undefined : outcome.error;
}

function placed(meta: JsonRecord, data: unknown, added: readonly string[]): Draft {
  return { body: { data, meta }, added };
}

/** The format requires an origin. One that no source gave is marked as added and never read back. */
function originFor(meta: OutcomeMeta, operationId: string, now: number): { fields: JsonRecord; added: string[] } {
  if (meta.source !== undefined) return { fields: {}, added: [] };
  const added = ["/meta/source", "/meta/operationId"];
  if (meta.timestamp !== undefined) return { fields: { source: "local", operationId }, added };
  return { fields: { source: "local", operationId, timestamp: now }, added: [...added, "/meta/timestamp"] };
}

/** An MCP result that says `isError` needs no more words, unless the error knows more than its text. */
function failureFields({ error, meta }: Failure): JsonRecord {
  const { data, ...said } = error;
  if (meta.source === "mcp" && isEqual({ ...mcpError(meta, data) }, { ...error })) return {};
  return { isError: true, error: said };
}

function foreignExtra({ extra }: OutcomeMeta): JsonRecord | undefined {
  const foreign = extra === undefined ? {} : omit(extra, [NAME]);
  return Object.keys(foreign).length === 0 ? undefined : foreign;
}

function checkEnvelope(body: JsonRecord): Broken[] {
  const meta = isRecord(body["meta"]) ? body["meta"] : {};
  const broken: Broken[] = !("data" in body) ? [["data", "/data", "it is absent"]] : [];
  const source = meta["source"];
  if (!isResponseSource(source)) return [...broken, ["source", "/meta/source", `it is ${told(source)}`]];
  const faults = originFaults(source, meta);
  const origin = faults.map(
    (name): Broken => [`${source}-fields`, pointerTo("meta", name), `it is ${told(meta[name])}`],
  );
  return [...broken, ...origin, ...checkErrorFields(meta["error"]), ...checkHints(meta, faults)];
}

function checkErrorFields(error: unknown): Broken[] {
  if (error === undefined) return [];
  if (!isRecord(error)) return [["error-fields", "/meta/error", `it is ${told(error)}`]];
  return ["category", "code", "message"]
    .filter((field) => typeof error[field] !== "string")
    .map((field) => ["error-fields", pointerTo("meta", "error", field), `it is ${told(error[field])}`]);
}

function checkHints(meta: JsonRecord, faults: readonly string[]): Broken[] {
  const broken: Broken[] = HINT_NAMES.filter(
    (name) => meta[name] !== undefined && !faults.includes(name) && !isHint(name, meta[name]),
  ).map((name) => ["hint", pointerTo("meta", name), `it is ${told(meta[name])}`]);
  const { timestamp, statusCode } = meta;
  if (typeof timestamp === "number" && !(Number.isInteger(timestamp) && timestamp >= 0)) {
    broken.push(["timestamp", "/meta/timestamp", `it is ${told(timestamp)}`]);
  }
  if (typeof statusCode === "number" && !(Number.isInteger(statusCode) && statusCode >= 100 && statusCode <= 599)) {
    broken.push(["status-code", "/meta/statusCode", `it is ${told(statusCode)}`]);
  }
  return broken;
}
