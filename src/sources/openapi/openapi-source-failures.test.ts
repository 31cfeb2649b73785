import { describe, expect, test } from "vitest";
import { httpServer } from "./exchange/fixtures/exchange-servers.js";
import { documentWith, type Mounted, mounted, ok, sendJson, tidyUp } from "./fixtures/mounted.js";

tidyUp();

async function api(status: number, body: unknown, headers: object = {}): Promise<Mounted> {
  const { url } = await httpServer((_, response) => sendJson(response, body, status, headers));
  const responses = { 200: ok(), default: ok({ type: "object", additionalProperties: false }) };
  return mounted({ document: documentWith({ "GET /a": { operationId: "a", responses } }), baseUrl: url, retries: 0 });
}

describe("a refusal", () => {
  test.each([
    [400, "validation"],
    [401, "authentication"],
    [403, "authorization"],
    [404, "not_found"],
    [408, "timeout"],
    [409, "conflict"],
    [422, "validation"],
    [429, "rate_limit"],
    [500, "internal"],
    [503, "unavailable"],
    [504, "timeout"],
  ])("with the status %i is of the category %s", async (status, category) => {
    const error = await (await api(status, { reason: "because", extra: 1 })).fail("a");
    expect(error.category).toBe(category);
    expect(error.details).toMatchObject({
      statusCode: status,
      body: { reason: "because", extra: 1 },
      headers: { "content-type": "application/json" },
    });
    expect(error.message).toContain("because");
  });

  test("that is a problem tells what it says, and the fields", async () => {
    const body = {
      type: "https://example.com/invalid",
      title: "Invalid",
      detail: "The age is wrong",
      errors: [{ pointer: "#/age", detail: "must be positive" }],
    };
    const error = await (await api(400, body, { "content-type": "application/problem+json" })).fail("a");
    expect(error.message).toContain("The age is wrong");
    expect(error.issues).toEqual([{ path: "/age", message: "must be positive" }]);
    expect(error.details).toMatchObject({ body });
  });

  test("says how long to wait", async () => {
    expect(await (await api(503, {}, { "retry-after": "7" })).fail("a")).toMatchObject({ retryAfterMs: 7000 });
    const limited = { "x-ratelimit-limit": "60", "x-ratelimit-remaining": "0", "x-ratelimit-reset": "30" };
    const { registry } = await api(403, { message: "API rate limit exceeded" }, limited);
    const outcome = await registry.attempt("api.a");
    expect(outcome).toMatchObject({ ok: false, error: { category: "rate_limit" } });
    expect(outcome.meta).toMatchObject({ source: "http", statusCode: 403, rateLimit: { limit: 60, remaining: 0 } });
    expect(!outcome.ok && outcome.error.retryAfterMs).toBeGreaterThan(25_000);
  });

  test("that is a page tells its title", async () => {
    const { url } = await httpServer((_, response) =>
      response.writeHead(502, { "content-type": "text/html" }).end("<html><title>Bad gateway</title><p>x</p></html>"),
    );
    const { fail } = await mounted({ document: documentWith({ "GET /a": {} }), baseUrl: url, retries: 0 });
    const error = await fail("get_a");
    expect(error.message).toContain("502");
    expect(error.details).toMatchObject({ body: expect.stringContaining("<title>") });
  });

  test("whose body is cut keeps its status", async () => {
    const { url } = await httpServer((_, response) => {
      response.writeHead(409, { "content-type": "application/json", "content-length": "100" });
      response.write('{"message": "ta', () => response.destroy());
    });
    const { fail } = await mounted({ document: documentWith({ "GET /a": {} }), baseUrl: url });
    expect(await fail("get_a")).toMatchObject({ category: "conflict", details: { statusCode: 409 } });
  });
});

test("the limits that an answer tells of are hints", async () => {
  const headers = { ratelimit: '"default";r=50;t=30', "ratelimit-policy": '"default";q=100;w=60' };
  const { meta } = await (await api(200, {}, headers)).call("a");
  expect(meta.rateLimit).toMatchObject({ limit: 100, remaining: 50, resetSeconds: 30 });
});
