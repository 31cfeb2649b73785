import { describe, expect, test } from "vitest";
import { httpServer } from "./exchange/fixtures/exchange-servers.js";
import { documentWith, type Mounted, mounted, query, sendJson, tidyUp } from "./fixtures/mounted.js";

tidyUp();

const parameter = (name: string, place: string): object => ({
  name,
  in: place,
  required: place === "path",
  schema: {},
});
const body = (schema: object, required = true): object => ({
  requestBody: { required, content: { "application/json": { schema } } },
});

const DOCUMENT = documentWith({
  "GET /a": { operationId: "plain", parameters: [query("q"), { ...query("n", { type: "integer" }), required: true }] },
  "GET /files/{name}": { operationId: "file", parameters: [parameter("name", "path")] },
  "GET /x/{a}.{b}/y": { operationId: "pair", parameters: [parameter("a", "path"), parameter("b", "path")] },
  "GET /h": { operationId: "header", parameters: [parameter("X-Thing", "header"), parameter("c", "cookie")] },
  "POST /closed": { operationId: "closed", ...body({ properties: { a: {} }, additionalProperties: false }) },
  "POST /open": { operationId: "open", ...body({ properties: { a: {} }, additionalProperties: { type: "string" } }) },
  "POST /list": { operationId: "list", ...body({ type: "array", items: { type: "integer" } }, false) },
});

async function api(
  options: object = {},
): Promise<Mounted & { readonly arrived: readonly { readonly path: string }[] }> {
  const server = await httpServer(({ path, headers, body: text }, response) =>
    sendJson(response, { path, body: text, thing: headers["x-thing"], cookie: headers.cookie }),
  );
  return { ...(await mounted({ document: DOCUMENT, baseUrl: server.url, ...options })), arrived: server.arrived };
}

describe("an input", () => {
  test.each<[what: string, name: string, input: unknown, paths: readonly string[]]>([
    ["of another name", "plain", { n: 1, N: 2 }, ["/N"]],
    ["without what is required", "plain", { q: "a" }, ["/n"]],
    ["of another type", "plain", { n: "many" }, ["/n"]],
    ["that is no object", "plain", [1], [""]],
    ["that is null", "plain", null, [""]],
    ["with a field that a closed body has not", "closed", { a: 1, b: 2 }, ["/b"]],
    ["with a field that an open body takes as another type", "open", { b: 2 }, ["/b"]],
    ["with a body of another type", "list", { body: ["a"] }, ["/body/0"]],
    ["without a path parameter", "file", {}, ["/name"]],
  ])("%s is refused, and nothing is sent", async (_, name, input, paths) => {
    const { fail, arrived } = await api();
    const { category, issues } = await fail(name, input);
    expect(category).toBe("validation");
    expect(issues?.map(({ path }) => path)).toEqual(paths);
    expect(arrived).toEqual([]);
  });

  test("may have any name where the body is open", async () => {
    const { call } = await api();
    expect((await call("open", { a: 1, "any thing": "b" })).data).toMatchObject({ body: '{"a":1,"any thing":"b"}' });
  });

  test("may be left out where nothing is required", async () => {
    const { call } = await api();
    expect((await call("list")).data).toEqual({ path: "/list", body: "" });
    expect((await call("list", {})).data).toEqual({ path: "/list", body: "" });
  });
});

describe("with `input: off`", () => {
  test("what the schema refuses is sent as far as there is a place for it", async () => {
    const { call } = await api({ input: "off" });
    expect((await call("plain", { n: "many", other: 1 })).data).toMatchObject({ path: "/a?n=many" });
    expect((await call("plain", {})).data).toMatchObject({ path: "/a" });
    expect((await call("plain", null)).data).toMatchObject({ path: "/a" });
    expect((await call("list", { body: ["a"] })).data).toMatchObject({ body: '["a"]' });
  });

  test("a path still has all its segments", async () => {
    const { fail, arrived } = await api({ input: "off" });
    for (const input of [{}, undefined, null, { name: undefined }, { name: "" }]) {
      const { category, issues } = await fail("file", input);
      expect(category).toBe("validation");
      expect(issues).toMatchObject([{ path: "/name" }]);
    }
    expect(arrived).toEqual([]);
  });
});

describe.each(["check", "off"] as const)("with `input: %s` a value in a path", (input) => {
  test.each([".", "..", "", "%2e", "%2E%2e", ".%2e"])("cannot be %j", async (name) => {
    const { fail, arrived } = await api({ input });
    expect(await fail("file", { name })).toMatchObject({ category: "validation", issues: [{ path: "/name" }] });
    expect(arrived).toEqual([]);
  });

  test.each([
    ["../admin", "/files/..%2Fadmin"],
    ["../../etc/passwd", "/files/..%2F..%2Fetc%2Fpasswd"],
    ["%2e%2e/admin", "/files/%252e%252e%2Fadmin"],
    ["..\\admin", "/files/..%5Cadmin"],
    ["a/b", "/files/a%2Fb"],
    ["a?b=c#d", "/files/a%3Fb%3Dc%23d"],
    ["//evil.example", "/files/%2F%2Fevil.example"],
    ["@evil.example", "/files/%40evil.example"],
    ["a\r\nx-injected: 1", "/files/a%0D%0Ax-injected%3A%201"],
    ["a\u0000b", "/files/a%00b"],
    ["é", "/files/%C3%A9"],
    ["...", "/files/..."],
  ])("such as %j stays in its segment", async (name, path) => {
    const { call } = await api({ input });
    expect((await call("file", { name })).data).toMatchObject({ path });
  });

  test("cannot make two dots of two values", async () => {
    const { fail, call } = await api({ input });
    expect((await fail("pair", { a: "", b: "" })).category).toBe("validation");
    expect((await fail("pair", { a: "", b: "." })).category).toBe("validation");
    expect((await call("pair", { a: "a", b: ".." })).data).toMatchObject({ path: "/x/a.../y" });
  });
});

describe("a value in a header", () => {
  test.each(["a\r\nx-injected: 1", "a\nb", "a\rb", "a\u0000b"])("such as %j is refused", async (text) => {
    const { fail, arrived } = await api();
    const { category, issues } = await fail("header", { "X-Thing": text });
    expect(category).toBe("validation");
    expect(issues).toMatchObject([{ path: "/X-Thing" }]);
    expect(arrived).toEqual([]);
  });

  test("is encoded where it is a cookie", async () => {
    const { call } = await api();
    expect((await call("header", { c: "a; d=b\r\nx: y" })).data).toMatchObject({
      cookie: "c=a%3B%20d%3Db%0D%0Ax%3A%20y",
    });
  });
});
