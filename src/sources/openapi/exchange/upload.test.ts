import { once } from "node:events";
import { Agent, request } from "node:http";
import { afterEach, expect, test, vi } from "vitest";
import { rawServer, tidyUpExchanges } from "./fixtures/exchange-servers.js";
import { upload } from "./upload.js";

tidyUpExchanges();

const agent = new Agent();
afterEach(() => agent.destroy());

test("a long body is under way as long as the server reads it", async () => {
  const server = await rawServer((socket) => void socket.pause());
  const sent = request({ port: server.port, host: "127.0.0.1", method: "POST", agent });
  sent.on("error", () => {});
  let progress = 0;
  upload(sent, new Uint8Array(30_000_000), () => {
    progress += 1;
  });
  await once(sent, "socket");
  await expect.poll(() => server.sockets.size).toBe(1);
  const [socket] = server.sockets;
  for (let count = 0; count < 3; count += 1) {
    const before = progress;
    await vi.waitFor(
      () => {
        socket?.resume();
        expect(progress).toBeGreaterThan(before);
      },
      { interval: 1 },
    );
  }
  expect(sent.writableEnded).toBe(false);
  sent.destroy();
  socket?.destroy();
});

test.each([
  ["nothing", undefined, 0],
  ["a short text", "grün", 5],
  ["a long text", "ü".repeat(400_000), 800_000],
  ["bytes", new Uint8Array(300_000), 300_000],
])("%s is sent whole", async (_what, body, length) => {
  let arrived = 0;
  const server = await rawServer((_socket, _count, data) => {
    arrived += data.length;
  });
  const headers = { "content-length": length };
  const sent = request({ port: server.port, host: "127.0.0.1", method: "POST", agent, headers });
  sent.on("error", () => {});
  upload(sent, body, () => {});
  await once(sent, "finish");
  await expect.poll(() => arrived).toBeGreaterThan(length);
  sent.destroy();
});
