import { once } from "node:events";
import { createServer, request as httpRequest, type IncomingMessage } from "node:http";
import { connect as connectSocket } from "node:net";
import { describe, expect, test } from "vitest";
import { CallError } from "../../envelope/call-error.js";
import type { Identity } from "../../registry/access.js";
import type { HandlerContext } from "../../registry/context.js";
import { operation, registryOf } from "../../registry/fixtures/operations.js";
import { OperationRegistry } from "../../registry/registry.js";
import {
  callMessage,
  connected,
  deferred,
  ERAS,
  httpTransport,
  MODERN_META,
  modernHeaders,
  post,
} from "./fixtures/clients.js";
import { ends, serve } from "./fixtures/http-servers.js";
import { mcpHttpHandler, serveMcpHttp } from "./index.js";

const CALL = callMessage(1, "test_run");
const MODERN_CALL = callMessage(1, "test_run", {}, MODERN_META);
const LIST = { jsonrpc: "2.0", id: 1, method: "tools/list" };

/** The status of a request with headers that `fetch` does not let one set. */
async function statusOf(url: string, headers: Record<string, string>, body: unknown = CALL): Promise<number> {
  const request = httpRequest(url, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
  });
  request.end(JSON.stringify(body));
  const [response] = await once(request, "response");
  response.resume();
  return response.statusCode;
}

describe("a request over HTTP", () => {
  test.each([
    ["a call", CALL],
    ["anything else", LIST],
  ])("is refused for its Host or its Origin, be it %s", async (_, body) => {
    const url = await serve();
    expect(await statusOf(url, {}, body)).toBe(200);
    expect(await statusOf(url, { host: "evil.test" }, body)).toBe(403);
    expect(await statusOf(url, { origin: "https://evil.test" }, body)).toBe(403);
    const answer = await post(url, body, { headers: { origin: "https://evil.test" } });
    expect(answer.messages).toMatchObject([{ jsonrpc: "2.0", id: null, error: { code: -32000 } }]);
  });

  test("is refused where its body is too large, announced or not", async () => {
    const url = await serve({ maxBodyBytes: 1_000 });
    const large = callMessage(1, "test_run", { text: "x".repeat(2_000) });
    expect((await post(url, large)).status).toBe(413);
    const request = httpRequest(url, { method: "POST", headers: { "content-type": "application/json" } });
    request.on("error", () => {});
    request.write("x".repeat(600));
    request.write("x".repeat(600));
    const [response] = await once(request, "response");
    expect(response.statusCode).toBe(413);
    response.resume();
    request.destroy();
  });

  test("must be JSON", async () => {
    const url = await serve();
    expect((await post(url, CALL, { headers: { "content-type": "text/plain" } })).status).toBe(415);
    const { status, messages } = await post(url, "{nonsense");
    expect(status).toBe(400);
    expect(messages).toMatchObject([{ error: { code: -32700 } }]);
    expect((await post(url, '"text"')).status).toBe(400);
  });

  test("goes to the path that was given, with or without a query", async () => {
    const url = await serve({ path: "/tools" });
    expect(url).toMatch(/\/tools$/);
    expect((await post(`${url}?a=1`, CALL)).status).toBe(200);
    expect((await post(url.replace("/tools", "/mcp"), CALL)).status).toBe(404);
  });

  test("goes to a path that was given without its slash", async () => {
    const url = await serve({ path: "tools" });
    expect(url).toMatch(/:\d+\/tools$/);
    expect((await post(url, CALL)).status).toBe(200);
  });

  test("without a session is no GET and no DELETE", async () => {
    const url = await serve();
    for (const method of ["GET", "DELETE", "PUT", "OPTIONS"])
      expect((await fetch(url, { method, headers: { accept: "text/event-stream" } })).status).toBe(405);
  });

  test("of the modern era says the same in its headers and in its body", async () => {
    const url = await serve();
    expect((await post(url, MODERN_CALL, { headers: modernHeaders("test_run") })).status).toBe(200);
    for (const headers of [modernHeaders("other"), modernHeaders("test_run", "tools/list"), {}]) {
      const { status, messages } = await post(url, MODERN_CALL, { headers });
      expect(status).toBe(400);
      expect(messages).toMatchObject([{ error: { code: -32020 } }]);
    }
  });

  test("has arguments in its headers, where the schema wants them there", async () => {
    const properties = {
      region: { type: "string", "x-mcp-header": "Region" },
      n: { type: "integer", "x-mcp-header": "N" },
    };
    const url = await serve({
      registry: registryOf((input) => input, { inputSchema: { type: "object", properties } }),
    });
    const call = callMessage(1, "test_run", { region: "eu ä", n: 42 }, MODERN_META);
    const region = `=?base64?${Buffer.from("eu ä").toString("base64")}?=`;
    const good = { ...modernHeaders("test_run"), "mcp-param-region": region, "mcp-param-n": "42.0" };
    expect((await post(url, call, { headers: good })).status).toBe(200);
    const bad = [{ "mcp-param-n": "41" }, { "mcp-param-region": "us" }, { "mcp-param-region": "=?base64?!?=" }];
    for (const wrong of bad) expect((await post(url, call, { headers: { ...good, ...wrong } })).status).toBe(400);
    const { "mcp-param-n": _, ...missing } = good;
    expect((await post(url, call, { headers: missing })).messages).toMatchObject([{ id: 1, error: { code: -32020 } }]);
    expect(
      (await post(url, callMessage(1, "test_run", {}, MODERN_META), { headers: modernHeaders("test_run") })).status,
    ).toBe(200);
  });

  test("needs no header that must not be declared", async () => {
    const properties = { price: { type: "number", "x-mcp-header": "Price" } };
    const url = await serve({
      registry: registryOf((input) => input, { inputSchema: { type: "object", properties } }),
    });
    const call = callMessage(1, "test_run", { price: 1 }, MODERN_META);
    expect((await post(url, call, { headers: modernHeaders("test_run") })).status).toBe(200);
  });
});

