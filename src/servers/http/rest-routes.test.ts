import { describe, expect, test } from "vitest";
import { operation } from "../../registry/fixtures/operations.js";
import type { HttpRoute } from "../../registry/operation.js";
import type { AnyOperation } from "../../registry/operation-map.js";
import { SERVERS } from "./fixtures/served.js";

const USER = {
  type: "object",
  properties: {
    id: { type: "integer" },
    name: { type: "string" },
    tags: { type: "array", items: { type: "string" } },
    age: { $ref: "#/$defs/age" },
    deep: { type: "object" },
    flag: { type: "boolean" },
  },
  required: ["id"],
  additionalProperties: false,
  $defs: { age: { anyOf: [{ type: "integer" }, { const: "unknown" }] } },
};

/** An operation that gives back what it was given. */
function route(name: string, method: HttpRoute["method"], path: string, inputSchema: object = {}): AnyOperation {
  return operation((input) => ({ name, input: input === undefined ? "nothing" : input }), {
    name,
    inputSchema,
    type: method === "GET" ? "query" : "mutation",
    http: { method, path },
  });
}

const USERS = [
  route("get", "GET", "/users/{id}", USER),
  route("put", "PUT", "/users/{id}", USER),
  route("patch", "PATCH", "/users/{id}", USER),
  route("delete", "DELETE", "/users/{id}", USER),
  route("create", "POST", "/users", USER),
  route("me", "GET", "/users/me"),
  route("file", "GET", "/files/{path}"),
];

const data = (body: unknown): unknown => (body as { data?: unknown }).data;

describe.each(SERVERS)("a route of an operation, by %s", (_, serve) => {
  test.each<[method: string, path: string, body: unknown, name: string, input: unknown]>([
    ["GET", "/users/7", undefined, "get", { id: 7 }],
    [
      "GET",
      "/users/7?name=007&tags=a&tags=b&age=5&flag=true&deep=%7B%22a%22%3A%5B1%5D%7D",
      undefined,
      "get",
      { id: 7, name: "007", tags: ["a", "b"], age: 5, flag: true, deep: { a: [1] } },
    ],
    ["GET", "/users/7?age=unknown&id=7&tags=a", undefined, "get", { id: 7, age: "unknown", tags: ["a"] }],
    ["GET", "/users/me", undefined, "me", "nothing"],
    ["PUT", "/users/7", { name: "Ada" }, "put", { id: 7, name: "Ada" }],
    ["PUT", "/users/7?flag=false", { id: 7, name: "Ada" }, "put", { id: 7, name: "Ada", flag: false }],
    ["PATCH", "/users/me7", {}, "", undefined],
    ["DELETE", "/users/7", undefined, "delete", { id: 7 }],
    ["DELETE", "/users/7", { name: "Ada" }, "delete", { id: 7, name: "Ada" }],
    ["POST", "/users", { id: 1 }, "create", { id: 1 }],
    ["POST", "/users?id=1", undefined, "create", { id: 1 }],
    ["GET", "/files/a%2Fb%20c%3F%23.txt", undefined, "file", { path: "a/b c?#.txt" }],
    ["GET", "/files/%E6%9D%B1", undefined, "file", { path: "東" }],
    ["GET", "/files/x?more=1&more=2", undefined, "file", { path: "x", more: ["1", "2"] }],
  ])("%s %s", async (method, path, body, name, input) => {
    const { send } = await serve(USERS);
    const answer = await send(method, path, body);
    if (name === "") expect(answer.status).toBe(400);
    else expect(data(answer.body)).toEqual({ name, input });
  });

  test("is one of several with the same path, by the method", async () => {
    const { send } = await serve(USERS);
    for (const method of ["GET", "PUT", "PATCH", "DELETE"]) {
      const { body } = await send(method, "/users/1");
      expect(data(body)).toMatchObject({ name: method.toLowerCase() });
    }
    const post = await send("POST", "/users/1");
    expect(post.status).toBe(405);
    expect(post.headers.get("allow")?.split(", ").sort()).toEqual(["DELETE", "GET", "HEAD", "PATCH", "PUT"]);
    expect((await send("GET", "/users")).headers.get("allow")).toBe("POST");
  });

  test.each([
    ["/users/seven", 400],
    ["/users/7?flag=maybe", 400],
    ["/users/7?unknown=1", 400],
    ["/users/7?id=8", 400],
    ["/users/9007199254740993", 400],
    ["/users/%zz", 404],
    ["/users/", 404],
    ["/users/7/", 404],
    ["/users/%", 404],
  ])("%s is answered with %d", async (path, status) => {
    const { get } = await serve(USERS);
    expect((await get(path)).status).toBe(status);
  });

  test("names what is wrong with a field", async () => {
    const { get } = await serve(USERS);
    expect(data((await get("/users/seven")).body)).toMatchObject({ validation_errors: [{ field: "id" }] });
  });

  test("takes no body that is no object beside its places", async () => {
    const { send } = await serve(USERS);
    for (const body of [[1], "text", null]) expect((await send("PUT", "/users/7", body)).status).toBe(400);
  });

  test("works beside the way that all operations have", async () => {
    const { call, send } = await serve(USERS);
    expect(data((await call("test.get", { id: 7 })).body)).toMatchObject({ input: { id: 7 } });
    // There the whole input stands in the body.
    expect((await send("POST", "/operations/test.get?id=7", {})).status).toBe(400);
  });

  test("cannot take the place of what the server itself has", async () => {
    const own = [
      route("health", "GET", "/healthz"),
      route("list", "GET", "/operations"),
      route("document", "GET", "/openapi.json"),
      route("post", "POST", "/healthz"),
    ];
    const { get, send } = await serve(own);
    expect((await get("/healthz")).body).toMatchObject({ status: "ok" });
    expect((await get("/operations")).body).toHaveProperty("operations");
    expect((await get("/openapi.json")).body).toHaveProperty("openapi");
    expect(data((await send("POST", "/healthz")).body)).toMatchObject({ name: "post" });
  });

  test("leads to a next page by a link that can be followed", async () => {
    const pages = operation(
      (input: { cursor?: string }, { page }) => {
        const at = Number(input.cursor ?? 0);
        page(at < 2 ? { cursor: String(at + 1), hasMore: true } : { cursor: null, hasMore: false });
        return [at];
      },
      {
        inputSchema: { type: "object", properties: { cursor: { type: "string" }, q: { type: "string" } } },
        http: { method: "GET", path: "/pages" },
      },
    );
    const { get, call } = await serve([pages], { basePath: "/api" });
    const seen: unknown[] = [];
    let next: string | undefined = "/api/pages?q=a%20b";
    while (next !== undefined && seen.length < 9) {
      const { body, headers }: { body: unknown; headers: Headers } = await get(next);
      seen.push(data(body));
      next = /<([^>]+)>; rel="next"/.exec(headers.get("link") ?? "")?.[1];
      if (next !== undefined) expect(next).toMatch(/^\/api\/pages\?q=a\+b&cursor=\d$/);
    }
    expect(seen).toEqual([{ result: [0] }, { result: [1] }, { result: [2] }]);
    // A request with a body cannot be followed.
    expect((await call("test.run", {})).headers.get("link")).toBeNull();
  });
});
