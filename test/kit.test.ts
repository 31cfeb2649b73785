import { type ChildProcess, spawn } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import { helperOutput, OperationRegistry } from "../src/index.js";
import { watchResources } from "./left-behind.js";

const root = fileURLToPath(new URL("..", import.meta.url));
const ways = fileURLToPath(new URL("./fixtures/kit/all-ways.mjs", import.meta.url));
const waysByRequire = fileURLToPath(new URL("./fixtures/kit/all-ways.cjs", import.meta.url));
const folder = realpathSync(mkdtempSync(join(tmpdir(), "plico-kit-")));
const nothingLeft = watchResources();

afterAll(async () => {
  rmSync(folder, { recursive: true });
  await nothingLeft();
});

interface Ended {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number | null;
}

function start(...argv: string[]): ChildProcess {
  const env = { PATH: process.env["PATH"], CODEX_PROFILE: "x" };
  return spawn(process.execPath, argv, { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
}

async function run(...argv: string[]): Promise<Ended> {
  return endOf(start(...argv));
}

async function endOf(child: ChildProcess, pauseMs = 0): Promise<Ended> {
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  const [stdout, stderr] = await Promise.all([child.stdout, child.stderr].map((stream) => textOf(stream, pauseMs)));
  return { stdout: stdout ?? "", stderr: stderr ?? "", code: await ended };
}

/** A slow reader lets a pipe fill up between its looks. */
async function textOf(stream: NodeJS.ReadableStream | null, pauseMs: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream ?? []) {
    chunks.push(chunk as Uint8Array);
    if (pauseMs > 0 && chunks.length % 50 === 0) await delay(pauseMs);
  }
  return Buffer.concat(chunks).toString();
}

function documentOf({ stdout }: Ended): Record<string, unknown> {
  expect(helperOutput.validate(JSON.parse(stdout))).toEqual([]);
  return JSON.parse(stdout);
}

function script(name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

describe.each([
  ["import", ways],
  ["require", waysByRequire],
])("a helper by %s", (_, file) => {
  test.each([
    ["fine", "ok", 0],
    ["partial", "partial", 0],
    ["missing", "tool-missing", 0],
    ["fails", "error", 1],
  ])("that is %s says %s and ends with %i", async (way, status, code) => {
    const ended = await run(file, "--way", way);
    expect(documentOf(ended)).toMatchObject({ schema_version: "1.0.0", status, agent: "codex" });
    expect(ended.code).toBe(code);
    // No warning of Node's either.
    if (way !== "fails") expect(ended.stderr).toBe("");
  });

  test("writes the same bytes each time but for the moment", async () => {
    const { stdout } = await run(file, "--way=fine");
    const ts = /"ts": "([^"]+)"/.exec(stdout)?.[1];
    expect(stdout).toBe(
      `{\n  "schema_version": "1.0.0",\n  "status": "ok",\n  "error": null,\n  "agent": "codex",\n  "ts": "${ts}",\n  "b": 1,\n  "a": [\n    true,\n    null\n  ]\n}\n`,
    );
  });
});

describe("a helper's process", () => {
  test("writes more than 20 MB through a pipe that is read slowly, without a cut byte", async () => {
    const ended = await endOf(start(ways, "--way", "large"), 10);
    const { rows, end } = documentOf(ended);
    expect(ended.stdout.length).toBeGreaterThan(18_000_000);
    expect([(rows as unknown[]).length, end, ended.code]).toEqual([200_000, "end", 0]);
  });

  test("keeps noise out of its answer", async () => {
    const ended = await run(ways, "--way", "noisy");
    expect(documentOf(ended)).toMatchObject({ status: "ok", quiet: true });
    expect(ended.stderr).toBe("noise by console\nnoise by hand\n");
  });

  test.each([
    ["timer", "EXECUTION_ERROR"],
    ["rejects", "LOST"],
    ["never", "EXECUTION_ERROR"],
    ["exits", "EXECUTION_ERROR"],
  ])("answers where its code %s", async (way, code) => {
    const ended = await run(ways, "--way", way);
    expect(documentOf(ended)).toMatchObject({ status: "error", error: { code } });
    expect(ended.code).toBe(1);
  });

  test.each(["SIGTERM", "SIGINT"] as const)("answers and tidies up when it gets %s", async (signal) => {
    const child = start(ways, "--way", "waits");
    child.stderr?.once("data", () => child.kill(signal));
    const ended = await endOf(child);
    expect(documentOf(ended)).toMatchObject({ status: "error", error: { code: "ABORTED" } });
    expect(ended.stderr).toContain("tidied up");
    expect(ended.code).toBe(1);
  });

  test("ends although a server and a timer are open", async () => {
    const ended = await run(ways, "--way", "open");
    expect(documentOf(ended)).toMatchObject({ open: true });
    expect(ended.code).toBe(0);
  });

  test("ends quietly where its reader is gone", async () => {
    const child = start(ways, "--way", "large");
    child.stdout?.once("data", () => child.stdout?.destroy());
    const ended = new Promise((resolve) => child.once("exit", resolve));
    expect(await textOf(child.stderr, 0)).toBe("");
    expect(await ended).toBe(0);
  });

  test("takes its input from a file and from standard input", async () => {
    script("input.json", '{"way":"fine"}');
    expect(documentOf(await run(ways, "--input", "@input.json"))).toMatchObject({ b: 1 });
    const child = spawn(process.execPath, [ways, "--input", "-"], { stdio: "pipe" });
    child.stdin.end('{"way":"fine"}\n');
    expect(documentOf(await endOf(child))).toMatchObject({ b: 1 });
  });
});

