// A registry as an MCP server over HTTP, and the official client that uses it.
import assert from "node:assert/strict";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { CallError, defineOperation, OperationRegistry } from "plico";
import { serveMcpHttp } from "plico/servers/mcp";

const about = { namespace: "stock", version: "1.0.0" };

const find = defineOperation({
  ...about,
  name: "find",
  type: "query",
  description: "How many of an article there are.",
  inputSchema: { type: "object", properties: { sku: { type: "string" } }, required: ["sku"] },
  outputSchema: { type: "object", properties: { left: { type: "integer" } }, required: ["left"] },
  handler: ({ sku }, { progress }) => {
    progress(1, 2, "looking");
    if (sku !== "cup")
      throw new CallError({ category: "not_found", message: `There is no ${sku}.`, nextTool: "stock_list" });
    return { left: 3 };
  },
});

const list = defineOperation({
  ...about,
  name: "list",
  type: "query",
  description: "All there is, which is much.",
  inputSchema: { type: "object" },
  outputSchema: { type: "array", items: { type: "string" } },
  handler: () => Array.from({ length: 10_000 }, (_, at) => `article ${at}`),
});

const clear = defineOperation({
  ...about,
  name: "clear",
  type: "mutation",
  description: "Throws everything away.",
  inputSchema: { type: "object" },
  outputSchema: { type: "null" },
  accessControl: { requiredScopes: ["stock:write"] },
  handler: () => null,
});

// 1. One endpoint for clients of every revision. It is checked who calls; only then anything is read.
const server = await serveMcpHttp({
  registry: new OperationRegistry().registerAll([find, list, clear]),
  info: { name: "stock", version: "1.0.0" },
  authorize: ({ headers }) => {
    if (headers.authorization !== "Bearer secret")
      throw new CallError({ category: "authentication", message: "A token is needed." });
    return { id: "ada", scopes: ["stock:read"] };
  },
});
assert.equal((await fetch(server.url, { method: "POST" })).status, 401);

for (const mode of ["legacy", "auto"]) {
  const client = new Client({ name: "example", version: "1.0.0" }, { versionNegotiation: { mode } });
  const requestInit = { headers: { authorization: "Bearer secret" } };
  await client.connect(new StreamableHTTPClientTransport(new URL(server.url), { requestInit }));

  // 2. Operations are tools; those that the caller may not use are not shown.
  const { tools } = await client.listTools();
  assert.deepEqual(
    tools.map(({ name }) => name),
    ["stock_find", "stock_list"],
  );

  // 3. The data is there for models and for programs, and progress arrives on the way.
  const reports = [];
  const cup = { name: "stock_find", arguments: { sku: "cup" } };
  const found = await client.callTool(cup, { onprogress: (report) => reports.push(report.message) });
  assert.deepEqual(found.structuredContent, { left: 3 });
  assert.equal(found.content[0].text, '{"left":3}');
  assert.deepEqual(reports, ["looking"]);

  // 4. An error keeps all that it says, in words and for programs.
  const failed = await client.callTool({ name: "stock_find", arguments: { sku: "moon" } });
  assert.equal(failed.isError, true);
  assert.match(failed.content[0].text, /There is no moon/);
  assert.equal(failed._meta.plico.error.nextTool, "stock_list");

  // 5. What would flood a model is a preview that matches its schema, and a link to the whole.
  const { content, structuredContent } = await client.callTool({ name: "stock_list" });
  assert.ok(structuredContent.result.length < 10_000);
  const { uri } = content.find(({ type }) => type === "resource_link");
  const part = await client.readResource({ uri: `${uri}?items=9998-10000` });
  assert.deepEqual(JSON.parse(part.contents[0].text), ["article 9998", "article 9999"]);

  console.log(`${client.getNegotiatedProtocolVersion()}: ${structuredContent.result.length} of 10000 articles at once`);
  await client.close();
}

// 6. Nothing is left behind.
await server.close();
console.log("closed");
