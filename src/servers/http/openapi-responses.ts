import { responseEnvelope } from "../../dialects/response-envelope.js";
import { responseV2 } from "../../dialects/response-v2.js";
import type { Outcome } from "../../envelope/outcome.js";
import type { JsonRecord } from "../../json/value.js";
import { headerReferences } from "./openapi-parts.js";
import { envelopeSchema, successSchema } from "./openapi-schemas.js";
import { documentValue } from "./openapi-words.js";
import { ENVELOPE_TYPE } from "./printing.js";
import type { Component } from "./schema-components.js";

/** One answer, in the formats that every client can ask for. */
export function successResponse(id: string, data: Component): JsonRecord {
  const { v2, envelope, bare } = examplesOf(id, data);
  return {
    description: "The operation succeeded.",
    headers: headerReferences(["RateLimit", "RateLimit-Policy", "Link", "traceparent"]),
    content: {
      "application/json": { schema: successSchema(data), ...v2 },
      [ENVELOPE_TYPE]: { schema: envelopeSchema(data), ...envelope },
      "application/json;profile=data": { schema: data.reference, ...bare },
    },
  };
}

const EVENTS = `Server-sent events until the operation ends or the client goes. Their names and what they hold:

- \`value\`: one answer, with an \`id\` after which a client can go on by \`Last-Event-ID\`. It is a document of
  response-v2, or of the format that \`Accept\` names beside \`text/event-stream\`.
- \`progress\`: \`{ progress, total, message }\`
- \`failure\`: why it failed, as a document of the same format; the last.
- \`end\`: there is no more; the last.`;

/** Many answers. The envelope is that of each, for clients that ask for events of this format. */
export function streamResponse(id: string, data: Component): JsonRecord {
  const { envelope } = examplesOf(id, data);
  return {
    description: EVENTS,
    headers: headerReferences(["Plico-Stream"]),
    content: {
      "text/event-stream": { schema: { type: "string" } },
      [ENVELOPE_TYPE]: { schema: envelopeSchema(data), ...envelope },
    },
  };
}

/** Of the first of January 2026. */
const TIMESTAMP = 1_767_225_600_000;

function examplesOf(id: string, data: Component): Readonly<Record<"v2" | "envelope" | "bare", JsonRecord>> {
  const found = data.example;
  const shown = found === undefined ? undefined : documentValue(found.value);
  if (shown === undefined) return { v2: {}, envelope: {}, bare: {} };
  const meta = { source: "local", operationId: id, timestamp: TIMESTAMP } as const;
  const outcome: Outcome = { ok: true, data: shown.value, meta };
  return {
    v2: { example: responseV2.write(outcome).wire },
    envelope: { example: responseEnvelope.write(outcome).wire },
    bare: { example: shown.value },
  };
}
