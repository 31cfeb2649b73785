// MCP calls a second, stdio and HTTP: Plico to Plico against the SDK to itself and the least that can be done, in one run.
// A hop (HTTP in, stdio out) is measured against mcp-proxy.
import { fork, spawn } from "node:child_process";
import { once } from "node:events";
import { Agent, request } from "node:http";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { mountSource, OperationRegistry } from "plico";
import { mcpSource } from "plico/sources/mcp";
import { commandOf } from "./mcp-peers.mjs";
import { median } from "./ratio.mjs";

const [node, ...rest] = commandOf("");
const script = rest.find((word) => word.endsWith(".mjs"));
const closers = [];
let next = 0;

const check = (sum, a) => {
  if (sum !== a + 1) throw new Error(`wrong sum: ${sum}`);
};

async function serve(name) {
  const child = fork(script, [name], { stdio: ["ignore", "ignore", "inherit", "ipc"] });
  closers.push(() => child.kill());
  const [port] = await once(child, "message");
  return `http://127.0.0.1:${port}/mcp`;
}

async function proxy() {
  const bin = new URL("../node_modules/mcp-proxy/dist/bin/mcp-proxy.mjs", import.meta.url).pathname;
  const port = await freePort();
  const words = ["--port", port, "--host", "127.0.0.1", "--server", "stream", "--", ...commandOf("raw-stdio")];
  const child = spawn(node, [bin, ...words], { stdio: ["ignore", "ignore", "ignore"] });
  closers.push(() => child.kill());
  const url = `http://127.0.0.1:${port}/mcp`;
  for (let tries = 0; tries < 100; tries++) {
    if (
      (await fetch(url).then(
        (response) => response.body?.cancel() ?? true,
        () => false,
      )) !== false
    )
      return url;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error("mcp-proxy does not start");
}

async function freePort() {
  const { createServer } = await import("node:net");
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  return String(port);
}

const GREETING = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "raw", version: "1" } };

/** The least that a client can do, over pipes. */
async function rawStdio(name) {
  const [command, ...words] = commandOf(name);
  const child = spawn(command, words, { stdio: ["pipe", "pipe", "inherit"] });
  closers.push(() => child.kill());
  const waiting = new Map();
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (chunk) => {
    const lines = (text + chunk).split("\n");
    text = lines.pop();
    for (const line of lines) {
      const { id, result } = JSON.parse(line);
      waiting.get(id)?.(result);
      waiting.delete(id);
    }
  });
  let out = "";
  const flush = () => {
    child.stdin.write(out);
    out = "";
  };
  const send = (message) => {
    if (out === "") setImmediate(flush);
    out += `${JSON.stringify(message)}\n`;
  };
  const ask = (id, method, params) =>
    new Promise((resolve) => {
      waiting.set(id, resolve);
      send({ jsonrpc: "2.0", id, method, params });
    });
  await ask("hello", "initialize", GREETING);
  send({ jsonrpc: "2.0", method: "notifications/initialized" });
  return async () => {
    const a = ++next;
    const result = await ask(a, "tools/call", { name: "bench_add", arguments: { a, b: 1 } });
    check(result.structuredContent.sum, a);
  };
}

/** The least that a client can do, over HTTP. */
async function rawHttp(url, tool = "bench_add") {
  const agent = new Agent({ keepAlive: true, maxSockets: 256 });
  closers.push(() => agent.destroy());
  const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  const post = (message) =>
    new Promise((resolve, reject) => {
      const body = JSON.stringify(message);
      const sent = request(url, {
        method: "POST",
        agent,
        headers: { ...headers, "content-length": Buffer.byteLength(body) },
      });
      sent.on("error", reject).on("response", (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (chunk) => (text += chunk));
        response.on("end", () => resolve({ text, session: response.headers["mcp-session-id"] }));
      });
      sent.end(body);
    });
  const { session } = await post({ jsonrpc: "2.0", id: "hello", method: "initialize", params: GREETING });
  if (session !== undefined)
    Object.assign(headers, { "mcp-session-id": session, "mcp-protocol-version": "2025-06-18" });
  await post({ jsonrpc: "2.0", method: "notifications/initialized" });
  return async () => {
    const a = ++next;
    const params = { name: tool, arguments: { a, b: 1 } };
    const { text } = await post({ jsonrpc: "2.0", id: a, method: "tools/call", params });
    const json = text.startsWith("{") ? text : text.slice(text.indexOf("data: ") + 6).split("\n")[0];
    check(JSON.parse(json).result.structuredContent.sum, a);
  };
}

