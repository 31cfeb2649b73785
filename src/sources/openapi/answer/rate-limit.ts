import type { RateLimit } from "../../../envelope/hints.js";
import { instantFromIso } from "../../../json/instant.js";
import { compact } from "../../../json/value.js";
import { retryAfterMs } from "../../retry-after.js";

type Headers = Readonly<Record<string, string>>;

/** What the headers of an answer say of limits, in whichever of the usual ways; `undefined` where they say nothing. */
export function rateLimitFrom(headers: Headers, now: number = Date.now()): RateLimit | undefined {
  const said = fromStandard(headers, now) ?? fromFamilies(headers, now) ?? fromShopify(headers) ?? {};
  const limit: RateLimit = compact({ ...said, retryAfterMs: waitFrom(headers, now) });
  return Object.keys(limit).length === 0 ? undefined : limit;
}

/** Milliseconds to wait, where a header says it. */
export function waitFrom(headers: Headers, now: number = Date.now()): number | undefined {
  return (
    retryAfterMs(headers["retry-after"], now) ??
    numberIn(headers["retry-after-ms"]) ??
    numberIn(headers["x-ms-retry-after-ms"])
  );
}

/** Milliseconds until more is allowed, where the headers say that nothing is left. */
export function waitForReset(headers: Headers, now: number = Date.now()): number | undefined {
  const { resetAt } = rateLimitFrom(headers, now) ?? {};
  return resetAt === undefined ? undefined : Math.max(0, resetAt - now);
}

/** Whether a refusal is about a limit although its status may say something else, as GitHub's 403 does. */
export function isAboutLimit(status: number, headers: Headers): boolean {
  if (status === 429 || headers["stripe-rate-limited-reason"] !== undefined) return true;
  if (status !== 403) return false;
  return headers["retry-after"] !== undefined || rateLimitFrom(headers)?.remaining === 0;
}

/** `RateLimit`, of which the drafts of the IETF have had two forms. */
function fromStandard(headers: Headers, now: number): RateLimit | undefined {
  const header = headers["ratelimit"];
  if (header === undefined) return undefined;
  const members = splitOutsideQuotes(header, ",").map(memberOf);
  const old = Object.fromEntries(members.map(({ key, value }) => [key, value ?? ""]));
  const isOld = numberIn(old["limit"]) !== undefined || numberIn(old["remaining"]) !== undefined;
  return isOld ? limitOf(old["limit"], old["remaining"], old["reset"], now) : fromPolicies(members, headers, now);
}

/** `"default";r=50;t=30`: of several limits, that which is nearest. */
function fromPolicies(members: readonly Member[], headers: Headers, now: number): RateLimit | undefined {
  const policies = splitOutsideQuotes(headers["ratelimit-policy"] ?? "", ",").map(memberOf);
  const limits = members.flatMap(({ key, parameters }) => {
    const quota = policies.find((policy) => policy.key === key)?.parameters.get("q");
    const limit = limitOf(quota, parameters.get("r"), parameters.get("t"), now);
    return limit?.remaining === undefined ? [] : [limit];
  });
  return limits.sort((a, b) => (a.remaining ?? 0) - (b.remaining ?? 0))[0];
}

interface Member {
  readonly key: string;
  readonly value: string | undefined;
  readonly parameters: ReadonlyMap<string, string>;
}

function memberOf(text: string): Member {
  const [head = "", ...rest] = splitOutsideQuotes(text, ";");
  const [key, value] = pairOf(head);
  return {
    key: unquoted(key),
    value,
    parameters: new Map(rest.map(pairOf).map(([name, given = ""]) => [name, given])),
  };
}

function pairOf(text: string): [string, string | undefined] {
  const at = text.startsWith('"') ? -1 : text.indexOf("=");
  return at < 0 ? [text, undefined] : [text.slice(0, at).trim().toLowerCase(), text.slice(at + 1).trim()];
}

function unquoted(text: string): string {
  return text.replace(/^"(.*)"$/, "$1");
}

