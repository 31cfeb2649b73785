import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { operation } from "../src/registry/fixtures/operations.js";
import { OperationRegistry } from "../src/registry/registry.js";
import { EventClient } from "../src/servers/http/fixtures/event-client.js";
import { RawConnection } from "../src/servers/http/fixtures/raw-connection.js";
import { type HttpServer, type ServeHttpOptions, serveHttp } from "../src/servers/http/index.js";
import { watchResources } from "./left-behind.js";

const assertNothingLeft = watchResources();

const heard: unknown[] = [];
const called: unknown[] = [];

function start(options: Partial<ServeHttpOptions> = {}): Promise<HttpServer> {
  const registry = new OperationRegistry()
    .register(
      operation((input) => {
        called.push(input);
        return { input };
      }),
    )
    .register(operation((ms: number, { signal }) => delay(ms, ms, { signal }), { name: "wait" }))
    .register(operation(() => "x".repeat(5_000_000), { name: "large" }))
    .register(
      operation(
        async function* (_, { signal }) {
          yield 1;
          await new Promise((resolve) => signal.addEventListener("abort", resolve));
        },
        { name: "ticks", type: "subscription" },
      ),
    );
  return serveHttp({ registry, onError: (error) => heard.push(error), maxBodyBytes: 100_000, ...options });
}

let server: HttpServer;
let impatient: HttpServer;

beforeAll(async () => {
  server = await start();
  impatient = await start({ requestTimeout: 150 });
});
afterAll(async () => {
  await Promise.all([server.close(), impatient.close()]);
  expect(heard).toEqual([]);
  expect({}).not.toHaveProperty("polluted");
  await assertNothingLeft();
});

const POST = "POST /operations/test.run HTTP/1.1";
const JSON_TYPE = "Content-Type: application/json";
const length = (bytes: number): string => `Content-Length: ${bytes}`;
const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;

/** A refusal in the words of all other answers. */
function assertRefused({ body, headers }: { body: string; headers: Readonly<Record<string, string>> }): void {
  expect(headers["content-type"]).toBe("application/json");
  expect(JSON.parse(body)).toMatchObject({ success: false, meta: { request_id: expect.any(String) } });
}

async function assertStillGood({ url }: HttpServer = server): Promise<void> {
  expect(await statusOf(`${url}/healthz`)).toBe(200);
}

/** Of an answer that is read to its end, so that its connection is free. */
async function statusOf(url: string, init?: RequestInit): Promise<number> {
  const response = await fetch(url, init);
  await response.text();
  return response.status;
}

