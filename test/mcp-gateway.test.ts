import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterEach, describe, expect, test } from "vitest";
import { CallError } from "../src/envelope/call-error.js";
import { mcpEnvelope } from "../src/envelope/response-envelope.js";
import { defineOperation } from "../src/registry/operation.js";
import { OperationRegistry } from "../src/registry/registry.js";
import { mountSource } from "../src/registry/source.js";
import { serveMcpHttp } from "../src/servers/mcp/index.js";
import { Tool } from "../src/servers/mcp/tool.js";
import { mcpSource } from "../src/sources/mcp/index.js";
import { operationsFromTools } from "../src/sources/mcp/operation-from-tool.js";

const closers: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const ABOUT = { namespace: "far", version: "1.0.0", type: "query", description: "", inputSchema: true } as const;

/** All that a tool may say, and more than MCP knows today. */
const SAID = {
  content: [
    { type: "text", text: '{ "a" : 1.0 }', annotations: { priority: 1 } },
    { type: "image", data: "AA==", mimeType: "image/png" },
    { type: "later", a: [1] },
  ],
  structuredContent: { a: 1, more: { deep: true } },
  _meta: { "example/trace": "t" },
};

const far = new OperationRegistry().registerAll([
  defineOperation({
    ...ABOUT,
    name: "say",
    outputSchema: true,
    handler: () => mcpEnvelope(SAID.structuredContent as unknown, { isError: false, ...SAID } as never),
  }),
  defineOperation({
    ...ABOUT,
    name: "nothing",
    outputSchema: true,
    handler: () => mcpEnvelope([] as unknown, { isError: false, content: [] }),
  }),
  defineOperation({
    ...ABOUT,
    name: "ask",
    outputSchema: { type: "object" },
    handler: (_, { metadata }) => {
      const answers = metadata?.["inputResponses"] as { name?: { content?: { name?: string } } } | undefined;
      if (answers?.name !== undefined) return { hello: answers.name.content?.name, state: metadata?.["requestState"] };
      const requestedSchema = { type: "object", properties: { name: { type: "string" } } };
      const params = { mode: "form", message: "Who is it?", requestedSchema };
      const details = { inputRequests: { name: { method: "elicitation/create", params } }, requestState: "kept" };
      throw new CallError({ category: "execution", code: "INPUT_REQUIRED", message: "Who?", details });
    },
  }),
]) as OperationRegistry;

/** A server, a gateway before it, and a client of the gateway. */
async function connect(backEra: "legacy" | "modern", frontMode: "legacy" | "auto"): Promise<Client> {
  const back = await serveMcpHttp({ registry: far, toolNames: "bare" });
  closers.push(() => back.close());
  const source = await mcpSource({ name: "far", url: back.url, era: backEra });
  closers.push(() => source.close());
  const registry = new OperationRegistry();
  mountSource(registry, source);
  const gateway = await serveMcpHttp({ registry, toolNames: "bare" });
  closers.push(() => gateway.close());
  const info = { name: "front", version: "1" };
  const capabilities = { elicitation: { form: {} } };
  const client = new Client(info, { capabilities, versionNegotiation: { mode: frontMode } });
  client.setRequestHandler("elicitation/create", () => ({ action: "accept", content: { name: "Ada" } }));
  await client.connect(new StreamableHTTPClientTransport(new URL(gateway.url)));
  closers.push(() => client.close());
  return client;
}

/** What arrives, whatever the SDK would make of it. */
async function resultOf(client: Client, name: string): Promise<Record<string, unknown>> {
  const anything = { "~standard": { version: 1, vendor: "test", validate: (value: unknown) => ({ value }) } } as const;
  const request = { method: "tools/call", params: { name, arguments: {} } };
  return (await client.request(request as never, anything as never)) as Record<string, unknown>;
}

const ERAS = [
  ["legacy", "legacy"],
  ["legacy", "auto"],
  ["modern", "legacy"],
  ["modern", "auto"],
] as const;

describe.each(ERAS)("a gateway to a server of the %s era, for a client that speaks %s", (back, front) => {
  test("passes on what a tool said, and leaves nothing out", async () => {
    // The SDK's client of the modern era refuses blocks that it does not know.
    const client = await connect(back, front === "auto" ? "legacy" : front);
    const result = await resultOf(client, "say");
    expect(result).toMatchObject(SAID);
  });

  test("passes on that a tool said nothing, which strict clients accept", async () => {
    const client = await connect(back, front);
    const result = await client.callTool({ name: "nothing", arguments: {} });
    expect(result).toMatchObject({ content: [] });
    expect(result.structuredContent).toBeUndefined();
    expect(result.isError ?? false).toBe(false);
  });

  test("takes a tool's question to the client, and the answer back", async () => {
    const client = await connect(back, front);
    const { structuredContent } = await client.callTool({ name: "ask", arguments: {} });
    expect(structuredContent).toEqual({ hello: "Ada", state: "kept" });
  });
});

test("a tool behind Plico is listed with all that its server says of it", () => {
  const listed = {
    name: "draw",
    title: "Draw",
    description: "Draws.",
    inputSchema: { type: "object", properties: { what: { type: "string" } } },
    annotations: { title: "Drawing", readOnlyHint: true, futureHint: "x" },
    icons: [{ src: "data:image/png;base64,AA==" }],
    _meta: { "example/colour": "red" },
  };
  const options = { namespace: "far", unfold: true, handlerOf: () => () => [] };
  const [operation] = operationsFromTools([listed], options);
  if (operation === undefined) throw new Error("there is no operation");
  const { definition } = new Tool(operation.spec, { name: "draw", layout: "plain", channels: "both" });
  expect(definition).toMatchObject(listed);
  expect(Object.keys(definition._meta ?? {})).toEqual(["example/colour", "plico/operation"]);
});
