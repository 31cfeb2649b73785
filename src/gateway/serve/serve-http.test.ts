import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { read } from "../../dialects/convert.js";
import { failureOf, operation } from "../../registry/fixtures/operations.js";
import type { AnyOperation } from "../../registry/operation-map.js";
import { connected, ERAS, httpTransport } from "../../servers/mcp/fixtures/clients.js";
import { adHocConfig } from "../config/ad-hoc-config.js";
import type { ServersConfig } from "../config/config.js";
import { openGateway } from "../gateway.js";
import type { Log } from "../log.js";
import { SILENT } from "../log.js";
import { registryGateway } from "./fixtures/registry-gateway.js";
import { type ServeGatewayOptions, serveGateway } from "./serve-http.js";

const ADD = operation(({ a, b }: { a: number; b: number }) => a + b, {
  namespace: "math",
  name: "add",
  inputSchema: { type: "object", properties: { a: { type: "number" }, b: { type: "number" } } },
});
const SECRET = operation(() => "told", { name: "secret", accessControl: { requiredScopes: ["vault"] } });

const idle = (): void => {};
const ends: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function serve(
  servers: ServersConfig = {},
  { operations = [ADD, SECRET], ...over }: Partial<ServeGatewayOptions> & { operations?: readonly AnyOperation[] } = {},
) {
  const gateway = registryGateway(operations, servers);
  const server = await serveGateway({ gateway, port: 0, ...over });
  ends.push(
    () => gateway.results.close(),
    () => server.close(),
  );
  const get = async (path: string, headers: Record<string, string> = {}) => {
    const answer = await fetch(server.url + path, { headers });
    return { status: answer.status, headers: answer.headers, body: JSON.parse(await answer.text()) };
  };
  const call = async (id: string, input: unknown, headers: Record<string, string> = {}) => {
    const body = JSON.stringify(input);
    const all = { "content-type": "application/json", ...headers };
    return (await fetch(`${server.url}/operations/${id}`, { method: "POST", body, headers: all })).json();
  };
  return { gateway, server, get, call };
}

async function client(url: string, headers: Record<string, string> = {}, era: (typeof ERAS)[number] = "modern") {
  const made = await connected(httpTransport(url, headers), { era });
  ends.push(() => made.close());
  return made;
}

function logged(): { log: Log; said: string[] } {
  const said: string[] = [];
  return { said, log: { ...SILENT, warn: (message) => said.push(message), error: (message) => said.push(message) } };
}

