import { once } from "node:events";
import { type AddressInfo, connect as connectTcp, createServer as createTcpServer } from "node:net";
import { describe, expect, test } from "vitest";
import { isCallError } from "../../envelope/call-error.js";
import { failureOf } from "../../registry/fixtures/operations.js";
import { connect, type HttpStage, serve, tidyUpHttp, until } from "./fixtures/http.js";
import type { Exchange } from "./fixtures/http-server.js";
import { mcpSource } from "./mcp-source.js";
import type { McpSourceOptions } from "./options.js";

tidyUpHttp();

const OK = { content: [{ type: "text", text: "well" }] };

type Era = "legacy" | "modern";

async function open(
  era: Era,
  options: Partial<McpSourceOptions> = {},
  tools: HttpStage["server"]["tools"] = {},
): Promise<HttpStage> {
  const server = await serve({ era });
  Object.assign(server.tools, tools);
  return connect(server, { era, ...options });
}

describe.each(["legacy", "modern"] as const)("a server of the %s era over HTTP", (era) => {
  test("answers in JSON", async () => {
    const { source, registry } = await open(era);
    const { data, meta } = await registry.execute("far.echo", { a: 0, b: "é" });
    expect(data).toEqual({ input: { a: 0, b: "é" } });
    expect(meta).toMatchObject({ source: "mcp", isError: false, structuredContent: data });
    expect(source.health()).toMatchObject({ status: "ready", era, server: { name: "fixture" }, restarts: 0, tools: 1 });
  });

  test("is found out by itself", async () => {
    const server = await serve({ era });
    const { source, call } = await connect(server);
    expect(source.health().era).toBe(era);
    expect(await call("echo")).toEqual({ input: {} });
  });

  test("answers with events, however they are cut", async () => {
    const stream = async (exchange: Exchange): Promise<void> => {
      const text = `\uFEFFevent: message\r\ndata: ${JSON.stringify(exchange.result({ content: [], structuredContent: "Zoë 🎉" }))}\r\n\r\n`;
      exchange.response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
      for (const byte of Buffer.from(text)) {
        exchange.response.write(Buffer.from([byte]));
        await new Promise((resolve) => setImmediate(resolve));
      }
      exchange.response.end();
    };
    const { call } = await open(era, {}, { stream });
    expect(await call("stream")).toBe("Zoë 🎉");
  });

  test("tells of its progress on the way", async () => {
    const steps = (exchange: Exchange): void => {
      for (const progress of [0, 1, 2]) exchange.progress(progress);
      exchange.finish(OK);
    };
    const { call } = await open(era, {}, { steps });
    const told: unknown[] = [];
    await call("steps", {}, { onProgress: (progress) => told.push(progress) });
    expect(told).toEqual([0, 1, 2].map((progress) => ({ progress, total: 2 })));
  });

  test("hears at once that a caller gave up, in the way of its era", async () => {
    let exchange: Exchange | undefined;
    const hang = (given: Exchange): void => {
      exchange = given;
      given.progress(0);
    };
    const { server, call } = await open(era, {}, { hang });
    const controller = new AbortController();
    const onProgress = (): void => controller.abort();
    expect(await failureOf(call("hang", {}, { signal: controller.signal, onProgress }))).toMatchObject({
      code: "ABORTED",
    });
    await exchange?.closed;
    const told = () => server.got("notifications/cancelled");
    if (era === "legacy") {
      await until(() => told().length > 0);
      expect(told()[0]?.message.params).toMatchObject({ requestId: exchange?.message.id });
      expect(told()[0]?.headers["mcp-session-id"]).toBe("session-1");
    }
    expect(await call("echo")).toEqual({ input: {} });
    expect(told()).toHaveLength(era === "legacy" ? 1 : 0);
  });

  test("that says nothing for too long fails the call, and the request is ended", async () => {
    let exchange: Exchange | undefined;
    const hang = (given: Exchange): void => {
      exchange = given;
    };
    const { call } = await open(era, { timeout: 150 }, { hang });
    expect(await failureOf(call("hang"))).toMatchObject({ code: "TIMEOUT" });
    await exchange?.closed;
  });

  test("may take as long as it likes while it gives a sign of life", async () => {
    const beats = (exchange: Exchange): void => {
      let count = 0;
      const timer = setInterval(() => {
        exchange.progress(++count);
        if (count < 6) return;
        clearInterval(timer);
        exchange.finish(OK);
      }, 100);
    };
    const { call } = await open(era, { timeout: 450 }, { beats });
    expect(await call("beats")).toEqual(OK.content);
  });

  test.each<[what: string, answer: (exchange: Exchange) => void, code: string]>([
    ["nothing but thanks", (exchange) => exchange.status(202), "INVALID_ANSWER"],
    ["a page", (exchange) => exchange.status(200, { "content-type": "text/html" }, "<h1>hi</h1>"), "INVALID_ANSWER"],
    ["nothing", (exchange) => exchange.status(200), "INVALID_ANSWER"],
    ["another's answer", (exchange) => exchange.json({ jsonrpc: "2.0", id: 7, result: OK }), "INVALID_ANSWER"],
    ["events without an answer", withoutEnd, "UNAVAILABLE"],
    ["a cut", (exchange) => void exchange.response.destroy(), "UNAVAILABLE"],
    ["half an answer", (exchange) => half(exchange), "UNAVAILABLE"],
    ["an error of its own", (exchange) => exchange.status(500, {}, "boom"), "UNKNOWN_ERROR"],
    ["an error as events", (exchange) => exchange.status(503, { "content-type": "text/event-stream" }), "UNAVAILABLE"],
    ["a limit as events", (exchange) => exchange.status(429, { "content-type": "text/event-stream" }), "RATE_LIMITED"],
    ["a refusal", (exchange) => exchange.status(403), "ACCESS_DENIED"],
  ])("that answers with %s fails the call, and the next one works", async (_, answer, code) => {
    const { call } = await open(era, { timeout: 4_000 }, { odd: answer });
    expect(await failureOf(call("odd"))).toMatchObject({ code });
    expect(await call("echo")).toEqual({ input: {} });
  });

  test.each<[headers: Record<string, string>, wait: number | undefined]>([
    [{ "retry-after": "2" }, 2_000],
    [{ "retry-after": "soon" }, undefined],
    [{}, undefined],
  ])("that has had enough says when to come back: %j", async (headers, wait) => {
    const { call } = await open(era, {}, { busy: (exchange) => exchange.status(429, headers) });
    const error = await failureOf(call("busy"));
    expect(error).toMatchObject({ category: "rate_limit", code: "RATE_LIMITED" });
    expect(error.retryAfterMs).toBe(wait);
  });

  test("must not answer with more than is allowed", async () => {
    const long = "x".repeat(200_000);
    const { call } = await open(
      era,
      { maxMessageLength: 100_000 },
      {
        whole: (exchange) => exchange.answer({ content: [{ type: "text", text: long }] }),
        events: (exchange) => exchange.finish({ content: [{ type: "text", text: long }] }),
        many: (exchange) => {
          for (let count = 0; count < 50; count++) exchange.progress(count);
          exchange.finish(OK);
        },
      },
    );
    for (const tool of ["whole", "events"])
      expect(await failureOf(call(tool))).toMatchObject({ code: "PAYLOAD_TOO_LARGE", recoverable: false });
    expect(await call("many")).toEqual(OK.content);
  });

  test("that goes away fails the calls, and is used again when it is back", async () => {
    const { server, call } = await open(era, {}, { hang: () => {} });
    const { port } = server;
    const hanging = failureOf(call("hang"));
    await until(() => server.got("tools/call", "hang").length > 0);
    await server.close();
    expect(await hanging).toMatchObject({ code: "UNAVAILABLE" });
    expect(await failureOf(call("echo"))).toMatchObject({ category: "unavailable", code: "UNAVAILABLE" });
    await server.listen(port);
    expect(await call("echo")).toEqual({ input: {} });
  });

  test("has nobody connected after the source was closed, and running calls have failed", async () => {
    const { server, source, call } = await open(era, {}, { hang: (exchange) => exchange.progress(0) });
    await Promise.all(Array.from({ length: 20 }, () => call("echo")));
    const hanging = failureOf(call("hang"));
    await until(() => server.got("tools/call", "hang").length > 0);
    await Promise.all([source.close(), source.close()]);
    expect(await hanging).toMatchObject({ code: "UNAVAILABLE" });
    expect(await failureOf(call("echo"))).toMatchObject({ code: "UNAVAILABLE", recoverable: false });
    expect(source.health().status).toBe("closed");
    // The few that the SDK's fetch keeps are idle, and let go by themselves.
    await until(async () => (await server.connections()) <= 3);
  });

  test("tells of other tools", async () => {
    const server = await serve({ era, listChanged: true });
    const { registry } = await connect(server, { era });
    await until(() => server.streams.length > 0);
    server.tools["later"] = (exchange) => exchange.answer(OK);
    server.tellChange();
    await until(() => registry.getSpec("far.later") !== undefined);
    expect((await registry.execute("far.later", {})).data).toEqual(OK.content);
  });
});