async function sdk(transport, mode = "legacy") {
  const client = new Client({ name: "sdk", version: "1" }, { versionNegotiation: { mode } });
  await client.connect(transport);
  closers.push(() => client.close());
  return async () => {
    const a = ++next;
    const { structuredContent } = await client.callTool({ name: "bench_add", arguments: { a, b: 1 } });
    check(structuredContent.sum, a);
  };
}

function sdkStdio(name, mode) {
  const [command, ...args] = commandOf(name);
  return sdk(new StdioClientTransport({ command, args }), mode);
}

const sdkHttp = (url, mode) => sdk(new StreamableHTTPClientTransport(new URL(url)), mode);

async function plico(options) {
  const source = await mcpSource({ name: "bench", ...options });
  closers.push(() => source.close());
  const registry = new OperationRegistry();
  mountSource(registry, source);
  return async () => {
    const a = ++next;
    const { data } = await registry.execute("bench.bench_add", { a, b: 1 });
    check(data.sum, a);
  };
}

/** Calls a second with so many in flight. */
async function rate(call, inFlight, milliseconds) {
  const end = performance.now() + milliseconds;
  const start = performance.now();
  let calls = 0;
  const lane = async () => {
    while (performance.now() < end) {
      await call();
      calls++;
    }
  };
  await Promise.all(Array.from({ length: inFlight }, lane));
  return (calls / (performance.now() - start)) * 1000;
}

/** The cases take turns, so that a noisy machine disturbs all alike. */
async function measure(title, cases, goals) {
  console.log(`\n${title}: calls a second, and of the limit`);
  for (const inFlight of [1, 32, 256]) {
    const rates = Object.fromEntries(Object.keys(cases).map((name) => [name, []]));
    for (const call of Object.values(cases)) await rate(call, inFlight, 400);
    for (let round = 0; round < 7; round++)
      for (const [name, call] of Object.entries(cases)) rates[name].push(await rate(call, inFlight, 250));
    const middle = Object.fromEntries(Object.entries(rates).map(([name, all]) => [name, median(all)]));
    const [limit] = Object.values(middle);
    console.log(`  ${inFlight} in flight`);
    for (const [name, value] of Object.entries(middle))
      console.log(`    ${name.padEnd(40)} ${Math.round(value).toString().padStart(7)}  ${(value / limit).toFixed(2)}`);
    for (const { name, to, goal } of goals) {
      const ratio = middle[name] / middle[to];
      console.log(
        `    ${`${name} / ${to}`.padEnd(48)} ${ratio.toFixed(2)}  goal ${goal}  ${ratio >= goal ? "ok" : "MISSED"}`,
      );
    }
  }
}

async function closeAll() {
  for (const close of closers.splice(0).reverse()) await close();
}

const only = process.argv[2];

if (only === undefined || only === "stdio") {
  await measure(
    "stdio",
    {
      "raw client > raw server (limit)": await rawStdio("raw-stdio"),
      "SDK > SDK, 2025": await sdkStdio("sdk-stdio"),
      "SDK > SDK, 2026-07-28": await sdkStdio("sdk-stdio", "auto"),
      "Plico > Plico": await plico({ command: commandOf("plico-stdio") }),
      "Plico > raw server": await plico({ command: commandOf("raw-stdio") }),
      "raw client > Plico": await rawStdio("plico-stdio"),
    },
    [{ name: "Plico > Plico", to: "SDK > SDK, 2025", goal: 1 }],
  );
  await closeAll();
}

if (only === undefined || only === "http") {
  const raw = await serve("raw-http");
  const ours = await serve("plico-http");
  await measure(
    "HTTP",
    {
      "raw client > raw server (limit)": await rawHttp(raw),
      "SDK > SDK, 2025 (its default, events)": await sdkHttp(await serve("sdk-http")),
      "SDK > SDK, 2026-07-28": await sdkHttp(await serve("sdk-http-modern"), "auto"),
      "Plico > Plico": await plico({ url: ours }),
      "Plico > raw server": await plico({ url: raw }),
      "raw client > Plico": await rawHttp(ours),
    },
    [{ name: "Plico > Plico", to: "SDK > SDK, 2025 (its default, events)", goal: 1.8 }],
  );
  await closeAll();
}

if (only === undefined || only === "hop") {
  const raw = await serve("raw-http");
  await measure(
    "a hop, HTTP in, stdio out",
    {
      "raw client > raw server (limit, no hop)": await rawHttp(raw),
      "raw client > Plico > raw server": await rawHttp(await serve("plico-hop")),
      "raw client > mcp-proxy > raw server": await rawHttp(await proxy()),
    },
    [{ name: "raw client > Plico > raw server", to: "raw client > mcp-proxy > raw server", goal: 2 }],
  );
  await closeAll();
}