describe("the file of a helper", () => {
  test("gives its operation where it is imported", async () => {
    for (const { allWays } of [await import(ways), createRequire(import.meta.url)(waysByRequire)]) {
      const registry = new OperationRegistry().register(allWays);
      expect(await registry.attempt("helper.all-ways", { way: "fine" })).toMatchObject({ ok: true, data: { b: 1 } });
      const partial = await registry.attempt("helper.all-ways", { way: "partial" });
      expect(partial).toMatchObject({ meta: { skippedSources: [{ source: "journal" }] } });
      const failed = await registry.attempt("helper.all-ways", { way: "fails" });
      expect(failed).toMatchObject({ error: { code: "GATHER_FAILED" }, meta: { skippedSources: ["journal"] } });
      const missing = await registry.attempt("helper.all-ways", { way: "missing" });
      expect(missing).toMatchObject({ ok: false, error: { code: "TOOL_MISSING", suggestedAction: "apt install it" } });
    }
  });

  test("runs by a link and without its extension", async () => {
    symlinkSync(ways, join(folder, "linked"));
    symlinkSync(waysByRequire, join(folder, "named.js"));
    const named = await run(join(folder, "named"), "--way=fine");
    expect(documentOf(named)).toMatchObject({ status: "ok" });
    expect(documentOf(await run(join(folder, "linked"), "--way=fine"))).toMatchObject({ status: "ok" });
  });

  test.each([
    ["mjs", 'import { runHelper } from "./helper-kit.mjs";'],
    ["cjs", 'const { runHelper } = require("./helper-kit.cjs");'],
  ])("needs nothing but a copy of helper-kit.%s", async (ending, line) => {
    const alone = join(folder, ending);
    mkdirSync(alone);
    copyFileSync(join(root, `dist/helper-kit.${ending}`), join(alone, `helper-kit.${ending}`));
    const file = script(join(ending, `own-name.${ending}`), `${line}\nrunHelper(() => ({ alone: true }));\n`);
    const ended = await run(file);
    expect(documentOf(ended)).toMatchObject({ status: "ok", alone: true });
    expect(ended.stderr).toBe("");
    expect(JSON.parse((await run(file, "--schema")).stdout)).toMatchObject({ name: "own-name", version: "1.0.0" });
  });

  test("shows a line and not the whole kit where a definition is wrong", async () => {
    const kit = JSON.stringify(join(root, "dist/helper-kit.cjs"));
    const { stderr, code } = await run("-e", `require(${kit}).defineHelper({ name: "x" })`);
    expect(code).toBe(1);
    expect(stderr).toContain("INVALID_OPERATION");
    expect(stderr.length).toBeLessThan(5_000);
  });

  test("may do with emit alone, once", async () => {
    const kit = JSON.stringify(join(root, "dist/helper-kit.cjs"));
    const once = script(
      "once.cjs",
      `const { emit } = require(${kit});\nsetInterval(() => {}, 1000);\nemit({ a: 1 });\n`,
    );
    expect(await run(once).then(documentOf)).toMatchObject({ status: "ok", a: 1 });
    const twice = script(
      "twice.cjs",
      `const { emit } = require(${kit});\nemit({ a: 1 });\ntry { emit({}); } catch (e) { console.error(e.name); }\n`,
    );
    const ended = await run(twice);
    expect(documentOf(ended)).toMatchObject({ a: 1 });
    expect(ended.stderr).toBe("TypeError\n");
  });

  test("is not two helpers", async () => {
    const kit = JSON.stringify(join(root, "dist/helper-kit.cjs"));
    const line = `const { runHelper } = require(${kit});`;
    const ended = await run(script("both.cjs", `${line}\nfor (const a of [1, 2]) runHelper(() => ({ a }));\n`));
    expect(documentOf(ended)).toMatchObject({ status: "error", error: { code: "EXECUTION_ERROR" } });
    expect(ended.code).toBe(1);
  });
});
