// The processes that bench/mcp.mjs talks to, one by name: servers that add two numbers.
import { createServer } from "node:http";
import { pathToFileURL } from "node:url";
import { setFlagsFromString } from "node:v8";

const inputSchema = {
  type: "object",
  properties: { a: { type: "number" }, b: { type: "number" } },
  required: ["a", "b"],
};
const outputSchema = { type: "object", properties: { sum: { type: "number" } }, required: ["sum"] };
const add = async ({ a, b }) => ({ sum: a + b });
const resultOf = (sum) => ({ content: [{ type: "text", text: JSON.stringify(sum) }], structuredContent: sum });

const tool = { name: "bench_add", description: "Adds.", inputSchema, outputSchema };

/** The least that a server can do. */
async function rawAnswer({ method, params }) {
  if (method === "tools/call") return resultOf(await add(params.arguments));
  if (method === "tools/list") return { tools: [tool] };
  if (method === "initialize")
    return {
      protocolVersion: params.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: "raw", version: "1" },
    };
  return {};
}

const rawReply = async (message) =>
  message.method === "server/discover"
    ? JSON.stringify({ jsonrpc: "2.0", id: message.id, error: { code: -32601, message: "Method not found" } })
    : JSON.stringify({ jsonrpc: "2.0", id: message.id, result: await rawAnswer(message) });

function eachLine(stream, onLine) {
  let rest = "";
  stream.setEncoding("utf8");
  stream.on("data", (chunk) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop();
    for (const line of lines) if (line !== "") onLine(line);
  });
}

function listen(handle) {
  const server = createServer(handle).listen(0, "127.0.0.1", () => process.send(server.address().port));
}

async function bodyOf(request) {
  const parts = [];
  for await (const part of request) parts.push(part);
  return JSON.parse(Buffer.concat(parts));
}

async function sdkServer() {
  const { McpServer } = await import("@modelcontextprotocol/server");
  const { z } = await import("zod");
  return () => {
    const server = new McpServer({ name: "sdk", version: "1" });
    const shape = { a: z.number(), b: z.number() };
    const config = { inputSchema: z.object(shape), outputSchema: z.object({ sum: z.number() }) };
    server.registerTool("bench_add", config, async (input) => resultOf(await add(input)));
    return server;
  };
}

async function registry() {
  const { defineOperation, OperationRegistry } = await import("plico");
  const about = { namespace: "bench", name: "add", version: "1.0.0", type: "query", description: "Adds." };
  return new OperationRegistry().register(defineOperation({ ...about, inputSchema, outputSchema, handler: add }));
}

const SERVERS = {
  "raw-stdio": () => {
    let out = "";
    const flush = () => {
      process.stdout.write(out);
      out = "";
    };
    eachLine(process.stdin, async (line) => {
      const message = JSON.parse(line);
      if (message.id === undefined) return;
      const reply = await rawReply(message);
      if (out === "") setImmediate(flush);
      out += `${reply}\n`;
    });
  },
  "raw-http": () =>
    listen(async (request, response) => {
      if (request.method !== "POST") return response.writeHead(405).end();
      const message = await bodyOf(request);
      if (message.id === undefined) return response.writeHead(202).end();
      const reply = Buffer.from(await rawReply(message));
      response.writeHead(200, { "content-type": "application/json", "content-length": reply.length }).end(reply);
    }),
  "sdk-stdio": async () => {
    const { serveStdio } = await import("@modelcontextprotocol/server/stdio");
    serveStdio(await sdkServer());
  },
  /** As the SDK documents it: one server a session, answers as events. */
  "sdk-http": async () => {
    const { NodeStreamableHTTPServerTransport } = await import("@modelcontextprotocol/node");
    const make = await sdkServer();
    const sessions = new Map();
    listen(async (request, response) => {
      let transport = sessions.get(request.headers["mcp-session-id"]);
      if (transport === undefined) {
        transport = new NodeStreamableHTTPServerTransport({
          sessionIdGenerator: () => crypto.randomUUID(),
          onsessioninitialized: (id) => sessions.set(id, transport),
        });
        await make().connect(transport);
      }
      await transport.handleRequest(request, response);
    });
  },
  "sdk-http-modern": async () => {
    const { createMcpHandler } = await import("@modelcontextprotocol/server");
    const { toNodeHandler } = await import("@modelcontextprotocol/node");
    listen(toNodeHandler(createMcpHandler(await sdkServer())));
  },
  "plico-stdio": async () => {
    const { serveMcpStdio } = await import("plico/servers/mcp");
    serveMcpStdio({ registry: await registry() });
  },
  "plico-http": async () => {
    const { serveMcpHttp } = await import("plico/servers/mcp");
    const { url } = await serveMcpHttp({ registry: await registry() });
    process.send(Number(new URL(url).port));
  },
  /** HTTP in, stdio out. */
  "plico-hop": async () => {
    const { OperationRegistry, mountSource } = await import("plico");
    const { mcpSource } = await import("plico/sources/mcp");
    const { serveMcpHttp } = await import("plico/servers/mcp");
    const all = new OperationRegistry();
    mountSource(all, await mcpSource({ name: "bench", command: commandOf("raw-stdio") }));
    const { url } = await serveMcpHttp({ registry: all, toolNames: "bare" });
    process.send(Number(new URL(url).port));
  },
};

/** How to start one of them. */
export function commandOf(name) {
  return [process.execPath, ...process.execArgv, new URL(import.meta.url).pathname, name];
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  setFlagsFromString("--max-semi-space-size=32");
  await SERVERS[process.argv[2]]();
}
