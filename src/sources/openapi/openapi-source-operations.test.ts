import { describe, expect, test } from "vitest";
import { httpServer } from "./exchange/fixtures/exchange-servers.js";
import { documentWith, mounted, ok, query, sendJson, tidyUp } from "./fixtures/mounted.js";

tidyUp();

describe("the names of operations", () => {
  test("are their ids made portable, or method and path", async () => {
    const { names } = await mounted({
      document: documentWith({
        "GET /pets": { operationId: "pets.list all" },
        "GET /pets/{petId}": {},
        "POST /pets/{petId}/toys": {},
        "DELETE /": {},
      }),
    });
    expect(names).toEqual(["pets_list_all", "get_pets_petId", "post_pets_petId_toys", "delete"]);
  });

  test("are unique, and the same in another order", async () => {
    const operations: [string, object][] = [
      ["GET /a", { operationId: "same" }],
      ["GET /b", { operationId: "same" }],
      ["GET /c", { operationId: "same!" }],
      ["GET /d", { operationId: "same?" }],
      ["GET /e", { operationId: "constructor" }],
      ["GET /f", { operationId: "__proto__" }],
    ];
    const idOf = async (all: [string, object][]): Promise<Record<string, unknown>> => {
      const { names, about } = await mounted({ document: documentWith(Object.fromEntries(all)) });
      return Object.fromEntries(names.map((name) => [about(name)["path"], name]));
    };
    const first = await idOf(operations);
    expect(new Set(Object.values(first)).size).toBe(6);
    expect(first["/a"]).toBe("same");
    expect(await idOf([...operations].reverse())).toEqual(first);
  });

  test("are the same whichever others are left out", async () => {
    const document = documentWith({
      "GET /a": { operationId: "same" },
      "GET /b": { operationId: "same" },
      "POST /talk": { operationId: "talk", responses: { 200: both() } },
      "GET /c": { operationId: "talk_stream" },
    });
    const all = await mounted({ document });
    const some = await mounted({ document, include: ["GET /b", "POST /*"] });
    expect(some.names).toHaveLength(3);
    for (const name of some.names) expect(some.about(name)["path"]).toBe(all.about(name)["path"]);
  });
});

function both(): object {
  return {
    description: "",
    content: { "application/json": { schema: { type: "array" } }, "text/event-stream": { schema: {} } },
  };
}

describe("a filter", () => {
  const document = documentWith({
    "GET /pets": { operationId: "listPets", tags: ["pets"] },
    "POST /pets": { operationId: "addPet", tags: ["pets", "write"] },
    "GET /toys": { operationId: "list.toys", tags: ["toys"] },
    "DELETE /toys/{id}": {},
  });

  test.each<[what: string, filter: object, names: readonly string[]]>([
    ["by name", { include: ["list_toys"] }, ["list_toys"]],
    ["by id", { include: ["list.toys"] }, ["list_toys"]],
    ["by method and path", { include: ["GET /*"] }, ["listPets", "list_toys"]],
    ["by expressions", { include: [/^DELETE/, /^add/g] }, ["addPet", "delete_toys_id"]],
    ["of what is left out", { exclude: ["*toys*", /list/i] }, ["addPet"]],
    ["of both", { include: ["*"], exclude: ["GET *"] }, ["addPet", "delete_toys_id"]],
    ["by tag", { tags: ["write", "toys"] }, ["addPet", "list_toys"]],
    ["by method, in any case", { methods: ["delete", "Post"] }, ["addPet", "delete_toys_id"]],
    ["of all at once", { methods: ["GET"], tags: ["pets"], exclude: ["add*"] }, ["listPets"]],
    ["that lets nothing through", { include: [] }, []],
  ])("%s leaves what it names", async (_, filter, names) => {
    const { names: left, registry } = await mounted({ document, ...filter });
    expect([...left].sort()).toEqual([...names].sort());
    expect(registry.list()).toHaveLength(names.length);
  });
});

