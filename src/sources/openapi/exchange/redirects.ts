import { orElse } from "../../../json/attempt.js";
import type { HttpAnswer, OutgoingRequest } from "../http-answer.js";
import { bodyNotForwarded } from "./exchange-errors.js";
import type { Target } from "./raw-url.js";
import { NO_SECRETS } from "./request-head.js";

const STATUSES: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Where an answer sends to; `undefined` where it does not, or to nothing that HTTP reaches. */
export function locationOf({ status, headers, url }: HttpAnswer): URL | undefined {
  const location = headers["location"];
  if (!STATUSES.has(status) || location === undefined) return undefined;
  // Node reads headers as Latin-1; where a server writes more than ASCII, it is UTF-8.
  const to = orElse(() => new URL(Buffer.from(location, "latin1").toString(), url), undefined);
  return to?.protocol === "http:" || to?.protocol === "https:" ? to : undefined;
}

/** The request that follows. Throws where it would give to another host what was not meant for it. */
export function redirected(request: OutgoingRequest, from: Target, { status, to }: Redirect): OutgoingRequest {
  const isSame = to.origin === from.origin;
  const next = becomesGet(status, request.method) ? asGet(request) : request;
  const hasBody = next.body !== undefined && next.body.length > 0;
  if (!isSame && hasBody && next.method !== "GET") throw bodyNotForwarded(from.host, to.host, next.method);
  return {
    ...next,
    url: `${to.origin}${to.pathname}${to.search}`,
    headers: isSame ? next.headers : harmless(next.headers),
    body: isSame ? next.body : undefined,
    secrets: isSame ? next.secrets : NO_SECRETS,
  };
}

export interface Redirect {
  readonly status: number;
  readonly to: URL;
}

/** As browsers do it: https://fetch.spec.whatwg.org/#http-redirect-fetch */
function becomesGet(status: number, method: string): boolean {
  if (status === 303) return method !== "GET" && method !== "HEAD";
  return (status === 301 || status === 302) && method === "POST";
}

function asGet(request: OutgoingRequest): OutgoingRequest {
  const headers = Object.entries(request.headers).filter(([name]) => !/^content-/i.test(name));
  return { ...request, method: "GET", headers: Object.fromEntries(headers), body: undefined };
}

/** A header may be a secret of its host, whatever its name: only these are told to another. */
function harmless(headers: OutgoingRequest["headers"]): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => HARMLESS.has(name.toLowerCase())));
}

const HARMLESS: ReadonlySet<string> = new Set([
  "accept",
  "accept-encoding",
  "accept-language",
  "cache-control",
  "if-modified-since",
  "if-none-match",
  "range",
  "traceparent",
  "tracestate",
  "user-agent",
]);
