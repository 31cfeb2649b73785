import { describe, expect, test } from "vitest";
import { CallError } from "../../envelope/call-error.js";
import { operation } from "../../registry/fixtures/operations.js";
import { SERVERS } from "./fixtures/served.js";

const ECHO = operation((input) => ({ got: input === undefined ? "nothing" : input }), { name: "echo" });
const TICKS = operation(
  async function* () {
    yield 1;
  },
  { name: "ticks", type: "subscription" },
);
const NESTED = operation(() => "nested", { name: "a/b.c" });
const DOTS = operation(() => "dots", { name: "x/../y" });

const data = (body: unknown): unknown => (body as { data?: unknown }).data;
const code = (body: unknown): unknown => (body as { data?: { error_code?: unknown } }).data?.error_code;

describe.each(SERVERS)("%s", (_, serve) => {
  test("calls every operation by its name", async () => {
    const { call } = await serve([ECHO, NESTED, DOTS]);
    expect(await call("test.echo", { a: 1 })).toMatchObject({ status: 200, body: { success: true } });
    expect(data((await call("test.echo", { a: 1 })).body)).toEqual({ got: { a: 1 } });
    expect(data((await call("test.a/b.c")).body)).toEqual({ result: "nested" });
    expect(data((await call("test.a%2Fb.c")).body)).toEqual({ result: "nested" });
    expect(data((await call("test.x%2F..%2Fy")).body)).toEqual({ result: "dots" });
  });

  test.each([undefined, null, 0, "", false, [], "text", [1]])("takes the input %j", async (input) => {
    const { call } = await serve([ECHO]);
    expect(data((await call("test.echo", input)).body)).toEqual({ got: input === undefined ? "nothing" : input });
  });

  test("says what it is", async () => {
    const { get } = await serve([ECHO, TICKS]);
    expect(await get("/healthz")).toMatchObject({ status: 200, body: { status: "ok", operations: 2 } });
    expect((await get("/openapi.json")).body).toMatchObject({
      openapi: expect.stringMatching(/^3\.1/),
      paths: { "/operations/test.echo": {}, "/operations/test.ticks": {} },
    });
    expect((await get("/operations")).body).toMatchObject({
      operations: [{ id: "test.echo" }, { id: "test.ticks", type: "subscription" }],
    });
    expect((await get("/operations/test.echo")).body).toMatchObject({ id: "test.echo", inputSchema: {} });
    expect((await get("/operations/test.ticks")).body).toMatchObject({ id: "test.ticks" });
    expect((await get("/openapi.json?x=1")).status).toBe(200);
  });

  test("puts everything behind the base path", async () => {
    const rest = operation(() => "rest", { name: "rest", http: { method: "GET", path: "/rest" } });
    const { get, call } = await serve([ECHO, rest], { basePath: "/api/v1" });
    expect((await call("test.echo", 1)).status).toBe(200);
    expect((await get("/api/v1/rest")).status).toBe(200);
    for (const path of ["/healthz", "/openapi.json", "/operations", "/operations/test.echo"]) {
      expect((await get(`/api/v1${path}`)).status).toBe(200);
      expect((await get(path)).status).toBe(404);
    }
    expect((await get("/api/v1/operations")).body).toMatchObject({
      operations: [{ url: "/api/v1/operations/test.echo" }, { route: { path: "/api/v1/rest" } }],
    });
    expect((await get("/api/v1/operations/test.echo")).body).toMatchObject({ url: "/api/v1/operations/test.echo" });
  });

  test.each([
    ["GET", "/", 404],
    ["GET", "/nowhere", 404],
    ["GET", "/operations/", 404],
    ["POST", "/operations/test.none", 404],
    ["GET", "/operations/test.none", 404],
    ["POST", "/operations/%zz", 404],
    ["POST", "/operations/__proto__", 404],
    ["POST", "/operations/constructor", 404],
    ["GET", "/Healthz", 404],
    ["POST", "/healthz", 405],
    ["DELETE", "/operations", 405],
    ["PUT", "/openapi.json", 405],
    ["PUT", "/operations/test.echo", 405],
    ["PATCH", "/operations/test.echo", 405],
    ["DELETE", "/operations/test.echo", 405],
    ["OPTIONS", "/operations/test.echo", 405],
    ["OPTIONS", "/nowhere", 404],
  ])("answers %s %s with %d", async (method, path, status) => {
    const { send } = await serve([ECHO]);
    const answer = await send(method, path);
    expect(answer.status).toBe(status);
    expect(answer.headers.get("content-type")).toBe("application/json");
    expect(answer.body).toMatchObject({ success: false, meta: { request_id: expect.any(String) } });
    const allow = path === "/operations/test.echo" ? "GET, HEAD, POST" : "GET, HEAD";
    expect(answer.headers.get("allow")).toBe(status === 405 ? allow : null);
  });

  test("answers HEAD as GET, without the body", async () => {
    let calls = 0;
    const rest = operation(() => ++calls, { name: "rest", http: { method: "GET", path: "/rest" } });
    const { ask, get } = await serve([ECHO, rest, TICKS]);
    for (const path of ["/healthz", "/openapi.json", "/operations", "/operations/test.echo", "/rest"]) {
      const response = await ask(path, { method: "HEAD" });
      const { headers } = await get(path);
      expect(response.status).toBe(200);
      expect(await response.text()).toBe("");
      expect(response.headers.get("content-type")).toBe(headers.get("content-type"));
    }
    expect(calls).toBe(2);
    expect((await ask("/nowhere", { method: "HEAD" })).status).toBe(404);
  });

  test("answers HEAD for a stream without one", async () => {
    let calls = 0;
    const rest = operation(
      async function* () {
        calls += 1;
        yield await new Promise(() => {});
      },
      { name: "rest", type: "subscription", http: { method: "GET", path: "/rest" } },
    );
    const { ask } = await serve([rest]);
    const accept = { accept: "text/event-stream" };
    for (const [path, headers] of [
      ["/rest", {}],
      ["/rest", accept],
      ["/operations/test.rest", accept],
    ] as const) {
      const response = await ask(path, { method: "HEAD", headers });
      expect(response.status).toBe(200);
      expect(response.headers.get("content-type")).toBe("text/event-stream");
      expect(await response.text()).toBe("");
    }
    expect(calls).toBe(0);
  });

  test("knows what comes and goes", async () => {
    const { registry, get, call } = await serve([ECHO]);
    const late = operation(() => "late", { name: "late", http: { method: "GET", path: "/late" } });
    expect((await get("/late")).status).toBe(404);
    registry.register(late);
    expect((await get("/late")).status).toBe(200);
    expect((await call("test.late")).status).toBe(200);
    expect((await get("/openapi.json")).body).toHaveProperty(["paths", "/operations/test.late"]);
    registry.unregister("test.late");
    expect((await get("/late")).status).toBe(404);
    expect((await call("test.late")).status).toBe(404);
    expect((await get("/openapi.json")).body).not.toHaveProperty(["paths", "/operations/test.late"]);
    expect((await get("/operations")).body).toMatchObject({ operations: [{ id: "test.echo" }] });
  });

  test("serves only what its filter lets through", async () => {
    const hidden = operation(() => 1, { name: "hidden", http: { method: "GET", path: "/hidden" } });
    const { get, call } = await serve([ECHO, hidden], { filter: ({ name }) => name !== "hidden" });
    expect((await call("test.hidden")).status).toBe(404);
    expect((await get("/hidden")).status).toBe(404);
    expect((await get("/operations/test.hidden")).status).toBe(404);
    expect((await get("/operations")).text).not.toContain("hidden");
    expect((await get("/openapi.json")).text).not.toContain("hidden");
    expect((await call("test.hiddem")).text).not.toContain("Did you mean");
  });

  test("says which operation may have been meant", async () => {
    const { call } = await serve([ECHO]);
    const { body } = await call("test.ecko");
    expect(code(body)).toBe("OPERATION_NOT_FOUND");
    expect(JSON.stringify(body)).toContain("test.echo");
  });

  test("hears of what nobody can be told, and goes on where that fails", async () => {
    const heard: unknown[] = [];
    const onError = (error: unknown): void => {
      heard.push(error);
      throw new Error("and more");
    };
    const trouble = new Error("a secret");
    const authorize = (): never => {
      throw trouble;
    };
    const { get } = await serve([ECHO], { authorize, onError });
    const { status, text } = await get("/operations");
    expect(status).toBe(500);
    expect(text).not.toContain("secret");
    expect(heard).toEqual([trouble]);
  });

  test("does not hear of what clients are told", async () => {
    const heard: unknown[] = [];
    const failing = operation(() => {
      throw new CallError({ category: "conflict", message: "taken" });
    });
    const { call, get } = await serve([failing], { onError: (error) => heard.push(error) });
    expect((await call("test.run")).status).toBe(409);
    expect((await get("/nowhere")).status).toBe(404);
    expect(heard).toEqual([]);
  });
});
