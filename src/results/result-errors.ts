import { CallError } from "../envelope/call-error.js";
import { told } from "../json/told.js";

/** One message for all cases, so that nobody learns from it that a result of another identity exists. */
export function resultNotFound(): CallError {
  return new CallError({
    category: "not_found",
    message: "There is no such result. Results are kept for a while only; call the operation again.",
  });
}

export function badResultUri(uri: unknown): CallError {
  return invalid(
    `${told(uri)} is not the address of a result; write plico://results/ID, then ?pointer=/a/b, ?items=0-100 or ?bytes=0-4000`,
  );
}

export function invalid(message: string): CallError {
  return new CallError({ category: "validation", message: `${message}.` });
}
