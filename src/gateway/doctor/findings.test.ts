import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { callErrorData } from "../../envelope/call-error.js";
import type { GatewayConfig, SourceConfig } from "../config/config.js";
import type { GatewaySourceHealth } from "../gateway.js";
import { commandFindings } from "./command-findings.js";
import { configFailure, fileFindings } from "./file-findings.js";
import { countFindings, type Finding, sortedFindings } from "./finding.js";
import { otherFiles } from "./other-files.js";
import { programFindings } from "./program-findings.js";
import { serverFindings } from "./server-findings.js";
import { sourceFindings } from "./source-findings.js";
import { toolFindings } from "./tool-findings.js";
import { whoListens } from "./who-listens.js";

/** Findings in short: `warn tools`. */
function inShort(findings: readonly Finding[]): string[] {
  return findings.map(({ level, about }) => `${level} ${about}`);
}

function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), "plico-doctor-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, name, ".."), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

describe("findings", () => {
  const findings = (["ok", "fail", "warn", "fail"] as const).map((level, at) => ({
    level,
    about: `${at}`,
    message: "",
  }));

  test("stand with the worst first, and are counted", () => {
    expect(inShort(sortedFindings(findings))).toEqual(["fail 1", "fail 3", "warn 2", "ok 0"]);
    expect(countFindings(findings)).toEqual({ fail: 2, warn: 1, ok: 1 });
  });
});

describe("the program", () => {
  test.each([
    ["v18.20.0", "fail"],
    ["v20.18.9", "fail"],
    ["v20.19.0", "ok"],
    ["v24.1.0", "ok"],
  ])("Node %s is told as %s", (node, level) => {
    expect(programFindings({ node, plico: "1.0.0", file: "/plico.js" })[0]?.level).toBe(level);
  });
});

describe("the file", () => {
  const config: GatewayConfig = {
    sources: {
      files: { mcp: ["npx", "server"], env: { API_TOKEN: "abcdef123456" } },
      far: { mcp: "https://example.com/mcp", headers: { authorization: "Bearer from-a-variable" } },
      off: { module: "./off.ts", disabled: true },
    },
  };
  const text = '{ "sources": { "files": { "env": { "API_TOKEN": "abcdef123456" } } } }';
  const facts = { name: "plico.json", text, config, notes: [] };

  test("names who has a secret in it, and not those that come from variables", () => {
    const warned = fileFindings(facts).filter(({ level }) => level === "warn");
    expect(inShort(warned)).toEqual(["warn files"]);
    expect(JSON.stringify(warned)).not.toContain("abcdef");
  });

  test("tells its notes, what is left out, and servers of other programs that are not used", () => {
    const others = [{ name: ".mcp.json", servers: ["files", "github"] }];
    const told = fileFindings({ ...facts, text: "", notes: ["odd"], others });
    expect(inShort(told)).toEqual(["ok file", "warn file", "ok file", "ok file"]);
    expect(told.at(-1)?.message).toContain("github");
    expect(told.at(-1)?.message).not.toContain("files");
  });

  test("that has no sources is a warning", () => {
    expect(inShort(fileFindings({ ...facts, text: "{}", config: { sources: {} } }))).toEqual(["warn file"]);
  });

  test("that cannot be used fails once for each fault", () => {
    const issues = [
      { path: "/a", message: "is wrong" },
      { path: "/b", message: "is wrong too" },
    ];
    const message = "plico.json has 2 faults:\n  plico.json:1:1: a is wrong\n  plico.json:2:1: b is wrong too";
    const failed = configFailure(callErrorData({ category: "validation", message, issues }));
    expect(failed.map((finding) => finding.message)).toEqual([
      "plico.json:1:1: a is wrong",
      "plico.json:2:1: b is wrong too",
    ]);
  });
});

describe("a source", () => {
  const health: GatewaySourceHealth = { name: "files", kind: "mcp", status: "ready", operations: 1, warnings: [] };
  const config: SourceConfig = { mcp: ["npx", "-y", "server"] };
  const operations = [{ id: "files.read", problems: [], hasOutput: true }];

  function failure(category: string, message: string, code?: string): Finding | undefined {
    const error = callErrorData({ category, message, ...(code !== undefined && { code }) });
    return sourceFindings({ health: { ...health, status: "down", error }, config, operations: [] })[0];
  }

  test("that is up is fine, and tells what it is", () => {
    const known = {
      openedInMs: 12,
      era: "modern",
      protocolVersion: "2026-07-28",
      server: { name: "s", version: "1" },
    } as const;
    const [finding] = sourceFindings({ health: { ...health, ...known }, config, operations });
    expect(finding).toMatchObject({ level: "ok", about: "files" });
    for (const fact of ["12 ms", "modern", "2026-07-28", "s 1", "1 operation"])
      expect(finding?.message).toContain(fact);
  });

  test.each([
    ["unavailable", 'The command "npx" was not found.', "TOOL_MISSING", /npm/],
    ["network", "connect ECONNREFUSED 127.0.0.1:1", undefined, /Start the server/],
    ["network", "self-signed certificate", undefined, /NODE_EXTRA_CA_CERTS/],
    ["authentication", "401 Unauthorized", undefined, /authorization/],
    ["timeout", "Nothing was heard.", undefined, /startTimeout/],
  ])("that fails with %s: %s comes with the fix", (category, message, code, fix) => {
    expect(failure(category, message, code)).toMatchObject({ level: "fail", message, fix: expect.stringMatching(fix) });
  });

  test("that is slow, empty, or warns of something is a warning each", () => {
    const odd = { ...health, openedInMs: 9_000, operations: 0, warnings: [{ code: "X", message: "odd" }] };
    expect(inShort(sourceFindings({ health: odd, config, operations: [] }))).toEqual([
      "ok files",
      ...Array(3).fill("warn files"),
    ]);
  });

  test("tells the first operations whose schemas cannot be used, and how many more there are", () => {
    const broken = Array.from({ length: 5 }, (_, at) => ({
      id: `files.op${at}`,
      problems: ["a", "b"],
      hasOutput: true,
    }));
    const warned = sourceFindings({ health, config, operations: broken }).filter(({ level }) => level === "warn");
    expect(warned).toHaveLength(4);
    expect(warned[0]?.message).toContain("files.op0: a");
    expect(warned[3]?.message).toContain("2 more");
  });
});

