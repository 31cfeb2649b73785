import { hintsIn, type RateLimit, type ResponseHints } from "../../envelope/hints.js";
import type { Outcome } from "../../envelope/outcome.js";
import type { Printed } from "./printing.js";
import type { ReplyHeaders } from "./reply.js";

export interface HeaderContext {
  readonly status: number;
  /** The trace that the answer belongs to. */
  readonly traceparent: string | undefined;
  /** The address of the next page, where the request has one that can be followed. */
  readonly nextPage: string | undefined;
}

/** What HTTP says of an answer in words of its own, beside what stands in the body. */
export function replyHeaders(outcome: Outcome, printed: Printed, context: HeaderContext): ReplyHeaders {
  const headers: Record<string, string> = { "content-type": printed.contentType };
  // A handler may have put anything into them.
  const hints = hintsIn(outcome.meta);
  const { rateLimit, requestId } = hints;
  const wait = outcome.ok ? undefined : (outcome.error.retryAfterMs ?? rateLimit?.retryAfterMs);
  if (wait !== undefined && wait < LONGEST_MS) headers["retry-after"] = String(whole(wait / 1000));
  if (context.status === 401) headers["www-authenticate"] = "Bearer";
  if (context.traceparent !== undefined) headers["traceparent"] = context.traceparent;
  if (rateLimit !== undefined) Object.assign(headers, rateLimitHeaders(rateLimit));
  const links = linksOf(hints, context.nextPage);
  if (links !== "") headers["link"] = links;
  const lost = printed.lost.map(({ path }) => path);
  if (lost.includes(REQUEST_ID) && requestId !== undefined) headers["request-id"] = ascii(requestId);
  const names = listed(lost.filter((path) => path !== REQUEST_ID).map(ascii));
  if (names !== "") headers["plico-lost"] = names;
  return headers;
}

/** Nobody waits that long, and some words of numbers are no seconds. */
const LONGEST_MS = 100 * 365 * 24 * 60 * 60 * 1000;
const REQUEST_ID = "/meta/requestId";
/** Clients give up on heads that are too large. */
const MOST_ITEMS = 20;
const MOST_CHARACTERS = 4_000;

function listed(items: readonly string[]): string {
  let text = "";
  for (const item of items.slice(0, MOST_ITEMS)) {
    const longer = text === "" ? item : `${text}, ${item}`;
    if (longer.length <= MOST_CHARACTERS) text = longer;
  }
  return text;
}

/** As the IETF's draft has it. */
function rateLimitHeaders({ limit, remaining, resetAt, resetSeconds }: RateLimit): ReplyHeaders {
  const seconds = resetSeconds ?? (resetAt === undefined ? undefined : Math.max(0, (resetAt - Date.now()) / 1000));
  const left = isCount(remaining) ? `;r=${whole(remaining)}` : "";
  const time = isCount(seconds) ? `;t=${whole(seconds)}` : "";
  return {
    ...(left !== "" && { ratelimit: `"default"${left}${time}` }),
    ...(isCount(limit) && { "ratelimit-policy": `"default";q=${whole(limit)}` }),
  };
}

/** Whether a header has a word for it. */
function isCount(value: number | undefined): value is number {
  return value !== undefined && value <= Number.MAX_SAFE_INTEGER;
}

function whole(value: number): number {
  return Math.max(0, Math.ceil(value));
}

function linksOf({ links = [] }: ResponseHints, nextPage: string | undefined): string {
  const next = nextPage === undefined ? [] : [`<${address(nextPage)}>; rel="next"`];
  const related = links.slice(0, MOST_ITEMS).map(({ uri }) => `<${address(uri)}>; rel="related"`);
  return listed([...next, ...related]);
}

/** What is encoded already stays as it is. */
function address(uri: string): string {
  return wellFormed(uri).replaceAll(/[^!-~]|[<>"\\^`{|}]/gu, encodeURIComponent);
}

function ascii(text: string): string {
  return encodeURI(wellFormed(text.slice(0, LONGEST_NAME))).replaceAll(",", "%2C");
}

const LONGEST_NAME = 200;

/** Half a character cannot be encoded. */
function wellFormed(text: string): string {
  return text.replaceAll(/\p{Surrogate}/gu, "\ufffd");
}
