import { describe, expect, onTestFinished, test } from "vitest";
import { isCallError } from "../../envelope/call-error.js";
import { omit } from "../../json/value.js";
import type { HandlerContext } from "../../registry/context.js";
import { operation, registryOf, settled } from "../../registry/fixtures/operations.js";
import { type HttpHandler, httpHandler } from "./fetch-handler.js";
import { Moment } from "./fixtures/moments.js";
import { handled, namedHeaders, served } from "./fixtures/served.js";
import type { HttpServerOptions } from "./options.js";

const OPERATIONS = [
  operation((input) => ({ input })),
  operation(
    (_, { warn }) => {
      warn("careful");
      return [1];
    },
    { name: "hints" },
  ),
  operation(
    async function* () {
      yield 1;
      yield 2;
    },
    { name: "ticks", type: "subscription" },
  ),
  operation(({ id }) => id, {
    name: "row",
    inputSchema: { properties: { id: { type: "integer" } } },
    http: { method: "GET", path: "/rows/{id}" },
  }),
  operation(
    (_, { progress }) => {
      progress(1);
      throw new Error("no");
    },
    { name: "fail", type: "mutation" },
  ),
];

const JSON_BODY = { "content-type": "application/json" };
const post = (body: BodyInit | null, headers: Readonly<Record<string, string>> = JSON_BODY): RequestInit => ({
  method: "POST",
  body,
  headers,
});

const REQUESTS: readonly [path: string, init: RequestInit][] = [
  ["/operations/test.run", post("{}")],
  ["/operations/test.run", post("")],
  ["/operations/test.run", post(null)],
  ["/operations/test.run", post(null, {})],
  ["/operations/test.run", post("null")],
  ["/operations/test.run", post("{")],
  ["/operations/test.run", post(" ")],
  ["/operations/test.run", post("\ufeff{}")],
  ["/operations/test.run", post('"東京 🎉"', { "content-type": "application/json; charset=utf-8" })],
  ["/operations/test.run", post('{"a":1}', { "content-type": "application/vnd.own+json" })],
  ["/operations/test.run", post('{"__proto__":{"a":1},"constructor":2}')],
  ["/operations/test.run", post(new Uint8Array([0x22, 0xff, 0x22]))],
  ["/operations/test.run", post("{}", { "content-type": "text/plain" })],
  ["/operations/test.run", post("{}", {})],
  ["/operations/test.run", post("a=1", { "content-type": "application/x-www-form-urlencoded" })],
  ["/operations/test.run", post("{}", { ...JSON_BODY, "content-encoding": "gzip" })],
  ["/operations/test.run", post("{}", { ...JSON_BODY, "content-encoding": "identity" })],
  ["/operations/test.run", post(`"${"x".repeat(2000)}"`)],
  ["/operations/test.run", post("[".repeat(500) + "]".repeat(500))],
  ["/operations/test.run", post("{}", { ...JSON_BODY, accept: "text/html" })],
  ["/operations/test.run", post("{}", { ...JSON_BODY, accept: "application/vnd.plico.mcp-result+json" })],
  ["/operations/test.run", post("{}", { ...JSON_BODY, accept: "text/event-stream" })],
  ["/operations/test.run", post("{}", { ...JSON_BODY, origin: "http://evil.test" })],
  ["/operations/test.run", post("{}", { ...JSON_BODY, origin: "http://localhost:5173" })],
  ["/operations/test.run", { method: "OPTIONS" }],
  ["/operations/test.run?x=1", post("{}")],
  ["/operations/test.hints", post("{}")],
  ["/operations/test.hints", post("{}", { ...JSON_BODY, accept: "application/json;profile=data" })],
  ["/operations/test.ticks", post("{}")],
  ["/operations/test.ticks", post("{}", { ...JSON_BODY, accept: "application/json" })],
  ["/operations/test.ticks", post("{}", { ...JSON_BODY, "last-event-id": "x" })],
  ["/operations/test.fail", post("{}", { ...JSON_BODY, accept: "application/problem+json" })],
  ["/operations/test.fail", post("{}", { ...JSON_BODY, accept: "text/event-stream" })],
  ["/operations/test.fail", post("{}", { ...JSON_BODY, "idempotency-key": "" })],
  ["/operations/test.none", post("{}")],
  ["/operations/test.run", {}],
  ["/operations", {}],
  ["/openapi.json", {}],
  ["/healthz", {}],
  ["/healthz", { method: "HEAD" }],
  ["/rows/7", {}],
  ["/rows/7", { method: "HEAD" }],
  ["/rows/x", {}],
  ["/rows/%zz", {}],
  ["/rows/7", { method: "DELETE" }],
  ["/nowhere", {}],
];

