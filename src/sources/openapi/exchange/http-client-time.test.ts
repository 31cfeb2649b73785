import { createServer } from "node:net";
import { describe, expect, test } from "vitest";
import { isConnectionLoss } from "./exchange-errors.js";
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

describe("time", () => {
  test("runs out for a head that does not come", async () => {
    const server = await rawServer(() => {});
    const given = control({ timeout: 50 });
    expect(await kindOf(client().send(get(server.url), given))).toBe("timeout TIMEOUT");
    expect(given.listeners.size).toBe(0);
    await expect.poll(() => server.sockets.size).toBe(0);
  });

  test.each(["bytes", "chunks"] as const)("runs out for %s that stop", async (read) => {
    const server = await httpServer((_arrived, response) => void response.write("a"));
    const answer = await client().send(get(server.url), control({ timeout: 200 }));
    const reading = read === "bytes" ? answer.bytes() : all(answer.chunks());
    expect(await kindOf(reading)).toBe("timeout TIMEOUT");
    await expect.poll(() => server.sockets.size).toBe(0);
  });

  test("does not run out for a slow reader", async () => {
    const server = await httpServer((_arrived, response) => {
      response.write("a");
      setTimeout(() => response.end("b"), 20);
    });
    const answer = await client().send(get(server.url), control({ timeout: 300 }));
    const pieces: string[] = [];
    for await (const piece of answer.chunks()) {
      pieces.push(text(piece));
      await new Promise((resolve) => setTimeout(resolve, 400));
    }
    expect(pieces.join("")).toBe("ab");
  });

  test("lets a body drip, until the deadline", async () => {
    let timer: NodeJS.Timeout | undefined;
    const server = await httpServer((_arrived, response) => {
      timer = setInterval(() => response.write("a"), 10);
      response.on("close", () => clearInterval(timer));
    });
    const begun = Date.now();
    const answer = await client().send(get(server.url), control({ timeout: 500, deadline: begun + 1_200 }));
    expect(await kindOf(answer.bytes())).toBe("timeout TIMEOUT");
    expect(Date.now() - begun).toBeGreaterThanOrEqual(1_190);
  });

  test("is over before it begins where the deadline has passed", async () => {
    const server = await httpServer((_arrived, response) => response.end());
    expect(await kindOf(client().send(get(server.url), control({ deadline: Date.now() - 1 })))).toBe("timeout TIMEOUT");
    expect(server.connections).toBe(0);
  });

  test("may be longer than a timer can be", async () => {
    const server = await httpServer((_arrived, response) => setTimeout(() => response.end("ok"), 20));
    const given = control({ timeout: Number.POSITIVE_INFINITY, deadline: Date.now() + 1e12 });
    expect(text(await (await client().send(get(server.url), given)).bytes())).toBe("ok");
  });
});

describe("a caller who gives up", () => {
  test("ends the wait for the head", async () => {
    const given = control();
    const server = await rawServer(() => given.end());
    expect(await kindOf(client().send(get(server.url), given))).toBe("aborted ABORTED");
    await expect.poll(() => server.sockets.size).toBe(0);
    expect(given.listeners.size).toBe(0);
  });

  test.each(["bytes", "chunks"] as const)("ends %s", async (read) => {
    const server = await httpServer((_arrived, response) => void response.write("a"));
    const given = control();
    const answer = await client().send(get(server.url), given);
    const reading = read === "bytes" ? answer.bytes() : all(answer.chunks());
    setTimeout(() => given.end(), 20);
    expect(await kindOf(reading)).toBe("aborted ABORTED");
    await expect.poll(() => server.sockets.size).toBe(0);
  });

  test("ends an answer that nobody has begun to read", async () => {
    const server = await httpServer((_arrived, response) => void response.write("a"));
    const given = control();
    const answer = await client().send(get(server.url), given);
    given.end();
    expect(await kindOf(answer.bytes())).toBe("aborted ABORTED");
    await expect.poll(() => server.sockets.size).toBe(0);
  });

  test("has given up before the request", async () => {
    const server = await httpServer((_arrived, response) => response.end());
    const { watchEnd, ...rest } = control();
    const ended = {
      ...rest,
      watchEnd: (listener: Parameters<typeof watchEnd>[0]) => {
        const stop = watchEnd(listener);
        rest.end();
        return stop;
      },
    };
    expect(await kindOf(client().send(get(server.url), ended))).toBe("aborted ABORTED");
    expect(rest.listeners.size).toBe(0);
  });

  test("leaves a compressed stream before its first piece", async () => {
    const server = await httpServer((_arrived, response) => {
      response.writeHead(200, { "content-encoding": "gzip" }).flushHeaders();
    });
    const answer = await client().send(get(server.url), control());
    const pieces = answer.chunks()[Symbol.asyncIterator]();
    const next = pieces.next();
    await pieces.return?.();
    expect((await next).done).toBe(true);
    await expect.poll(() => server.sockets.size).toBe(0);
  });

  test("leaves a stream at once, also while a piece is awaited", async () => {
    const server = await httpServer((_arrived, response) => void response.write("a"));
    const answer = await client().send(get(server.url), control());
    const pieces = answer.chunks()[Symbol.asyncIterator]();
    expect((await pieces.next()).done).toBe(false);
    const next = pieces.next();
    await pieces.return?.();
    expect((await next).done).toBe(true);
    await expect.poll(() => server.sockets.size).toBe(0);
  });
});

describe("a connection", () => {
  test("that nobody takes is told with host and reason", async () => {
    const server = await httpServer(() => {});
    const { port } = server;
    const gone = await unusedPort();
    expect(gone).not.toBe(port);
    const error = await failureOf(client().send(get(`http://127.0.0.1:${gone}/?key=secret`), control()));
    expect(error).toMatchObject({ category: "unavailable", code: "UNAVAILABLE", details: { reason: "ECONNREFUSED" } });
    expect(error.message).toContain(`127.0.0.1:${gone}`);
    expect(error.message).not.toContain("secret");
    expect(isConnectionLoss(error)).toBe(true);
  });

  test("to a name that nobody has is not made", async () => {
    const error = await failureOf(client().send(get("http://nobody.invalid/"), control()));
    expect(error.category).toBe("unavailable");
  });

  test("by TLS to a server without is told as such", async () => {
    const server = await httpServer((_arrived, response) => response.end());
    const error = await failureOf(client().send(get(server.url.replace("http:", "https:")), control()));
    expect(error).toMatchObject({ category: "unavailable" });
  });

  test("ends with the client, and what is under way fails", async () => {
    const server = await httpServer((_arrived, response) => void response.write("a"));
    const one = client();
    const answer = await one.send(get(server.url), control());
    const reading = kindOf(answer.bytes());
    one.close();
    expect(await reading).toBe("unavailable UNAVAILABLE");
    expect(await kindOf(one.send(get(server.url), control()))).toBe("unavailable UNAVAILABLE");
    await expect.poll(() => server.sockets.size).toBe(0);
  });
});

async function all(pieces: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _piece of pieces);
}

function unusedPort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}
