import { CallError } from "../../../envelope/call-error.js";
import { messageOf } from "../../../json/attempt.js";

/** The length of one value of a stream, in characters. */
export const MOST_ITEM_LENGTH: number = 8 * 1024 * 1024;

const MOST_SHOWN = 64 * 1024;

/** A whole body that should be JSON. All of it is kept. */
export function brokenJson(operationId: string, text: string, thrown: unknown): CallError {
  return new CallError({
    category: "execution",
    code: "INVALID_ANSWER",
    message: `What ${operationId} answered is called JSON and is none: ${messageOf(thrown)}`,
    data: text,
    cause: thrown,
  });
}

/** One value of a stream that should be JSON; those before it are with whoever reads. */
export function brokenItem(operationId: string, text: string, position: number, thrown: unknown): CallError {
  return new CallError({
    category: "execution",
    code: "INVALID_ANSWER",
    message: `Value ${position} of the stream that ${operationId} answered with is no JSON: ${messageOf(thrown)}`,
    details: { position, line: text.slice(0, MOST_SHOWN) },
    cause: thrown,
  });
}

export function itemTooLarge(operationId: string, limit: number): CallError {
  return new CallError({
    category: "validation",
    code: "PAYLOAD_TOO_LARGE",
    recoverable: false,
    message: `One value of the stream that ${operationId} answered with is longer than ${limit} characters.`,
  });
}

/** A server of ours says when a stream is at its end; one that merely stops has lost something. */
export function streamCut(operationId: string): CallError {
  return new CallError({
    category: "unavailable",
    message: `The stream that ${operationId} answered with stopped before the server had said that it ends.`,
  });
}

/** Of a stream that was to end in one. */
export function noValue(operationId: string): CallError {
  return new CallError({
    category: "execution",
    code: "INVALID_ANSWER",
    message: `The stream that ${operationId} answered with ended without an answer.`,
  });
}