describe("the portable handler answers as Node's server", () => {
  test.each(REQUESTS.map(([path, init]) => [init.method ?? "GET", path, init] as const))(
    "%s %s %j",
    async (_, path, init) => {
      const options = { maxBodyBytes: 1500 };
      const here = await (await served(OPERATIONS, options)).ask(path, init);
      const there = await (await handled(OPERATIONS, options)).ask(path, init);
      expect(await essence(there)).toEqual(await essence(here));
    },
  );

  test.each<[string, Partial<HttpServerOptions>, RequestInit]>([
    ["a page that may call", { cors: { origins: ["https://app.test"] } }, { headers: { origin: "https://app.test" } }],
    ["a page that may not", { cors: { origins: ["https://app.test"] } }, { headers: { origin: "https://evil.test" } }],
    [
      "a browser that asks first",
      { cors: { origins: "*" } },
      { method: "OPTIONS", headers: { origin: "https://app.test", "access-control-request-method": "POST" } },
    ],
    ["another name", { allowedHosts: ["api.test"] }, {}],
  ])("to %s", async (_, options, init) => {
    const here = await (await served(OPERATIONS, options)).ask("/healthz", init);
    const there = await (await handled(OPERATIONS, options)).ask("/healthz", init);
    expect(await essence(there)).toEqual(await essence(here));
  });
});

/** All that does not differ from one call to the next, or from one way of sending to another. */
async function essence(response: Response): Promise<unknown> {
  const own = ["date", "connection", "keep-alive", "content-length", "transfer-encoding", "request-id"];
  const headers = omit(namedHeaders(response.headers), own);
  const text = await response.text();
  const body = text
    .replaceAll(/req_[\w-]+/g, "req")
    .replaceAll(/[0-9a-f]{16}:/g, "stream:")
    .replaceAll(/"timestamp":\d+/g, '"timestamp":0');
  return { status: response.status, headers, body };
}

function handler(options: Partial<HttpServerOptions> & { registry: HttpServerOptions["registry"] }): HttpHandler {
  const made = httpHandler(options);
  onTestFinished(() => made.close());
  return made;
}

const RUN = "http://localhost/operations/test.run";

