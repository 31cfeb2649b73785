import type { Client } from "@modelcontextprotocol/client";
import { afterEach, describe, expect, test } from "vitest";
import { registryOf } from "../../registry/fixtures/operations.js";
import { createResultStore, type ResultStore } from "../../results/result-store.js";
import { type Connection, connect } from "./fixtures/clients.js";
import { ROWS } from "./fixtures/tools.js";

let connection: Connection | undefined;

afterEach(async () => connection?.close());

async function serve(results?: ResultStore): Promise<Client> {
  const rows = Array.from({ length: 1_000 }, (_, at) => at);
  const registry = registryOf(() => ({ rows }), { outputSchema: ROWS });
  connection = await connect(
    { registry, budget: 300, ...(results !== undefined && { results }) },
    { carrier: "stdio" },
  );
  return connection.client;
}

async function linkFrom(client: Client): Promise<string> {
  const { content } = await client.callTool({ name: "test_run" });
  const link = content.find((block) => block.type === "resource_link");
  return link?.type === "resource_link" ? link.uri : "";
}

describe("a result that is read", () => {
  test("says what of it was really read, how much there is, and where it goes on", async () => {
    const client = await serve();
    const uri = await linkFrom(client);
    const { contents } = await client.readResource({ uri });
    const next = `${uri}?bytes=300-`;
    expect(contents).toMatchObject([
      {
        uri: `${uri}?bytes=0-300`,
        mimeType: "text/plain",
        _meta: { "plico/total": JSON.stringify({ rows: [...Array(1_000).keys()] }).length, "plico/next": next },
      },
      { mimeType: "text/plain", text: expect.stringContaining(next) },
    ]);
  });

  test("is one part only, where it is just what was asked for", async () => {
    const client = await serve();
    const uri = `${await linkFrom(client)}?pointer=/rows&items=10-12`;
    const { contents } = await client.readResource({ uri });
    expect(contents).toMatchObject([{ uri, text: "[10,11]", _meta: { "plico/next": uri.replace("10-12", "12-14") } }]);
  });

  test("has nothing that follows, where it was read to its end", async () => {
    const client = await serve();
    const uri = await linkFrom(client);
    const { contents } = await client.readResource({ uri: `${uri}?pointer=/rows&items=990-` });
    expect(contents).toHaveLength(1);
    expect(contents[0]?.uri).toBe(`${uri}?pointer=/rows&items=990-1000`);
    expect(contents[0]?._meta).not.toHaveProperty("plico/next");
  });

  test("blames nobody's request where its store fails", async () => {
    const store = createResultStore();
    const client = await serve({
      put: (json, about) => store.put(json, about),
      read: () => Promise.reject(new Error("no")),
      close: () => store.close(),
    });
    await expect(client.readResource({ uri: await linkFrom(client) })).rejects.toMatchObject({ code: -32603 });
    await store.close();
  });
});
