import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type NatsProxy, natsProxy } from "./nats-proxy.js";

/** Says everything back. */
let echo: ReturnType<typeof createServer>;
let proxy: NatsProxy;
let socket: Socket;

beforeEach(async () => {
  echo = createServer((other) => other.on("error", () => undefined).pipe(other)).listen(0, "127.0.0.1");
  await once(echo, "listening");
  proxy = await natsProxy((echo.address() as { port: number }).port);
  socket = connectTo(proxy);
  await once(socket, "connect");
});

afterEach(async () => {
  socket.destroy();
  await proxy.close();
  await new Promise((resolve) => echo.close(resolve));
});

test("what is sent passes in both directions", async () => {
  expect(await answer("hello")).toBe("hello");
});

test("a cut ends the connections, and those that come, until it is healed", async () => {
  await answer("hello");
  proxy.cut();
  await once(socket, "close");
  socket = connectTo(proxy);
  await once(socket, "close");
  proxy.heal();
  socket = connectTo(proxy);
  expect(await answer("again")).toBe("again");
});

test("nothing passes a blackhole before it is healed, and then in order", async () => {
  await answer("hello");
  proxy.blackhole();
  let heard = "";
  socket.on("data", (data: Buffer) => {
    heard += data.toString();
  });
  for (const word of ["a", "b", "c"]) await new Promise((resolve) => socket.write(word, resolve));
  await new Promise((resolve) => setTimeout(resolve, 30));
  expect(heard).toBe("");
  proxy.heal();
  while (heard.length < 3) await once(socket, "data");
  expect(heard).toBe("abc");
});

test("a slow network keeps the order, also when it becomes quick again", async () => {
  proxy.slow(20);
  let heard = "";
  socket.on("data", (data: Buffer) => {
    heard += data.toString();
  });
  const sent = Array.from({ length: 2000 }, (_, at) => `${at} `.padEnd(100)).join("");
  socket.write(sent);
  await once(socket, "data");
  proxy.heal();
  while (heard.length < sent.length) await once(socket, "data");
  expect(heard).toBe(sent);
});

function connectTo({ url }: NatsProxy): Socket {
  return connect(Number(new URL(url).port), "127.0.0.1").on("error", () => undefined);
}

async function answer(text: string): Promise<string> {
  socket.write(text);
  const [data] = (await once(socket, "data")) as [Buffer];
  return data.toString();
}
