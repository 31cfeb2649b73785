import { CallError } from "../../../envelope/call-error.js";
import { messageOf } from "../../../json/attempt.js";
import { told } from "../../../json/told.js";

/** Before any call: what the user gave cannot be used. The credential itself is never shown. */
export function refusedCredential(name: string, why: string): CallError {
  return new CallError({
    category: "validation",
    message: `The credential ${told(name)} of the source cannot be used: ${why}.`,
  });
}

/** The user's own function has failed, and the server was never asked. */
export function noCredential(name: string, thrown: unknown): CallError {
  const message = `The credential ${told(name)} of the source could not be had: ${messageOf(thrown)}`;
  return new CallError({ category: "authentication", message, cause: thrown });
}

/** At a call: it is there, but cannot be sent. */
export function unfitCredential(name: string, why: string): CallError {
  return new CallError({ category: "authentication", message: `The credential ${told(name)} of the source ${why}.` });
}

export interface TokenRefusal {
  readonly host: string;
  /** What the token endpoint did. */
  readonly what: string;
  readonly status: number;
  readonly error?: string | undefined;
  readonly retryAfterMs?: number | undefined;
}

/** The token endpoint gave none. */
export function noToken(name: string, { host, what, status, error, retryAfterMs }: TokenRefusal): CallError {
  return new CallError({
    category: "authentication",
    message: `${host} gives no token for the credential ${told(name)} of the source: it ${what}.`,
    recoverable: status === 429 || status >= 500,
    details: { status, ...(error !== undefined && { error }) },
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  });
}
