import { isCarried } from "../../../dialects/carried.js";
import { read } from "../../../dialects/convert.js";
import type { Dialect } from "../../../dialects/dialect.js";
import { helperOutput } from "../../../dialects/helper-output.js";
import { problemDetails } from "../../../dialects/problem-details.js";
import { responseEnvelope } from "../../../dialects/response-envelope.js";
import { responseV2 } from "../../../dialects/response-v2.js";
import { toolEnvelopeV1 } from "../../../dialects/tool-envelope-v1.js";
import { toolResponse } from "../../../dialects/tool-response.js";
import { CallError } from "../../../envelope/call-error.js";
import { hintsIn, type ResponseHints } from "../../../envelope/hints.js";
import type { HTTPResponseMeta } from "../../../envelope/origin.js";
import type { Failure, Outcome, Success } from "../../../envelope/outcome.js";
import { httpEnvelope, type ResponseEnvelope } from "../../../envelope/response-envelope.js";
import type { Warning } from "../../../envelope/warning.js";
import { isRecord } from "../../../json/value.js";
import { keepHints } from "../../../registry/failure-hints.js";

/** Where an answer came from, and what its headers tell. */
export type HttpOrigin = Omit<HTTPResponseMeta, "source"> & ResponseHints;

/** What a body is that may be a document of another format. */
export type Document =
  | { readonly kind: "none" }
  | { readonly kind: "damaged"; readonly warning: Warning }
  | { readonly kind: "outcome"; readonly outcome: Outcome; readonly notes: readonly Warning[] };

/** Reads a document, if the value is one. Problem details are only looked for where they are expected. */
export function readDocument(value: unknown, { mayBeProblem = false }: { mayBeProblem?: boolean } = {}): Document {
  if (!isRecord(value)) return NONE;
  const reading = read(value, { dialects: mayBeProblem ? WITH_PROBLEMS : DOCUMENTS });
  if (reading.kind === "stranger") return NONE;
  if (reading.kind === "outcome") return reading;
  const [issue] = reading.issues;
  const message = `it looks like ${reading.dialect} and cannot be read: ${issue?.path ?? ""} ${issue?.message ?? ""}`;
  return { kind: "damaged", warning: { code: "NONCONFORMING", message, path: "" } };
}

const NONE: Document = { kind: "none" };

/** Not the results of MCP: any page of an HTTP API may have a list that is called `content`. */
const DOCUMENTS = [toolEnvelopeV1, responseEnvelope, toolResponse, helperOutput, responseV2] as readonly Dialect[];

const WITH_PROBLEMS: readonly Dialect[] = [...DOCUMENTS, problemDetails as Dialect];

/** Whether problem details were written by Plico, which puts its own words beside them. */
export function isOurProblem(value: unknown): boolean {
  return isRecord(value) && isCarried(value["plico"]);
}

/** The answer that the document gives. Its own words count before those of the headers. */
export function envelopeFromDocument(
  { data, meta }: Success,
  origin: HttpOrigin,
  notes: readonly Warning[],
): ResponseEnvelope {
  return markUnfolded(httpEnvelope(data, { ...origin, ...hintsOf(meta, origin, notes) }));
}

/** The failure that the document tells. How long to wait may be in a header only. */
export function errorFromDocument(
  { error, meta }: Failure,
  origin: HttpOrigin,
  notes: readonly Warning[],
  retryAfterMs?: number,
): CallError {
  const wait = error.retryAfterMs ?? retryAfterMs;
  const said = new CallError({ ...error, ...(wait !== undefined && { retryAfterMs: wait }) });
  return keepHints(said, { ...origin, ...hintsOf(meta, origin, notes), source: "http" });
}

function hintsOf(meta: Outcome["meta"], origin: HttpOrigin, notes: readonly Warning[]): ResponseHints {
  const { warnings: own = [], ...others } = hintsIn(meta);
  const warnings = [...own, ...notes, ...(origin.warnings ?? [])];
  return { ...others, ...(warnings.length > 0 && { warnings }) };
}

const unfolded = new WeakSet<ResponseEnvelope>();

/** Whether the data was taken out of another format's document: then the schema of the body does not describe it. */
export function isUnfolded(envelope: ResponseEnvelope): boolean {
  return unfolded.has(envelope);
}

export function markUnfolded(envelope: ResponseEnvelope): ResponseEnvelope {
  unfolded.add(envelope);
  return envelope;
}
