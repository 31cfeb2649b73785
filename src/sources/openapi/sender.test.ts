import { describe, expect, test } from "vitest";
import { type Arrived, type HttpTestServer, httpServer } from "./exchange/fixtures/exchange-servers.js";
import { documentWith, mounted, ok, query, sendJson, tidyUp } from "./fixtures/mounted.js";

tidyUp();

const echo = (): Promise<HttpTestServer> =>
  httpServer(({ path, headers }, response) => sendJson(response, { path, headers }));

function operation(servers?: unknown): object {
  return { operationId: "a", parameters: [query("q")], ...(servers !== undefined && { servers }) };
}

describe("the address of a request", () => {
  test.each([
    ["", "/a"],
    ["/", "/a"],
    ["/v1", "/v1/a"],
    ["/v1/", "/v1/a"],
    ["/v1//", "/v1/a"],
    ["/v 1/é", "/v%201/%C3%A9/a"],
  ])("begins with a `baseUrl` that ends in %j", async (base, path) => {
    const { url, arrived } = await echo();
    const document = documentWith({ "GET /a": operation() }, { servers: [{ url: "https://unused.example/v9" }] });
    await (await mounted({ document, baseUrl: url + base })).call("a");
    await (await mounted({ document, baseUrl: new URL(url + base) })).call("a", { q: "b" });
    expect(arrived.map((one) => one.path)).toEqual([path, `${path}?q=b`]);
  });

  test("begins with the server of the operation, its path or the document, the nearest first", async () => {
    const [near, middle, far] = await Promise.all([echo(), echo(), echo()]);
    const document = documentWith(
      {
        "GET /a": operation([{ url: `${near.url}/near` }]),
        "GET /b": { operationId: "b" },
        "GET /c": { operationId: "c" },
      },
      { servers: [{ url: `${far.url}/far/` }, { url: near.url }] },
    );
    Object.assign((document["paths"] as Record<string, object>)["/b"] as object, { servers: [{ url: middle.url }] });
    const { call } = await mounted({ document });
    for (const name of ["a", "b", "c"]) await call(name);
    expect([near, middle, far].map(({ arrived }) => arrived.map(({ path }) => path))).toEqual([
      ["/near/a"],
      ["/b"],
      ["/far/c"],
    ]);
  });

  test("has the variables of the document, or those of the source", async () => {
    const { url, port, arrived } = await echo();
    const servers = [
      {
        url: "http://{host}:{port}/{version}",
        variables: {
          host: { default: "127.0.0.1" },
          port: { default: port },
          version: { default: "v1", enum: ["v1"] },
        },
      },
    ];
    const document = documentWith({ "GET /a": operation() }, { servers });
    await (await mounted({ document })).call("a");
    await (await mounted({ document, variables: { version: "v2" } })).call("a");
    await (await mounted({ document, variables: { host: "nowhere.invalid" }, baseUrl: url })).call("a");
    expect(arrived.map(({ path }) => path)).toEqual(["/v1/a", "/v2/a", "/a"]);
  });

  test("is that of the first server that HTTP can reach", async () => {
    const { url, arrived } = await echo();
    const servers = ["wss://a.example", "not an address", "ftp://a.example", url].map((one) => ({ url: one }));
    await (await mounted({ document: documentWith({ "GET /a": operation() }, { servers }) })).call("a");
    expect(arrived).toHaveLength(1);
  });

  test("is that of a document of 2.0", async () => {
    const { port, arrived } = await echo();
    const paths = { "/a": { get: { operationId: "a", responses: { 200: {} } } } };
    const document = { swagger: "2.0", host: `127.0.0.1:${port}`, basePath: "/v2/", schemes: ["ws", "http"], paths };
    await (await mounted({ document })).call("a");
    expect(arrived.map(({ path }) => path)).toEqual(["/v2/a"]);
  });

  test.each([
    ["no servers", undefined],
    ["an empty list", []],
    ["a relative one", [{ url: "/v1" }]],
    ["one with a variable that has no value", [{ url: "{base}/v1" }]],
    ["one with such a variable in its path", [{ url: "http://127.0.0.1:9/{tenant}/v1" }]],
    ["one of another protocol", [{ url: "wss://a.example" }]],
    ["what is none", [5, { url: 7 }]],
  ])("is not known where a document that is no URL has %s", async (_, servers) => {
    const document = documentWith({ "GET /a": operation() }, servers === undefined ? {} : { servers });
    const { fail } = await mounted({ document });
    expect(await fail("a")).toMatchObject({ category: "validation", code: "NO_SERVER", recoverable: false });
  });
});

