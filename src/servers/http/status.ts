import { type CallErrorData, callErrorData } from "../../envelope/call-error.js";
import { categoryFacts } from "../../envelope/category.js";
import type { Outcome } from "../../envelope/outcome.js";
import { createRequestId } from "../../envelope/request-id.js";

/** Codes that HTTP has a finer status for than their category. */
const STATUS_OF_CODE: Readonly<Record<string, number>> = {
  PAYLOAD_TOO_LARGE: 413,
  METHOD_NOT_ALLOWED: 405,
  NOT_ACCEPTABLE: 406,
  UNSUPPORTED_MEDIA_TYPE: 415,
  IDEMPOTENCY_KEY_REUSED: 422,
};

export function statusOf(outcome: Outcome): number {
  if (outcome.ok) return 200;
  const { code, category } = outcome.error;
  return (Object.hasOwn(STATUS_OF_CODE, code) ? STATUS_OF_CODE[code] : undefined) ?? categoryFacts(category).status;
}

/** A request that is refused before anything was called. */
export function refused(error: CallErrorData): Outcome {
  return { ok: false, error: callErrorData(error), meta: { requestId: createRequestId() } };
}