describe("who may call", () => {
  const people: Record<string, Identity> = {
    ada: { id: "ada", scopes: ["write"] },
    bob: { id: "bob", scopes: [] },
  };

  function authorize({ headers }: IncomingMessage): Identity | undefined {
    const name = headers.authorization?.replace("Bearer ", "");
    if (name === undefined) throw new CallError({ category: "authentication", message: "Who are you?" });
    if (name === "eve") throw new CallError({ category: "authorization", message: "Not you." });
    if (name === "late") throw new CallError({ category: "rate_limit", message: "Slow down.", retryAfterMs: 2_500 });
    if (name === "bug") throw new Error("private");
    return people[name];
  }

  const registry = new OperationRegistry().registerAll([
    operation((_input, { identity }: HandlerContext) => identity?.id, { name: "who" }),
    operation(() => "written", { name: "write", accessControl: { requiredScopes: ["write"] } }),
  ]) as unknown as OperationRegistry;

  test("is asked of every request, and told with the right status", async () => {
    const url = await serve({ registry, authorize });
    const nobody = await post(url, CALL);
    expect(nobody.status).toBe(401);
    expect(nobody.headers.get("www-authenticate")).toBe("Bearer");
    expect(nobody.messages).toMatchObject([{ id: null, error: { data: { category: "authentication" } } }]);
    expect((await post(url, LIST, { headers: { authorization: "Bearer eve" } })).status).toBe(403);
    const late = await post(url, LIST, { headers: { authorization: "Bearer late" } });
    expect([late.status, late.headers.get("retry-after")]).toEqual([429, "3"]);
    const bug = await post(url, LIST, { headers: { authorization: "Bearer bug" } });
    expect(bug.status).toBe(500);
    expect(bug.text).not.toContain("private");
    expect((await fetch(url)).status).toBe(401);
  });

  test.each(ERAS)("decides what is listed and what is run, in the %s era", async (era) => {
    const url = await serve({ registry, authorize });
    for (const [name, tools] of [
      ["ada", ["test_who", "test_write"]],
      ["bob", ["test_who"]],
    ] as const) {
      const client = await connected(httpTransport(url, { authorization: `Bearer ${name}` }), { era });
      ends.push(() => client.close());
      expect((await client.listTools()).tools.map((tool) => tool.name)).toEqual(tools);
      expect((await client.callTool({ name: "test_who" })).structuredContent).toEqual({ result: name });
      const write = await client.callTool({ name: "test_write" });
      expect(write.isError === true).toBe(name === "bob");
    }
  });

  test("does not find the session of someone else", async () => {
    const url = await serve({ registry, authorize });
    const transport = httpTransport(url, { authorization: "Bearer ada" });
    const client = await connected(transport, { era: "legacy" });
    ends.push(() => client.close());
    const session = { "mcp-session-id": transport.sessionId ?? "" };
    const call = callMessage(1, "test_who");
    expect((await post(url, call, { headers: { ...session, authorization: "Bearer ada" } })).status).toBe(200);
    expect((await post(url, call, { headers: { ...session, authorization: "Bearer bob" } })).status).toBe(404);
  });

  test("may read a result that was too long only if it is theirs", async () => {
    const rows = { registry: registryOf(() => ({ rows: Array.from({ length: 9_000 }, (_, at) => at) })), budget: 300 };
    const url = await serve({ ...rows, authorize });
    const [ada, bob] = await Promise.all(
      ["ada", "bob"].map((name) => connected(httpTransport(url, { authorization: `Bearer ${name}` }), {})),
    );
    ends.push(async () => Promise.all([ada?.close(), bob?.close()]));
    const result = await ada?.callTool({ name: "test_run" });
    const link = result?.content.find((block) => block.type === "resource_link");
    const uri = link?.type === "resource_link" ? link.uri : "";
    await expect(ada?.readResource({ uri })).resolves.toBeDefined();
    await expect(bob?.readResource({ uri })).rejects.toMatchObject({ code: -32602 });
  });
});

