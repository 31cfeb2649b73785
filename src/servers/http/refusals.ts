import { CallError } from "../../envelope/call-error.js";
import { isRecord, isStringArray } from "../../json/value.js";
import { OFFERED } from "./negotiate.js";
import type { ReplyHeaders } from "./reply.js";

/** What the server itself says no to, before any operation was asked. */

export function badHost(message: string): CallError {
  return new CallError({ category: "authorization", code: "HOST_REFUSED", message });
}

export function noSuchPath(path: string, prefix: string): CallError {
  return new CallError({
    category: "not_found",
    message: `There is nothing at ${path}. The operations are listed at ${prefix}/operations and ${prefix}/openapi.json.`,
  });
}

export function noSuchMethod(method: string, path: string, methods: readonly string[]): CallError {
  const allowed = methods.flatMap((one) => (one === "GET" ? ["GET", "HEAD"] : [one]));
  return new CallError({
    category: "validation",
    code: "METHOD_NOT_ALLOWED",
    recoverable: false,
    message: `${path} does not take ${method}, but ${allowed.join(", ")}.`,
    details: { allowed },
  });
}

/** What HTTP wants beside such a refusal. */
export function headersOf({ code, details }: CallError): ReplyHeaders {
  if (code === "METHOD_NOT_ALLOWED" && isRecord(details) && isStringArray(details["allowed"]))
    return { allow: details["allowed"].filter((method) => /^[A-Z]+$/.test(method)).join(", ") };
  // What was not read of a body would be taken for the next request.
  return code === "PAYLOAD_TOO_LARGE" ? { connection: "close" } : {};
}

export function notAcceptable(accept: string | undefined): CallError {
  return new CallError({
    category: "validation",
    code: "NOT_ACCEPTABLE",
    recoverable: false,
    message: `None of ${JSON.stringify(accept ?? "")} can be given. The header Accept may name ${OFFERED.join(", ")}.`,
  });
}

export function onlyAsStream(id: string): CallError {
  return new CallError({
    category: "validation",
    code: "NOT_ACCEPTABLE",
    recoverable: false,
    message: `${id} is a subscription and answers many times. Ask for it with the header Accept: text/event-stream.`,
  });
}

export function noJson(contentType: string | undefined): CallError {
  const what = contentType === undefined ? "nothing" : JSON.stringify(contentType);
  return new CallError({
    category: "validation",
    code: "UNSUPPORTED_MEDIA_TYPE",
    recoverable: false,
    message: `The body must be JSON; Content-Type says ${what}. Send the header Content-Type: application/json.`,
  });
}

export function encodedBody(encoding: string): CallError {
  return new CallError({
    category: "validation",
    code: "UNSUPPORTED_MEDIA_TYPE",
    recoverable: false,
    message: `A body with the Content-Encoding ${JSON.stringify(encoding)} is not read. Send it as it is.`,
  });
}

export function noText(): CallError {
  return new CallError({ category: "validation", message: "The body is not valid UTF-8, which JSON must be." });
}

export function brokenJson(why: string): CallError {
  return new CallError({ category: "validation", message: `The body is not valid JSON: ${why}.` });
}

export function bodyTooLarge(limit: number): CallError {
  return new CallError({
    category: "validation",
    code: "PAYLOAD_TOO_LARGE",
    recoverable: false,
    message: `The body must not have more than ${limit} bytes.`,
  });
}

export function outOfTime(timeout: number): CallError {
  return new CallError({ category: "timeout", message: `The call has taken longer than ${timeout} ms.` });
}

/** What could not even be read as a request. */
export function brokenRequest(status: string): CallError {
  const category = status.startsWith("408") ? "timeout" : "validation";
  return new CallError({ category, message: `The request could not be read: ${status.slice(4)}.` });
}