describe("tools", () => {
  const tool = (name: string, bytes = 100) => ({ operationId: `x.${name}`, name, bytes });
  const facts = { tools: [tool("x_read")], searched: 0, naming: "qualified" } as const;

  test("that every known client takes are fine", () => {
    expect(inShort(toolFindings(facts))).toEqual(["ok tools"]);
  });

  test.each([
    [52, []],
    [53, ["Claude Code"]],
    [55, ["Claude Code", "Cursor", "VS Code"]],
  ])("with a name of %i characters are too long for %j", (length, clients) => {
    const told = toolFindings({ ...facts, tools: [tool("x".repeat(length))] }).slice(1);
    expect(told.map(({ message }) => clients.find((client) => message.startsWith(client)))).toEqual(clients);
  });

  test("that are too many, or too large a list, want to be searched", () => {
    const tools = Array.from({ length: 110 }, (_, at) => tool(`t${at}`, 2_000));
    const warned = toolFindings({ ...facts, tools }).filter(({ level }) => level === "warn");
    expect(warned).toHaveLength(2);
    expect(warned.every(({ fix }) => fix?.includes("search") === true)).toBe(true);
    expect(warned[1]?.message).toMatch(/Cursor \(80\), Windsurf \(100\)$/);
  });

  test("of one name in two sources matter where names are bare", () => {
    const tools = [
      { operationId: "a.read", name: "read", bytes: 1 },
      { operationId: "b.read", name: "read_2", bytes: 1 },
    ];
    expect(inShort(toolFindings({ ...facts, tools }))).toEqual(["ok tools", "ok tools"]);
    expect(inShort(toolFindings({ ...facts, tools, naming: "bare" }))).toEqual(["ok tools", "warn tools"]);
  });
});

describe("the server", () => {
  const facts = { servers: {}, host: "127.0.0.1", port: 4100, listener: "none" } as const;

  test("on a free port of this machine is fine", () => {
    expect(inShort(serverFindings(facts))).toEqual(["ok server"]);
  });

  test("is warned of another program, short tokens, and an open door", () => {
    expect(inShort(serverFindings({ ...facts, listener: "other" }))).toEqual(["warn server"]);
    const servers = { auth: { tokens: { me: { token: "short" }, you: { token: "x".repeat(40) } } } };
    const warned = serverFindings({ ...facts, servers, host: "0.0.0.0" })[1];
    expect(warned?.message).toContain("me");
    expect(warned?.message).not.toContain("short");
    const open = { http: { host: "0.0.0.0" }, auth: { tokens: {} } };
    expect(inShort(serverFindings({ ...facts, servers: open, host: "0.0.0.0" }))).toEqual(["ok server", "warn server"]);
  });

  test("tells itself from other programs that listen", async () => {
    let answer = '{ "status": "ok", "operations": 1 }';
    const server = createServer((_, response) => response.end(answer)).listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    const { port } = server.address() as AddressInfo;
    await expect(whoListens("0.0.0.0", port)).resolves.toBe("plico");
    answer = "hello";
    await expect(whoListens("127.0.0.1", port)).resolves.toBe("other");
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await expect(whoListens("127.0.0.1", port)).resolves.toBe("none");
  });
});

describe("files", () => {
  test("of commands that are missing or not executable are told before they are called", async () => {
    const folder = folderWith({ "there.sh": "#!/bin/sh\n", "run.js": "" });
    chmodSync(join(folder, "there.sh"), 0o600);
    const of = (script: string | readonly string[]) => commandFindings("s", { script }, folder);
    await expect(of(["./gone.sh"])).resolves.toHaveLength(1);
    await expect(of(["node", "gone.js"])).resolves.toHaveLength(1);
    await expect(of("gone")).resolves.toHaveLength(1);
    await expect(of(["./there.sh"])).resolves.toMatchObject([{ level: "fail", fix: "chmod +x ./there.sh" }]);
    await expect(of(["node", "run.js"])).resolves.toEqual([]);
    await expect(of(["git", "status"])).resolves.toEqual([]);
    await expect(of(["no-such-program", "status"])).resolves.toMatchObject([{ level: "fail" }]);
  });

  test("of other programs are found with the names of their servers", async () => {
    const folder = folderWith({
      ".mcp.json": '{ "mcpServers": { "a": { "command": "x" } } }',
      ".vscode/mcp.json": '{ // with comments\n "servers": { "b": { "url": "https://x" } } }',
      ".cursor/mcp.json": "broken",
    });
    await expect(otherFiles(folder)).resolves.toEqual([
      { name: ".mcp.json", servers: ["a"] },
      { name: ".vscode/mcp.json", servers: ["b"] },
    ]);
  });
});
