import type { ResponseEnvelope } from "../envelope/response-envelope.js";
import type { AnySchema } from "../schema/standard-schema.js";

const SCHEMAS = new WeakMap<ResponseEnvelope, AnySchema>();

/** Says that this schema describes the data of this one answer, and not that of the operation. */
export function describeData(envelope: ResponseEnvelope, schema: AnySchema): ResponseEnvelope {
  SCHEMAS.set(envelope, schema);
  return envelope;
}

/** Says that the schema of the operation does not describe this answer: its data is not to be fitted to it. */
export function leaveData(envelope: ResponseEnvelope): ResponseEnvelope {
  return describeData(envelope, true);
}

export function schemaOfAnswer(envelope: ResponseEnvelope): AnySchema | undefined {
  return SCHEMAS.get(envelope);
}
