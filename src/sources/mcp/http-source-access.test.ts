import { describe, expect, test } from "vitest";
import { within } from "../../../test/own-time.js";
import { failureOf } from "../../registry/fixtures/operations.js";
import { connect, serve, tidyUpHttp, until } from "./fixtures/http.js";
import type { Exchange, HttpFixture } from "./fixtures/http-server.js";
import { mcpSource } from "./mcp-source.js";
import type { McpSourceOptions } from "./options.js";

tidyUpHttp();

const ERAS = ["legacy", "modern"] as const;
const OK = { content: [{ type: "text", text: "well" }] };

describe.each(ERAS)("who calls a server of the %s era", (era) => {
  test("is told by a token, with every request", async () => {
    const server = await serve({ era });
    const { source, call } = await connect(server, { era, token: "t0ken" });
    await call("echo");
    await source.close();
    expect(new Set(server.requests.map(({ headers }) => headers.authorization))).toEqual(new Set(["Bearer t0ken"]));
  });

  test("is asked each time where the token is a function", async () => {
    const server = await serve({ era });
    let count = 0;
    const { call } = await connect(server, { era, token: async () => `t${++count}` });
    await call("echo");
    await call("echo");
    const [first, second] = server.got("tools/call").map(({ headers }) => headers.authorization);
    expect(first).toMatch(/^Bearer t\d+$/);
    expect(second).not.toBe(first);
  });

  test("is nobody where the token cannot be had: the call fails, and the next one works", async () => {
    const server = await serve({ era });
    let isBroken = false;
    const token = (): string => {
      if (isBroken) throw new Error("the vault is locked");
      return "t";
    };
    const { call } = await connect(server, { era, token });
    isBroken = true;
    expect((await failureOf(call("echo"))).category).toBe("authentication");
    expect(server.got("tools/call")).toEqual([]);
    isBroken = false;
    expect(await call("echo")).toEqual({ input: {} });
  });

  test("is told by headers, which cannot replace those of the protocol", async () => {
    const server = await serve({ era });
    const headers = { "X-Api-Key": "k", "Content-Type": "text/plain", "MCP-Protocol-Version": "1", "Mcp-Method": "x" };
    const { call } = await connect(server, { era, headers });
    await call("echo");
    const [request] = server.got("tools/call");
    expect(request?.headers).toMatchObject({ "x-api-key": "k", "content-type": "application/json" });
    expect(request?.headers["mcp-protocol-version"]).toMatch(/^202\d-\d\d-\d\d$/);
    if (era === "modern") expect(request?.headers["mcp-method"]).toBe("tools/call");
    expect(new Set(server.requests.map((one) => one.headers["x-api-key"]))).toEqual(new Set(["k"]));
  });

  test.each([401, 403])("is not enough: %d fails the call, without asking for ever", async (status) => {
    const server = await serve({ era });
    const { call } = await connect(server, { era });
    server.first = (exchange) => exchange.message.method === "tools/call" && refuse(exchange, status);
    const error = await failureOf(call("echo"));
    expect(error).toMatchObject({
      category: status === 401 ? "authentication" : "authorization",
      code: "ACCESS_DENIED",
    });
    expect(server.got("tools/call").length).toBeLessThanOrEqual(2);
    server.first = () => false;
    expect(await call("echo")).toEqual({ input: {} });
  });

  test("is not enough from the start: the source fails, and does not show the token", async () => {
    const server = await serve({ era });
    server.first = (exchange) => refuse(exchange, 401);
    const error = await failureOf(mcpSource({ name: "far", url: server.url, era, token: "s3cret" }));
    expect(error).toMatchObject({ category: "authentication", code: "ACCESS_DENIED" });
    expect(JSON.stringify(error) + error.message).not.toContain("s3cret");
  });

  test("may be known to a provider of the SDK", async () => {
    const server = await serve({ era });
    const authProvider = { token: async () => "from the provider" } as unknown as NonNullable<
      McpSourceOptions["authProvider"]
    >;
    const { call } = await connect(server, { era, authProvider });
    expect(await call("echo", { a: 1 })).toEqual({ input: { a: 1 } });
    expect(server.got("tools/call")[0]?.headers.authorization).toBe("Bearer from the provider");
  });
});

