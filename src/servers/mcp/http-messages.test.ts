import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { sendWebResponse } from "./http-messages.js";

test("a stream that breaks off is not taken for one that is complete", async () => {
  let pulls = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      pulls++;
      if (pulls === 1) controller.enqueue(Buffer.from("data: 1\n\n"));
      else controller.error(new Error("broken"));
    },
  });
  const headers = { "content-type": "text/event-stream" };
  const server = createServer((_request, response) => void sendWebResponse(response, new Response(body, { headers })));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  await expect(answer.text()).rejects.toThrow();
  server.close();
  await once(server, "close");
});
