import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connected, httpTransport } from "../servers/mcp/fixtures/clients.js";
import { type Captured, runCaptured } from "./fixtures/run-captured.js";
import type { Signal } from "./io.js";

let folder = "";

const MODULE = `
const common = { version: "1.0.0", type: "query", description: "Of a test.", outputSchema: {} };
export const add = {
  id: "math.add",
  spec: { ...common, namespace: "math", name: "add", inputSchema: { type: "object", properties: { a: { type: "number" } } } },
  handler: ({ a }) => a + 1,
};
`;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "plico-serve-"));
  writeFileSync(join(folder, "math.mjs"), MODULE);
  configure({ math: { module: "./math.mjs" } });
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function configure(sources: unknown, rest: object = {}, name = "plico.json"): void {
  writeFileSync(join(folder, name), JSON.stringify({ sources, ...rest }));
}

/** The command while it serves. */
interface Serving {
  readonly url: string;
  /** Until the pattern was written. */
  until(pattern: RegExp): Promise<void>;
  end(signal?: Signal): Promise<Captured>;
}

async function serving(...words: readonly string[]): Promise<Serving> {
  let send: (signal: Signal) => void = () => {};
  let written = "";
  let wake: () => void = () => {};
  const ended = runCaptured(["serve", "--port", "0", ...words], {
    cwd: folder,
    onStart: (given) => {
      send = given;
    },
    onWrite: (part) => {
      written += part;
      wake();
    },
  });
  const until = async (pattern: RegExp): Promise<void> => {
    while (!pattern.test(written)) {
      const more = new Promise<void>((resolve) => {
        wake = resolve;
      });
      const last = await Promise.race([more, ended]);
      if (last !== undefined) throw new Error(`It has ended: ${last.err}`);
    }
  };
  await until(/healthz/);
  const [url = ""] = /http:\/\/127\.0\.0\.1:\d+/.exec(written) ?? [];
  return {
    url,
    until,
    end(signal = "SIGINT") {
      send(signal);
      return ended;
    },
  };
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
    expect(await client.callTool({ name: "math_add", arguments: { a: 1 } })).toMatchObject({
      structuredContent: { result: 2 },
    });
    await client.close();
    const { code, out } = await end("SIGTERM");
    expect(code).toBe(0);
    for (const path of ["/mcp", "/operations", "/openapi.json", "/healthz"]) expect(out).toContain(`${url}${path}`);
    await expect(fetch(url)).rejects.toThrow();
  });

  test("serves all others where one is broken, and says why", async () => {
    configure({ math: { module: "./math.mjs" }, gone: { mcp: ["no-such-program-of-plico"] } }, {}, "broken.json");
    const { url, until, end } = await serving("--config", "broken.json");
    await until(/gone is down/);
    await until(/math is up/);
    expect(await getJson(`${url}/healthz`)).toMatchObject({ status: "degraded" });
    expect(await end()).toMatchObject({ code: 0 });
  });

  test("follows its file", async () => {
    configure({ math: { module: "./math.mjs" } }, {}, "followed.json");
    const { url, until, end } = await serving("--config", "followed.json");
    await until(/math is up/);
    configure({ more: { module: "./math.mjs", namespace: "more" } }, {}, "followed.json");
    await until(/read again/);
    expect(await getJson(`${url}/operations`)).toMatchObject({ operations: [{ id: "more.add" }] });
    writeFileSync(join(folder, "followed.json"), "{ sources");
    await until(/cannot be used/);
    expect(await getJson(`${url}/operations`)).toMatchObject({ operations: [{ id: "more.add" }] });
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
    const { url, until, end } = await serving("--module", "math.mjs", "--search", "on");
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
      return (await fetch(`${url}/operations/math.add`, { method: "POST", headers, body: '{"a":41}' })).json();
    };
    const recording = await serving("--record", file);
    await recording.until(/math is up/);
    expect(await call(recording.url)).toMatchObject({ data: { result: 42 } });
    expect(await recording.end()).toMatchObject({ code: 0 });
    const replaying = await serving("--replay", file);
    expect(await call(replaying.url)).toMatchObject({ data: { result: 42 } });
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