describe("a call over HTTP", () => {
  test.each([
    ["modern", MODERN_CALL, modernHeaders("test_run")],
    ["stateless", CALL, {}],
  ])("ends when its connection is closed: %s", async (_, message, headers) => {
    const started = deferred();
    const ended = deferred();
    const url = await serve({
      registry: registryOf((_input, { signal }: HandlerContext) => {
        started.resolve();
        return new Promise(() => signal.addEventListener("abort", () => ended.resolve()));
      }),
    });
    const controller = new AbortController();
    const call = post(url, message, { headers: headers as Record<string, string>, signal: controller.signal });
    call.catch(() => {});
    await started.promise;
    controller.abort();
    await ended.promise;
  });

  test("is done with when its client left before it was let in", async () => {
    const [asked, go, left] = [deferred(), deferred(), deferred()];
    let runs = 0;
    const handler = mcpHttpHandler({
      registry: registryOf(() => ++runs),
      authorize: async () => {
        asked.resolve();
        await go.promise;
        return undefined;
      },
    });
    ends.push(() => handler.close());
    const handled = deferred();
    const server = createServer((request, response) => {
      response.once("close", () => left.resolve());
      void handler.handle(request, response).then(() => handled.resolve());
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const controller = new AbortController();
    const { port } = server.address() as { port: number };
    post(`http://127.0.0.1:${port}/`, CALL, { signal: controller.signal }).catch(() => {});
    await asked.promise;
    controller.abort();
    await left.promise;
    go.resolve();
    await handled.promise;
    expect(runs).toBe(0);
    server.close();
  });

  test("is answered in one piece of JSON, or as events once there is progress", async () => {
    const url = await serve({
      registry: registryOf((_input, { progress }: HandlerContext) => {
        progress(1, 2);
        return "done";
      }),
    });
    const plain = await post(url, CALL);
    expect(plain.headers.get("content-type")).toBe("application/json");
    expect(plain.headers.get("content-length")).toBe(String(Buffer.byteLength(plain.text)));
    const told = await post(url, callMessage(1, "test_run", {}, { progressToken: "t" }));
    expect(told.headers.get("content-type")).toBe("text/event-stream");
    expect(told.messages).toMatchObject([
      { method: "notifications/progress", params: { progressToken: "t", progress: 1, total: 2 } },
      { id: 1, result: { structuredContent: { result: "done" } } },
    ]);
  });

  test("by a client that stops in the middle of sending leaves nothing behind", async () => {
    const errors: unknown[] = [];
    const url = new URL(await serve({ onError: (error) => errors.push(error) }));
    const socket = connectSocket(Number(url.port), url.hostname);
    const head = `POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`;
    socket.write(head, () => socket.destroy());
    await once(socket, "close");
    expect((await post(url.href, CALL)).status).toBe(200);
    expect(errors).toEqual([]);
  });
});

describe("a server over HTTP", () => {
  test("does not start where others could reach it, unless it knows its names", async () => {
    const registry = registryOf(() => 1);
    await expect(serveMcpHttp({ registry, host: "0.0.0.0" })).rejects.toMatchObject({ category: "validation" });
    const server = await serveMcpHttp({ registry, host: "0.0.0.0", allowedHosts: ["api.test"] });
    ends.push(() => server.close());
    const url = server.url.replace("0.0.0.0", "127.0.0.1");
    expect(await statusOf(url, { host: "api.test" })).toBe(200);
    expect(await statusOf(url, {})).toBe(403);
  });

  test("tells that its port is taken", async () => {
    const port = Number(new URL(await serve()).port);
    await expect(serveMcpHttp({ registry: registryOf(() => 1), port })).rejects.toMatchObject({ code: "EADDRINUSE" });
  });

  test("lets calls finish when it is closed, and takes no more", async () => {
    const started = deferred();
    const go = deferred();
    const registry = registryOf(async () => {
      started.resolve();
      await go.promise;
      return "done";
    });
    const handler = mcpHttpHandler({ registry });
    const server = createServer((request, response) => void handler.handle(request, response)).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as { port: number };
    const url = `http://127.0.0.1:${port}/`;
    const call = post(url, CALL);
    await started.promise;
    const closed = handler.close();
    expect((await post(url, CALL)).status).toBe(503);
    go.resolve();
    expect((await call).messages).toMatchObject([{ result: { structuredContent: { result: "done" } } }]);
    await closed;
    server.close();
    server.closeAllConnections();
    await once(server, "close");
  });

  test("tells those whose calls take too long, and ends them", async () => {
    const started = deferred();
    const ended = deferred<unknown>();
    const server = await serveMcpHttp({
      registry: registryOf((_input, { signal }: HandlerContext) => {
        started.resolve();
        return new Promise(() => signal.addEventListener("abort", () => ended.resolve(signal.reason)));
      }),
    });
    const call = post(server.url, CALL);
    await started.promise;
    await server.close();
    expect((await call).messages).toMatchObject([{ result: { isError: true } }]);
    expect(await ended.promise).toMatchObject({ category: "unavailable" });
    await expect(post(server.url, CALL)).rejects.toThrow();
  });

  test("may be closed twice", async () => {
    const server = await serveMcpHttp({ registry: registryOf(() => 1) });
    await server.close();
    await server.close();
  });
});