function refuse(exchange: Exchange, status: number): true {
  exchange.status(status, status === 401 ? { "www-authenticate": "Bearer" } : {}, "no");
  return true;
}

describe.each(ERAS)("a redirect of a server of the %s era", (era) => {
  test("to another origin is refused, and nothing of ours arrives there", async () => {
    const [server, elsewhere] = await Promise.all([serve({ era }), serve({ era })]);
    const { call } = await connect(server, { era, token: "s3cret", headers: { "x-api-key": "s3cret" } });
    for (const status of [301, 302, 307, 308]) {
      server.first = (exchange) => {
        exchange.status(status, { location: elsewhere.url });
        return true;
      };
      const error = await failureOf(call("echo"));
      expect(error.message).not.toContain("s3cret");
    }
    expect(elsewhere.requests).toEqual([]);
  });

  test("within its origin is followed", async () => {
    const server = await serve({ era });
    const { call } = await connect(server, { era, token: "t" });
    let count = 0;
    server.first = (exchange) => {
      const isFirst = exchange.message.method === "tools/call" && count++ < 2;
      if (isFirst) exchange.status(307, { location: "/elsewhere" });
      return isFirst;
    };
    expect(await call("echo")).toEqual({ input: {} });
  });
});

describe("a session", () => {
  test("is named in every request, and ended when the source is closed", async () => {
    const server = await serve({ era: "legacy" });
    const { source, call } = await connect(server, { era: "legacy", token: "t" });
    await call("echo");
    await source.close();
    const [, ...others] = server.requests.filter(({ message }) => message.method !== "server/discover");
    expect(new Set(others.map(({ headers }) => headers["mcp-session-id"]))).toEqual(new Set(["session-1"]));
    const ended = server.requests.filter(({ http }) => http === "DELETE");
    expect(ended).toHaveLength(1);
    expect(ended[0]?.headers).toMatchObject({ "mcp-session-id": "session-1", authorization: "Bearer t" });
  });

  test("that there is not is not ended", async () => {
    for (const options of [{ era: "legacy", hasSessions: false } as const, { era: "modern" } as const]) {
      const server = await serve(options);
      const { source, call } = await connect(server, { era: options.era });
      await call("echo");
      await source.close();
      expect(server.requests.filter(({ http }) => http === "DELETE")).toEqual([]);
    }
  });

  test("is not waited for where the server does not answer that it has ended", async () => {
    const server = await serve({ era: "legacy" });
    const { source } = await connect(server, { era: "legacy" });
    server.first = ({ request }) => request.http === "DELETE";
    await within(3_000, source.close());
  });

  /** Knows only the sessions that were made from now on. */
  function forget(server: HttpFixture): void {
    const last = server.sessions;
    server.first = (exchange) => {
      const session = exchange.request.headers["mcp-session-id"];
      const isOld = session !== undefined && Number(String(session).slice("session-".length)) <= last;
      if (isOld) exchange.status(404, {}, "Session not found");
      return isOld;
    };
  }

  test("that the server has forgotten is made anew, and the call is made once", async () => {
    const server = await serve({ era: "legacy" });
    const { source, call } = await connect(server, { era: "legacy" });
    forget(server);
    expect(await call("echo", { a: 1 })).toEqual({ input: { a: 1 } });
    expect(source.health()).toMatchObject({ status: "ready", restarts: 1 });
    expect(server.got("initialize")).toHaveLength(2);
    expect(server.got("tools/call").map(({ headers }) => headers["mcp-session-id"])).toEqual([
      "session-1",
      "session-2",
    ]);
    expect(await call("echo", { a: 2 })).toEqual({ input: { a: 2 } });
  });

  test("that the server has forgotten is made anew once for all calls that meet it", async () => {
    const server = await serve({ era: "legacy" });
    const { call } = await connect(server, { era: "legacy" });
    forget(server);
    const answers = await Promise.all(Array.from({ length: 20 }, (_, at) => call("echo", { at })));
    expect(answers).toEqual(Array.from({ length: 20 }, (_, at) => ({ input: { at } })));
    expect(server.got("initialize")).toHaveLength(2);
  });

  test("that the server has forgotten is made anew also to ask for the tools", async () => {
    const server = await serve({ era: "legacy" });
    const { source, registry } = await connect(server, { era: "legacy" });
    forget(server);
    server.tools["later"] = (exchange) => exchange.answer(OK);
    await source.refresh();
    expect(registry.getSpec("far.later")).toBeDefined();
  });

  test("that the server has forgotten is made anew also where a provider signs in", async () => {
    const server = await serve({ era: "legacy" });
    const authProvider = { token: async () => "t" } as unknown as NonNullable<McpSourceOptions["authProvider"]>;
    const { call } = await connect(server, { era: "legacy", authProvider });
    forget(server);
    expect(await call("echo", { a: 1 })).toEqual({ input: { a: 1 } });
    expect(await call("echo", { a: 2 })).toEqual({ input: { a: 2 } });
  });

  test("that the server forgets each time fails the call, and is not made for ever", async () => {
    const server = await serve({ era: "legacy" });
    const { call } = await connect(server, { era: "legacy" });
    server.first = (exchange) => {
      const isCall = exchange.message.method === "tools/call";
      if (isCall) exchange.status(404);
      return isCall;
    };
    expect(["unavailable", "not_found"]).toContain((await failureOf(call("echo"))).category);
    expect(server.got("initialize").length).toBeLessThanOrEqual(3);
  });

  test("is not lost because a server without one says 404", async () => {
    const server = await serve({ era: "modern" });
    server.tools["gone"] = (exchange) => exchange.status(404);
    const { source, call } = await connect(server, { era: "modern" });
    expect(await failureOf(call("gone"))).toMatchObject({ category: "not_found" });
    expect(source.health().restarts).toBe(0);
  });
});

