import type { Dialect, Loss, Writing } from "../../dialects/dialect.js";
import { problemDetails } from "../../dialects/problem-details.js";
import { responseEnvelope } from "../../dialects/response-envelope.js";
import { responseV2 } from "../../dialects/response-v2.js";
import type { Outcome, Success } from "../../envelope/outcome.js";
import { orElse } from "../../json/attempt.js";
import { printJson } from "../../json/printable.js";
import { isRecord, orNull } from "../../json/value.js";
import { soundOutcome } from "./sound-outcome.js";

/** An outcome as text for a wire. */
export interface Printed {
  readonly body: string;
  readonly contentType: string;
  /** What the format has no place for, beside where the answer came from. */
  readonly lost: readonly Loss[];
}

/** How outcomes are written. */
export type Format = (outcome: Outcome) => Printed;

const JSON_TYPE = "application/json";

/** What clients get who do not ask for anything else. */
export const standard: Format = (outcome) => {
  const quick = outcome.ok ? quickSuccess(outcome) : undefined;
  return quick === undefined
    ? inDialect(responseV2, JSON_TYPE)(outcome)
    : { body: quick, contentType: JSON_TYPE, lost: [] };
};

export const problem: Format = inDialect(problemDetails, "application/problem+json");

/** The data alone; a failure has none, and is told as a problem. */
export const bareData: Format = (outcome) =>
  outcome.ok
    ? { body: jsonOf(outcome.data), contentType: "application/json;profile=data", lost: lostHints(outcome) }
    : problem(outcome);

export const ENVELOPE_TYPE = "application/vnd.plico.response-envelope+json";
const asEnvelope = inDialect(responseEnvelope, ENVELOPE_TYPE);

/** An envelope is written as it is, unless it holds what only other dialects know. */
export const wholeEnvelope: Format = (outcome) => {
  const { ok, meta } = outcome;
  if (!ok || meta.source === undefined || meta.extra !== undefined) return asEnvelope(outcome);
  const body = orElse(() => JSON.stringify({ data: orNull(outcome.data), meta }), undefined);
  return body === undefined ? asEnvelope(outcome) : { body, contentType: ENVELOPE_TYPE, lost: [] };
};

export function inDialect(dialect: Dialect, contentType: string): Format {
  return (outcome) => {
    const { wire, lost } = written(dialect, outcome);
    return { body: dialect.print(wire), contentType, lost: lost.filter(({ path }) => !ORIGIN.test(path)) };
  };
}

function written(dialect: Dialect, outcome: Outcome): Writing<unknown> {
  try {
    return dialect.write(asItIsPrinted(outcome));
  } catch {
    return dialect.write(soundOutcome(outcome));
  }
}

/** What has words of its own for JSON, as a day has, is data of the kind that these words are. */
function asItIsPrinted(outcome: Outcome): Outcome {
  if (!outcome.ok || !isRecord(outcome.data) || typeof outcome.data["toJSON"] !== "function") return outcome;
  return { ...outcome, data: JSON.parse(jsonOf(outcome.data)) };
}

/** Where an answer came from is for those who call directly; a client knows whom it has asked. */
const ORIGIN =
  /^\/meta\/(source|operationId|timestamp|statusCode|headers|contentType|setCookie|isError|content|structuredContent|_meta|command|exitCode|schemaVersion|agent)(\/|$)/;

/** How many fields the meta of an answer has that says nothing but where it came from. */
const ORIGIN_FIELDS = 4;

/** response-v2 in one go, for an answer that has nothing beside its data: the same text as the dialect writes. */
export function quickSuccess({ data, meta }: Success): string | undefined {
  if (meta.source !== "local") return undefined;
  const { requestId } = meta;
  let fields = requestId === undefined ? 1 : 0;
  for (const _ in meta) fields += 1;
  if (fields !== ORIGIN_FIELDS) return undefined;
  const id = requestId === undefined ? "" : `,"request_id":${JSON.stringify(requestId)}`;
  const json = jsonOf(data);
  if (json.startsWith("{")) return `{"success":true,"data":${json},"error":null,"meta":{"version":"response-v2"${id}}}`;
  return `{"success":true,"data":{"result":${json}},"error":null,"meta":{"version":"response-v2"${id},"plico":{"wrapped":true}}}`;
}

function jsonOf(data: unknown): string {
  return orElse(() => JSON.stringify(data), undefined) ?? printJson(data);
}

function lostHints({ meta }: Success): Loss[] {
  const names = Object.keys(meta).map((name) => `/meta/${name}`);
  return names.filter((path) => !ORIGIN.test(path)).map((path) => ({ path, reason: "bare data has no place for it" }));
}
