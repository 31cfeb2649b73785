import { CallError } from "../envelope/call-error.js";
import { told } from "../json/told.js";
import { RESULT_PREFIX } from "./result-uri.js";

/** One message for all cases, so that nobody learns from it that a result of another identity exists. */
export function resultNotFound(): CallError {
  return new CallError({
    category: "not_found",
    message: "There is no such result. Results are kept for a while only; call the operation again.",
  });
}

/** It may be there again: too many files are open, or a disk does not answer. */
export function resultUnreadable(cause: unknown): CallError {
  const message = "The result cannot be read just now. Try again in a moment.";
  return new CallError({ category: "unavailable", message, cause });
}

export function badResultUri(uri: unknown): CallError {
  return invalid(
    `${told(uri)} is not the address of a result; write ${RESULT_PREFIX}ID, then ?pointer=/a/b, ?items=0-100 or ?bytes=0-4000`,
  );
}

export function invalid(message: string): CallError {
  return new CallError({ category: "validation", message: `${message}.` });
}
