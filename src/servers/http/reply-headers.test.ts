import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { callErrorData } from "../../envelope/call-error.js";
import type { RateLimit, ResponseHints } from "../../envelope/hints.js";
import type { Outcome } from "../../envelope/outcome.js";
import type { Printed } from "./printing.js";
import type { ReplyHeaders } from "./reply.js";
import { type HeaderContext, replyHeaders } from "./reply-headers.js";

const PRINTED: Printed = { body: "{}", contentType: "application/json", lost: [] };
const CONTEXT: HeaderContext = { status: 200, traceparent: undefined, nextPage: undefined };

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000, toFake: ["Date"] });
});
afterEach(() => {
  vi.useRealTimers();
});

function headersOf(meta: ResponseHints, context: Partial<HeaderContext> = {}, printed = PRINTED): ReplyHeaders {
  return replyHeaders({ ok: true, data: 1, meta }, printed, { ...CONTEXT, ...context });
}

function headersOfFailure(retryAfterMs: number | undefined, rateLimit?: RateLimit): ReplyHeaders {
  const error = callErrorData({
    category: "rate_limit",
    message: "",
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  });
  const outcome: Outcome = { ok: false, error, meta: rateLimit === undefined ? {} : { rateLimit } };
  return replyHeaders(outcome, PRINTED, { ...CONTEXT, status: 429 });
}

function lose(...paths: readonly string[]): Printed {
  return { ...PRINTED, lost: paths.map((path) => ({ path, reason: "" })) };
}

test("an answer that says nothing but its data has no header but its type", () => {
  expect(headersOf({ requestId: "req_1", summary: "one" })).toEqual({ "content-type": "application/json" });
});

describe("Retry-After", () => {
  test.each([
    [0, "0"],
    [1, "1"],
    [1000, "1"],
    [1001, "2"],
    [86_400_000, "86400"],
  ])("says %d ms in whole seconds that are enough", (retryAfterMs, seconds) => {
    expect(headersOfFailure(retryAfterMs)["retry-after"]).toBe(seconds);
  });

  test("is what the limit says where the error says nothing", () => {
    expect(headersOfFailure(undefined, { retryAfterMs: 2500 })["retry-after"]).toBe("3");
    expect(headersOfFailure(500, { retryAfterMs: 2500 })["retry-after"]).toBe("1");
  });

  test("is only said of failures", () => {
    expect(headersOf({ rateLimit: { retryAfterMs: 1000 } })).not.toHaveProperty("retry-after");
  });

  test.each([Number.POSITIVE_INFINITY, Number.NaN, 1e300])("has no word for %d", (retryAfterMs) => {
    expect(headersOfFailure(retryAfterMs)).not.toHaveProperty("retry-after");
  });
});

describe("RateLimit", () => {
  test.each<[RateLimit, string | undefined, string | undefined]>([
    [{ limit: 100, remaining: 7, resetSeconds: 30 }, '"default";r=7;t=30', '"default";q=100'],
    [{ remaining: 0, resetAt: 1_060_500 }, '"default";r=0;t=61', undefined],
    [{ remaining: 1, resetAt: 1 }, '"default";r=1;t=0', undefined],
    [{ remaining: 1 }, '"default";r=1', undefined],
    [{ remaining: -1, limit: 0.5 }, '"default";r=0', '"default";q=1'],
    [{ limit: 10 }, undefined, '"default";q=10'],
    [{ resetSeconds: 10 }, undefined, undefined],
    [{ limit: Number.POSITIVE_INFINITY, remaining: Number.NaN }, undefined, undefined],
    [{ remaining: 1, resetSeconds: Number.POSITIVE_INFINITY }, '"default";r=1', undefined],
  ])("of %o", (rateLimit, ratelimit, policy) => {
    const headers = headersOf({ rateLimit });
    expect(headers["ratelimit"]).toBe(ratelimit);
    expect(headers["ratelimit-policy"]).toBe(policy);
  });
});

describe("Link", () => {
  const link = (uri: string): ResponseHints => ({ links: [{ type: "resource_link", uri, name: "it" }] });

  test("leads to the next page, and to what is related", () => {
    expect(headersOf(link("docs://rows/4"), { nextPage: "/rows?cursor=a" })["link"]).toBe(
      '</rows?cursor=a>; rel="next", <docs://rows/4>; rel="related"',
    );
    expect(headersOf({ links: [] })).not.toHaveProperty("link");
  });

  test.each([
    ["https://x.test/a%20b?c=%2F", "https://x.test/a%20b?c=%2F"],
    ["https://x.test/東 京", "https://x.test/%E6%9D%B1%20%E4%BA%AC"],
    ['a>; rel="next", <b', "a%3E;%20rel=%22next%22,%20%3Cb"],
    ["a\r\nset-cookie: b=1", "a%0D%0Aset-cookie:%20b=1"],
    ["half\ud800", "half%EF%BF%BD"],
    ["🎉", "%F0%9F%8E%89"],
  ])("names %j so that it cannot be taken for anything else", (uri, written) => {
    expect(headersOf(link(uri))["link"]).toBe(`<${written}>; rel="related"`);
  });

  test("does not name more than a header has room for", () => {
    const [one] = link("a:b").links ?? [];
    const links = Array.from({ length: 5000 }, () => ({
      ...one,
      type: "resource_link" as const,
      uri: "a:b",
      name: "",
    }));
    expect((headersOf({ links })["link"] ?? "").length).toBeLessThan(1000);
  });
});

test("no header is larger than clients take, and what fits is there", () => {
  const long = "x".repeat(100_000);
  const links = [`data:${long}`, "a:b"].map((uri) => ({ type: "resource_link" as const, uri, name: "" }));
  const printed = lose("/meta/requestId", `/meta/extra/${"東".repeat(50_000)}`, "/meta/summary");
  const headers = headersOf({ links, requestId: long }, { nextPage: `/rows?cursor=${long}` }, printed);
  expect(JSON.stringify(headers).length).toBeLessThan(10_000);
  expect(headers["link"]).toBe('<a:b>; rel="related"');
  expect(headers["plico-lost"]).toMatch(/^\/meta\/extra\/.*, \/meta\/summary$/);
});

describe("what the format has no place for", () => {
  test("is named", () => {
    const printed = lose("/meta/summary", "/meta/extra/a,b", "/meta/extra/ключ\n\ud800");
    expect(headersOf({}, {}, printed)["plico-lost"]).toBe(
      "/meta/summary, /meta/extra/a%2Cb, /meta/extra/%D0%BA%D0%BB%D1%8E%D1%87%0A%EF%BF%BD",
    );
  });

  test("is said in a header of its own where it is the id of the request", () => {
    const headers = headersOf({ requestId: "req_1\r\nx" }, {}, lose("/meta/requestId"));
    expect(headers["request-id"]).toBe("req_1%0D%0Ax");
    expect(headers).not.toHaveProperty("plico-lost");
  });

  test("is not named without end", () => {
    const printed = lose(...Array.from({ length: 5000 }, (_, at) => `/meta/extra/${at}`));
    expect((headersOf({}, {}, printed)["plico-lost"] ?? "").length).toBeLessThan(1000);
  });
});

test("the trace is passed on, and a caller that is not known is told how to be", () => {
  const headers = headersOf({}, { status: 401, traceparent: "00-a-b-01" });
  expect(headers).toMatchObject({ traceparent: "00-a-b-01", "www-authenticate": "Bearer" });
});