function withoutEnd(exchange: Exchange): void {
  exchange.progress(1);
  exchange.response.end();
}

function half(exchange: Exchange): void {
  exchange.response.writeHead(200, { "content-type": "application/json", "content-length": "1000" });
  exchange.response.write('{"jsonrpc":');
  setImmediate(() => exchange.response.destroy());
}

test("nobody at the address fails the source at once", async () => {
  const server = await serve({ era: "legacy" });
  const { url } = server;
  await server.close();
  const error = await failureOf(mcpSource({ name: "far", url }));
  expect(error).toMatchObject({ category: "unavailable", code: "UNAVAILABLE" });
});

test("a server that says nothing fails the source in time", async () => {
  const server = await serve({ era: "legacy" });
  server.first = () => true;
  for (const era of ["auto", "legacy", "modern"] as const)
    expect(await failureOf(connect(server, { era, startTimeout: 200 }))).toMatchObject({ category: "timeout" });
});

test.each(["user:s3cret", "s3cret%:s3cret%zz", ":s3cret", "us er:s3cret"])(
  "the password of the address %s is never shown",
  async (userinfo) => {
    const server = await serve({ era: "legacy" });
    const url = server.url.replace("http://", `http://${userinfo}@`);
    const opened = await connect(server, { url }).catch((thrown: unknown) => thrown);
    if (!isCallError(opened)) {
      expect(server.requests.every(({ headers }) => headers.authorization?.startsWith("Basic "))).toBe(true);
      return expect(opened).toHaveProperty("source");
    }
    expect(JSON.stringify(opened) + opened.message).not.toContain("s3cret");
  },
);

test("a connection that is closed in the middle of the greeting is made again, once", async () => {
  const answering = await serve({ era: "legacy" });
  let resets = 1;
  const flaky = createTcpServer((socket) => {
    if (resets-- > 0) socket.once("data", () => socket.resetAndDestroy());
    else socket.pipe(connectTcp(Number(new URL(answering.url).port), "127.0.0.1")).pipe(socket);
    socket.on("error", () => {});
  });
  flaky.listen(0, "127.0.0.1");
  await once(flaky, "listening");
  const { port } = flaky.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/mcp`;
  const source = await mcpSource({ name: "far", url });
  expect(source.health().status).toBe("ready");
  await source.close();
  resets = 2;
  expect(await failureOf(mcpSource({ name: "far", url }))).toMatchObject({ category: "unavailable" });
  flaky.close();
});
