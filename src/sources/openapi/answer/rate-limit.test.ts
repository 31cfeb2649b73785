import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isHint } from "../../../envelope/hints.js";
import { isAboutLimit, rateLimitFrom, waitForReset, waitFrom } from "./rate-limit.js";

const NOW = Date.parse("2026-11-16T12:00:00Z");
const SECONDS = NOW / 1000;
const IN_30 = { resetAt: NOW + 30_000, resetSeconds: 30 };

describe("rateLimitFrom", () => {
  test.each([
    [
      "RateLimit-* of the first drafts",
      { "ratelimit-limit": "100, 100;w=60", "ratelimit-remaining": "50", "ratelimit-reset": "30" },
      { limit: 100, remaining: 50, ...IN_30 },
    ],
    [
      "RateLimit of draft 7",
      { ratelimit: "limit=100, remaining=50, reset=30", "ratelimit-policy": "100;w=60" },
      { limit: 100, remaining: 50, ...IN_30 },
    ],
    [
      "RateLimit of draft 8",
      { ratelimit: '"default";r=50;t=30', "ratelimit-policy": '"default";q=100;w=60' },
      { limit: 100, remaining: 50, ...IN_30 },
    ],
    [
      "the nearest of several limits",
      {
        ratelimit: '"a,day";r=900;t=3600, "burst";r=5;t=30',
        "ratelimit-policy": '"burst";q=10;w=60, "a,day";q=1000;w=86400',
      },
      { limit: 10, remaining: 5, ...IN_30 },
    ],
    ["a limit without its policy", { ratelimit: '"default";r=0;t=30' }, { remaining: 0, ...IN_30 }],
    [
      "GitHub's",
      {
        "x-ratelimit-limit": "5000",
        "x-ratelimit-remaining": "4999",
        "x-ratelimit-reset": String(SECONDS + 30),
        "x-ratelimit-used": "1",
        "x-ratelimit-resource": "core",
      },
      { limit: 5000, remaining: 4999, ...IN_30 },
    ],
    [
      "Twitter's",
      {
        "x-rate-limit-limit": "15",
        "x-rate-limit-remaining": "0",
        "x-rate-limit-reset": String(SECONDS + 30),
      },
      { limit: 15, remaining: 0, ...IN_30 },
    ],
    [
      "GitLab's",
      {
        "ratelimit-limit": "60",
        "ratelimit-observed": "67",
        "ratelimit-remaining": "0",
        "ratelimit-reset": String(SECONDS + 30),
        "ratelimit-resettime": "Mon, 16 Nov 2026 12:00:30 GMT",
        "retry-after": "30",
      },
      { limit: 60, remaining: 0, ...IN_30, retryAfterMs: 30_000 },
    ],
    [
      "OpenAI's, requests before tokens",
      {
        "x-ratelimit-limit-requests": "60",
        "x-ratelimit-limit-tokens": "150000",
        "x-ratelimit-remaining-requests": "59",
        "x-ratelimit-remaining-tokens": "149984",
        "x-ratelimit-reset-requests": "6m0s",
        "x-ratelimit-reset-tokens": "10ms",
      },
      { limit: 60, remaining: 59, resetAt: NOW + 360_000, resetSeconds: 360 },
    ],
    [
      "OpenAI's tokens, where nothing is said of requests",
      { "x-ratelimit-remaining-tokens": "10", "x-ratelimit-reset-tokens": "1h2m3.5s" },
      { remaining: 10, resetAt: NOW + 3_723_500, resetSeconds: 3724 },
    ],
    [
      "Anthropic's",
      {
        "anthropic-ratelimit-requests-limit": "50",
        "anthropic-ratelimit-requests-remaining": "49",
        "anthropic-ratelimit-requests-reset": "2026-11-16T12:00:30Z",
      },
      { limit: 50, remaining: 49, ...IN_30 },
    ],
    [
      "Discord's, to the fraction of a second",
      {
        "x-ratelimit-limit": "5",
        "x-ratelimit-remaining": "0",
        "x-ratelimit-reset": `${SECONDS + 30}.25`,
        "x-ratelimit-reset-after": "30.25",
      },
      { limit: 5, remaining: 0, resetAt: NOW + 30_250, resetSeconds: 31 },
    ],
    ["Shopify's", { "x-shopify-shop-api-call-limit": "32/40" }, { limit: 40, remaining: 8 }],
    ["a reset in milliseconds", { "x-ratelimit-reset": String(NOW + 30_000) }, IN_30],
    ["a reset as a date", { "x-ratelimit-reset": "Mon, 16 Nov 2026 12:00:30 GMT" }, IN_30],
    ["a reset that is over", { "x-ratelimit-reset": String(SECONDS - 5) }, { resetAt: NOW - 5000, resetSeconds: 0 }],
    ["Retry-After alone", { "retry-after": "2" }, { retryAfterMs: 2000 }],
    ["Retry-After as a date", { "retry-after": "Mon, 16 Nov 2026 12:00:30 GMT" }, { retryAfterMs: 30_000 }],
    ["Azure's milliseconds", { "retry-after-ms": "1500" }, { retryAfterMs: 1500 }],
  ])("reads %s", (_, headers, expected) => {
    expect(rateLimitFrom(headers as Record<string, string>, NOW)).toEqual(expected);
  });

  test.each<[string, Record<string, string>]>([
    ["nothing", {}],
    ["a reason only", { "stripe-rate-limited-reason": "endpoint-rate" }],
    ["words", { "x-ratelimit-limit": "many", "x-ratelimit-remaining": "-1", "x-ratelimit-reset": "soon" }],
    ["numbers that are none", { "x-ratelimit-limit": "1e5", "ratelimit-remaining": "0x10", "retry-after": "NaN" }],
    ["numbers beyond all bounds", { "x-ratelimit-limit": "9".repeat(400), "x-ratelimit-reset": "9".repeat(400) }],
    ["an empty header", { ratelimit: "", "x-ratelimit-limit": " " }],
    ["broken quotes", { ratelimit: '"default', "ratelimit-policy": '"""' }],
    ["a bucket without a size", { "x-shopify-shop-api-call-limit": "32/" }],
  ])("is silent where the headers say %s", (_, headers) => {
    expect(rateLimitFrom(headers, NOW)).toBeUndefined();
  });

  test("gives a hint of the right type whatever the headers are", () => {
    const name = fc.constantFrom(
      ...["ratelimit", "ratelimit-policy", "x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"],
      ...["retry-after", "ratelimit-reset", "x-shopify-shop-api-call-limit", "__proto__"],
    );
    const part = fc.constantFrom(
      "1",
      "9",
      ".",
      ";",
      ",",
      '"',
      "=",
      "r",
      "t",
      "q",
      "limit",
      "/",
      "s",
      "m",
      " ",
      "-",
      "e",
    );
    const value = fc.oneof(
      fc.string(),
      fc.array(part).map((parts) => parts.join("")),
    );
    fc.assert(
      fc.property(fc.dictionary(name, value), (headers) => {
        const limit = rateLimitFrom(headers, NOW);
        expect(limit === undefined || isHint("rateLimit", limit)).toBe(true);
        for (const number of Object.values(limit ?? {})) expect(Number.isFinite(number)).toBe(true);
      }),
    );
  });
});

