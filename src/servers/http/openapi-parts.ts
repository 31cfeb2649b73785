import type { JsonRecord } from "../../json/value.js";

export type HeaderName =
  | "Retry-After"
  | "RateLimit"
  | "RateLimit-Policy"
  | "Link"
  | "traceparent"
  | "WWW-Authenticate"
  | "Plico-Stream";

export type ParameterName = "Idempotency-Key" | "Last-Event-ID";

export function headerReferences(names: readonly HeaderName[]): JsonRecord {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

export function parameterReference(name: ParameterName): JsonRecord {
  return { $ref: `#/components/parameters/${name}` };
}

const text = { type: "string" };

/** What answers say beside their bodies. */
export const HEADERS: Readonly<Record<HeaderName, JsonRecord>> = {
  "Retry-After": {
    description: "How many seconds to wait before another try.",
    schema: { type: "integer", minimum: 0 },
  },
  RateLimit: {
    description: "What is left of a limit, as the IETF's draft has it.",
    schema: { ...text, examples: ['"default";r=99;t=60'] },
  },
  "RateLimit-Policy": {
    description: "The limit, as the IETF's draft has it.",
    schema: { ...text, examples: ['"default";q=100'] },
  },
  Link: {
    description: "The next page, with `rel=next`, and what belongs to the answer, as RFC 8288 has it.",
    schema: text,
  },
  traceparent: { description: "The trace that the answer belongs to, as the W3C has it.", schema: text },
  "WWW-Authenticate": { description: "How a caller can make itself known.", schema: text },
  "Plico-Stream": { description: "The version of the events.", schema: { ...text, const: "1" } },
};

/** Marks a parameter as one that belongs to HTTP, and not to the input of an operation. */
const NO_INPUT = { "x-plico": { input: false } };

export const PARAMETERS: Readonly<Record<ParameterName, JsonRecord>> = {
  "Idempotency-Key": {
    name: "Idempotency-Key",
    in: "header",
    description: "The same key with the same request is answered with the first answer, and nothing is done again.",
    schema: { ...text, minLength: 1, maxLength: 255 },
    ...NO_INPUT,
  },
  "Last-Event-ID": {
    name: "Last-Event-ID",
    in: "header",
    description: "The `id` of the last event that has arrived, to go on after it.",
    schema: text,
    ...NO_INPUT,
  },
};
