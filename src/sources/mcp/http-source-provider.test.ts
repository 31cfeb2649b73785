import { describe, expect, test } from "vitest";
import { failureOf } from "../../registry/fixtures/operations.js";
import { connect, type HttpStage, serve, tidyUpHttp } from "./fixtures/http.js";
import type { Exchange } from "./fixtures/http-server.js";
import type { McpSourceOptions } from "./options.js";

tidyUpHttp();

const OK = { content: [{ type: "text", text: "well" }] };

/** With a provider every request goes through the SDK: a call must not notice. */
const authProvider = { token: async () => "t" } as unknown as NonNullable<McpSourceOptions["authProvider"]>;

async function open(
  era: "legacy" | "modern",
  tools: HttpStage["server"]["tools"],
  options: Partial<McpSourceOptions> = {},
): Promise<HttpStage> {
  const server = await serve({ era });
  Object.assign(server.tools, tools);
  return connect(server, { era, authProvider, ...options });
}

function refuse(exchange: Exchange): void {
  exchange.json({ jsonrpc: "2.0", id: exchange.message.id, error: { code: -32602, message: "bad" } });
}

describe.each(["legacy", "modern"] as const)("a call of the %s era where a provider signs in", (era) => {
  test("gets what nobody knows of a result, as it came", async () => {
    const odd = { content: [{ type: "hologram", depth: 3 }], structuredContent: [1, null], odd: { a: 0 } };
    const { registry } = await open(era, { odd: (exchange) => exchange.answer(odd) });
    const { data, meta } = await registry.execute("far.odd", {});
    expect(data).toEqual([1, null]);
    expect(meta).toMatchObject({ content: odd.content, extra: { "mcp-result": { odd: { a: 0 } } } });
  });

  test("gets events and progress", async () => {
    const steps = (exchange: Exchange): void => {
      for (const progress of [0, 1, 2]) exchange.progress(progress);
      exchange.finish(OK);
    };
    const { call } = await open(era, { steps });
    const told: number[] = [];
    expect(await call("steps", {}, { onProgress: ({ progress }) => told.push(progress) })).toEqual(OK.content);
    expect(told).toEqual([0, 1, 2]);
  });

  test("is given up at the server, too", async () => {
    let exchange: Exchange | undefined;
    const hang = (given: Exchange): void => {
      exchange = given;
      given.progress(0);
    };
    const { call } = await open(era, { hang });
    const controller = new AbortController();
    const options = { signal: controller.signal, onProgress: () => controller.abort() };
    expect(await failureOf(call("hang", {}, options))).toMatchObject({ code: "ABORTED" });
    await exchange?.closed;
  });

  test("is over in time", async () => {
    const { call } = await open(era, { hang: () => {} }, { timeout: 150 });
    expect(await failureOf(call("hang"))).toMatchObject({ code: "TIMEOUT" });
  });

  test.each<[what: string, answer: (exchange: Exchange) => unknown, error: object]>([
    [
      "a limit",
      (exchange) => exchange.status(429, { "retry-after": "2" }),
      { code: "RATE_LIMITED", retryAfterMs: 2_000 },
    ],
    [
      "a pause",
      (exchange) => exchange.status(503, { "retry-after": "1" }),
      { category: "unavailable", retryAfterMs: 1_000 },
    ],
    ["an error of its own", (exchange) => exchange.status(500, {}, "boom"), { category: "internal" }],
    ["nothing but thanks", (exchange) => exchange.status(202), { code: "INVALID_ANSWER" }],
    ["a page", (exchange) => exchange.status(200, { "content-type": "text/html" }, "<p>"), {}],
    ["another's answer", (exchange) => exchange.json({ jsonrpc: "2.0", id: 7, result: OK }), {}],
    ["a cut", (exchange) => exchange.response.destroy(), { category: "unavailable" }],
    ["an error of JSON-RPC", refuse, { category: "validation", details: { code: -32602 } }],
  ])("that is answered with %s fails as it does without, and the next one works", async (_, answer, error) => {
    const { call } = await open(era, { odd: answer }, { timeout: 2_000 });
    const failure = await failureOf(call("odd"));
    expect(failure).toMatchObject(error);
    expect(failure.category).not.toBe("timeout");
    expect(await call("echo")).toEqual({ input: {} });
  });

  test("must not be answered with more than is allowed", async () => {
    const long = { content: [{ type: "text", text: "x".repeat(200_000) }] };
    const { call } = await open(
      era,
      { whole: (exchange) => exchange.answer(long), events: (exchange) => exchange.finish(long) },
      { maxMessageLength: 100_000, timeout: 2_000 },
    );
    for (const tool of ["whole", "events"])
      expect(await failureOf(call(tool))).toMatchObject({ code: "PAYLOAD_TOO_LARGE" });
  });
});

test("the arguments that a server wants as headers are sent also through the SDK", async () => {
  const server = await serve({ era: "modern" });
  const region = { type: "string", "x-mcp-header": "Region" };
  Object.assign(server.schemas, { echo: { type: "object", properties: { region } } });
  const { call } = await connect(server, { era: "modern", authProvider });
  await call("echo", { region: "eu" });
  expect(server.got("tools/call")[0]?.headers).toMatchObject({ "mcp-param-region": "eu", "mcp-name": "echo" });
});