describe("an answer that is cut", () => {
  const cut = (end: (exchange: Exchange) => unknown) => (exchange: Exchange) => {
    exchange.event(undefined, "event-7", "retry: 20\n");
    setTimeout(() => end(exchange), 10);
  };

  test.each<[how: string, end: (exchange: Exchange) => unknown]>([
    ["by the server", (exchange) => exchange.response.end()],
    ["by the network", (exchange) => exchange.response.destroy()],
  ])("%s goes on where it stopped, in the legacy era", async (_, end) => {
    const server = await serve({ era: "legacy" });
    let asked: Exchange | undefined;
    server.tools["cut"] = (exchange) => {
      asked = exchange;
      cut(end)(exchange);
    };
    server.first = (exchange) => {
      const isResumed = exchange.request.headers["last-event-id"] === "event-7";
      if (isResumed && asked !== undefined) exchange.event(asked.result(OK), "event-8");
      return isResumed;
    };
    const { call } = await connect(server, { era: "legacy", token: "t" });
    expect(await call("cut")).toEqual(OK.content);
    const [resumed] = server.requests.filter(({ headers }) => headers["last-event-id"] !== undefined);
    expect(resumed).toMatchObject({
      http: "GET",
      headers: { "mcp-session-id": "session-1", authorization: "Bearer t" },
    });
    expect(server.got("tools/call", "cut")).toHaveLength(1);
  });

  test("and does not go on elsewhere fails the call", async () => {
    const server = await serve({ era: "legacy" });
    server.tools["cut"] = cut((exchange) => exchange.response.end());
    server.first = (exchange) => {
      const isResumed = exchange.request.headers["last-event-id"] !== undefined;
      if (isResumed) exchange.status(404);
      return isResumed;
    };
    const { call } = await connect(server, { era: "legacy", timeout: 4_000 });
    expect((await failureOf(call("cut"))).category).not.toBe("timeout");
    expect(await call("echo")).toEqual({ input: {} });
  });

  test("is not asked for again by a caller that gave up", async () => {
    const server = await serve({ era: "legacy" });
    const controller = new AbortController();
    server.tools["cut"] = cut((exchange) => {
      exchange.response.end();
      exchange.response.on("close", () => controller.abort());
    });
    const { call } = await connect(server, { era: "legacy" });
    expect((await failureOf(call("cut", {}, { signal: controller.signal }))).code).toBe("ABORTED");
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(server.requests.filter(({ headers }) => headers["last-event-id"] !== undefined).length).toBeLessThanOrEqual(
      1,
    );
  });

  test("fails the call in the modern era, which has no other stream", async () => {
    const server = await serve({ era: "modern" });
    server.tools["cut"] = cut((exchange) => exchange.response.end());
    const { call } = await connect(server, { era: "modern" });
    expect(await failureOf(call("cut"))).toMatchObject({ code: "UNAVAILABLE" });
    expect(server.requests.filter(({ http }) => http === "GET")).toEqual([]);
  });
});

