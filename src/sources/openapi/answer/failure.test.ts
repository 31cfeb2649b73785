import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CallError, isIssue } from "../../../envelope/call-error.js";
import { hintsOfFailure } from "../../../registry/failure-hints.js";
import { errorFromAnswer } from "./failure.js";
import { type AnswerParts, answerOf, answerOptions } from "./fixtures/answer-of.js";
import { REFUSALS } from "./fixtures/refusals.js";

function errorOf(parts: AnswerParts): Promise<CallError> {
  return errorFromAnswer(answerOf(parts), answerOptions());
}

describe("a refusal", () => {
  test.each(REFUSALS)(
    "of $label is told as it was meant",
    async ({ category, code, says, issues, label, ...parts }) => {
      const error = await errorOf(parts);
      expect({ category: error.category, code: error.code, issues: error.issues }).toEqual({ category, code, issues });
      expect(error.message).toContain(says);
      expect(error.details).toMatchObject({ statusCode: parts.status });
    },
  );

  test("keeps status, headers and body, and its origin as a hint", async () => {
    const error = await errorOf({
      status: 404,
      body: { message: "gone" },
      headers: { "x-request-id": "7" },
      setCookie: ["a=1"],
    });
    const headers = { "content-type": "application/json", "x-request-id": "7" };
    expect(error.details).toEqual({ statusCode: 404, headers, body: { message: "gone" } });
    expect(hintsOfFailure(error)).toEqual({
      source: "http",
      statusCode: 404,
      headers,
      contentType: "application/json",
      setCookie: ["a=1"],
    });
  });

  test("is of the code's category only within what the status says", async () => {
    const error = await errorOf({ status: 500, body: { code: "EXECUTION_ERROR", message: "no" } });
    expect(error).toMatchObject({ category: "execution", code: "EXECUTION_ERROR" });
    const other = await errorOf({ status: 400, body: { code: "NOT_FOUND" } });
    expect(other).toMatchObject({ category: "validation", code: "NOT_FOUND" });
  });

  test.each(["no word", "", 42, null, "x".repeat(65), "<b>", "a\nb"])(
    "has its category's code where the body's is %j",
    async (code) => {
      expect((await errorOf({ status: 409, body: { code } })).code).toBe("CONFLICT");
    },
  );

  test("says what to do about it", async () => {
    for (const status of [401, 403, 404, 429])
      expect((await errorOf({ status })).suggestedAction).toEqual(expect.any(String));
    expect((await errorOf({ status: 500 })).suggestedAction).toBeUndefined();
  });

  test.each<[number, Record<string, string>, boolean]>([
    [500, {}, false],
    [501, {}, false],
    [502, {}, true],
    [503, {}, true],
    [504, {}, true],
    [408, {}, true],
    [429, {}, true],
    [401, {}, false],
    [503, { "stripe-should-retry": "false" }, false],
    [500, { "x-should-retry": "true" }, true],
    [500, { "x-should-retry": "perhaps" }, false],
  ])("of status %s and %j can be helped by another try: %s", async (status, headers, recoverable) => {
    expect((await errorOf({ status, headers })).recoverable).toBe(recoverable);
  });

  test("that was a redirect names the place without what its query may repeat", async () => {
    const headers = { location: "https://other.example/a?api_key=secret" };
    const error = await errorOf({ status: 302, headers });
    expect(error).toMatchObject({ category: "execution", code: "REDIRECTED" });
    expect(error.suggestedAction).toContain("https://other.example/a");
    expect(`${error.message} ${error.suggestedAction}`).not.toContain("secret");
  });
});

