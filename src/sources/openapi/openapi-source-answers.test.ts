import type { ServerResponse } from "node:http";
import { describe, expect, test } from "vitest";
import type { Warning } from "../../envelope/warning.js";
import { httpServer } from "./exchange/fixtures/exchange-servers.js";
import { documentWith, type Mounted, mounted, ok, sendJson, tidyUp } from "./fixtures/mounted.js";

tidyUp();

/** One operation, `a`, with these responses, and a server that answers it so. */
async function api(
  responses: object,
  answer: (response: ServerResponse) => void,
  options: object = {},
  method = "GET",
): Promise<Mounted> {
  const { url } = await httpServer((_, response) => answer(response));
  return mounted({
    document: documentWith({ [`${method} /a`]: { operationId: "a", responses } }),
    baseUrl: url,
    ...options,
  });
}

const only = (name: string, type = "integer"): object => ({
  type: "object",
  properties: { [name]: { type } },
  additionalProperties: false,
});

const codes = (warnings: readonly Warning[] = []): string[] => warnings.map(({ code, path }) => `${code} ${path}`);

describe("the data of an answer", () => {
  const responses = {
    200: ok(only("found")),
    201: ok(only("made")),
    "2XX": ok(only("other")),
    default: ok(only("message", "string")),
  };

  test.each([
    [200, "found"],
    [201, "made"],
    [202, "other"],
    [299, "other"],
  ])("of the status %i is fitted to the schema of that status", async (status, name) => {
    const { call } = await api(responses, (response) => sendJson(response, { [name]: "5", extra: 1 }, status));
    const { data, meta } = await call("a");
    expect(data).toEqual({ [name]: 5 });
    expect(meta).toMatchObject({ source: "http", statusCode: status, contentType: "application/json" });
    expect(codes(meta.warnings)).toEqual([`OUTPUT_CONVERTED /${name}`, "OUTPUT_STRIPPED /extra"]);
  });

  test("of a status that is not described is left as it is", async () => {
    const { call } = await api({ 200: ok(only("found")) }, (response) => sendJson(response, { any: [1] }, 202));
    const { data, meta } = await call("a");
    expect(data).toEqual({ any: [1] });
    expect(meta.warnings).toBeUndefined();
  });

  test("is left as it is where only failures are described beside another status", async () => {
    const described = { 200: ok(only("found")), default: ok(only("message", "string")) };
    const { call } = await api(described, (response) => sendJson(response, { made: 1 }, 201));
    const { data, meta } = await call("a");
    expect(data).toEqual({ made: 1 });
    expect(meta.warnings).toBeUndefined();
  });

  test("is fitted to `default` where no success is described", async () => {
    const { call } = await api({ default: ok(only("found")) }, (response) => sendJson(response, { found: "5" }, 201));
    expect((await call("a")).data).toEqual({ found: 5 });
  });

  test("of another content type than is described is left as it is", async () => {
    const described = { 200: { content: { "application/json": { schema: only("found") }, "text/csv": {} } } };
    const { call } = await api(described, (response) =>
      response.writeHead(200, { "content-type": "text/csv; charset=latin1" }).end(Buffer.from("é;1", "latin1")),
    );
    const { data, meta } = await call("a");
    expect(data).toBe("é;1");
    expect(meta.warnings).toBeUndefined();
  });

  test("that does not match reaches the caller, with a warning for each place", async () => {
    const { call } = await api({ 200: ok({ ...only("a"), required: ["a", "b"] }) }, (response) =>
      sendJson(response, { a: "many", c: 1 }),
    );
    const { data, meta } = await call("a");
    expect(data).toMatchObject({ a: "many" });
    expect(codes(meta.warnings)).toEqual(expect.arrayContaining(["OUTPUT_MISMATCH /a", "OUTPUT_MISMATCH /b"]));
  });

  test.each([
    ["off", { a: "5", c: 1 }, []],
    ["check", { a: "5", c: 1 }, ["OUTPUT_MISMATCH /c", "OUTPUT_MISMATCH /a"]],
    ["cast", { a: 5 }, ["OUTPUT_STRIPPED /c", "OUTPUT_CONVERTED /a"]],
  ] as const)("is treated by the policy %s", async (output, expected, warnings) => {
    const { call } = await api({ 200: ok(only("a")) }, (response) => sendJson(response, { a: "5", c: 1 }), { output });
    const { data, meta } = await call("a");
    expect(data).toEqual(expected);
    expect(codes(meta.warnings).sort()).toEqual([...warnings].sort());
  });

  test("that does not match fails by the policy strict, and is kept", async () => {
    const { fail } = await api({ 200: ok(only("a")) }, (response) => sendJson(response, { a: "5" }), {
      output: "strict",
    });
    expect(await fail("a")).toMatchObject({ code: "OUTPUT_MISMATCH", data: { a: "5" }, issues: [{ path: "/a" }] });
  });

  test("with cycles in its schema is fitted all the way down", async () => {
    const Tree = {
      ...only("id"),
      properties: { id: { type: "integer" }, kids: { items: { $ref: "#/components/schemas/Tree" } } },
    };
    const { url } = await httpServer((_, response) => sendJson(response, { id: 1, kids: [{ id: "2", x: 0 }] }));
    const responses200 = { 200: ok({ $ref: "#/components/schemas/Tree" }) };
    const document = documentWith({ "GET /a": { responses: responses200 } }, { components: { schemas: { Tree } } });
    const { data } = await (await mounted({ document, baseUrl: url })).call("get_a");
    expect(data).toEqual({ id: 1, kids: [{ id: 2 }] });
  });
});

