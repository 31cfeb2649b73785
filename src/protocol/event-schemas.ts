import { CallErrorSchema } from "../envelope/call-error.js";
import { ResponseEnvelopeSchema } from "../envelope/response-envelope.js";
import { arraySchema, type JsonSchema, objectSchema } from "../json/json-schema.js";
import type { CallEventType } from "./events.js";

const string = { type: "string" };
const name = { type: "string", minLength: 1 };
const number = { type: "number" };
const count = { type: "integer", minimum: 0 };
const credit = { type: "integer", minimum: 1 };

const IdentitySchema: JsonSchema = objectSchema(
  {
    id: string,
    scopes: arraySchema(string),
    resources: { type: "object", additionalProperties: arraySchema(string) },
  },
  ["resources"],
);

export const CallEventSchemas: Readonly<Record<CallEventType, JsonSchema>> = {
  "call.requested": event(
    "call.requested",
    {
      operationId: name,
      input: true,
      replyTo: name,
      parentRequestId: string,
      deadline: number,
      idleTimeout: { type: "number", exclusiveMinimum: 0 },
      identity: IdentitySchema,
      metadata: { type: "object" },
      idempotencyKey: name,
      heartbeat: { type: "number", exclusiveMinimum: 0 },
      credit,
    },
    [
      ...["input", "parentRequestId", "deadline", "idleTimeout", "identity", "metadata", "idempotencyKey", "heartbeat"],
      "credit",
    ],
  ),
  "call.responded": event("call.responded", { output: ResponseEnvelopeSchema, sequence: count }, ["sequence"]),
  "call.completed": event("call.completed", { count }, ["count"]),
  "call.progress": event("call.progress", { progress: number, total: number, message: string }, ["total", "message"]),
  "call.aborted": event("call.aborted", { reason: string, replyTo: name }, ["reason", "replyTo"]),
  "call.error": { allOf: [event("call.error", {}), CallErrorSchema] },
  "call.credited": event("call.credited", { credit: count }),
  "call.running": event("call.running", { controlTo: name, sent: count, granted: count }, [
    ...["controlTo", "sent", "granted"],
  ]),
  "call.resumed": event("call.resumed", { replyTo: name, received: count, granted: count }, ["received", "granted"]),
};

export const CallEventSchema: JsonSchema = { anyOf: Object.values(CallEventSchemas) };

function event(
  type: CallEventType,
  fields: Readonly<Record<string, JsonSchema>>,
  optional: readonly string[] = [],
): JsonSchema {
  return objectSchema({ type: { const: type }, requestId: name, ...fields }, optional);
}
