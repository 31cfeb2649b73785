import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { describe, test } from "vitest";
import type { OperationRegistry } from "../src/registry/registry.js";
import { OperationRegistry as Registry } from "../src/registry/registry.js";
import { mountSource } from "../src/registry/source.js";
import { httpHandler, serveHttp } from "../src/servers/http/index.js";
import { openapiSource } from "../src/sources/openapi/index.js";
import { type RoundTrip, testServer } from "../src/testing/test-server.js";

async function overNode(registry: OperationRegistry): Promise<RoundTrip> {
  const server = await serveHttp({ registry });
  return imported(server.url, () => server.close());
}

/** The handler for other runtimes, behind a server that speaks their `Request` and `Response`. */
async function overFetch(registry: OperationRegistry): Promise<RoundTrip> {
  const handler = httpHandler({ registry });
  const server = createServer(async (incoming, outgoing) => {
    const controller = new AbortController();
    outgoing.once("close", () => controller.abort());
    const body = incoming.method === "POST" ? (Readable.toWeb(incoming) as ReadableStream) : null;
    const response = await handler.fetch(
      new Request(`http://${incoming.headers.host}${incoming.url}`, {
        method: incoming.method ?? "GET",
        headers: incoming.headers as Record<string, string>,
        body,
        duplex: "half",
        signal: controller.signal,
      } as RequestInit),
    );
    response.headers.forEach((value, name) => void outgoing.setHeader(name, value));
    outgoing.writeHead(response.status).flushHeaders();
    if (response.body === null) outgoing.end();
    else
      Readable.fromWeb(response.body as never)
        .on("error", () => outgoing.destroy())
        .pipe(outgoing);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return imported(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, async () => {
    await handler.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
}

/** As anybody would do it: by the document that the server has of itself. */
async function imported(url: string, close: () => Promise<void>): Promise<RoundTrip> {
  const source = await openapiSource({ name: "remote", url: `${url}/openapi.json`, retries: 0 });
  const registry = new Registry();
  mountSource(registry, source);
  return {
    attempt: (id, input, call) => registry.attempt(`remote.${id.replace(".", "_")}`, input, call),
    async close() {
      await source.close();
      await close();
    },
  };
}

describe.each<[how: string, connect: (registry: OperationRegistry) => Promise<RoundTrip>]>([
  ["Node's server", overNode],
  ["the portable handler", overFetch],
])("operations that are served by %s and imported from /openapi.json", (how, connect) => {
  for (const { label, run } of testServer(how, connect)) test(label, run);
});
