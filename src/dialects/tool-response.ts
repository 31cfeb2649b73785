import { type CallErrorData, callErrorData } from "../envelope/call-error.js";
import { categoryFromCode } from "../envelope/category.js";
import type { MCPResourceLink } from "../envelope/content-block.js";
import { isHint, type ResponseHints } from "../envelope/hints.js";
import { isResponseSource } from "../envelope/origin.js";
import type { Failure, OutcomeMeta, Success } from "../envelope/outcome.js";
import { objectSchema } from "../json/json-schema.js";
import { compact, isRecord, isString, isStringArray, type JsonRecord, orNull } from "../json/value.js";
import {
  composeToolPayload,
  type ToolPayload,
  type ToolResponseEnvelope,
  type ToolResponseMeta,
} from "./compose-tool-payload.js";
import type { Dialect } from "./dialect.js";
import { defineDialect } from "./frame.js";
import type { Draft, DraftOptions } from "./grammar.js";
import { errorDataFromFields, errorDataToFields, reproduces } from "./payload-fields.js";
import { hintFromRecord, hintsFromFields, hintsToFields, hintToRecord } from "./renamed-fields.js";
import { checkToolResponse, TOOL_RESPONSE_RULES } from "./tool-response-rules.js";
import { createToolResponseEnvelopeSchema } from "./tool-response-schema.js";

/** The envelope bare, or in the `structuredContent` of an MCP result whose texts repeat its headline. */
export type ToolResponse = ToolResponseEnvelope | ToolPayload;

const SAME = { truncated: "truncated", tokenUsage: "tokenUsage" };
const TEXTS = { details: "details", nextSteps: "nextSteps" };
const RATE_LIMIT = { remaining: "remaining", resetSeconds: "resetSeconds" };
const TAKEN = ["errorCode"];

const MCP_FORM = objectSchema({ structuredContent: createToolResponseEnvelopeSchema(true) });

export const toolResponse: Dialect<ToolResponse> = defineDialect<ToolResponse>({
  name: "tool-response",
  marker: "`meta.status`, a string `meta.summary` and `data`, bare or in `structuredContent`",
  schema: { anyOf: [createToolResponseEnvelopeSchema(true), MCP_FORM] },
  rules: TOOL_RESPONSE_RULES,
  carrier: "/structuredContent/meta/plico",
  fillable: ["/structuredContent/meta/status", "/structuredContent/meta/summary"],
  claims: (value) => isRecord(value) && (isEnvelope(value) || isCarriedEnvelope(value["structuredContent"])),
  resembles: (value) => isRecord(value) && (hasStatus(value) || hasStatus(value["structuredContent"])),
  open(wire) {
    const value = isRecord(wire) ? wire : {};
    if (isRecord(value["structuredContent"]) && !isEnvelope(value)) return { body: value };
    return { body: { structuredContent: value }, form: "bare" };
  },
  close: (body, { form }) => (form === "bare" ? body["structuredContent"] : body) as ToolResponse,
  check: checkToolResponse,
  fromBody(body, { absent = [] }) {
    const { meta, data } = body["structuredContent"] as { meta: JsonRecord; data: unknown };
    const links = readLinks(body["content"]);
    const failed = meta["status"] === "error" || body["isError"] === true;
    if (!failed) return { ok: true, data, meta: compact({ ...readHints(meta), links }) };
    const hints = compact({ ...readFailureHints(meta, absent), links });
    return { ok: false, error: readError(meta, data), meta: hints };
  },
  toBody: (outcome, options) => (outcome.ok ? writeSuccess(outcome, options) : writeFailure(outcome, options)),
});

function isEnvelope(value: unknown): boolean {
  return hasStatus(value) && "data" in value && isString(value.meta["summary"]);
}

/** A response envelope may have a status and a summary too. */
function isCarriedEnvelope(value: unknown): boolean {
  return isEnvelope(value) && !isResponseSource((value as { meta: JsonRecord }).meta["source"]);
}

function hasStatus(value: unknown): value is { meta: JsonRecord } {
  return isRecord(value) && isRecord(value["meta"]) && "status" in value["meta"];
}

function readHints(meta: JsonRecord): ResponseHints {
  return compact({
    ...hintsFromFields(meta, { status: "status", summary: "summary", ...TEXTS, ...SAME }),
    rateLimit: hintFromRecord("rateLimit", meta["rateLimit"], RATE_LIMIT),
  });
}

