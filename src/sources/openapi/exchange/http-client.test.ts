import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import {
  client,
  control,
  failureOf,
  get,
  httpServer,
  kindOf,
  rawServer,
  text,
  tidyUpExchanges,
} from "./fixtures/exchange-servers.js";

tidyUpExchanges();

describe("a request", () => {
  test("sends its path as it is written, dots and all", async () => {
    const server = await httpServer((_arrived, response) => response.end());
    const path = "/a/../b/%2e%2e/./c//d;e?x=%2F..&y=a+b&z=é€";
    await (await client().send(get(`${server.url}${path}`), control())).bytes();
    expect(server.arrived[0]?.path).toBe("/a/../b/%2e%2e/./c//d;e?x=%2F..&y=a+b&z=%C3%A9%E2%82%AC");
  });

  test.each([
    ["", "/"],
    ["?a=1", "/?a=1"],
    ["/#fragment", "/"],
    ["/a\r\nx-evil: 1", "/a%0D%0Ax-evil:%201"],
  ])("makes of %j the path %j", async (written, sent) => {
    const server = await httpServer((_arrived, response) => response.end());
    (await client().send(get(`${server.url}${written}`), control())).discard();
    expect(server.arrived[0]?.path).toBe(sent);
    expect(server.arrived[0]?.headers["x-evil"]).toBeUndefined();
  });

  test("adds its secrets, and says how long its body is", async () => {
    const server = await httpServer((_arrived, response) => response.end());
    const secrets = { headers: { authorization: "Bearer s" }, query: "key=s", cookie: "sid=s" };
    const headers = { "Content-Type": "text/plain", cookie: "theme=dark" };
    const request = get(`${server.url}/p?a=1`, { method: "POST", headers, body: "grün", secrets });
    const answer = await client().send(request, control());
    await answer.bytes();
    expect(answer.url).toBe(`${server.url}/p?a=1`);
    expect(server.arrived[0]).toMatchObject({ method: "POST", path: "/p?a=1&key=s", body: "grün" });
    expect(server.arrived[0]?.headers).toMatchObject({
      authorization: "Bearer s",
      cookie: "theme=dark; sid=s",
      "content-length": "5",
      "content-type": "text/plain",
      "accept-encoding": "gzip, deflate, br",
    });
  });

  test("leaves the headers of the connection to this side", async () => {
    const server = await httpServer((_arrived, response) => response.end());
    const headers = {
      "transfer-encoding": "chunked",
      "Content-Length": "1",
      Host: "evil.example",
      expect: "100-continue",
    };
    await (await client().send(get(server.url, { method: "PUT", headers, body: "abc" }), control())).bytes();
    expect(server.arrived[0]).toMatchObject({
      body: "abc",
      headers: { host: server.url.slice(7), "content-length": "3" },
    });
    expect(server.arrived[0]?.headers["transfer-encoding"]).toBeUndefined();
  });

  test("writes headers byte for byte beside a body that is text", async () => {
    const server = await httpServer((_arrived, response) => response.end());
    const headers = { "x-name": Buffer.from("é").toString("latin1") };
    await (await client().send(get(server.url, { method: "POST", headers, body: "é" }), control())).bytes();
    expect(Buffer.from(String(server.arrived[0]?.headers["x-name"]), "latin1").toString()).toBe("é");
    expect(server.arrived[0]?.body).toBe("é");
  });

  test("of ten megabytes arrives", async () => {
    const server = await httpServer(({ body }, response) => response.end(String(body.length)));
    const body = new Uint8Array(10_000_000).fill(97);
    const answer = await client().send(get(server.url, { method: "POST", body }), control());
    expect(text(await answer.bytes())).toBe("10000000");
  });

  test.each([
    ["a line break in a header", { headers: { "x-a": "1\r\nx-b: 2" } }],
    ["a name of a header that is none", { headers: { "x a": "1" } }],
    ["a method that is none", { method: "GE T" }],
  ])("is refused for %s", async (_what, more) => {
    const server = await httpServer((_arrived, response) => response.end());
    expect(await kindOf(client().send(get(server.url, more), control()))).toBe("validation VALIDATION_ERROR");
    expect(server.connections).toBe(0);
  });

  test.each(["ftp://127.0.0.1/", "http://", "http://u:secret@127.0.0.1/", "/relative", "http:\\\\127.0.0.1"])(
    "to %s is refused, and the address not shown",
    async (url) => {
      const error = await failureOf(client().send(get(url), control()));
      expect(error.category).toBe("validation");
      expect(error.message).not.toContain("secret");
    },
  );
});

