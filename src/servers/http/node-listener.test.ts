import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { within } from "../../../test/own-time.js";
import type { HandlerContext } from "../../registry/context.js";
import { operation, registryOf } from "../../registry/fixtures/operations.js";
import type { AnyOperation } from "../../registry/operation-map.js";
import { Moment } from "./fixtures/moments.js";
import { RawConnection } from "./fixtures/raw-connection.js";
import { served } from "./fixtures/served.js";
import { httpListener } from "./node-listener.js";
import type { HttpServerOptions } from "./options.js";

const BODY = ["Content-Type: application/json", "Content-Length: 2"];

/** An operation that waits until it is told to stop. */
function waiting(over: Parameters<typeof operation>[1] = {}): {
  begun: Moment<HandlerContext>;
  aborted: Moment<unknown>;
  wait: AnyOperation;
} {
  const begun = new Moment<HandlerContext>();
  const aborted = new Moment<unknown>();
  const wait = operation(
    (_, context) =>
      new Promise(() => {
        context.signal.addEventListener("abort", () => aborted.now(context.signal.reason));
        begun.now(context);
      }),
    over,
  );
  return { begun, aborted, wait };
}

const authorize = async (): Promise<undefined> => undefined;

describe("a client that goes", () => {
  test.each<[string, Partial<HttpServerOptions>, readonly string[]]>([
    ["a plain call", {}, []],
    ["a call with a trace", {}, ["traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"]],
    ["a call of somebody", { authorize }, []],
    ["a call in another format", {}, ["Accept: application/problem+json"]],
    ["a call as a stream", {}, ["Accept: text/event-stream"]],
  ])("takes %s with it", async (_, options, headers) => {
    const { begun, aborted, wait } = waiting();
    const { url } = await served([wait], options);
    const connection = await RawConnection.to(url);
    connection.head("POST /operations/test.run HTTP/1.1", ...BODY, ...headers).write("{}");
    await begun.come;
    expect(aborted.hasCome).toBe(false);
    connection.socket.destroy();
    expect(await aborted.come).toMatchObject({ category: "aborted" });
  });

  test("takes a call by a path of its own with it", async () => {
    const { begun, aborted, wait } = waiting({ http: { method: "GET", path: "/wait" } });
    const { url } = await served([wait]);
    const connection = await RawConnection.to(url);
    connection.head("GET /wait HTTP/1.1");
    await begun.come;
    connection.socket.resetAndDestroy();
    expect(await aborted.come).toMatchObject({ category: "aborted" });
  });

  test.each<[string, Partial<HttpServerOptions>]>([
    ["plainly", {}],
    ["with a name", { authorize }],
  ])("in the middle of its request has asked for nothing, %s", async (_, options) => {
    const { begun, wait } = waiting();
    const heard: unknown[] = [];
    const { url, call, close } = await served([wait, operation(() => 1, { name: "other" })], {
      ...options,
      onError: (error) => heard.push(error),
    });
    const connection = await RawConnection.to(url);
    connection.head("POST /operations/test.run HTTP/1.1", "Content-Type: application/json", "Content-Length: 20");
    connection.write('{"a":');
    expect((await call("test.other")).status).toBe(200);
    connection.socket.destroy();
    expect((await call("test.other")).status).toBe(200);
    await close();
    expect(begun.hasCome).toBe(false);
    expect(heard).toEqual([]);
  });

  test("while nobody knows who it is gets no answer, and its call is over", async () => {
    const asked = new Moment();
    const known = new Moment<undefined>();
    const { begun, aborted, wait } = waiting({ http: { method: "GET", path: "/wait" } });
    const { url } = await served([wait], {
      authorize: () => {
        asked.now();
        return known.come;
      },
    });
    const connection = await RawConnection.to(url);
    connection.head("GET /wait HTTP/1.1");
    await asked.come;
    connection.socket.destroy();
    known.now(undefined);
    expect(await aborted.come).toMatchObject({ category: "aborted" });
    expect((await begun.come).signal.aborted).toBe(true);
  });

  test("with an Idempotency-Key finds its answer when it comes back", async () => {
    const begun = new Moment<HandlerContext>();
    const ready = new Moment<string>();
    let runs = 0;
    const slow = operation(
      (_, context) => {
        runs += 1;
        begun.now(context);
        return ready.come;
      },
      { type: "mutation" },
    );
    const { url, call } = await served([slow]);
    const connection = await RawConnection.to(url);
    connection.head("POST /operations/test.run HTTP/1.1", ...BODY, "Idempotency-Key: k").write("{}");
    const { signal } = await begun.come;
    connection.socket.destroy();
    await connection.closed();
    const retry = call("test.run", {}, { "idempotency-key": "k" });
    ready.now("done");
    expect((await retry).body).toMatchObject({ data: { result: "done" } });
    expect(signal.aborted).toBe(false);
    expect(runs).toBe(1);
  });

  test("on one side only is answered all the same", async () => {
    const { url } = await served([operation(() => "heard")]);
    const connection = await RawConnection.to(url);
    connection.head("POST /operations/test.run HTTP/1.1", ...BODY).socket.end("{}");
    expect(JSON.parse((await connection.answer()).body)).toMatchObject({ data: { result: "heard" } });
  });
});

