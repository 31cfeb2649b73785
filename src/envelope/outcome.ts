import { type JsonSchema, objectSchema } from "../json/json-schema.js";
import { CallError, type CallErrorData, CallErrorSchema } from "./call-error.js";
import { type ResponseHints, ResponseHintsSchema } from "./hints.js";
import type { ResponseOrigin } from "./origin.js";
import { type ResponseEnvelope, ResponseMetaSchema } from "./response-envelope.js";
import { toolError } from "./tool-error.js";

/** Hints, and the origin once a source has given one: an outcome read from a document has none. */
export type OutcomeMeta = (ResponseOrigin | { readonly source?: never }) & ResponseHints;

/** What dialects and servers exchange. */
export type Outcome<T = unknown> = Success<T> | Failure;

export interface Success<T = unknown> {
  readonly ok: true;
  readonly data: T;
  readonly meta: OutcomeMeta;
}

export interface Failure {
  readonly ok: false;
  readonly error: CallErrorData;
  readonly meta: OutcomeMeta;
}

/** An envelope as an outcome. What an MCP tool itself calls an error is a failure for whoever asks. */
export function outcomeFromEnvelope<T>({ data, meta }: ResponseEnvelope<T>): Outcome<T> {
  if (meta.source !== "mcp" || !meta.isError) return { ok: true, data, meta };
  const text = meta.content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
  return { ok: false, error: { ...toolError(text, data), data }, meta };
}

/** The outcome's data in an envelope. Throws the error of a failure, and where no source has given an origin. */
export function envelopeFromOutcome<T>(outcome: Outcome<T>): ResponseEnvelope<T> {
  if (!outcome.ok) throw new CallError(outcome.error);
  if (outcome.meta.source === undefined) {
    throw new CallError({
      category: "internal",
      message:
        "An outcome without an origin is no envelope. Use localEnvelope(outcome.data, operationId) to give it one.",
    });
  }
  return { data: outcome.data, meta: outcome.meta };
}

const OutcomeMetaSchema: JsonSchema = {
  if: { required: ["source"] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: ResponseMetaSchema,
  else: ResponseHintsSchema,
};

export const OutcomeSchema: JsonSchema = {
  anyOf: [
    objectSchema({ ok: { const: true }, data: true, meta: OutcomeMetaSchema }),
    objectSchema({ ok: { const: false }, error: CallErrorSchema, meta: OutcomeMetaSchema }),
  ],
};
