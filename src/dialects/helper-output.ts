import { CALL_ERROR_FIELDS, type CallErrorData, callErrorData, isCallErrorField } from "../envelope/call-error.js";
import { categoryFacts, categoryFromCode } from "../envelope/category.js";
import { isHint, type ResponseHints, type SkippedSource } from "../envelope/hints.js";
import type { Failure, Outcome, Success } from "../envelope/outcome.js";
import type { Warning } from "../envelope/warning.js";
import { instantFromIso, instantToIso, isSameInstant } from "../json/instant.js";
import { printJson } from "../json/printable.js";
import { compact, isRecord, isString, type JsonRecord, omit } from "../json/value.js";
import { isCarried } from "./carried.js";
import type { Dialect } from "./dialect.js";
import { defineDialect } from "./frame.js";
import type { Draft, DraftOptions } from "./grammar.js";
import { checkHelperOutput, HELPER_KEYS, HELPER_RULES, HelperOutputSchema, majorOf } from "./helper-output-rules.js";
import { errorDataFromFields, errorDataToFields, payloadToFields, reproduces } from "./payload-fields.js";

/** What a helper script prints: five fixed fields, then its own. */
export interface HelperOutput {
  schema_version: string;
  status: HelperStatus;
  error: { code: string; message: string; [key: string]: unknown } | null;
  agent: string;
  ts: string;
  [field: string]: unknown;
}

export type HelperStatus = "ok" | "partial" | "error" | "tool-missing";

const NAME = "helper-output";
const OWN = [...HELPER_KEYS, "skipped_sources"];
const TAKEN = [...OWN, "plico"];

/** Names that a helper's own fields must not have. */
export const RESERVED_FIELDS: readonly string[] = TAKEN;

export const helperOutput: Dialect<HelperOutput> = defineDialect<HelperOutput>({
  name: NAME,
  marker: "`schema_version` and `status`",
  schema: HelperOutputSchema,
  rules: HELPER_RULES,
  carrier: "/plico",
  fillable: ["/schema_version", "/error", "/agent", "/ts"],
  claims: (value) => isRecord(value) && "schema_version" in value && "status" in value,
  resembles: (value) => isRecord(value) && "schema_version" in value,
  check: checkHelperOutput,
  fromBody(body) {
    const failed = body["status"] === "error" || body["status"] === "tool-missing";
    const meta = readHints(body, failed);
    if (!failed) return { ok: true, data: omit(body, OWN), meta };
    return { ok: false, error: readError(body), meta };
  },
  toBody: (outcome, options) => (outcome.ok ? writeSuccess(outcome, options) : writeFailure(outcome, options)),
  isSpelling: (place, theirs, ours) => place === "/ts" && isSameInstant(theirs, ours),
  print: (wire) => `${printJson(wire, 2)}\n`,
});

function readHints(body: JsonRecord, failed: boolean): ResponseHints {
  const skipped = body["skipped_sources"];
  return compact({
    timestamp: instantFromIso(body["ts"]),
    skippedSources: isHint("skippedSources", skipped) ? (skipped as SkippedSource[]) : undefined,
    warnings: failed ? undefined : partialWarnings(body["error"]),
  });
}

/** A partial answer is used, so what its `error` says is a warning. */
function partialWarnings(error: unknown): Warning[] | undefined {
  if (!isRecord(error) || !isString(error["code"]) || !isString(error["message"])) return undefined;
  return [{ code: error["code"], message: error["message"] }];
}