/** In a failure the headline is the message, the first step the suggested action and the reset the time to wait. */
function readFailureHints(meta: JsonRecord, absent: readonly string[]): ResponseHints {
  const { status, summary, nextSteps, rateLimit, ...rest } = readHints(meta);
  const steps = absent.includes("suggestedAction") ? nextSteps : nextSteps?.slice(1);
  const { resetSeconds, ...others } = rateLimit ?? {};
  const limit = absent.includes("retryAfterMs") ? rateLimit : others;
  const waits = resetSeconds !== undefined && limit !== undefined && Object.keys(limit).length === 0;
  return compact({
    ...rest,
    nextSteps: steps?.length === 0 && nextSteps?.length === 1 ? undefined : steps,
    rateLimit: rateLimit === undefined || waits ? undefined : limit,
  });
}

function readError(meta: JsonRecord, data: unknown): CallErrorData {
  const fields = isRecord(data) ? data : {};
  const code = isString(fields["errorCode"]) ? fields["errorCode"] : undefined;
  const resetSeconds = hintFromRecord("rateLimit", meta["rateLimit"], RATE_LIMIT)?.["resetSeconds"];
  return callErrorData(
    compact({
      category: (code === undefined ? undefined : categoryFromCode(code)) ?? "execution",
      code: code ?? "TOOL_ERROR",
      message: meta["summary"] as string,
      data: isRecord(data) ? errorDataFromFields(data, code === undefined ? [] : TAKEN) : data,
      suggestedAction: isStringArray(meta["nextSteps"]) ? meta["nextSteps"][0] : undefined,
      retryAfterMs: typeof resetSeconds === "number" ? resetSeconds * 1000 : undefined,
    }),
  );
}

function readLinks(content: unknown): MCPResourceLink[] | undefined {
  const links = Array.isArray(content) ? content.filter((block) => isHint("links", [block])) : [];
  return links.length === 0 ? undefined : links;
}

function writeSuccess({ data, meta }: Success, options: DraftOptions): Draft {
  const places = { "/structuredContent/meta/status": meta.status, "/structuredContent/meta/summary": meta.summary };
  const added = Object.entries(places).filter(([, value]) => value === undefined);
  const wire = writeMeta({ status: meta.status ?? "ok", summary: meta.summary ?? "The call succeeded" }, meta);
  return { body: compose(wire, orNull(data), meta, options), added: added.map(([place]) => place) };
}

function writeFailure({ error, meta }: Failure, options: DraftOptions): Draft {
  const { suggestedAction, retryAfterMs, code, message } = error;
  const bare = code === "TOOL_ERROR" && error.data !== undefined && !isRecord(error.data);
  const { fields, carried } = bare
    ? { fields: {}, carried: {} }
    : errorDataToFields(error.data, takenBy(error.data, options));
  const resetSeconds = retryAfterMs === undefined ? meta.rateLimit?.resetSeconds : Math.ceil(retryAfterMs / 1000);
  const steps = suggestedAction === undefined ? meta.nextSteps : [suggestedAction, ...(meta.nextSteps ?? [])];
  const limit = resetSeconds === undefined ? meta.rateLimit : { ...meta.rateLimit, resetSeconds };
  const wire = writeMeta(
    { status: "error", summary: message },
    compact({ ...meta, nextSteps: steps, rateLimit: limit }),
  );
  const data = bare ? error.data : compact({ errorCode: code === "TOOL_ERROR" ? undefined : code, ...fields });
  const absent = [
    ...(suggestedAction === undefined && (meta.nextSteps ?? []).length > 0 ? ["suggestedAction"] : []),
    ...(retryAfterMs === undefined && resetSeconds !== undefined ? ["retryAfterMs"] : []),
  ];
  return {
    body: compose(wire, data, meta, options),
    carried: { ...carried, ...(absent.length > 0 && { absent }) },
  };
}

/** A document whose `errorCode` is no text has it again as data. */
function takenBy(data: unknown, { layout }: DraftOptions): string[] {
  return reproduces(layout) && isRecord(data) && !isString(data["errorCode"]) ? [] : TAKEN;
}

function writeMeta(head: Pick<ToolResponseMeta, "status" | "summary">, hints: ResponseHints): ToolResponseMeta {
  const rateLimit = hintToRecord(hints.rateLimit, RATE_LIMIT);
  return compact({
    ...head,
    ...hintsToFields(hints, TEXTS),
    ...hintsToFields(hints, SAME),
    rateLimit,
  }) as ToolResponseMeta;
}

function compose(meta: ToolResponseMeta, data: unknown, { links }: OutcomeMeta, { layout }: DraftOptions): JsonRecord {
  if (layout?.form === "bare") return { structuredContent: { meta, data } };
  return { ...composeToolPayload({ meta, data, resourceLinks: links ?? [] }) };
}