describe("isAboutLimit", () => {
  test.each<[boolean, string, number, Record<string, string>]>([
    [true, "429", 429, {}],
    [true, "GitHub's 403 with nothing left", 403, { "x-ratelimit-remaining": "0" }],
    [true, "GitHub's 403 of the secondary limit", 403, { "retry-after": "60", "x-ratelimit-remaining": "40" }],
    [true, "what Stripe gives a reason for", 400, { "stripe-rate-limited-reason": "global-concurrency" }],
    [false, "a 403 with something left", 403, { "x-ratelimit-remaining": "12" }],
    [false, "a 404 with nothing left", 404, { "x-ratelimit-remaining": "0" }],
    [false, "a 503 that says when to come back", 503, { "retry-after": "5" }],
  ])("is %s of %s", (expected, _, status, headers) => {
    expect(isAboutLimit(status, headers)).toBe(expected);
  });
});

test("the wait is what a header says, or else until the limit begins anew", () => {
  const headers = { "x-ratelimit-remaining": "0", "x-ratelimit-reset": String(SECONDS + 30) };
  expect(waitFrom(headers, NOW)).toBeUndefined();
  expect(waitForReset(headers, NOW)).toBe(30_000);
  expect(waitForReset({ "x-ratelimit-reset": String(SECONDS - 30) }, NOW)).toBe(0);
  expect(waitFrom({ ...headers, "retry-after": "7" }, NOW)).toBe(7000);
});
