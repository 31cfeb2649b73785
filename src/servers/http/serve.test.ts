import { createServer } from "node:net";
import { describe, expect, test } from "vitest";
import { watchResources } from "../../../test/left-behind.js";
import { within } from "../../../test/own-time.js";
import { operation, registryOf } from "../../registry/fixtures/operations.js";
import { EventClient } from "./fixtures/event-client.js";
import { Moment } from "./fixtures/moments.js";
import { RawConnection } from "./fixtures/raw-connection.js";
import { served } from "./fixtures/served.js";
import { serveHttp } from "./serve.js";

const assertNothingLeft = watchResources();

const CALL = ["POST /operations/test.run HTTP/1.1", "Content-Type: application/json", "Content-Length: 2"] as const;

describe("a server", () => {
  test("says where it is", async () => {
    const server = await serveHttp({ registry: registryOf(() => 1), basePath: "/api" });
    expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/api$/);
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    await server.close();
    await expect(fetch(`${server.url}/healthz`)).rejects.toThrow();
  });

  test("can be reached by another name of this machine", async () => {
    const server = await serveHttp({ registry: registryOf(() => 1), host: "::1" });
    expect(server.url).toMatch(/^http:\/\/\[::1\]:\d+$/);
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    await server.close();
  });

  test.each(["0.0.0.0", "::", "192.168.1.1", "example.test", ""])(
    "is not put on %j without the names it has",
    async (host) => {
      await expect(serveHttp({ registry: registryOf(() => 1), host })).rejects.toMatchObject({
        category: "validation",
        message: expect.stringContaining("allowedHosts"),
      });
    },
  );

  test("is put on all addresses with the names it has", async () => {
    const server = await serveHttp({ registry: registryOf(() => 1), host: "0.0.0.0", allowedHosts: ["127.0.0.1"] });
    const { port } = new URL(server.url);
    expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200);
    expect((await fetch(`http://localhost:${port}/healthz`)).status).toBe(403);
    await server.close();
  });

  test("is refused a port that is taken, and leaves nothing", async () => {
    const other = createServer();
    const port = await new Promise<number>((resolve) =>
      other.listen(0, "127.0.0.1", () => resolve((other.address() as { port: number }).port)),
    );
    const registry = registryOf(() => 1);
    let listeners = 0;
    const counted = {
      list: () => registry.list(),
      attempt: registry.attempt.bind(registry),
      subscribe: registry.subscribe.bind(registry),
      onChange: (listener: () => void) => {
        listeners += 1;
        const stop = registry.onChange(listener);
        return () => {
          listeners -= 1;
          stop();
        };
      },
    };
    await expect(serveHttp({ registry: counted, port })).rejects.toMatchObject({ code: "EADDRINUSE" });
    expect(listeners).toBe(0);
    await new Promise((resolve) => other.close(resolve));
    const server = await serveHttp({ registry: counted, port });
    expect(new URL(server.url).port).toBe(String(port));
    await server.close();
    expect(listeners).toBe(0);
  });

  test("gives web pages what its options say", async () => {
    const origin = "https://app.test";
    const { ask } = await served([operation(() => 1)], { cors: { origins: [origin] } });
    const good = await ask("/operations/test.run", { method: "POST", headers: { origin } });
    expect(good.status).toBe(200);
    expect(good.headers.get("access-control-allow-origin")).toBe(origin);
    const asked = await ask("/operations/test.run", {
      method: "OPTIONS",
      headers: { origin, "access-control-request-method": "POST", "access-control-request-headers": "content-type" },
    });
    expect(asked.status).toBe(204);
    expect(asked.headers.get("access-control-allow-headers")).toContain("idempotency-key");
    const failed = await ask("/nowhere", { headers: { origin } });
    expect(failed.headers.get("access-control-allow-origin")).toBe(origin);
    const evil = await ask("/operations/test.run", { method: "POST", headers: { origin: "https://evil.test" } });
    expect(evil.status).toBe(403);
    expect(evil.headers.get("access-control-allow-origin")).toBeNull();
  });

  test("lets any page call that is said to be any", async () => {
    const { ask } = await served([operation(() => 1)], { allowedOrigins: "*" });
    expect((await ask("/healthz", { headers: { origin: "https://app.test" } })).status).toBe(200);
  });
});

describe("a server that closes", () => {
  test("lets calls come to their end, and takes no more", async () => {
    const begun = new Moment();
    const ready = new Moment<string>();
    const slow = operation(() => {
      begun.now();
      return ready.come;
    });
    const { url, close } = await served([slow, operation(() => 1, { name: "quick" })]);
    const idle = await RawConnection.to(url);
    await idle.head("GET /healthz HTTP/1.1").answer();
    const connection = await RawConnection.to(url);
    connection.head(...CALL).write("{}");
    await begun.come;
    const closed = close();
    await idle.closed();
    // On a connection that is still there.
    connection
      .head("GET /healthz HTTP/1.1")
      .head("POST /operations/test.quick HTTP/1.1", ...CALL.slice(1))
      .write("{}");
    await expect(RawConnection.to(url)).rejects.toMatchObject({ code: "ECONNREFUSED" });
    ready.now("in time");
    const answer = await connection.answer();
    expect(JSON.parse(answer.body)).toMatchObject({ data: { result: "in time" } });
    await closed;
    await connection.closed();
    expect(connection.received.match(/HTTP\/1\.1 200 /g)).toHaveLength(1);
  });

  test("sends a large answer to its end", async () => {
    const begun = new Moment();
    const ready = new Moment<string>();
    const large = operation(() => {
      begun.now();
      return ready.come;
    });
    const { call, close } = await served([large]);
    const answer = call("test.run", {});
    await begun.come;
    const closed = close();
    ready.now("x".repeat(20_000_000));
    expect((await answer).text.length).toBeGreaterThan(20_000_000);
    await closed;
  });

  test("ends calls that do not come to their end, and says why", async () => {
    const begun = new Moment<AbortSignal>();
    const deaf = operation((_, { signal }) => {
      begun.now(signal);
      return new Promise(() => {});
    });
    const { call, close, url } = await served([deaf]);
    const answers = [call("test.run", {}), call("test.run", {}, { accept: "application/problem+json" })];
    const stream = await EventClient.open(`${url}/operations/test.run`, { method: "POST", body: {} });
    const signal = await begun.come;
    await within(4000, Promise.all([close(), close()]));
    for (const answer of answers) expect((await answer).status).toBe(503);
    expect(signal.reason).toMatchObject({ category: "unavailable" });
    expect((await stream.closed()).dataOf("failure")).toMatchObject([{ success: false }]);
  });

  test("may be closed again", async () => {
    const server = await serveHttp({ registry: registryOf(() => 1) });
    await Promise.all([server.close(), server.close()]);
    await server.close();
  });

  test("at once where nothing runs, whoever is connected", async () => {
    const { url, close, call } = await served([operation(() => 1)]);
    await call("test.run");
    const connections = await Promise.all(Array.from({ length: 20 }, () => RawConnection.to(url, true)));
    await within(1500, close());
    for (const connection of connections) await connection.ended();
  });

  test("leaves nothing", assertNothingLeft);
});