describe("a call that takes too long", () => {
  test.each<[string, Partial<HttpServerOptions>]>([
    ["a plain one", {}],
    ["one of somebody", { authorize }],
  ])("is answered in time although its handler does not listen: %s", async (_, options) => {
    const signal = new Moment<AbortSignal>();
    const deaf = operation(
      (_input, context) => {
        signal.now(context.signal);
        return new Promise(() => {});
      },
      { type: "mutation" },
    );
    const { call } = await served([deaf], { timeout: 50, ...options });
    const { status, body } = await within(2000, call("test.run", {}));
    expect(status).toBe(504);
    expect(body).toMatchObject({ success: false, meta: { request_id: expect.any(String) } });
    expect((await signal.come).reason).toMatchObject({ category: "timeout" });
    // Its failure may pass, so that the next try is another call.
    for (let times = 0; times < 2; times++) {
      const retried = await call("test.run", {}, { "idempotency-key": "k" });
      expect(retried.status).toBe(504);
      expect(retried.headers.get("idempotency-replayed")).toBeNull();
    }
  });

  test("says so in a stream", async () => {
    const { call } = await served([operation(() => new Promise(() => {}))], { timeout: 50 });
    const { text } = await call("test.run", {}, { accept: "text/event-stream" });
    expect(text).toMatch(/^event: failure\ndata: .*"TIMEOUT".*\n\n$/);
  });

  test("knows when", async () => {
    const { call } = await served([operation((_, { deadline }) => (deadline ?? 0) - Date.now())], { timeout: 5000 });
    const { data } = (await call("test.run")).body as { data: { result: number } };
    expect(data.result).toBeGreaterThan(4000);
    expect(data.result).toBeLessThanOrEqual(5000);
  });

  test("does not hinder one that has come in the meantime", async () => {
    const late = new Moment<string>();
    const { call } = await served([operation(() => late.come), operation(() => 1, { name: "quick" })], { timeout: 50 });
    expect((await call("test.run")).status).toBe(504);
    late.now("too late");
    expect((await call("test.quick")).status).toBe(200);
  });
});

describe("a listener in a server of somebody else", () => {
  async function listening(server: Server): Promise<string> {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  test("answers what it is given, and 503 after it was closed", async () => {
    const listener = httpListener({ registry: registryOf(() => 1) });
    const url = await listening(
      createServer((request, response) => {
        if (request.url === "/own") response.end("own");
        else listener.handle(request, response);
      }),
    );
    expect(await (await fetch(`${url}/own`)).text()).toBe("own");
    const post = (): Promise<Response> =>
      fetch(`${url}/operations/test.run`, {
        method: "POST",
        body: "{}",
        headers: { "content-type": "application/json" },
      });
    expect((await post()).status).toBe(200);
    await Promise.all([listener.close(), listener.close()]);
    await listener.close();
    expect((await post()).status).toBe(503);
    expect((await fetch(`${url}/healthz`)).status).toBe(503);
  });

  test("does not mind a body that was read or an answer that was given by another", async () => {
    const listener = httpListener({ registry: registryOf((input) => input) });
    const url = await listening(
      createServer((request, response) => {
        response.end("first");
        listener.handle(request, response);
      }),
    );
    const response = await fetch(`${url}/operations/test.run`, {
      method: "POST",
      body: "{}",
      headers: { "content-type": "application/json" },
    });
    expect(await response.text()).toBe("first");
    expect(await (await fetch(`${url}/healthz`)).text()).toBe("first");
    await listener.close();
  });
});
