import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { registryOf } from "../../registry/fixtures/operations.js";
import { RawConnection } from "./fixtures/raw-connection.js";
import { type HttpServer, serveHttp } from "./serve.js";

const POST = "POST /operations/test.run HTTP/1.1";
const JSON_TYPE = "Content-Type: application/json";
const length = (bytes: number): string => `Content-Length: ${bytes}`;

let server: HttpServer;

beforeAll(async () => {
  server = await serveHttp({ registry: registryOf((input) => ({ input })), maxBodyBytes: 100_000 });
});
afterAll(() => server.close());

describe("a request that is strange, and HTTP all the same", () => {
  test("names the whole address", async () => {
    const connection = await RawConnection.to(server.url);
    connection.head(`GET ${server.url}/healthz HTTP/1.1`);
    connection.head(`POST ${server.url}/operations/test.run?x HTTP/1.1`, JSON_TYPE, length(2)).write("{}");
    connection.head("OPTIONS * HTTP/1.1");
    expect((await connection.answers(3)).map(({ status }) => status)).toEqual([200, 200, 404]);
  });

  test("wants to be told to go on", async () => {
    const connection = await RawConnection.to(server.url);
    connection.head(POST, JSON_TYPE, length(2), "Expect: 100-continue");
    await connection.until(({ received }) => received.startsWith("HTTP/1.1 100 Continue"));
    connection.write("{}");
    const [, second] = await connection.answers(2);
    expect(second?.status).toBe(200);
  });

  test("wants another protocol", async () => {
    const connection = await RawConnection.to(server.url);
    connection.head("GET /healthz HTTP/1.1", "Upgrade: websocket", "Connection: Upgrade");
    expect((await connection.answer()).status).toBe(200);
    const tunnel = await RawConnection.to(server.url);
    await tunnel.head("CONNECT evil.test:443 HTTP/1.1").ended();
    expect(tunnel.received).not.toContain(" 200 ");
  });

  test("is of an older time", async () => {
    const connection = await RawConnection.to(server.url);
    connection.head("GET /healthz HTTP/1.0");
    expect((await connection.answer()).status).toBe(200);
    await connection.closed();
  });

  test.each<[string, readonly string[], number]>([
    ["GET /healthz HTTP/1.0", [], 403],
    ["GET /healthz HTTP/1.1", [], 400],
    ["GET /healthz HTTP/1.1", ["Host: evil.test"], 403],
    ["GET /healthz HTTP/1.1", ["Host: localhost.evil.test"], 403],
    ["GET /healthz HTTP/1.1", ["Host: "], 403],
    ["GET /healthz HTTP/1.1", ["Host: 127.0.0.1"], 200],
    ["GET /healthz HTTP/1.1", ["Host: [::1]:99"], 200],
    ["GET /healthz HTTP/1.1", ["Host: localhost", "Origin: https://evil.test"], 403],
    ["GET /healthz HTTP/1.1", ["Host: localhost", "Origin: null"], 403],
    ["GET /healthz HTTP/1.1", ["Host: localhost", "Origin: http://localhost:5173"], 200],
    ["POST /operations/test.run HTTP/1.1", ["Host: evil.test", JSON_TYPE, length(2)], 403],
    ["POST /operations/test.run HTTP/1.1", ["Host: localhost", "Origin: http://evil.test", JSON_TYPE, length(2)], 403],
  ])("is for somebody else: %s %j", async (line, headers, status) => {
    const connection = await RawConnection.to(server.url);
    connection.write([line, ...headers, "", headers.includes(JSON_TYPE) ? "{}" : ""].join("\r\n"));
    const answer = await connection.answer();
    expect(answer.status).toBe(status);
    expect(answer.headers).not.toHaveProperty("access-control-allow-origin");
  });

  test.each<[string, string, readonly string[], number]>([
    ["no JSON", "{", [JSON_TYPE], 400],
    ["half a text", '"\\ud8"', [JSON_TYPE], 400],
    ["two values", "{}{}", [JSON_TYPE], 400],
    ["nothing but a space", " ", [JSON_TYPE], 400],
    ["a number that is none", "NaN", [JSON_TYPE], 400],
    ["100,000 brackets", "[".repeat(49_999) + "]".repeat(49_999), [JSON_TYPE], 413],
    ["100,000 open brackets", "[".repeat(99_999), [JSON_TYPE], 400],
    ["100,000 braces", `${'{"a":'.repeat(16_000)}1${"}".repeat(16_000)}`, [JSON_TYPE], 413],
    ["no type", "{}", [], 415],
    ["a form", "a=1", ["Content-Type: application/x-www-form-urlencoded"], 415],
    ["a text", "{}", ["Content-Type: text/plain"], 415],
    ["two types", "{}", [JSON_TYPE, "Content-Type: text/plain"], 200],
    ["a packed body", "{}", [JSON_TYPE, "Content-Encoding: gzip"], 415],
    ["a body packed twice", "{}", [JSON_TYPE, "Content-Encoding: identity, gzip"], 415],
    ["a prototype", '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}', [JSON_TYPE], 200],
  ])("has a body that is %s", async (_, body, headers, status) => {
    const connection = await RawConnection.to(server.url);
    for (const line of [POST, "POST /operations/test.run?x HTTP/1.1"])
      connection.head(line, ...headers, length(body.length)).write(body);
    const answers = await connection.answers(2);
    expect(answers.map((answer) => answer.status)).toEqual([status, status]);
    expect({}).not.toHaveProperty("polluted");
  });
});