describe("a body", () => {
  test("that is JSON and called plain text is read as JSON where JSON is described", async () => {
    const answer = (response: ServerResponse): void => {
      response.writeHead(200, { "content-type": "text/plain" }).end('{"a": "5"}');
    };
    const { data, meta } = await (await api({ 200: ok(only("a")) }, answer)).call("a");
    expect(data).toEqual({ a: 5 });
    expect(codes(meta.warnings)).toContain("OUTPUT_CONVERTED ");
    const text = await api({ 200: ok({ type: "string" }, "text/plain") }, answer);
    expect((await text.call("a")).data).toBe('{"a": "5"}');
  });

  test.each([
    ["204", 204, { 200: ok(only("a")), 204: { description: "" } }],
    ["204 that is described with a schema", 204, { 204: ok(only("a")) }],
    ["205", 205, { 200: ok(only("a")) }],
    ["304", 304, { 200: ok(only("a")) }],
  ])("that %s cannot have is null, without a warning", async (_, status, responses) => {
    const { data, meta } = await (await api(responses, (response) => response.writeHead(status).end())).call("a");
    expect(data).toBeNull();
    expect(meta.warnings).toBeUndefined();
    expect(meta).toMatchObject({ statusCode: status });
  });

  test("that HEAD cannot have is null, without a warning", async () => {
    const { call } = await api(
      { 200: ok({ ...only("a"), required: ["a"] }) },
      (response) => response.writeHead(200, { "content-type": "application/json", "x-total-count": "7" }).end(),
      {},
      "HEAD",
    );
    const { data, meta } = await call("a");
    expect(data).toBeNull();
    expect(meta.warnings).toBeUndefined();
    expect(meta.pagination).toMatchObject({ totalCount: 7 });
  });

  test("that is broken JSON fails, and is kept", async () => {
    const { fail } = await api({ 200: ok() }, (response) => {
      response.writeHead(200, { "content-type": "application/json" }).end('{"a": ');
    });
    expect(await fail("a")).toMatchObject({ category: "execution", code: "INVALID_ANSWER", data: '{"a": ' });
  });

  test("that is larger than the limit fails", async () => {
    const { fail } = await api({ 200: ok() }, (response) => sendJson(response, "x".repeat(2000)), {
      maxResponseBytes: 1000,
    });
    const error = await fail("a");
    expect(error.code).toBe("PAYLOAD_TOO_LARGE");
    expect(error.message).toContain("maxResponseBytes");
  });

  test("keeps the cookies that came with it apart", async () => {
    const cookies = ["a=1; Path=/", "b=2, c"];
    const { call } = await api({ 200: ok() }, (response) => sendJson(response, 0, 200, { "set-cookie": cookies }));
    const { data, meta } = await call("a");
    expect(data).toBe(0);
    expect(meta).toMatchObject({ setCookie: cookies });
    expect(meta.source === "http" && meta.headers).not.toHaveProperty("set-cookie");
  });

  test.each([0, "", false, null, [], {}])("that is %j is that", async (value) => {
    const { call } = await api({ 200: ok() }, (response) => sendJson(response, value));
    expect((await call("a")).data).toEqual(value);
  });
});