describe("what a request says of itself in headers", () => {
  const SCHEMA = {
    type: "object",
    properties: {
      region: { type: "string", "x-mcp-header": "Region" },
      dry: { type: "boolean", "x-mcp-header": "Dry-Run" },
      free: { type: "string" },
    },
  };
  const WRONG = { type: "object", properties: { a: { type: "object", "x-mcp-header": "A" } } };

  async function withHeaders(era: "legacy" | "modern"): Promise<Awaited<ReturnType<typeof connect>>> {
    const server = await serve({ era });
    Object.assign(server.tools, {
      größe: server.tools["echo"],
      region: server.tools["echo"],
      wrong: server.tools["echo"],
    });
    Object.assign(server.schemas, { region: SCHEMA, wrong: WRONG });
    return connect(server, { era });
  }

  test("is the method, the tool and the arguments that it wants there, in the modern era", async () => {
    const { server, call, source } = await withHeaders("modern");
    await call("region", { region: "Zürich", dry: false, free: "x" });
    const [request] = server.got("tools/call", "region");
    expect(request?.headers).toMatchObject({
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": "region",
      "mcp-param-region": `=?base64?${Buffer.from("Zürich").toString("base64")}?=`,
      "mcp-param-dry-run": "false",
    });
    expect(Object.keys(request?.headers ?? {}).filter((name) => name.startsWith("mcp-param-"))).toHaveLength(2);
    const [umlaut] = source.operations.filter(({ spec }) => JSON.stringify(spec._meta).includes("größe"));
    await call(umlaut?.spec.name ?? "");
    const name = server.got("tools/call", "größe")[0]?.headers["mcp-name"];
    expect(name).toBe(`=?base64?${Buffer.from("größe").toString("base64")}?=`);
    for (const { headers, message } of server.requests) expect(headers["mcp-method"]).toBe(message.method);
  });

  test("keeps a tool out that declares them wrongly, and tells of it, in the modern era only", async () => {
    const modern = await withHeaders("modern");
    expect(modern.registry.getSpec("far.wrong")).toBeUndefined();
    expect(modern.source.health().warnings.map(({ code }) => code)).toEqual(["TOOL_UNUSABLE"]);
    const legacy = await withHeaders("legacy");
    expect(await legacy.call("wrong")).toEqual({ input: {} });
  });

  test("is nothing of that in the legacy era", async () => {
    const { server, call } = await withHeaders("legacy");
    await call("region", { region: "x" });
    for (const { headers } of server.got("tools/call"))
      expect(Object.keys(headers).filter((name) => /^mcp-(param|method|name)/.test(name))).toEqual([]);
  });
});

test("a question on the stream of a call is answered, in the legacy era", async () => {
  const server = await serve({ era: "legacy" });
  let asked: Exchange | undefined;
  server.tools["ask"] = (exchange) => {
    asked = exchange;
    const params = { message: "Your name?", requestedSchema: { type: "object", properties: {} } };
    exchange.event({ jsonrpc: "2.0", id: "q1", method: "elicitation/create", params });
  };
  server.first = (exchange) => {
    const { id, result } = exchange.message;
    if (id === "q1") asked?.finish({ content: [], structuredContent: { result } });
    return false;
  };
  const { call } = await connect(server, { era: "legacy", onInputRequest: () => ({ action: "decline" }) });
  expect(await call("ask")).toEqual({ result: { action: "decline" } });
  await until(() => server.requests.some(({ message }) => message.id === "q1"));
});
