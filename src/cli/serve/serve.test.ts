import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connected, httpTransport } from "../../servers/mcp/fixtures/clients.js";
import { runCaptured } from "../fixtures/run-captured.js";
import { type StayingCommand, stayingCommand } from "../fixtures/staying-command.js";

let folder = "";
let api: Server;

/** One operation, `math.next`: the number that follows. */
const DOCUMENT = {
  openapi: "3.1.0",
  info: { title: "Numbers", version: "1.0.0" },
  paths: {
    "/next": {
      get: {
        operationId: "next",
        parameters: [{ name: "a", in: "query", required: true, schema: { type: "integer" } }],
        responses: { 200: { description: "ok", content: { "application/json": { schema: { type: "object" } } } } },
      },
    },
  },
};

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "plico-serve-"));
  api = createServer(({ url }, response) => {
    const next = Number(new URL(url ?? "", "http://x").searchParams.get("a")) + 1;
    response.setHeader("content-type", "application/json").end(JSON.stringify({ next }));
  }).listen(0, "127.0.0.1");
  await once(api, "listening");
  const { port } = api.address() as AddressInfo;
  const servers = [{ url: `http://127.0.0.1:${port}` }];
  writeFileSync(join(folder, "math.json"), JSON.stringify({ ...DOCUMENT, servers }));
  configure("plico.json", { math: MATH });
});

afterAll(async () => {
  await new Promise((resolve) => api.close(resolve));
  rmSync(folder, { recursive: true, force: true });
});

const MATH = { openapi: "./math.json", allowPrivate: true };

function configure(name: string, sources: unknown): void {
  writeFileSync(join(folder, name), JSON.stringify({ sources }));
}

async function serving(...words: readonly string[]): Promise<StayingCommand & { readonly url: string }> {
  const command = stayingCommand(["serve", "--port", "0", ...words], folder);
  await command.until(/healthz/);
  const [url = ""] = /http:\/\/127\.0\.0\.1:\d+/.exec(command.written()) ?? [];
  return { ...command, url };
}

async function getJson(url: string): Promise<unknown> {
  return (await fetch(url)).json();
}

describe("plico serve", () => {
  test("says where everything is and which sources came up, and ends in good order", async () => {
    const { url, until, end } = await serving();
    await until(/math is up/);
    expect(await getJson(`${url}/healthz`)).toMatchObject({ status: "ok", sources: [{ name: "math" }] });
    const client = await connected(httpTransport(`${url}/mcp`), {});
    expect(await client.callTool({ name: "math_next", arguments: { a: 1 } })).toMatchObject({
      structuredContent: { next: 2 },
    });
    await client.close();
    const { code, out } = await end("SIGTERM");
    expect(code).toBe(0);
    for (const path of ["/mcp", "/operations", "/openapi.json", "/healthz"]) expect(out).toContain(`${url}${path}`);
    await expect(fetch(url)).rejects.toThrow();
  });

  test("serves all others where one is broken, and says why", async () => {
    configure("broken.json", { math: MATH, gone: { mcp: ["no-such-program-of-plico"] } });
    const { url, until, end } = await serving("--config", "broken.json");
    await until(/gone is down/);
    await until(/math is up/);
    expect(await getJson(`${url}/healthz`)).toMatchObject({ status: "degraded" });
    expect(await end()).toMatchObject({ code: 0 });
  });

  test("follows its file", async () => {
    configure("followed.json", { math: MATH });
    const { url, until, end } = await serving("--config", "followed.json");
    await until(/math is up/);
    configure("followed.json", { more: MATH });
    await until(/read again/);
    expect(await getJson(`${url}/operations`)).toMatchObject({ operations: [{ id: "more.next" }] });
    writeFileSync(join(folder, "followed.json"), "{ sources");
    await until(/cannot be used/);
    expect(await getJson(`${url}/operations`)).toMatchObject({ operations: [{ id: "more.next" }] });
    await end();
  });

  test("writes nothing but JSON where that is wanted", async () => {
    const { until, end } = await serving("--log-format", "json", "--log-level", "debug");
    await until(/math is up/);
    const { out } = await end();
    const lines = out.trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line))).toContainEqual(
      expect.objectContaining({ level: "info", mcp: expect.stringContaining("/mcp") }),
    );
  });

  test("takes its sources from flags, and offers a search of them", async () => {
    const { url, until, end } = await serving("--openapi", "math.json", "--search", "on");
    await until(/math is up/);
    const client = await connected(httpTransport(`${url}/mcp`), {});
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain("search_operations");
    await client.close();
    await end();
  });

  test("keeps what was called, and answers from it without the source", async () => {
    const file = join(folder, "calls.jsonl");
    const call = async (url: string): Promise<unknown> => {
      const headers = { "content-type": "application/json" };
      return (await fetch(`${url}/operations/math.next`, { method: "POST", headers, body: '{"a":41}' })).json();
    };
    const recording = await serving("--record", file);
    await recording.until(/math is up/);
    expect(await call(recording.url)).toMatchObject({ data: { next: 42 } });
    expect(await recording.end()).toMatchObject({ code: 0 });
    const replaying = await serving("--replay", file);
    expect(await call(replaying.url)).toMatchObject({ data: { next: 42 } });
    expect(await replaying.end()).toMatchObject({ code: 0 });
  });
});

describe("a call of plico serve that is none", () => {
  test.each([
    [["serve", "files"]],
    [["serve", "--port", "70000"]],
    [["serve", "--port", "x"]],
    [["serve", "--search", "maybe"]],
    [["serve", "--log-level", "loud"]],
    [["serve", "--log-format", "xml"]],
    [["serve", "--stdio", "--port", "1"]],
    [["serve", "--record", "a", "--replay", "b"]],
    [["serve", "--replay", "no-such-file.jsonl"]],
    [["serve", "--config", "no-such-file.json"]],
    [["serve", "--host", "0.0.0.0"]],
  ])("is %j", async (argv) => {
    const { code, err } = await runCaptured(argv, { cwd: folder });
    expect(code).toBe(2);
    expect(err).not.toContain("fault of Plico");
  });

  test("could have been helped by the help, which has all values", async () => {
    const { out } = await runCaptured(["serve", "--help"]);
    for (const line of [/^ +--search off\|on\|auto /m, /^LEVEL: debug, info, warn, error, silent$/m])
      expect(out).toMatch(line);
  });

  test("names the value that was meant", async () => {
    expect((await runCaptured(["serve", "--log-level", "eror"], { cwd: folder })).err).toContain("did you mean error?");
    expect((await runCaptured(["record", "x", "--search", "of"], { cwd: folder })).err).toContain("did you mean off?");
  });

  test("is one for a port that is taken, told in one line", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => other.once("listening", resolve));
    const { port } = other.address() as AddressInfo;
    const { code, err } = await runCaptured(["serve", "--port", String(port)], { cwd: folder });
    await new Promise((resolve) => other.close(resolve));
    expect(code).toBe(2);
    expect(err.trimEnd().split("\n")).toEqual([expect.stringContaining(String(port))]);
  });
});