describe("the time to wait", () => {
  const soon = String(Math.ceil(Date.now() / 1000) + 600);

  test.each<[string, AnswerParts, number, number]>([
    ["Retry-After", { status: 503, headers: { "retry-after": "3" } }, 3000, 3000],
    ["when the limit begins anew", { status: 429, headers: { "x-ratelimit-reset": soon } }, 500_000, 602_000],
    [
      "GitHub's limit that is used up",
      { status: 403, headers: { "x-ratelimit-remaining": "0", "x-ratelimit-reset": soon } },
      500_000,
      602_000,
    ],
    ["Discord's body", { status: 429, body: { message: "slow", retry_after: 0.55, global: false } }, 550, 550],
    ["Google's details", { status: 429, body: { error: { details: [{}, { retryDelay: "1.5s" }] } } }, 1500, 1500],
  ])("is read from %s", async (_, parts, least, most) => {
    const { retryAfterMs = -1 } = await errorOf(parts);
    expect(retryAfterMs).toBeGreaterThanOrEqual(least);
    expect(retryAfterMs).toBeLessThanOrEqual(most);
  });

  test("is no hint beside the error, while the limit is", async () => {
    const error = await errorOf({ status: 429, headers: { "retry-after": "3", "x-ratelimit-limit": "9" } });
    expect(hintsOfFailure(error)).toMatchObject({ rateLimit: { limit: 9 } });
    expect(hintsOfFailure(error)?.rateLimit).not.toHaveProperty("retryAfterMs");
    expect(hintsOfFailure(await errorOf({ status: 429, headers: { "retry-after": "3" } }))).not.toHaveProperty(
      "rateLimit",
    );
  });

  test("is not until the limit begins anew where that is not the reason", async () => {
    expect((await errorOf({ status: 404, headers: { "x-ratelimit-reset": soon } })).retryAfterMs).toBeUndefined();
  });
});

describe("a body", () => {
  test("that is a long text is cut, and said so", async () => {
    const { details, message } = await errorOf({ status: 500, contentType: "text/plain", body: "x".repeat(100_000) });
    expect(details).toMatchObject({ body: "x".repeat(65_536), note: expect.any(String) });
    expect(message.length).toBeLessThan(600);
  });

  test("that does not end is not waited for", async () => {
    const piece = 300_000;
    const cuts = Array.from({ length: 10 }, (_, at) => at * piece);
    const answer = answerOf({ status: 500, contentType: "text/plain", body: "x".repeat(10 * piece), cuts });
    const error = await errorFromAnswer(answer, answerOptions());
    expect(error.category).toBe("internal");
    expect(answer.asked()).toBeLessThan(7);
    expect(answer.discarded()).toBe(1);
  });

  test("that breaks off does not hide the status", async () => {
    const fault = new CallError({ category: "unavailable", message: "The connection was closed." });
    const error = await errorOf({ status: 409, body: "half an ans", contentType: "text/plain", fault });
    expect(error).toMatchObject({ category: "conflict", details: { body: "half an ans", note: expect.any(String) } });
  });

  test("that nobody wants any more is not looked at", async () => {
    const fault = new CallError({ category: "aborted", message: "The caller has left." });
    await expect(errorOf({ status: 409, fault })).rejects.toBe(fault);
  });

  test("of bytes is not shown", async () => {
    const error = await errorOf({ status: 500, contentType: "image/png", body: Uint8Array.of(0x89, 0x50) });
    expect(error.details).not.toHaveProperty("body");
    expect(error.details).toHaveProperty("note");
  });

  test("that is hostile gives a sound error", async () => {
    const names = fc.constantFrom(
      ...[
        "message",
        "error",
        "errors",
        "detail",
        "code",
        "title",
        "issues",
        "source",
        "pointer",
        "path",
        "loc",
        "field",
      ],
      ...[
        "details",
        "causes",
        "fieldViolations",
        "param",
        "retry_after",
        "fault",
        "__proto__",
        "kind",
        "reason",
        "status",
      ],
    );
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom(null, true, 0, -1, 1e308, "", "x", "a.b[0]", "#/a", "Status", "\u0000", "<b>"),
        fc.array(tie("tree"), { maxLength: 3 }),
        fc.dictionary(names, tie("tree"), { maxKeys: 5 }),
      ),
    }));
    await fc.assert(
      fc.asyncProperty(tree, fc.integer({ min: 300, max: 599 }), async (body, status) => {
        const error = await errorOf({ status, body: JSON.stringify(body), contentType: "application/json" });
        expect(error.code).toMatch(/^[A-Za-z][\w.:-]+$/);
        expect(error.message.length).toBeLessThan(600);
        expect((error.issues ?? []).every(isIssue)).toBe(true);
        expect(Number.isFinite(error.retryAfterMs ?? 0)).toBe(true);
      }),
    );
  });
});
