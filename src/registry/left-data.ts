import type { ResponseEnvelope } from "../envelope/response-envelope.js";

const LEFT = new WeakSet<ResponseEnvelope>();

/** Says that the schema of the operation does not describe this answer: its data is not to be fitted to it. */
export function leaveData(envelope: ResponseEnvelope): ResponseEnvelope {
  LEFT.add(envelope);
  return envelope;
}

export function isLeft(envelope: ResponseEnvelope): boolean {
  return LEFT.has(envelope);
}