describe("a request of the web", () => {
  test("that is aborted takes its call with it", async () => {
    const begun = new Moment<HandlerContext>();
    const { fetch } = handler({
      registry: registryOf((_, context) => {
        begun.now(context);
        return new Promise(() => {});
      }),
    });
    const controller = new AbortController();
    const answer = fetch(new Request(RUN, { ...post("{}"), signal: controller.signal }));
    const { signal } = await begun.come;
    controller.abort();
    expect((await answer).status).toBe(499);
    expect(isCallError(signal.reason) && signal.reason.category).toBe("aborted");
  });

  test("that was aborted before is not begun, or ended at once", async () => {
    const heard: unknown[] = [];
    const { fetch } = handler({
      registry: registryOf(() => new Promise(() => {})),
      onError: (error) => heard.push(error),
    });
    const request = new Request(RUN, { ...post("{}"), signal: AbortSignal.abort() });
    expect((await fetch(request)).status).toBe(499);
    expect(heard).toEqual([]);
  });

  test("whose body fails is answered all the same", async () => {
    const heard: unknown[] = [];
    const { fetch } = handler({ registry: registryOf(() => 1), onError: (error) => heard.push(error) });
    const body = new ReadableStream({
      pull(controller) {
        controller.error(new Error("torn"));
      },
    });
    const request = new Request(RUN, { ...post(body), duplex: "half" } as RequestInit);
    expect((await fetch(request)).status).toBe(499);
    expect(heard).toEqual([]);
  });

  test("whose body does not end is not read to its end", async () => {
    let given = 0;
    let isCancelled = false;
    const body = new ReadableStream({
      pull(controller) {
        given += 1;
        controller.enqueue(new Uint8Array(1000));
      },
      cancel() {
        isCancelled = true;
      },
    });
    const { fetch } = handler({ registry: registryOf(() => 1), maxBodyBytes: 10_000 });
    const request = new Request(RUN, { ...post(body), duplex: "half" } as RequestInit);
    expect((await fetch(request)).status).toBe(413);
    expect(given).toBeLessThan(20);
    expect(isCancelled).toBe(true);
  });

  test("may come in pieces that split a character", async () => {
    const { fetch } = handler({ registry: registryOf((input) => input) });
    const bytes = new TextEncoder().encode('"東🎉"');
    const body = new ReadableStream({
      start(controller) {
        for (const byte of bytes) controller.enqueue(new Uint8Array([byte]));
        controller.close();
      },
    });
    const response = await fetch(new Request(RUN, { ...post(body), duplex: "half" } as RequestInit));
    expect(await response.json()).toMatchObject({ data: { result: "東🎉" } });
  });

  test("names the host that is meant", async () => {
    const { fetch } = handler({ registry: registryOf(() => 1), allowedHosts: ["api.test"] });
    expect((await fetch(new Request("https://api.test/healthz"))).status).toBe(200);
    expect((await fetch(new Request("https://evil.test/healthz"))).status).toBe(403);
  });
});

describe("a stream of the web", () => {
  function endless(): {
    begun: Moment<HandlerContext>;
    ended: Moment;
    fetch: HttpHandler["fetch"];
    made: () => number;
  } {
    const begun = new Moment<HandlerContext>();
    const ended = new Moment();
    let made = 0;
    const registry = registryOf(
      async function* (_, context) {
        begun.now(context);
        try {
          for (;;) {
            made += 1;
            await settled();
            if (context.signal.aborted) return;
            yield "x".repeat(10_000);
          }
        } finally {
          ended.now();
        }
      },
      { type: "subscription" },
    );
    return { begun, ended, made: () => made, fetch: handler({ registry, streams: { resumeMs: 0 } }).fetch };
  }

  test("ends when it is cancelled", async () => {
    const { ended, fetch } = endless();
    const response = await fetch(new Request(RUN, post("{}")));
    const reader = response.body?.getReader();
    await reader?.read();
    await reader?.cancel();
    await ended.come;
  });

  test("ends when its request is aborted, and fails for whoever reads", async () => {
    const { ended, fetch } = endless();
    const controller = new AbortController();
    const response = await fetch(new Request(RUN, { ...post("{}"), signal: controller.signal }));
    const reader = response.body?.getReader();
    await reader?.read();
    controller.abort();
    await ended.come;
    await expect(reader?.read()).rejects.toMatchObject({ name: "AbortError" });
  });

  test("waits for its reader", async () => {
    const { fetch, made } = endless();
    const response = await fetch(new Request(RUN, post("{}")));
    let before = -1;
    while (made() !== before) {
      before = made();
      for (let turns = 0; turns < 20; turns++) await settled();
    }
    expect(before).toBeLessThan(20);
    const reader = response.body?.getReader();
    for (let reads = 0; reads < 20; reads++) await reader?.read();
    expect(made()).toBeGreaterThan(before);
    await reader?.cancel();
  });

  test("ends with the handler that gives it", async () => {
    const registry = registryOf(
      async function* () {
        yield 1;
        yield await new Promise(() => {});
      },
      { type: "subscription" },
    );
    const { fetch, close } = handler({ registry });
    const response = await fetch(new Request(RUN, post("{}")));
    const decoder = new TextDecoder();
    let text = "";
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      text += decoder.decode(chunk, { stream: true });
      if (text.includes("event: value")) void close();
    }
    expect(text).toMatch(/event: failure\ndata: .*\n\n$/);
    expect((await fetch(new Request(RUN, post("{}")))).status).toBe(503);
  });
});