function readError({ status, error, ...body }: JsonRecord): CallErrorData {
  const told = isRecord(error) ? error : { message: error };
  const known = CALL_ERROR_FIELDS.filter((field) => field !== "data" && isCallErrorField(field, told[field]));
  const said = Object.fromEntries(known.map((field) => [field, told[field]])) as Partial<CallErrorData>;
  const code = said.code ?? (status === "tool-missing" ? "TOOL_MISSING" : "TOOL_ERROR");
  const missing = status === "tool-missing" ? "unavailable" : undefined;
  return callErrorData(
    compact({
      ...said,
      code,
      // What is not installed will not be there at the next try either.
      recoverable: said.recoverable ?? (missing === undefined ? undefined : false),
      category: said.category ?? missing ?? categoryFromCode(code) ?? "execution",
      message: said.message ?? `The helper failed with ${code} and no message.`,
      details: told["details"],
      data: errorDataFromFields(body, OWN),
    }),
  );
}

function writeSuccess(outcome: Success, options: DraftOptions): Draft {
  const skipped = outcome.meta.skippedSources;
  const { fields, carried } = payloadToFields(outcome.data, taken(outcome.data, options));
  if (skipped === undefined || keptStatus(outcome) === "ok")
    return envelopeOf("ok", null, outcome, options, { fields, carried });
  const warning = outcome.meta.warnings?.find(({ code }) => code !== "");
  const error = warning ?? { code: "SOURCES_SKIPPED", message: `${skipped.length} sources were skipped` };
  const draft = envelopeOf("partial", { code: error.code, message: error.message }, outcome, options, {
    fields,
    carried,
  });
  return warning === undefined ? { ...draft, added: [...(draft.added ?? []), "/error"] } : draft;
}

/** The status that a document had, where the outcome alone would be written with another. */
function keptStatus({ meta }: Outcome): unknown {
  const own = meta.extra?.[NAME];
  return isRecord(own) ? own["status"] : undefined;
}

function writeFailure(outcome: Failure, options: DraftOptions): Draft {
  const { code: said, message, data, ...rest } = outcome.error;
  const code = said === "" ? "TOOL_ERROR" : said;
  const status = failureStatus(outcome.error);
  const implied = readError({ status, error: { code, message } });
  const unsaid = Object.entries(rest).filter(([field, value]) => implied[field as keyof CallErrorData] !== value);
  return envelopeOf(
    status,
    { code, message, ...Object.fromEntries(unsaid) },
    outcome,
    options,
    errorDataToFields(data, taken(data, options)),
  );
}

/** The status of a helper that failed: `tool-missing` asks people to install something. */
export function failureStatus({ code, category }: CallErrorData): "error" | "tool-missing" {
  return code === "TOOL_MISSING" ? categoryFacts(category).helperStatus : "error";
}

/** Names that the helper's own fields must not have: JavaScript would put a number before the fixed fields. */
function taken(data: unknown, { layout }: DraftOptions): string[] {
  if (!isRecord(data)) return TAKEN;
  // A document with a field of that name has it again; in any other, Plico may need it.
  const own = reproduces(layout) && !isCarried(data["plico"]) ? OWN : TAKEN;
  return [...own, ...Object.keys(data).filter((key) => /^\d+$/.test(key))];
}

function envelopeOf(
  status: HelperStatus,
  error: HelperOutput["error"],
  { meta }: Outcome,
  { now, schemaVersion, agent }: DraftOptions,
  { fields, carried }: { fields: JsonRecord; carried: Draft["carried"] & object },
): Draft {
  const origin = meta.source === "script" ? meta : undefined;
  const known = {
    "/schema_version": [schemaVersion, origin?.schemaVersion].find((version) => majorOf(version) !== undefined),
    "/agent": [agent, origin?.agent].find((name) => name !== undefined && name !== ""),
    "/ts": instantToIso(meta.timestamp),
  };
  const added = Object.entries(known).filter(([, value]) => value === undefined);
  const body = {
    schema_version: known["/schema_version"] ?? "1.0.0",
    status,
    error,
    agent: known["/agent"] ?? "unknown",
    ts: known["/ts"] ?? instantToIso(now ?? Date.now()),
    ...(meta.skippedSources !== undefined && { skipped_sources: meta.skippedSources }),
    ...fields,
  };
  return { body, carried, added: added.map(([place]) => place) };
}
