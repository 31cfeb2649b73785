import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { defineOperation } from "../src/registry/operation.js";
import { OperationRegistry } from "../src/registry/registry.js";
import { mountSource, type OperationSource } from "../src/registry/source.js";
import { serveHttp } from "../src/servers/http/index.js";
import { serveMcpHttp } from "../src/servers/mcp/index.js";
import { mcpSource } from "../src/sources/mcp/index.js";
import { openapiSource } from "../src/sources/openapi/index.js";
import { scriptSource } from "../src/sources/script/index.js";

const closers: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const HEADERS = { traceparent: `00-${TRACE}-b7ad6b7169203331-01`, tracestate: "vendor=1" };

/** The last in the row: a service that notes what it is told. */
async function service(): Promise<{ readonly url: string; readonly arrived: IncomingHttpHeaders[] }> {
  const arrived: IncomingHttpHeaders[] = [];
  const server = createServer(({ headers }, response) => {
    arrived.push(headers);
    response.setHeader("content-type", "application/json").end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closers.push(() => new Promise((resolve) => server.close(resolve)));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, arrived };
}

function mount(registry: OperationRegistry, source: OperationSource): void {
  mountSource(registry, source);
  closers.push(() => source.close());
}

function documentOf(url: string): object {
  const get = { operationId: "ping", responses: { 200: { description: "", content: { "application/json": {} } } } };
  return { openapi: "3.1.0", info: { title: "a", version: "1" }, servers: [{ url }], paths: { "/ping": { get } } };
}

/** HTTP server → MCP source → MCP server → OpenAPI source → the service. */
async function row(era: "legacy" | "modern", service: string): Promise<string> {
  const inner = new OperationRegistry();
  mount(inner, await openapiSource({ name: "api", document: documentOf(service) }));
  const middle = await serveMcpHttp({ registry: inner });
  closers.push(() => middle.close());
  const outer = new OperationRegistry();
  mount(outer, await mcpSource({ name: "far", url: middle.url, era }));
  outer.register(
    defineOperation({
      namespace: "near",
      name: "nested",
      version: "1.0.0",
      type: "query",
      description: "Calls another operation.",
      inputSchema: true,
      outputSchema: true,
      handler: (_, { env }) => env["far"]?.["api_ping"]?.({}),
    }),
  );
  const first = await serveHttp({ registry: outer });
  closers.push(() => first.close());
  return `${first.url}/operations`;
}

describe.each(["legacy", "modern"] as const)("the trace of a request, with MCP of the %s era on the way", (era) => {
  test.each(["far.api_ping", "near.nested"])("reaches the last service behind %s", async (id) => {
    const { url, arrived } = await service();
    const operations = await row(era, url);
    const call = (headers: Record<string, string>): Promise<Response> =>
      fetch(`${operations}/${id}`, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: "{}",
      });
    const response = await call(HEADERS);
    expect(response.status).toBe(200);
    // The server has a span of its own, which is what those behind it go on from.
    expect(response.headers.get("traceparent")).toContain(TRACE);
    expect(arrived[0]).toMatchObject({
      traceparent: response.headers.get("traceparent"),
      tracestate: HEADERS.tracestate,
    });
    expect((await call({})).status).toBe(200);
    expect([arrived[1]?.["traceparent"], arrived[1]?.["tracestate"]]).toEqual([undefined, undefined]);
  });
});

test("the trace of a call reaches a program", async () => {
  const registry = new OperationRegistry();
  const command = ["/bin/sh", "-c", 'echo "$TRACEPARENT $TRACESTATE"', "sh"];
  mount(registry, await scriptSource({ name: "shell", command, operation: "trace" }));
  const outcome = await registry.attempt("shell.trace", {}, { metadata: HEADERS });
  expect(outcome).toMatchObject({ ok: true });
  expect(JSON.stringify(outcome)).toContain(`${HEADERS.traceparent} ${HEADERS.tracestate}`);
});