describe("an operation", () => {
  test("is a query, a mutation or a subscription by method and answers", async () => {
    const { source } = await mounted({
      document: documentWith(
        {
          ...Object.fromEntries(
            ["GET", "HEAD", "OPTIONS", "TRACE", "QUERY", "POST", "PUT", "PATCH", "DELETE"].map((verb) => [
              `${verb} /a`,
              {},
            ]),
          ),
          "GET /events": { responses: { 200: ok({}, "text/event-stream") } },
          "POST /lines": { responses: { 200: ok({}, "application/x-ndjson"), 400: ok() } },
        },
        { openapi: "3.2.0" },
      ),
    });
    const types = Object.fromEntries(source.operations.map(({ spec: { name, type } }) => [name, type]));
    expect(types).toEqual({
      ...{ get_a: "query", head_a: "query", options_a: "query", trace_a: "query", query_a: "query" },
      ...{ post_a: "mutation", put_a: "mutation", patch_a: "mutation", delete_a: "mutation" },
      ...{ get_events: "subscription", post_lines: "subscription" },
    });
  });

  test("that answers at once and in a stream is two", async () => {
    const server = await httpServer(({ headers }, response) => {
      if (!String(headers.accept).startsWith("text/event-stream")) return sendJson(response, [1]);
      return void response.writeHead(200, { "content-type": "text/event-stream" }).end("data: {}\n\ndata: {}\n\n");
    });
    const long = "x".repeat(64);
    const document = documentWith({
      "POST /talk": { operationId: "talk", responses: { 200: both() } },
      "POST /long": { operationId: long, responses: { 200: both() } },
    });
    const api = await mounted({ document, baseUrl: server.url });
    expect(api.names).toEqual(["talk", "talk_stream", long, `${"x".repeat(57)}_stream`]);
    expect((await api.call("talk")).data).toEqual([1]);
    const values = [];
    for await (const { data } of api.values("talk_stream")) values.push(data);
    expect(values).toEqual([{}, {}]);
  });

  test("that is two may be filtered by the name of each, and by the id of both", async () => {
    const document = documentWith({ "POST /talk": { operationId: "talk", responses: { 200: both() } } });
    for (const [filter, names] of [
      [{ include: ["talk"] }, ["talk", "talk_stream"]],
      [{ include: ["talk_stream"] }, ["talk_stream"]],
      [{ exclude: ["*_stream"] }, ["talk"]],
    ] as const)
      expect((await mounted({ document, ...filter })).names).toEqual(names);
  });

  test("says what the document says of it", async () => {
    const { spec } = await mounted({
      document: documentWith({
        "GET /a": { summary: "A thing", description: "Gives a thing.", tags: ["things"], deprecated: true },
        "PUT /b": { summary: "Sets" },
        "DELETE /c": {},
      }),
    });
    expect(spec("get_a")).toMatchObject({
      title: "A thing",
      description: "Gives a thing.",
      tags: ["things"],
      version: "2.1.0",
      annotations: { readOnly: true, idempotent: true, openWorld: true },
      _meta: { deprecated: true, "plico/openapi": { method: "GET", path: "/a" } },
    });
    expect(spec("put_b")).toMatchObject({
      description: "Sets",
      annotations: { readOnly: false, idempotent: true, destructive: true },
    });
    expect(spec("put_b")._meta).not.toHaveProperty("deprecated");
    expect(spec("delete_c").description).toBe("DELETE /c");
  });

  test.each([
    ["2.1.0", "2.1.0"],
    ["1.0.0-beta.2", "1.0.0-beta.2"],
    ["v1", "1.0.0"],
    ["2024-01-01", "1.0.0"],
    [2, "1.0.0"],
    [undefined, "1.0.0"],
  ])("of a document with the version %j has the version %s", async (version, expected) => {
    const { spec } = await mounted({ document: documentWith({ "GET /a": {} }, { info: { title: "A", version } }) });
    expect(spec("get_a").version).toBe(expected);
  });

  test("takes the policies of the source", async () => {
    const { spec } = await mounted({ document: documentWith({ "GET /a": {} }), input: "off", output: "strict" });
    expect(spec("get_a")).toMatchObject({ input: "off", output: "strict" });
  });
});

test("fields of one name are told apart, and documented", async () => {
  const server = await httpServer(({ path, headers, body }, response) => {
    sendJson(response, { path, id: headers["id"], cookie: headers.cookie, body: JSON.parse(body) });
  });
  const parameters = ["query", "path", "header", "cookie"].map((place) => ({
    name: "id",
    in: place,
    required: place === "path",
    schema: { type: "string" },
  }));
  const content = { "application/json": { schema: { properties: { id: { type: "string" }, query_id: {} } } } };
  const document = documentWith({ "POST /a/{id}": { parameters, requestBody: { required: true, content } } });
  const { call, about } = await mounted({ document, baseUrl: server.url });
  const documented = about("post_a_id")["parameters"] as Record<string, { in: string; name: string }>;
  expect(documented).toMatchObject({ id: { in: "path", name: "id" }, header_id: { in: "header", name: "id" } });
  const input = Object.fromEntries(Object.entries(documented).map(([key, { in: place }]) => [key, place]));
  expect((await call("post_a_id", { ...input, query_id: "own" })).data).toEqual({
    path: "/a/path?id=query",
    id: "header",
    cookie: "id=cookie",
    body: { id: "body", query_id: "own" },
  });
});

test("what of an operation cannot be used is said in its `_meta`", async () => {
  const { about, names } = await mounted({
    document: documentWith({ "GET /a/{id}": { parameters: [query("q"), 5, { $ref: "#/nowhere" }] } }),
  });
  expect(names).toEqual(["get_a_id"]);
  expect(about("get_a_id")["warnings"]).toHaveLength(3);
});
