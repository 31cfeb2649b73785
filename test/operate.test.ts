import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import type { Outcome } from "../src/envelope/outcome.js";
import { loadConfig } from "../src/gateway/config/load-config.js";
import { type Gateway, openGateway } from "../src/gateway/gateway.js";
import { serveHttp } from "../src/servers/http/index.js";
import { codeUnder } from "./docs-code.js";

const PAGE = "docs/operate.md";
const closers: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), "plico-operate-"));
  closers.push(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

const MODULE = `
const about = { namespace: "math", version: "1.0.0", type: "query", description: "", inputSchema: {}, outputSchema: {} };
const failure = Object.assign(new Error("gone"), { name: "CallError", category: "network", code: "GONE", recoverable: true });
export const two = { id: "math.two", spec: { ...about, name: "two" }, handler: () => 2 };
export const gone = { id: "math.gone", spec: { ...about, name: "gone" }, handler: async () => { throw failure; } };
`;

async function gatewayOf(more: object, source: object = {}): Promise<{ gateway: Gateway; folder: string }> {
  const config = { sources: { math: { module: "./math.mjs", ...source } }, ...more };
  const folder = folderWith({ "plico.json": JSON.stringify(config), "math.mjs": MODULE });
  const gateway = openGateway({ loaded: await loadConfig({ cwd: folder, env: {} }) });
  closers.push(() => gateway.close());
  await gateway.settled();
  return { gateway, folder };
}

function codeOf(outcome: Outcome): string {
  return outcome.ok ? "ok" : outcome.error.code;
}

describe("docs/operate.md", () => {
  test("shows a configuration that is one", async () => {
    const folder = folderWith({ "plico.json": codeUnder(PAGE, "# Running a gateway", "jsonc") });
    const { config } = await loadConfig({ cwd: folder, env: {} });
    expect(Object.keys(config.sources)).toEqual(["pets", "files"]);
  });

  test("names the fields of an entry of the audit log as they are", async () => {
    const { gateway, folder } = await gatewayOf({ log: { audit: "audit.jsonl" } });
    const metadata = { traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01" };
    await gateway.served.attempt("math.two", {}, { metadata });
    await gateway.close();
    const entry = JSON.parse(readFileSync(join(folder, "audit.jsonl"), "utf8"));
    const shown = JSON.parse(codeUnder(PAGE, "## Audit log", "json"));
    expect(Object.keys(entry)).toEqual(Object.keys(shown));
    expect(entry).toMatchObject({ operation: "math.two", source: "math", type: "query", ok: true });
  });
});

describe("a gateway", () => {
  test("leaves a source alone that fails, shows it, and audits the calls that it refuses", async () => {
    const more = { log: { audit: "audit.jsonl" } };
    const { gateway, folder } = await gatewayOf(more, { breaker: { failures: 2, cooldownMs: 60_000 } });
    const codes: string[] = [];
    for (const id of ["math.gone", "math.gone", "math.two"]) codes.push(codeOf(await gateway.served.attempt(id, {})));
    expect(codes).toEqual(["GONE", "GONE", "CIRCUIT_OPEN"]);
    expect(gateway.health().sources).toMatchObject([{ name: "math", breaker: "open" }]);
    await gateway.close();
    const lines = readFileSync(join(folder, "audit.jsonl"), "utf8").trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line).code)).toEqual(codes);
  });

  test("is told of calls over HTTP to operations that it has not, and says why", async () => {
    const config = { log: { audit: "audit.jsonl" } };
    const { gateway, folder } = await gatewayOf(config, { module: "./absent.mjs" });
    const server = await serveHttp({ registry: gateway.served });
    closers.push(() => server.close());
    const statusOf = async (id: string): Promise<number> =>
      (await fetch(`${server.url}/operations/${id}`, { method: "POST" })).status;
    expect([await statusOf("math.two"), await statusOf("nobody.knows")]).toEqual([503, 404]);
    await gateway.close();
    const lines = readFileSync(join(folder, "audit.jsonl"), "utf8").trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line).code)).toEqual(["UNAVAILABLE", "OPERATION_NOT_FOUND"]);
  });

  test("holds the limits of a source and of a caller", async () => {
    const limit = { perSecond: 0.001, burst: 2 };
    const ofSource = (await gatewayOf({}, { limit })).gateway;
    const ofCaller = (await gatewayOf({ limits: { perIdentity: limit } })).gateway;
    for (const { served } of [ofSource, ofCaller]) {
      const codes: string[] = [];
      for (let i = 0; i < 3; i += 1) codes.push(codeOf(await served.attempt("math.two", {})));
      expect(codes).toEqual(["ok", "ok", "RATE_LIMITED"]);
    }
    expect(codeOf(await ofCaller.served.attempt("math.two", {}, { identity: { id: "ada", scopes: [] } }))).toBe("ok");
  });
});
