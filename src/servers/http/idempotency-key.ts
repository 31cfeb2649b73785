import { CallError } from "../../envelope/call-error.js";
import { told } from "../../json/told.js";

/** The key in an `Idempotency-Key` header: bare, or a quoted text of a structured header. */
export function parseIdempotencyKey(header: string): string | CallError {
  const given = header.trim();
  const key = given.startsWith('"') ? unquoted(given) : given;
  return key !== undefined && /^[\x21-\x7e]{1,255}$/.test(key) ? key : invalidKey(header);
}

function unquoted(text: string): string | undefined {
  return /^"((?:[^"\\]|\\["\\])*)"$/.exec(text)?.[1]?.replaceAll(/\\(.)/g, "$1");
}

function invalidKey(header: string): CallError {
  return new CallError({
    category: "validation",
    code: "IDEMPOTENCY_KEY_INVALID",
    message: `The Idempotency-Key ${told(header)} cannot be used: 1 to 255 visible ASCII characters are wanted, with quotes around them or without. A random UUID does well.`,
  });
}