describe("an answer", () => {
  test("has its headers in lower case, and cookies apart", async () => {
    const server = await httpServer((_arrived, response) =>
      response
        .writeHead(203, [
          ["Content-Type", "text/plain"],
          ["X-Many", "a"],
          ["X-Many", "b"],
          ["Set-Cookie", "a=1, 2"],
          ["Set-Cookie", "b=3"],
        ] as unknown as string[])
        .end("hi"),
    );
    const answer = await client().send(get(server.url), control());
    expect(answer).toMatchObject({ status: 203, contentType: "text/plain", setCookie: ["a=1, 2", "b=3"] });
    expect(answer.headers).toMatchObject({ "content-type": "text/plain", "x-many": "a, b" });
    expect(answer.headers["set-cookie"]).toBeUndefined();
    expect(text(await answer.bytes())).toBe("hi");
  });

  test.each([
    ["HEAD", 200],
    ["GET", 204],
    ["GET", 304],
  ])("to %s with %i has no body, and its connection serves the next", async (method, status) => {
    const server = await httpServer((_arrived, response) =>
      response
        .writeHead(status, { "content-encoding": "gzip", ...(method === "HEAD" && { "content-length": "99" }) })
        .end(),
    );
    const one = client();
    for (const read of ["bytes", "chunks"] as const) {
      const answer = await one.send(get(server.url, { method }), control());
      if (read === "bytes") expect(await answer.bytes()).toHaveLength(0);
      else for await (const piece of answer.chunks()) expect.fail(`a piece of ${piece.length}`);
    }
    expect(server.connections).toBe(1);
  });

  test("of a server that says 100 and 103 first is the last one", async () => {
    const server = await rawServer((socket) =>
      socket.write(
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nx: 1\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
      ),
    );
    const answer = await client().send(get(server.url), control());
    expect([answer.status, text(await answer.bytes())]).toEqual([200, "ok"]);
  });

  test("can be read once only", async () => {
    const server = await httpServer((_arrived, response) => response.end("hi"));
    const answer = await client().send(get(server.url), control());
    await answer.bytes();
    await expect(answer.bytes()).rejects.toThrow();
    expect(() => answer.chunks()).toThrow();
    answer.discard();
  });

  test("leaves nobody listening, however it is read", async () => {
    const server = await httpServer((_arrived, response) => response.end("x".repeat(100_000)));
    const one = client();
    const given = control({ deadline: Date.now() + 60_000 });
    await (await one.send(get(server.url), given)).bytes();
    const before = countTimers();
    for await (const _piece of (await one.send(get(server.url), given)).chunks());
    for await (const _piece of (await one.send(get(server.url), given)).chunks()) break;
    (await one.send(get(server.url), given)).discard();
    expect(given.listeners.size).toBe(0);
    await expect.poll(() => countTimers()).toBeLessThanOrEqual(before);
  });

  test.each(["bytes", "chunks", "discard"] as const)("keeps its connection for the next after %s", async (read) => {
    const server = await httpServer((_arrived, response) =>
      response.writeHead(200, { "content-length": 3_000 }).end("x".repeat(3_000)),
    );
    const one = client();
    for (let count = 0; count < 3; count += 1) {
      const given = control();
      const answer = await one.send(get(server.url), given);
      if (read === "bytes") await answer.bytes();
      else if (read === "chunks") for await (const _piece of answer.chunks());
      else answer.discard();
      await expect.poll(() => given.listeners.size).toBe(0);
    }
    expect(server.connections).toBe(1);
  });
});

describe("the size of an answer", () => {
  test("is limited by what is told of it, before anything is read", async () => {
    const server = await httpServer((_arrived, response) => {
      response.writeHead(200, { "content-length": 2_000 }).flushHeaders();
    });
    const answer = await client({ maxResponseBytes: 1_000 }).send(get(server.url), control());
    const error = await failureOf(answer.bytes());
    expect(error).toMatchObject({ category: "validation", code: "PAYLOAD_TOO_LARGE", recoverable: false });
    await expect.poll(() => server.sockets.size).toBe(0);
  });

  test("may be the limit itself", async () => {
    const server = await httpServer((_arrived, response) => response.end("x".repeat(1_000)));
    const answer = await client({ maxResponseBytes: 1_000 }).send(get(server.url), control());
    expect(await answer.bytes()).toHaveLength(1_000);
  });

  test("counts after decompression", async () => {
    const server = await httpServer((_arrived, response) =>
      response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync("x".repeat(1_001))),
    );
    const answer = await client({ maxResponseBytes: 1_000 }).send(get(server.url), control());
    expect(await kindOf(answer.bytes())).toBe("validation PAYLOAD_TOO_LARGE");
  });

  test("does not limit a stream, which comes only as fast as it is read", async () => {
    let written = 0;
    const server = await httpServer((_arrived, response) => {
      const more = (): void => {
        while (!response.destroyed && response.write("x".repeat(65_536))) written += 65_536;
        if (!response.destroyed) response.once("drain", more);
      };
      more();
    });
    const answer = await client({ maxResponseBytes: 1_000 }).send(get(server.url), control());
    let read = 0;
    for await (const piece of answer.chunks()) {
      read += piece.length;
      if (read > 300_000) break;
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    await expect.poll(() => server.sockets.size).toBe(0);
    expect(written).toBeLessThan(50_000_000);
  });
});

function countTimers(): number {
  return process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length;
}