describe("one server", () => {
  test.each(ERAS)("answers MCP of the %s era and HTTP at one address", async (era) => {
    const { server, get, call } = await serve();
    const mcp = await client(server.places["mcp"] ?? "", {}, era);
    expect((await mcp.listTools()).tools.map(({ name }) => name)).toEqual(["math_add"]);
    const result = await mcp.callTool({ name: "math_add", arguments: { a: 1, b: 2 } });
    expect(result.structuredContent).toEqual({ result: 3 });
    expect(await call("math.add", { a: 1, b: 2 })).toMatchObject({ success: true });
    expect((await get("/operations")).body.operations).toMatchObject([{ id: "math.add" }]);
    expect((await get("/openapi.json")).body).toHaveProperty("openapi");
  });

  test("tells MCP clients that a source is down, and not that its tools are unknown", async () => {
    const loaded = adHocConfig({ mcp: ["false"], cwd: "/" });
    const gateway = openGateway({ loaded });
    ends.push(() => gateway.close());
    await gateway.settled();
    const server = await serveGateway({ gateway, port: 0 });
    ends.push(() => server.close());
    for (const era of ERAS) {
      const mcp = await client(server.places["mcp"] ?? "", {}, era);
      const reading = read(await mcp.callTool({ name: "false_echo" }));
      expect(reading).toMatchObject({ outcome: { ok: false, error: { category: "unavailable" } } });
      await expect(mcp.callTool({ name: "other_echo" })).rejects.toMatchObject({ code: -32602 });
    }
  });

  test("says at / what there is", async () => {
    const { get } = await serve({ mcp: { path: "tools" } });
    expect((await get("/")).body).toMatchObject({ name: "plico", mcp: "/tools", health: "/healthz" });
  });

  test("leaves out what is not wanted", async () => {
    const { server, get } = await serve({ mcp: false, http: { operations: false } });
    expect(server.places).toEqual({ health: `${server.url}/healthz` });
    for (const path of ["/mcp", "/operations", "/openapi.json"]) expect((await get(path)).status).toBe(404);
    expect((await get("/healthz")).status).toBe(200);
  });

  test("tells its health, and when it is ready", async () => {
    const { gateway, get } = await serve();
    gateway.status = "starting";
    expect(await get("/healthz")).toMatchObject({ status: 200, body: { status: "starting", operations: 2 } });
    expect(await get("/readyz")).toMatchObject({ status: 503 });
    gateway.status = "degraded";
    expect(await get("/readyz?x=1")).toMatchObject({ status: 200, body: { status: "degraded" } });
  });

  test("changes nothing at its own pages", async () => {
    const { server } = await serve();
    const answer = await fetch(`${server.url}/healthz`, { method: "POST" });
    expect([answer.status, answer.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
    expect((await fetch(`${server.url}/healthz`, { method: "HEAD" })).status).toBe(200);
  });

  test.each(["/", "/healthz", "/operations", "/mcp"])("keeps pages of others away from %s", async (path) => {
    const { server } = await serve();
    const answer = await fetch(server.url + path, { headers: { origin: "https://evil.test" } });
    expect(answer.status).toBe(403);
    await answer.text();
  });

  test("gives clients of MCP three tools, and HTTP all operations", async () => {
    const { server, get } = await serve({ mcp: { searchAbove: 1 } });
    const mcp = await client(server.places["mcp"] ?? "");
    const { tools } = await mcp.listTools();
    expect(tools.map(({ name }) => name)).toEqual(["search_operations", "describe_operation", "call_operation"]);
    const input = { id: "math.add", input: { a: 1, b: 2 } };
    expect(await mcp.callTool({ name: "call_operation", arguments: input })).toMatchObject({
      structuredContent: { result: 3 },
    });
    expect((await get("/operations")).body.operations).toMatchObject([{ id: "math.add" }]);
  });

  test("shows of each source as much as its budget allows", async () => {
    const long = operation(() => "x".repeat(5_000), { name: "long" });
    const gateway = registryGateway(
      [long, ADD],
      { mcp: { search: "on", budget: 10_000 } },
      {
        sourceOf: () => ({ config: { module: "x", budget: 100 } }) as never,
      },
    );
    const server = await serveGateway({ gateway, port: 0 });
    ends.push(
      () => gateway.results.close(),
      () => server.close(),
    );
    const mcp = await client(server.places["mcp"] ?? "");
    const result = await mcp.callTool({ name: "call_operation", arguments: { id: "test.long" } });
    expect(JSON.stringify(result.structuredContent).length).toBeLessThan(200);
    expect(JSON.stringify(result.content)).toContain("plico://results/");
  });
});

describe("tokens", () => {
  const auth = { tokens: { ada: { token: "tok-ada", scopes: ["vault"] }, bob: { token: "tok-bob" } } };
  const ADA = { authorization: "Bearer tok-ada" };
  const BOB = { authorization: "Bearer tok-bob" };

  test("are asked for everywhere but for whether all is well", async () => {
    const { get } = await serve({ auth });
    for (const path of ["/operations", "/openapi.json", "/mcp"]) {
      const { status, headers } = await get(path);
      expect([path, status, headers.get("www-authenticate")]).toEqual([path, 401, "Bearer"]);
    }
    expect((await get("/healthz")).body).toEqual({ status: "ok" });
    expect((await get("/healthz", BOB)).body).toHaveProperty("sources");
  });

  test("decide what is shown and may be called", async () => {
    const { server, get, call } = await serve({ auth });
    const idsFor = async (headers: Record<string, string>) =>
      (await get("/operations", headers)).body.operations.length;
    expect([await idsFor(ADA), await idsFor(BOB)]).toEqual([2, 1]);
    expect(await call("test.secret", {}, BOB)).toMatchObject({ success: false });
    expect(await call("test.secret", {}, ADA)).toMatchObject({ success: true });
    const mcp = await client(server.places["mcp"] ?? "", ADA);
    expect((await mcp.listTools()).tools).toHaveLength(2);
    await expect(client(server.places["mcp"] ?? "", { authorization: "Bearer no" })).rejects.toThrow();
  });

  test("may be optional", async () => {
    const { get } = await serve({ auth: { ...auth, anonymous: true } });
    expect((await get("/operations")).body.operations).toHaveLength(1);
    expect((await get("/operations", { authorization: "Bearer no" })).status).toBe(401);
  });
});

describe("another configuration", () => {
  test("holds from the next request on, and lets what runs come to its end", async () => {
    let finish: (value: string) => void = idle;
    const slow = operation(
      () =>
        new Promise((resolve) => {
          finish = resolve;
        }),
      { name: "slow" },
    );
    const { gateway, server, get, call } = await serve({}, { operations: [ADD, slow] });
    const running = call("test.slow", {});
    await expect.poll(() => finish).not.toBe(idle);
    gateway.configure({ auth: { tokens: { ada: { token: "tok-ada" } } } });
    server.refresh();
    expect((await get("/operations")).status).toBe(401);
    finish("done");
    expect(await running).toMatchObject({ success: true });
    gateway.configure({});
    server.refresh();
    expect((await get("/operations")).status).toBe(200);
  });

  test("that cannot be served leaves the one before as it is", async () => {
    const { gateway, server, call } = await serve();
    gateway.configure({ mcp: { layout: "no such layout" as never } });
    expect(() => server.refresh()).toThrow();
    expect(await call("math.add", { a: 1, b: 2 })).toMatchObject({ success: true });
  });

  test("cannot move the server, and says so", async () => {
    const { log, said } = logged();
    const { gateway, server, get } = await serve({ http: { port: 0 } }, { log, port: undefined });
    gateway.configure({ http: { port: 4200 }, mcp: { path: "/other" } });
    server.refresh();
    expect(said).toHaveLength(1);
    expect((await get("/")).body).toMatchObject({ mcp: "/other" });
  });
});

describe("what cannot be served", () => {
  test("is told where the port is taken", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => other.once("listening", resolve));
    ends.push(() => new Promise((resolve) => other.close(resolve)));
    const gateway = registryGateway([]);
    const { port } = other.address() as AddressInfo;
    expect(await failureOf(serveGateway({ gateway, port }))).toMatchObject({ code: "EADDRINUSE" });
  });

  test("is told where it would be reached from elsewhere by any name", async () => {
    const gateway = registryGateway([]);
    expect(await failureOf(serveGateway({ gateway, host: "0.0.0.0", port: 0 }))).toMatchObject({
      category: "validation",
    });
    const server = await serveGateway({ gateway, host: "0.0.0.0", port: 0, allowedHosts: ["127.0.0.1"] });
    await server.close();
  });
});

test("a server that closes lets what runs come to its end", async () => {
  let finish: (value: string) => void = () => {};
  let begin: () => void = () => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const slow = operation(() => {
    begin();
    return new Promise((resolve) => {
      finish = resolve;
    });
  });
  const gateway = registryGateway([slow]);
  const server = await serveGateway({ gateway, port: 0 });
  const running = fetch(`${server.url}/operations/test.run`, { method: "POST" });
  await begun;
  const closed = server.close();
  finish("done");
  expect((await running).status).toBe(200);
  await closed;
  await expect(fetch(server.url)).rejects.toThrow();
});