describe("the head of a request", () => {
  async function heads(operations: object, options: object): Promise<{ call: Call; arrived: readonly Arrived[] }> {
    const { url, arrived } = await echo();
    const { call } = await mounted({
      document: documentWith(operations as Record<string, object>),
      baseUrl: url,
      ...options,
    });
    return { call, arrived };
  }
  type Call = Awaited<ReturnType<typeof mounted>>["call"];

  const TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

  test("says who calls, and in which trace", async () => {
    const { call, arrived } = await heads({ "GET /a": operation() }, {});
    await call("a", {}, { metadata: { traceparent: TRACE } });
    await call("a", {}, { metadata: { traceparent: "broken\r\nx: y" } });
    await call("a", {}, { metadata: { traceparent: 5 } });
    expect(arrived.map(({ headers }) => headers["traceparent"])).toEqual([TRACE, undefined, undefined]);
    expect(arrived[0]?.headers["user-agent"]).toMatch(/^plico\/\d/);
  });

  test.each<[what: string, responses: object, accept: string]>([
    ["JSON", { 200: ok() }, "application/json"],
    ["JSON, where nothing is said", { 200: { description: "" } }, "application/json"],
    [
      "JSON before others",
      { 200: { content: { "text/csv": {}, "application/hal+json": {} } } },
      "application/hal+json",
    ],
    ["what a success comes in, whatever failures come in", { 200: ok({}, "text/csv"), default: ok() }, "text/csv"],
    ["what anything comes in, where no success is described", { default: ok({}, "text/csv") }, "text/csv"],
  ])("asks for %s", async (_, responses, accept) => {
    const { call, arrived } = await heads({ "GET /a": { operationId: "a", responses } }, {});
    await call("a");
    expect(arrived[0]?.headers.accept).toBe(`${accept}, */*;q=0.5`);
  });

  test("has the headers of the source, whatever a caller says", async () => {
    const parameters = ["X-Key", "X-Other"].map((name) => ({ name, in: "header", schema: { type: "string" } }));
    const headers = { "X-KEY": "ours", "X-Name": "Åsa €" };
    const { call, arrived } = await heads({ "GET /a": { operationId: "a", parameters } }, { headers });
    await call("a", { "X-Key": "theirs", "X-Other": "theirs" });
    expect(arrived[0]?.headers).toMatchObject({ "x-key": "ours", "x-other": "theirs" });
    expect(Buffer.from(String(arrived[0]?.headers["x-name"]), "latin1").toString()).toBe("Åsa €");
  });

  test("has the cookies of the source and of the caller", async () => {
    const parameters = [{ name: "theirs", in: "cookie", schema: {} }];
    const { call, arrived } = await heads(
      { "GET /a": { operationId: "a", parameters } },
      { headers: { Cookie: "ours=1" } },
    );
    await call("a", { theirs: 2 });
    expect(arrived[0]?.headers.cookie?.split("; ").sort()).toEqual(["ours=1", "theirs=2"]);
  });

  test("cannot be made to say something else of the connection", async () => {
    const names = ["Host", "Content-Length", "Transfer-Encoding", "Connection", "Expect", "Upgrade"];
    const parameters = names.map((name) => ({ name, in: "header", schema: { type: "string" } }));
    const { call, arrived } = await heads({ "POST /a": { operationId: "a", parameters } }, {});
    await call("a", Object.fromEntries(names.map((name) => [name, name === "Content-Length" ? "5" : "chunked"])));
    expect(arrived[0]?.headers).toMatchObject({ "content-length": "0", connection: "keep-alive" });
    expect(arrived[0]?.headers.host).toMatch(/^127\.0\.0\.1:/);
    for (const name of ["transfer-encoding", "expect", "upgrade"]) expect(arrived[0]?.headers).not.toHaveProperty(name);
  });

  test("has an idempotency key where the caller gives one or the source wants it for mutations", async () => {
    const operations = { "GET /a": operation(), "POST /b": { operationId: "b" } };
    const keys = async (options: object): Promise<unknown[]> => {
      const { call, arrived } = await heads(operations, options);
      await call("a");
      await call("b", {}, { requestId: "r1" });
      await call("b", {}, { requestId: "r2", idempotencyKey: "own" });
      await call("b", {}, { idempotencyKey: "", requestId: "r3" });
      return arrived.map(({ headers }) => headers["idempotency-key"]);
    };
    expect(await keys({})).toEqual([undefined, undefined, "own", undefined]);
    expect(await keys({ idempotencyKeys: true })).toEqual([undefined, "r1", "own", "r3"]);
  });

  test("has the idempotency key that the input gives before any other", async () => {
    const parameters = [{ name: "Idempotency-Key", in: "header", schema: { type: "string" } }];
    const { call, arrived } = await heads({ "POST /b": { operationId: "b", parameters } }, { idempotencyKeys: true });
    await call("b", { "Idempotency-Key": "of the input" });
    await call("b", {}, { requestId: "r1" });
    expect(arrived.map(({ headers }) => headers["idempotency-key"])).toEqual(["of the input", "r1"]);
  });

  test("cannot be broken by an idempotency key", async () => {
    const { url, arrived } = await echo();
    const { fail } = await mounted({ document: documentWith({ "POST /b": { operationId: "b" } }), baseUrl: url });
    const error = await fail("b", {}, { idempotencyKey: "a\r\nx-injected: 1" });
    expect(error.category).toBe("validation");
    expect(arrived).toEqual([]);
  });
});
