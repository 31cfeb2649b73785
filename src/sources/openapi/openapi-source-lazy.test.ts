import { expect, test } from "vitest";
import { serveHttp } from "../../servers/http/index.js";
import { listOperations } from "../../servers/http/listing.js";
import { httpServer } from "./exchange/fixtures/exchange-servers.js";
import { documentWith, mounted, sendJson, tidyUp } from "./fixtures/mounted.js";

tidyUp();

interface Watched {
  readonly document: object;
  /** The operations of which a schema, a parameter or a body was looked at. */
  readonly seen: Set<number>;
}

/** A document that notices who looks at the schemas of its operations. */
function watchedDocument(count: number): Watched {
  const seen = new Set<number>();
  const noticed = (at: number, field: string, value: unknown, more: object = {}): object =>
    Object.defineProperty({ ...more }, field, {
      enumerable: true,
      get: () => {
        seen.add(at);
        return value;
      },
    });
  const reference = { $ref: "#/components/schemas/Thing" };
  const operations = Array.from({ length: count }, (_, at): [string, object] => {
    const parameters = [noticed(at, "schema", { type: "string" }, { name: "q", in: "query" })];
    const content = { "application/json": noticed(at, "schema", reference) };
    const requestBody = { content: { "application/json": noticed(at, "schema", reference) } };
    const responses = { 200: { description: "", content } };
    return [`POST /things/${at}`, { operationId: `thing${at}`, parameters, requestBody, responses }];
  });
  const Thing = { type: "object", properties: { id: { type: "integer" }, more: reference } };
  return { document: documentWith(Object.fromEntries(operations), { components: { schemas: { Thing } } }), seen };
}

test("a thousand operations are registered, listed and told of without a look at their schemas", async () => {
  const { document, seen } = watchedDocument(1000);
  const { registry, source, about } = await mounted({ document, baseUrl: "http://127.0.0.1:9" });
  expect(registry.list()).toHaveLength(1000);
  expect(source.health().operations).toBe(1000);
  for (const { name } of registry.list()) expect(about(name)["method"]).toBe("POST");
  expect(listOperations(registry.list())["operations"]).toHaveLength(1000);
  expect(seen.size).toBe(0);
});

test("a server lists them without a look at their schemas, and describes one with a look at its own", async () => {
  const { document, seen } = watchedDocument(50);
  const { registry } = await mounted({ document, baseUrl: "http://127.0.0.1:9" });
  const server = await serveHttp({ registry });
  try {
    const listing = (await (await fetch(`${server.url}/operations`)).json()) as { operations: unknown[] };
    expect(listing.operations).toHaveLength(50);
    expect(seen.size).toBe(0);
    const one = (await (await fetch(`${server.url}/operations/api.thing7`)).json()) as { inputSchema: object };
    expect(Object.keys((one.inputSchema as { properties: object }).properties)).toEqual(["q", "id", "more"]);
    expect([...seen]).toEqual([7]);
  } finally {
    await server.close();
  }
});

test("a call looks at the schemas of its operation, once", async () => {
  const { document, seen } = watchedDocument(50);
  const { url } = await httpServer((_, response) => sendJson(response, { id: 5 }));
  const { call, about } = await mounted({ document, baseUrl: url });
  expect((await call("thing3", { q: "a" })).data).toEqual({ id: 5 });
  expect([...seen]).toEqual([3]);
  seen.clear();
  await call("thing3", { id: 5 });
  expect(about("thing3")["warnings"]).toBeUndefined();
  expect([...seen]).toEqual([]);
});
