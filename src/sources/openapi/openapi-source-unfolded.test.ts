import { describe, expect, test } from "vitest";
import type { Dialect } from "../../dialects/dialect.js";
import { failure, success, throughWire, wireOf } from "../../dialects/fixtures/reading.js";
import { responseEnvelope } from "../../dialects/response-envelope.js";
import { responseV2 } from "../../dialects/response-v2.js";
import { toolResponse } from "../../dialects/tool-response.js";
import { hintsIn } from "../../envelope/hints.js";
import { httpServer } from "./exchange/fixtures/exchange-servers.js";
import { documentWith, type Mounted, mounted, ok, sendJson, tidyUp } from "./fixtures/mounted.js";

tidyUp();

const DIALECTS = [responseV2, responseEnvelope, toolResponse] as readonly Dialect[];

const DONE = success({ id: "5" }, { summary: "One thing", pagination: { cursor: "b", hasMore: true } });
const FAILED = failure({ category: "conflict", code: "THING_TAKEN", message: "It is taken", retryAfterMs: 2000 });

async function api(
  body: unknown,
  { schema = {}, status = 200, ...options }: { schema?: unknown; status?: number; unfold?: boolean } = {},
): Promise<Mounted> {
  const { url } = await httpServer((_, response) => sendJson(response, body, status));
  const document = documentWith({ "GET /a": { operationId: "a", responses: { 200: ok(schema) } } });
  return mounted({ document, baseUrl: url, retries: 0, ...options });
}

describe.each(DIALECTS)("a body of $name", (dialect) => {
  test("is its payload, with its hints", async () => {
    const { data, meta } = await (await api(wireOf(dialect, DONE))).call("a");
    expect(data).toEqual({ id: "5" });
    expect(meta).toMatchObject({ ...hintsIn(throughWire(dialect, DONE).meta), source: "http", statusCode: 200 });
  });

  test("is its payload where the document describes the payload, or something else", async () => {
    for (const schema of [{ type: "object", properties: { id: {} }, additionalProperties: false }, { type: "array" }])
      expect((await (await api(wireOf(dialect, DONE), { schema })).call("a")).data).toEqual({ id: "5" });
  });

  test.each([200, 409, 500])("that fails fails, in its own words, with the status %i", async (status) => {
    const error = await (await api(wireOf(dialect, FAILED), { status })).fail("a");
    expect(error).toMatchObject({ category: "conflict", code: "THING_TAKEN", retryAfterMs: 2000 });
    expect(error.message).toContain("It is taken");
  });

  test("stays as it is with `unfold: false`", async () => {
    const done = wireOf(dialect, DONE);
    expect((await (await api(done, { unfold: false })).call("a")).data).toEqual(done);
    const failed = wireOf(dialect, FAILED);
    expect((await (await api(failed, { unfold: false })).call("a")).data).toEqual(failed);
    expect(await (await api(failed, { unfold: false, status: 404 })).fail("a")).toMatchObject({
      category: "not_found",
      details: { statusCode: 404, body: failed },
    });
  });
});

test("the schema of an envelope becomes that of its payload, to which the data is fitted", async () => {
  const schema = {
    type: "object",
    properties: {
      success: { type: "boolean" },
      data: { type: "object", properties: { id: { type: "integer" } } },
      meta: { type: "object", properties: { version: { type: "string" } } },
    },
  };
  const { spec, call } = await api(wireOf(toolResponse as Dialect, DONE), { schema });
  expect(spec("a").outputSchema).toMatchObject({ properties: { id: { type: "integer" } } });
  expect((await call("a")).data).toEqual({ id: 5 });
});

test("problem details in a success are a failure of the kind that they say", async () => {
  const { url } = await httpServer((_, response) =>
    sendJson(response, { title: "Gone", status: 410, detail: "It was here" }, 200, {
      "content-type": "application/problem+json",
    }),
  );
  const { fail } = await mounted({ document: documentWith({ "GET /a": {} }), baseUrl: url });
  const error = await fail("get_a");
  expect(error.category).toBe("not_found");
  expect(error.message).toContain("It was here");
});