describe("what is no HTTP", () => {
  test.each<[string, string | Uint8Array]>([
    ["garbage", "hello\r\n\r\n"],
    ["bytes", new Uint8Array([0, 255, 1, 254, 13, 10, 13, 10])],
    ["the greeting of TLS", new Uint8Array([0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3])],
    ["HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
    ["a method that nobody knows", "BREW / HTTP/1.1\r\nHost: localhost\r\n\r\n"],
    ["a version that nobody knows", "GET / HTTP/9.9\r\nHost: localhost\r\n\r\n"],
    ["a header without a name", "GET / HTTP/1.1\r\n: x\r\n\r\n"],
    ["a header with a space in its name", "GET / HTTP/1.1\r\nHost : localhost\r\n\r\n"],
    ["a length that is none", `${POST}\r\nHost: localhost\r\nContent-Length: ten\r\n\r\n`],
    ["a length below zero", `${POST}\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n`],
    ["two lengths", `${POST}\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}`],
    ["a length and chunks", `${POST}\r\nHost: localhost\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}`],
    ["a broken line in a header", "GET / HTTP/1.1\r\nHost: localhost\r\nx: a\rb\r\n\r\n"],
  ])("is answered with 400, and that is the end: %s", async (_, text) => {
    const connection = await RawConnection.to(server.url);
    const answer = await connection.write(text).answer();
    expect(answer.status).toBe(400);
    assertRefused(answer);
    await connection.closed();
    await assertStillGood();
  });

  test("does not keep a server from closing, though the client stays", async () => {
    const other = await start();
    const connection = await RawConnection.to(other.url, true);
    expect((await connection.write("hello\r\n\r\n").answer()).status).toBe(400);
    await other.close();
    await connection.ended();
  });

  test("comes after a request that is being answered, and spoils nothing but its own connection", async () => {
    const connection = await RawConnection.to(server.url);
    connection.head("POST /operations/test.ticks HTTP/1.1", JSON_TYPE, length(2)).write("{}");
    await connection.until(({ received }) => received.includes("event: value"));
    connection.write("hello\r\n\r\n");
    await connection.closed();
    expect(connection.received.match(/HTTP\/1\.1 /g)).toHaveLength(1);
    await assertStillGood();
  });

  test("comes after a request that waits for its answer, and is not taken for its end", async () => {
    const connection = await RawConnection.to(server.url);
    connection.head("POST /operations/test.wait HTTP/1.1", JSON_TYPE, length(5)).write("60000");
    connection.write("hello\r\n\r\n");
    await connection.closed();
    expect(connection.received).toBe("");
    await assertStillGood();
  });
});

describe("a request whose parts are too large", () => {
  test.each([20_000, 2_000_000])("is refused for headers of %d bytes", async (size) => {
    const connection = await RawConnection.to(server.url);
    connection.head("GET /healthz HTTP/1.1", `x: ${"x".repeat(size)}`);
    const answer = await connection.answer();
    expect(answer.status).toBe(431);
    assertRefused(answer);
    await connection.closed();
  });

  test("is refused for its address", async () => {
    const connection = await RawConnection.to(server.url);
    connection.head(`GET /${"x".repeat(100_000)} HTTP/1.1`);
    expect((await connection.answer()).status).toBe(431);
    await connection.closed();
  });

  test.each(["POST /operations/test.run", "PUT /operations/test.run", "POST /operations/test.run?x=1"])(
    "is refused for the length of its body, before it comes: %s",
    async (line) => {
      const before = called.length;
      const connection = await RawConnection.to(server.url);
      connection.head(`${line} HTTP/1.1`, JSON_TYPE, length(100_001));
      const answer = await connection.answer();
      expect([405, 413]).toContain(answer.status);
      assertRefused(answer);
      expect(called.length).toBe(before);
    },
  );

  test.each([0, 1])("is refused for its body, and the client hears of it: %d", async (isChunked) => {
    const before = called.length;
    for (let times = 0; times < 5; times++) {
      const connection = await RawConnection.to(server.url);
      const size = 20_000_000;
      connection.head(POST, JSON_TYPE, isChunked === 1 ? "Transfer-Encoding: chunked" : length(size));
      for (let sent = 0; sent < size; sent += 1_000_000) {
        const part = "x".repeat(1_000_000);
        connection.write(isChunked === 1 ? chunk(part) : part);
      }
      const answer = await connection.answer();
      expect(answer.status).toBe(413);
      expect(answer.headers["connection"]).toBe("close");
      assertRefused(answer);
      await connection.ended();
    }
    expect(called.length).toBe(before);
    await assertStillGood();
  });

  test("is refused for its body by a usual client too", async () => {
    for (const path of ["/operations/test.run", "/operations/test.run?x"]) {
      const init = { method: "POST", body: "x".repeat(5_000_000), headers: { "content-type": "application/json" } };
      expect(await statusOf(server.url + path, init)).toBe(413);
    }
  });

  test("is taken up to the last byte", async () => {
    const body = `"${"x".repeat(99_998)}"`;
    const init = { method: "POST", headers: { "content-type": "application/json" } };
    expect(await statusOf(`${server.url}/operations/test.run`, { ...init, body })).toBe(200);
    const more = { ...init, body: ` ${body}` };
    expect(await statusOf(`${server.url}/operations/test.run`, more)).toBe(413);
  });
});

describe("a request that does not come to its end", () => {
  test("is not waited for, where it is the head", async () => {
    const connection = await RawConnection.to(impatient.url);
    const answer = await connection.write("GET /healthz HTTP/1.1\r\nHost: localhost\r\nx: ").answer();
    expect(answer.status).toBe(408);
    assertRefused(answer);
    await connection.closed();
  });

  test("is not waited for, where it sends a letter now and then", async () => {
    const connection = await RawConnection.to(impatient.url);
    connection.write("GET /healthz HTTP/1.1\r\n");
    const timer = setInterval(() => connection.write("x: y\r\n"), 50);
    expect((await connection.answer()).status).toBe(408);
    clearInterval(timer);
    await connection.closed();
  });

  test.each([POST, "POST /operations/test.run?x HTTP/1.1"])(
    "is not waited for, where it is the body of %s",
    async (line) => {
      const before = called.length;
      const connection = await RawConnection.to(impatient.url, true);
      const answer = await connection.head(line, JSON_TYPE, length(10)).write('{"a"').answer();
      expect(answer.status).toBe(408);
      assertRefused(answer);
      // What comes now is too late.
      connection.write(":1234}");
      await connection.ended();
      await assertStillGood(impatient);
      expect(called.length).toBe(before);
    },
  );

  test("is dropped with its connection", async () => {
    const before = called.length;
    for (const text of [
      "",
      "GET",
      `${POST}\r\n`,
      `${POST}\r\nHost: localhost\r\n${JSON_TYPE}\r\n${length(9)}\r\n\r\n{`,
    ]) {
      const connection = await RawConnection.to(server.url);
      if (text !== "") connection.write(text);
      await assertStillGood();
      connection.socket.resetAndDestroy();
    }
    await assertStillGood();
    expect(called.length).toBe(before);
  });

  test("keeps nobody from closing the server", async () => {
    const other = await start();
    const connections = await Promise.all(
      ["", "GET", `${POST}\r\nHost: localhost\r\n${JSON_TYPE}\r\n${length(9)}\r\n\r\n{`].map(async (text) => {
        const connection = await RawConnection.to(other.url, true);
        if (text !== "") connection.write(text);
        return connection;
      }),
    );
    await assertStillGood(other);
    await other.close();
    for (const connection of connections) await connection.ended();
  });
});

describe("chunks", () => {
  test("make one body", async () => {
    const connection = await RawConnection.to(server.url);
    connection.head(POST, JSON_TYPE, "Transfer-Encoding: chunked");
    for (const part of ['{"a', '":"', "\xc3", "\xa9", '"}', ""]) connection.write(Buffer.from(chunk(part), "latin1"));
    expect((await connection.answer()).status).toBe(200);
    expect(called.at(-1)).toEqual({ a: "é" });
  });

  test.each(["zz\r\n{}\r\n", "-1\r\n{}\r\n", "2\r\n{}xx\r\n0\r\n\r\n", "fffffffffffffffff\r\n{}\r\n"])(
    "that are broken are answered with 400: %j",
    async (text) => {
      const before = called.length;
      const connection = await RawConnection.to(server.url);
      connection.head(POST, JSON_TYPE, "Transfer-Encoding: chunked").write(text);
      const answer = await connection.answer();
      expect(answer.status).toBe(400);
      assertRefused(answer);
      await connection.closed();
      expect(called.length).toBe(before);
    },
  );
});

describe("requests that do not wait for answers", () => {
  test("are answered in their order", async () => {
    const connection = await RawConnection.to(server.url);
    const delays = [60, 0, 30, 10, 0];
    for (const ms of delays)
      connection.head("POST /operations/test.wait HTTP/1.1", JSON_TYPE, length(String(ms).length)).write(String(ms));
    const answers = await connection.answers(delays.length);
    expect(answers.map(({ body }) => JSON.parse(body).data.result)).toEqual(delays);
  });

  test("are answered also where one of them is refused", async () => {
    const connection = await RawConnection.to(server.url);
    connection.head("GET /nowhere HTTP/1.1").head(POST, JSON_TYPE, length(1)).write("{").head("GET /healthz HTTP/1.1");
    expect((await connection.answers(3)).map(({ status }) => status)).toEqual([404, 400, 200]);
  });

  test("have bodies that nobody reads", async () => {
    const connection = await RawConnection.to(server.url);
    connection.head("GET /healthz HTTP/1.1", length(5)).write("hello");
    connection.head("PUT /healthz HTTP/1.1", length(5)).write("hello").head("GET /healthz HTTP/1.1");
    expect((await connection.answers(3)).map(({ status }) => status)).toEqual([200, 405, 200]);
  });

  test("may be many", async () => {
    const connection = await RawConnection.to(server.url);
    for (let times = 0; times < 500; times++) connection.head("GET /healthz HTTP/1.1");
    const answers = await connection.answers(500);
    expect(answers.every(({ status }) => status === 200)).toBe(true);
  });
});

describe("many clients", () => {
  test("come and go", async () => {
    for (let round = 0; round < 10; round++) {
      const connections = await Promise.all(Array.from({ length: 100 }, () => RawConnection.to(server.url)));
      for (const [at, connection] of connections.entries()) {
        if (at % 4 === 1) connection.write("GET /hea");
        if (at % 4 === 2) connection.head(POST, JSON_TYPE, length(2)).write("{}");
        if (at % 4 === 3) connection.head("POST /operations/test.wait HTTP/1.1", JSON_TYPE, length(5)).write("60000");
        connection.socket.destroy();
      }
    }
    await assertStillGood();
    const init = { method: "POST", body: "{}", headers: { "content-type": "application/json" } };
    expect(await statusOf(`${server.url}/operations/test.run`, init)).toBe(200);
  });

  test("do not read what they have asked for", async () => {
    const other = await start();
    const connections = await Promise.all(Array.from({ length: 5 }, () => RawConnection.to(other.url)));
    for (const connection of connections) {
      connection.socket.pause();
      connection.head("POST /operations/test.large HTTP/1.1", JSON_TYPE, length(2)).write("{}");
    }
    const stream = await EventClient.open(`${other.url}/operations/test.ticks`);
    await stream.got(1);
    await other.close();
    await stream.closed();
  });
});