function splitOutsideQuotes(text: string, separator: string): string[] {
  const parts = text.match(separator === "," ? /(?:"[^"]*"|[^,"]|")+/g : /(?:"[^"]*"|[^;"]|")+/g) ?? [];
  return parts.map((part) => part.trim()).filter((part) => part !== "");
}

/** Limit, what remains of it and when it begins anew, each with its name. The first of which anything is said counts. */
const FAMILIES: readonly (readonly [limit: string, remaining: string, ...reset: string[]])[] = [
  ["ratelimit-limit", "ratelimit-remaining", "ratelimit-reset"],
  ["x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset-after", "x-ratelimit-reset"],
  ["x-rate-limit-limit", "x-rate-limit-remaining", "x-rate-limit-reset"],
  ["x-ratelimit-limit-requests", "x-ratelimit-remaining-requests", "x-ratelimit-reset-requests"],
  [
    "anthropic-ratelimit-requests-limit",
    "anthropic-ratelimit-requests-remaining",
    "anthropic-ratelimit-requests-reset",
  ],
  ["x-ratelimit-limit-tokens", "x-ratelimit-remaining-tokens", "x-ratelimit-reset-tokens"],
  ["anthropic-ratelimit-tokens-limit", "anthropic-ratelimit-tokens-remaining", "anthropic-ratelimit-tokens-reset"],
];

function fromFamilies(headers: Headers, now: number): RateLimit | undefined {
  for (const [limit, remaining, ...resets] of FAMILIES) {
    const reset = resets.map((name) => headers[name]).find((value) => value !== undefined);
    const said = limitOf(headers[limit], headers[remaining], reset, now);
    if (said !== undefined) return said;
  }
  return undefined;
}

/** `32/40`: so many calls are in the bucket, of so many that it holds. */
function fromShopify(headers: Headers): RateLimit | undefined {
  const match = /^\s*(\d{1,9})\s*\/\s*(\d{1,9})\s*$/.exec(headers["x-shopify-shop-api-call-limit"] ?? "");
  if (match === null) return undefined;
  const [used, limit] = [Number(match[1]), Number(match[2])];
  return { limit, remaining: Math.max(0, limit - used) };
}

function limitOf(
  limit: string | undefined,
  remaining: string | undefined,
  reset: string | undefined,
  now: number,
): RateLimit | undefined {
  const resetAt = resetFrom(reset, now);
  const said = compact({
    limit: numberIn(limit),
    remaining: numberIn(remaining),
    resetAt,
    resetSeconds: resetAt === undefined ? undefined : Math.max(0, Math.ceil((resetAt - now) / 1000)),
  });
  return Object.keys(said).length === 0 ? undefined : said;
}

/** The first number: a limit may be followed by its window, `100;w=60`, or by the same header of a proxy. */
function numberIn(text: string | undefined): number | undefined {
  const match = /^\s*(\d{1,15}(?:\.\d{1,15})?)\s*(?:[;,]|$)/.exec(text ?? "");
  return match === null ? undefined : Number(match[1]);
}

/** Epoch milliseconds, from seconds to wait, an instant in seconds or milliseconds, a date, or `6m0s`. */
function resetFrom(text: string | undefined, now: number): number | undefined {
  const value = text?.trim() ?? "";
  const number = numberIn(value);
  if (number !== undefined) return Math.round(instantOf(number, now));
  const duration = durationMs(value);
  if (duration !== undefined) return now + duration;
  const date = /^[A-Za-z]{3}/.test(value) ? Date.parse(value) : (instantFromIso(value) ?? Number.NaN);
  return Number.isNaN(date) ? undefined : date;
}

/** No window lasts thirty years, and no clock stands before 2001: what is said is told by its size. */
function instantOf(value: number, now: number): number {
  if (value < 1e9) return now + value * 1000;
  return value < 1e12 ? value * 1000 : value;
}

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

function durationMs(text: string): number | undefined {
  if (!/^(?:\d{1,9}(?:\.\d{1,9})?(?:ms|[smhd]))+$/.test(text)) return undefined;
  let total = 0;
  for (const [, amount, unit = ""] of text.matchAll(/([\d.]+)(ms|[smhd])/g))
    total += Number(amount) * (UNIT_MS[unit] ?? 0);
  return Math.ceil(total);
}
