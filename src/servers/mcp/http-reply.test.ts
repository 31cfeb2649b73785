import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { HttpReply } from "./http-reply.js";

const servers: ReturnType<typeof createServer>[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
});

/** What a client gets of a reply that is used like this. */
async function sent(
  use: (reply: HttpReply, response: ServerResponse) => void,
): Promise<{ type: string; text: string }> {
  const server = createServer((_request, response) => use(new HttpReply(response, { onDone: () => {} }), response));
  servers.push(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  return { type: answer.headers.get("content-type") ?? "", text: await answer.text() };
}

describe("a reply over HTTP", () => {
  test("is JSON where there is nothing but the answer", async () => {
    expect(await sent((reply) => reply.answer("{}"))).toEqual({ type: "application/json", text: "{}" });
  });

  test("is a stream once something was told", async () => {
    const { type, text } = await sent((reply) => {
      reply.progress('{"a":1}');
      reply.answer('{"b":2}');
    });
    expect([type, text]).toEqual([
      "text/event-stream",
      'event: message\ndata: {"a":1}\n\nevent: message\ndata: {"b":2}\n\n',
    ]);
  });

  test("gives signs of life for a call that takes long", async () => {
    const { type, text } = await sent((reply) => {
      // The call has just begun: there may be an answer at once.
      reply.keepAlive();
      reply.keepAlive();
      reply.keepAlive();
      reply.answer("{}");
    });
    expect(type).toBe("text/event-stream");
    expect(text).toBe(": keepalive\n\n: keepalive\n\nevent: message\ndata: {}\n\n");
  });

  test("ends without a word where nobody waits", async () => {
    expect((await sent((reply) => reply.drop())).text).toBe("");
  });

  test("does no harm to a connection that is gone", async () => {
    const gone = sent((reply, response) => {
      response.destroy();
      reply.progress("{}");
      reply.keepAlive();
      reply.answer("{}");
      reply.drop();
    });
    await expect(gone).rejects.toThrow();
  });
});
