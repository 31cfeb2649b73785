import { CallError } from "../../envelope/call-error.js";
import { orElse } from "../../json/attempt.js";
import { told } from "../../json/told.js";
import type { RequestHead } from "./options.js";
import type { HttpReply, ReplyHeaders } from "./reply.js";

export interface CorsOptions {
  /** The web pages that may call, each as a browser names it: `https://app.example`. */
  readonly origins: readonly string[] | "*";
  /** Headers that pages may send beside those that this server reads itself. */
  readonly headers?: readonly string[] | undefined;
  /**
   * Whether browsers send cookies and other credentials; not with the origins `*`.
   * @default false
   */
  readonly credentials?: boolean | undefined;
  /**
   * How long a browser remembers what it may do.
   * @default 600
   */
  readonly maxAgeSeconds?: number | undefined;
}

export interface Cors {
  /** The answer to a request by which a browser asks first; `undefined` where it is none of those. */
  preflight(request: Pick<RequestHead, "method" | "headers">): HttpReply | undefined;
  /** What every other answer says. */
  headersFor(origin: string | undefined): ReplyHeaders;
}

const METHODS = "GET, HEAD, POST, PUT, PATCH, DELETE";

/** Those that this server reads. */
const SENT = [
  "accept",
  "authorization",
  "content-type",
  "idempotency-key",
  "last-event-id",
  "traceparent",
  "tracestate",
];

/** Those that a page may read beside the few that it always may. */
const EXPOSED =
  "Link, RateLimit, RateLimit-Policy, Retry-After, Idempotency-Replayed, traceparent, Location, plico-stream, plico-lost, request-id";

/** Without options, no page of another origin may read an answer. */
export function corsFor(options: CorsOptions | undefined): Cors {
  if (options === undefined) return { preflight: () => undefined, headersFor: () => ({}) };
  checkOptions(options);
  const { origins, headers = [], credentials = false, maxAgeSeconds = 600 } = options;
  const others: ReplyHeaders = origins === "*" ? answerTo("*", false) : { vary: "origin" };
  const known = new Map(origins === "*" ? [] : origins.map((origin) => [origin, answerTo(origin, credentials)]));
  const granted: ReplyHeaders = {
    "access-control-allow-methods": METHODS,
    "access-control-allow-headers": [...SENT, ...headers].join(", "),
    "access-control-max-age": String(maxAgeSeconds),
  };
  return {
    preflight: ({ method, headers: { origin, "access-control-request-method": wanted } }) => {
      if (method !== "OPTIONS" || typeof origin !== "string" || wanted === undefined) return undefined;
      const answer = origins === "*" ? others : known.get(origin);
      if (answer === undefined) return { status: 403, headers: others, body: "" };
      return { status: 204, headers: { ...answer, ...granted }, body: "" };
    },
    headersFor: (origin) => (origin === undefined ? undefined : known.get(origin)) ?? others,
  };
}

function answerTo(origin: string, credentials: boolean): ReplyHeaders {
  return {
    "access-control-allow-origin": origin,
    "access-control-expose-headers": EXPOSED,
    ...(credentials && { "access-control-allow-credentials": "true" }),
    // A cache must not give one page what was meant for another.
    ...(origin !== "*" && { vary: "origin" }),
  };
}

function checkOptions({ origins, headers = [], credentials, maxAgeSeconds = 0 }: CorsOptions): void {
  if (origins === "*" && credentials === true)
    throw refused('The origins "*" cannot go with credentials: any page could act for its visitor. Name the origins.');
  if (origins !== "*" && !Array.isArray(origins))
    throw refused(`origins is ${told(origins)}. Give a list of origins, or "*".`);
  for (const origin of origins === "*" ? [] : origins) {
    if (typeof origin !== "string" || !isOrigin(origin))
      throw refused(`${told(origin)} is no origin. Give it as browsers do, without a path: https://app.example.`);
  }
  for (const name of headers) {
    if (!/^[\w!#$%&'+.^`|~-]+$/.test(name))
      throw refused(`${told(name)} is no name of a header. Name each one that pages may send.`);
  }
  if (!Number.isSafeInteger(maxAgeSeconds) || maxAgeSeconds < 0)
    throw refused(`maxAgeSeconds is ${told(maxAgeSeconds)}. Give a whole number from 0.`);
}

/** Also those of browser extensions, of which a URL knows no origin. */
function isOrigin(text: string): boolean {
  if (!/^[a-z][a-z0-9+.-]*:\/\/[^/?#@\s*]+$/.test(text)) return false;
  return !text.startsWith("http") || orElse(() => new URL(text).origin === text, false);
}

function refused(problem: string): CallError {
  return new CallError({ category: "validation", message: `The cors option cannot be used: ${problem}` });
}
