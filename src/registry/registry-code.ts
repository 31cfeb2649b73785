/** The codes that any call may fail with, beside those that its operation declares. */
export const REGISTRY_CODES = {
  ABORTED: "The caller aborted the call, or ended the subscription.",
  ACCESS_DENIED: "The caller is not known, or a scope or a permission is missing.",
  CONFLICT: "A call over a bus with the same `requestId` is pending.",
  CURSOR_LOOP: "The pages of an operation would never end: a cursor came for the second time.",
  EXECUTION_ERROR: "The handler threw something that it does not declare; its text is in `cause` only.",
  INPUT_REQUIRED: "A tool asks for more before it can go on; `details.inputRequests` tells what.",
  INVALID_ANSWER: "A server said something that its protocol has no meaning for; it is kept in `data`.",
  IS_SUBSCRIPTION: "The operation answers many times and wants to be subscribed to.",
  NO_RESPONSE: "A call over a bus was completed without an answer.",
  OPERATION_NOT_FOUND: "There is no operation of this id.",
  OUTPUT_MISMATCH: "Under the policy `strict`: the data does not match its schema; it is kept in `data`.",
  PAYLOAD_TOO_LARGE: "The input is larger or nested deeper than allowed, or an answer from outside larger.",
  RATE_LIMITED: "There were too many calls; `retryAfterMs` tells when to try again, where the source said it.",
  SEQUENCE_GAP: "A subscription over a bus lost values.",
  TIMEOUT: "The deadline has passed, or nothing was heard for longer than allowed.",
  TOOL_ERROR: "A tool itself says that it failed, without a code.",
  TOOL_MISSING: "A program that the operation needs is not installed.",
  UNAVAILABLE: "The operation has no handler here, its worker takes no more calls, or its server is gone.",
  UNKNOWN_ERROR: "The handler threw something that is no error.",
  VALIDATION_ERROR: "The input does not match its schema; `issues` has one entry a field.",
} as const;

export type RegistryCode = keyof typeof REGISTRY_CODES;
