import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { describe, test } from "vitest";
import { OperationRegistry } from "../src/registry/registry.js";
import { mountSource } from "../src/registry/source.js";
import { type McpServerOptions, serveMcpHttp, serveMcpStdio } from "../src/servers/mcp/index.js";
import { type McpSourceOptions, mcpSource } from "../src/sources/mcp/index.js";
import { type RoundTrip, testServer } from "../src/testing/test-server.js";

/** Hands its pipes on to a port, so that a server in this process is behind the pipes of a real process. */
const RELAY = `
  const socket = require("node:net").connect(Number(process.argv[1]), "127.0.0.1");
  process.stdin.pipe(socket).pipe(process.stdout);
`;

type Era = "legacy" | "modern";
type Serving = Omit<McpServerOptions, "registry">;

async function overStdio(registry: OperationRegistry, era: Era, serving: Serving): Promise<RoundTrip> {
  const relay = createServer((socket: Socket) =>
    serveMcpStdio({ ...serving, registry, stdin: socket, stdout: socket }),
  );
  relay.listen(0, "127.0.0.1");
  await once(relay, "listening");
  const { port } = relay.address() as AddressInfo;
  const command = [process.execPath, "-e", RELAY, String(port)];
  return imported({ name: "remote", command, era }, async () => {
    relay.close();
  });
}

async function overHttp(registry: OperationRegistry, era: Era, serving: Serving): Promise<RoundTrip> {
  const server = await serveMcpHttp({ ...serving, registry });
  return imported({ name: "remote", url: server.url, era }, () => server.close());
}

async function imported(options: McpSourceOptions, close: () => Promise<void>): Promise<RoundTrip> {
  const source = await mcpSource(options);
  const registry = new OperationRegistry();
  mountSource(registry, source);
  return {
    attempt: (id, input, call) => registry.attempt(`remote.${id.replace(".", "_")}`, input, call),
    async close() {
      await source.close();
      await close();
    },
  };
}

const SERVINGS: Readonly<Record<string, Serving>> = {
  plain: {},
  "tool-response": { layout: "tool-response" },
  "tool-envelope-v1": { layout: "tool-envelope-v1" },
  "for models": { channels: "model" },
  "for programs": { channels: "program" },
};

/** Without a structure a text is all there is, and what it is cannot be told from what it tells of. */
const ONLY_TEXT = "sent for models, a text is a block of content";
const SKIPPED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "for models": {
    "answers with an empty string": ONLY_TEXT,
    "answers with a string": ONLY_TEXT,
    "answers with a text by its schema": ONLY_TEXT,
    "answers with a mcp origin": ONLY_TEXT,
    "answers with a failure that says nothing": ONLY_TEXT,
  },
};

describe.each(["legacy", "modern"] as const)("served by Plico and imported by Plico, %s", (era) => {
  for (const [layout, serving] of Object.entries(SERVINGS)) {
    const options = { skip: SKIPPED[layout] ?? {} };
    const stdio = testServer(`stdio, ${layout}`, (registry) => overStdio(registry, era, serving), options);
    const http = testServer(`HTTP, ${layout}`, (registry) => overHttp(registry, era, serving), options);
    for (const { label, run } of [...stdio, ...http]) test(label, run);
  }
});
