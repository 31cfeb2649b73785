import type { Socket } from "node:net";
import { brotliCompressSync, constants, createGzip, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { OutgoingRequest } from "../http-answer.js";
import { isConnectionLoss } from "./exchange-errors.js";
import {
  client,
  control,
  failureOf,
  get,
  httpServer,
  kindOf,
  rawServer,
  sendWithRetries,
  type TestServer,
  text,
  tidyUpExchanges,
} from "./fixtures/exchange-servers.js";

tidyUpExchanges();

const rejections: unknown[] = [];
const noteRejection = (reason: unknown): void => void rejections.push(reason);
beforeAll(() => void process.on("unhandledRejection", noteRejection));
afterAll(() => {
  process.off("unhandledRejection", noteRejection);
  expect(rejections).toEqual([]);
});

const HEAD = "HTTP/1.1 200 OK\r\n";
const TIMEOUT = "timeout TIMEOUT";
const CUT = "unavailable UNAVAILABLE";
const INVALID = "execution INVALID_ANSWER";
const TOO_LARGE = "validation PAYLOAD_TOO_LARGE";

/** What a server does with a connection on which a request has come. */
type Behaviour = (socket: Socket) => void;

const misbehaviours: Readonly<Record<string, readonly [string, Behaviour]>> = {
  "says nothing": [TIMEOUT, () => {}],
  "drips its headers": [TIMEOUT, (socket) => drip(socket, [HEAD], "x")],
  "sends the first line only": [TIMEOUT, (socket) => void socket.write(HEAD)],
  "says 103 for ever": [TIMEOUT, (socket) => drip(socket, [], "HTTP/1.1 103 Early Hints\r\n\r\n")],
  "sends headers without end": [INVALID, (socket) => flood(socket, HEAD, "x-more: and more\r\n".repeat(500))],
  "sends a header of a megabyte": [
    INVALID,
    (socket) => void socket.write(`${HEAD}x: ${"y".repeat(1_000_000)}\r\n\r\n`),
  ],
  "sends a body without end": [TOO_LARGE, (socket) => flood(socket, `${HEAD}\r\n`, "x".repeat(10_000))],
  "sends chunks without end": [
    TOO_LARGE,
    (socket) => flood(socket, `${HEAD}Transfer-Encoding: chunked\r\n\r\n`, `3e8\r\n${"x".repeat(1000)}\r\n`),
  ],
  "sends a chunk's extension without end": [
    TIMEOUT,
    (socket) => drip(socket, [HEAD, "Transfer-Encoding: chunked\r\n\r\n3;a="], "b"),
  ],
  "sends less than it says, and closes": [CUT, (socket) => void socket.end(`${HEAD}Content-Length: 100\r\n\r\nabc`)],
  "sends less than it says, and waits": [
    TIMEOUT,
    (socket) => void socket.write(`${HEAD}Content-Length: 100\r\n\r\nabc`),
  ],
  "says two different lengths": [
    INVALID,
    (socket) => void socket.end(`${HEAD}Content-Length: 3\r\nContent-Length: 5\r\n\r\nabc`),
  ],
  "says a length that is none": [INVALID, (socket) => void socket.end(`${HEAD}Content-Length: three\r\n\r\nabc`)],
  "says a length beyond all numbers": [
    INVALID,
    (socket) => void socket.end(`${HEAD}Content-Length: 99999999999999999999999\r\n\r\nabc`),
  ],
  "says a length that is negative": [INVALID, (socket) => void socket.end(`${HEAD}Content-Length: -3\r\n\r\nabc`)],
  "breaks its chunks": [
    INVALID,
    (socket) => void socket.end(`${HEAD}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nzz\r\nabc\r\n0\r\n\r\n`),
  ],
  "ends without the last chunk": [
    CUT,
    (socket) => void socket.end(`${HEAD}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n`),
  ],
  "resets in the middle": [
    CUT,
    (socket) => {
      socket.write(`${HEAD}Content-Length: 100\r\n\r\nabc`);
      setTimeout(() => socket.resetAndDestroy(), 20);
    },
  ],
  "resets at once": [CUT, (socket) => socket.resetAndDestroy()],
  "closes at once": [CUT, (socket) => void socket.end()],
  "speaks another protocol": [INVALID, (socket) => void socket.end("220 mail.example ESMTP\r\n")],
  "sends noise": [INVALID, (socket) => void socket.end(Buffer.alloc(4_096, 0xf7))],
  "switches protocols": [
    INVALID,
    (socket) => void socket.write("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"),
  ],
  "sends gzip that is none": [INVALID, (socket) => encoded(socket, "gzip", Buffer.from("this is no gzip"))],
  "sends gzip that is cut": [INVALID, (socket) => encoded(socket, "gzip", gzipSync("x".repeat(9999)).subarray(0, 20))],
  "sends gzip with a wrong sum": [INVALID, (socket) => encoded(socket, "gzip", spoilt(gzipSync("abc")))],
  "sends brotli that is none": [INVALID, (socket) => encoded(socket, "br", Buffer.from("this is no brotli"))],
  "sends deflate that is none": [INVALID, (socket) => encoded(socket, "deflate", Buffer.alloc(64, 0x0f))],
  "encodes in a way that nobody knows": [INVALID, (socket) => encoded(socket, "zap", Buffer.from("abc"))],
  "encodes many times": [INVALID, (socket) => encoded(socket, "gzip, gzip, gzip, gzip", Buffer.from("abc"))],
  "sends blocks of deflate that hold nothing": [
    TIMEOUT,
    (socket) => drip(socket, [`${HEAD}Content-Encoding: deflate\r\n\r\n`, "\x78\x01"], "\x00\x00\x00\xff\xff"),
  ],
};

describe("a server that", () => {
  for (const [name, [kind, behave]] of Object.entries(misbehaviours)) {
    test(name, async () => {
      const server = await rawServer((socket, count) => count === 1 && behave(socket));
      const given = control({ timeout: kind === TIMEOUT ? 150 : 5_000, deadline: Date.now() + 60_000 });
      const error = await failureOf(whole(get(server.url), given));
      expect(`${error.category} ${error.code}`).toBe(kind);
      expect(isConnectionLoss(error)).toBe(kind === CUT);
      expect(given.listeners.size).toBe(0);
      await nobodyAt(server);
    });

    test(`${name}, read as a stream`, async () => {
      const server = await rawServer((socket, count) => count === 1 && behave(socket));
      const given = control({ timeout: kind === TIMEOUT ? 150 : 5_000, deadline: Date.now() + 60_000 });
      const streamed = streamUpTo(3_000_000, get(server.url), given);
      if (kind === TOO_LARGE) await streamed;
      else expect(await kindOf(streamed)).toBe(kind);
      expect(given.listeners.size).toBe(0);
      await nobodyAt(server);
    });
  }

  test("sends more than it says is heard up to there, and its connection not used again", async () => {
    const server = await rawServer((socket) => void socket.write(`${HEAD}Content-Length: 3\r\n\r\nabcdef`));
    const one = client();
    for (let count = 0; count < 2; count += 1)
      expect(text(await (await one.send(get(server.url), control())).bytes())).toBe("abc");
    expect(server.connections).toBe(2);
  });

  test("sends a body after 204 is not asked over the same connection", async () => {
    const server = await rawServer((socket) => void socket.write("HTTP/1.1 204 No Content\r\n\r\nsurprise"));
    const one = client();
    for (let count = 0; count < 2; count += 1)
      expect(await (await one.send(get(server.url), control())).bytes()).toHaveLength(0);
    await nobodyAt(server);
  });

  test("sends a second answer unasked is not misunderstood", async () => {
    const second = `${HEAD}Content-Length: 4\r\n\r\nevil`;
    const server = await rawServer((socket) => {
      socket.write(`${HEAD}Content-Length: 2\r\n\r\nok`);
      setTimeout(() => socket.write(second), 5);
    });
    const one = client();
    for (let count = 0; count < 3; count += 1) {
      expect(text(await (await one.send(get(server.url), control())).bytes())).toBe("ok");
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  });

  test("closes only its own half is heard to the end", async () => {
    const server = await rawServer((socket) => void socket.end(`${HEAD}\r\nall of it`), { allowHalfOpen: true });
    expect(text(await whole(get(server.url), control()))).toBe("all of it");
    await nobodyAt(server);
  });

  test("answers before it has read the request is heard, and the rest not sent", async () => {
    const server = await rawServer((socket, count) => {
      if (count > 1) return;
      socket.pause();
      socket.write("HTTP/1.1 413 Content Too Large\r\nContent-Length: 4\r\n\r\nmuch");
    });
    const body = new Uint8Array(20_000_000);
    const answer = await client().send(get(server.url, { method: "POST", body }), control({ timeout: 2_000 }));
    expect([answer.status, text(await answer.bytes())]).toEqual([413, "much"]);
    for (const socket of server.sockets) socket.resume();
    await nobodyAt(server);
  });
});

describe("a bomb", () => {
  test.each(["gzip", "br", "deflate"] as const)("of 100 MB of zeros in %s is put out early", async (encoding) => {
    const bomb = await bombs[encoding];
    expect(bomb.length).toBeLessThan(110_000);
    const server = await rawServer((socket) => encoded(socket, encoding, bomb));
    const before = process.memoryUsage().arrayBuffers;
    expect(await kindOf(whole(get(server.url), control()))).toBe(TOO_LARGE);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(30_000_000);
    await nobodyAt(server);
  });

  test("inside a bomb is put out too", async () => {
    const server = await rawServer(
      (socket) => void bombs.gzip.then((bomb) => encoded(socket, "gzip, gzip", gzipSync(bomb))),
    );
    expect(await kindOf(whole(get(server.url), control()))).toBe(TOO_LARGE);
  });

  test("is read as a stream no faster than its reader wants", async () => {
    const server = await rawServer((socket) => void bombs.gzip.then((bomb) => encoded(socket, "gzip", bomb)));
    const before = process.memoryUsage().arrayBuffers;
    await streamUpTo(500_000, get(server.url), control());
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(30_000_000);
    await nobodyAt(server);
  });
});

describe("a storm", () => {
  test("of 429 ends after the retries", async () => {
    const server = await httpServer((_arrived, response) =>
      response.writeHead(429, { "retry-after": "0" }).end("x".repeat(100)),
    );
    const policy = { retries: 3, isRepeatable: true, maxWaitMs: 1_000, random: () => 0 };
    const { answer, attempts } = await sendWithRetries(client(), get(server.url), control(), policy);
    expect([answer.status, attempts, server.arrived.length]).toEqual([429, 4, 4]);
    answer.discard();
  });

  test("of 503 whose bodies never end leaves no connection", async () => {
    const server = await httpServer((_arrived, response) => void response.writeHead(503).write("x"));
    const policy = { retries: 3, isRepeatable: true, maxWaitMs: 1_000, random: () => 0 };
    const { answer } = await sendWithRetries(client(), get(server.url), control(), policy);
    answer.discard();
    await nobodyAt(server);
  });
});

describe("a connection that was kept", () => {
  test("and is closed by the server in the meantime costs an idempotent call one retry at most", async () => {
    const server = await rawServer((socket, count) => {
      if (count === 1) socket.write(`${HEAD}Content-Length: 2\r\n\r\nok`);
      else socket.resetAndDestroy();
    });
    const one = client();
    for (let count = 0; count < 3; count += 1) {
      const policy = { retries: 1, isRepeatable: true, maxWaitMs: 1_000, random: () => 0 };
      const { answer } = await sendWithRetries(one, get(server.url), control(), policy);
      expect(text(await answer.bytes())).toBe("ok");
    }
    expect(server.connections).toBe(3);
  });

  test("fails another call, which may have been heard", async () => {
    const server = await rawServer((socket, count) => {
      if (count === 1) socket.write(`${HEAD}Content-Length: 2\r\n\r\nok`);
      else socket.resetAndDestroy();
    });
    const one = client();
    const post = get(server.url, { method: "POST" });
    const policy = { retries: 5, isRepeatable: false, maxWaitMs: 1_000 };
    await (await sendWithRetries(one, post, control(), policy)).answer.bytes();
    expect(await kindOf(sendWithRetries(one, post, control(), policy))).toBe(CUT);
  });
});

async function whole(request: OutgoingRequest, given: ReturnType<typeof control>): Promise<Uint8Array> {
  return (await client().send(request, given)).bytes();
}

async function streamUpTo(bytes: number, request: OutgoingRequest, given: ReturnType<typeof control>): Promise<void> {
  let read = 0;
  for await (const piece of (await client().send(request, given)).chunks()) {
    read += piece.length;
    if (read > bytes) break;
  }
}

function nobodyAt(server: TestServer): Promise<void> {
  return expect.poll(() => server.sockets.size).toBe(0);
}

function drip(socket: Socket, first: readonly string[], drop: string): void {
  for (const part of first) socket.write(part, "latin1");
  const timer = setInterval(() => socket.write(drop, "latin1"), 10);
  socket.on("close", () => clearInterval(timer));
}

function flood(socket: Socket, first: string, more: string): void {
  socket.write(first);
  const pour = (): void => {
    while (!socket.destroyed && socket.write(more));
  };
  socket.on("drain", pour);
  pour();
}

function encoded(socket: Socket, encoding: string, body: Uint8Array): void {
  socket.write(`${HEAD}Content-Encoding: ${encoding}\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n`);
  socket.write(body);
}

function spoilt(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes);
  copy[copy.length - 5] = (copy[copy.length - 5] ?? 0) ^ 0xff;
  return copy;
}

const ZEROS = Buffer.alloc(1_000_000);

const bombs = {
  gzip: compressedZeros(),
  br: Promise.resolve(
    brotliCompressSync(Buffer.alloc(100_000_000), { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
  ),
  deflate: compressedZeros().then((gzip) => gzip.subarray(10)),
};

async function compressedZeros(): Promise<Buffer> {
  const gzip = createGzip({ level: 9 });
  const parts: Buffer[] = [];
  gzip.on("data", (part: Buffer) => void parts.push(part));
  for (let count = 0; count < 100; count += 1) gzip.write(ZEROS);
  gzip.end();
  await new Promise((resolve) => gzip.on("end", resolve));
  return Buffer.concat(parts);
}
