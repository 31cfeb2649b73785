import { isCallError } from "../../../envelope/call-error.js";
import { compact } from "../../../json/value.js";
import { hintsOfFailure, keepHints } from "../../../registry/failure-hints.js";
import type { HttpAnswer } from "../http-answer.js";
import { rateLimitFrom } from "./rate-limit.js";
import type { HttpOrigin } from "./unfold.js";

/** Where an answer came from, and what its headers say of limits. */
export function originOf(answer: HttpAnswer): HttpOrigin {
  const { status, headers, contentType, setCookie } = answer;
  return compact({
    statusCode: status,
    headers: { ...headers },
    contentType,
    setCookie: setCookie.length === 0 ? undefined : [...setCookie],
    rateLimit: rateLimitFrom(headers),
  });
}

/** As `originOf`, without the time to wait: that belongs to the error. */
export function originOfFailure(answer: HttpAnswer): HttpOrigin {
  const { rateLimit, ...origin } = originOf(answer);
  const { retryAfterMs, ...limit } = rateLimit ?? {};
  return Object.keys(limit).length === 0 ? origin : { ...origin, rateLimit: limit };
}

/** An error that was made of this answer, and says where it came from if it does not already. */
export function withOrigin(thrown: unknown, answer: HttpAnswer): unknown {
  if (!isCallError(thrown) || hintsOfFailure(thrown) !== undefined) return thrown;
  return keepHints(thrown, { ...originOfFailure(answer), source: "http" });
}
