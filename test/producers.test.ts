import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { helperOutput } from "../src/dialects/helper-output.js";
import type { Outcome } from "../src/envelope/outcome.js";
import { OperationRegistry } from "../src/registry/registry.js";
import { mountSource } from "../src/registry/source.js";
import { scriptSource } from "../src/sources/script/index.js";
import { describeWith } from "./describe-with.js";
import { codeUnder } from "./docs-code.js";
import { programOnThisMachine } from "./program.js";

const PAGE = "docs/write-helpers.md";
const PLICO = fileURLToPath(new URL("../dist/bin/plico.js", import.meta.url));

let work: string;
beforeAll(() => {
  work = mkdtempSync(join(tmpdir(), "plico-producers-"));
});
afterAll(() => rmSync(work, { recursive: true }));

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

describeWith("the helper of the first page", programOnThisMachine("git"), () => {
  const file = () => {
    cpSync(new URL("../dist/helper-kit.mjs", import.meta.url), join(work, "helper-kit.mjs"));
    const code = codeUnder(PAGE, "# Writing helpers", "js");
    return written("triage.mjs", code.replace("plico/servers/script", "./helper-kit.mjs"));
  };

  test("prints what is shown", () => {
    const [, ...shown] = codeUnder(PAGE, "# Writing helpers", "console").trim().split("\n");
    const answer = printed([process.execPath, file(), "--max-count", "5"], { PATH: process.env["PATH"] });
    expect(answer.trim().replace(/"ts": ".*"/, '"ts": "2026-01-01T00:00:00.000Z"')).toBe(shown.join("\n"));
  });

  test("keeps its shape, as the guard sees it", () => {
    const fixture = join(work, "triage.json");
    const guard = (...words: readonly string[]) =>
      spawnSync(
        process.execPath,
        [PLICO, "check", "--fixture", fixture, ...words, "--", process.execPath, file(), "--max-count", "5"],
        { encoding: "utf8" },
      ).status;
    expect([guard(), guard("--update"), guard()]).toEqual([2, 0, 0]);
  });
});

describeWith("the helper in Python", programOnThisMachine("python3"), () => {
  const file = () => written("sizes.py", codeUnder(PAGE, "### Python", "python"));

  test("describes itself, and gives its data", async () => {
    const folder = folderOf({ "a.txt": "four", "Zoë 東京": "" });
    const { attempt, spec } = await opened(file());
    expect(spec).toMatchObject({ name: "sizes", version: "1.0.0", type: "query" });
    expect(await attempt({ folder })).toMatchObject({ ok: true, data: { sizes: { "a.txt": 4, "Zoë 東京": 0 } } });
  });

  test("tells what it has skipped", async () => {
    const folder = folderOf({ "a.txt": "four" });
    symlinkSync("nowhere", join(folder, "link"));
    const outcome = await (await opened(file())).attempt({ folder });
    expect(outcome).toMatchObject({
      ok: true,
      data: { sizes: { "a.txt": 4 } },
      meta: { skippedSources: [{ source: "link" }] },
    });
  });

  test("tells why it failed", async () => {
    const outcome = await (await opened(file())).attempt({ folder: join(work, "nowhere") });
    expect(outcome).toMatchObject({ ok: false, error: { code: "FileNotFoundError" } });
  });

  test("tells what is not installed", () => {
    const python = printed(["python3", "-c", "import sys; print(sys.executable)"]).trim();
    const env = { PATH: folderWith("date") };
    expect(JSON.parse(printed([python, file()], env))).toMatchObject({ status: "tool-missing" });
    expect(rulesBroken([python, file()], env)).toEqual([]);
  });

  test("prints what breaks no rule, also where its input is wrong", () => {
    expect(rulesBroken(["python3", file()])).toEqual([]);
    expect(rulesBroken(["python3", file(), "--input", "{"])).toEqual([]);
  });
});

describeWith("the helper in shell", programOnThisMachine("jq"), () => {
  const file = () => written("lines.sh", codeUnder(PAGE, "### Shell", "sh"));
  const text = () => join(folderOf({ "text.txt": '"quoted" $(reboot) \\n\nZoë 東京\n' }), "text.txt");

  test("describes itself, and gives its data", async () => {
    const { attempt, spec } = await opened(file());
    expect(spec).toMatchObject({ name: "lines", version: "1.0.0", type: "query" });
    const outcome = await attempt({ file: text() });
    expect(outcome).toMatchObject({ ok: true, data: { lines: ['"quoted" $(reboot) \\n', "Zoë 東京"] } });
  });

  test("tells why it failed", async () => {
    const outcome = await (await opened(file())).attempt({ file: 'no "such" file' });
    expect(outcome).toMatchObject({ ok: false, error: { code: "NO_FILE", message: 'no "such" file cannot be read' } });
  });

  test("tells what is not installed", () => {
    const env = { PATH: folderWith("date", "cat") };
    expect(JSON.parse(printed(["/bin/sh", file(), "--input", "{}"], env))).toMatchObject({ status: "tool-missing" });
    expect(rulesBroken(["/bin/sh", file(), "--input", "{}"], env)).toEqual([]);
  });

  test("prints what breaks no rule", () => {
    expect(rulesBroken(["sh", file(), "--input", JSON.stringify({ file: text() })])).toEqual([]);
    expect(rulesBroken(["sh", file()])).toEqual([]);
  });
});

function written(name: string, code: string): string {
  const file = join(work, name);
  writeFileSync(file, code);
  chmodSync(file, 0o755);
  return file;
}

function folderOf(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(work, "folder-"));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

/** A folder for PATH that has these programs and no other. */
function folderWith(...programs: readonly string[]): string {
  const folder = mkdtempSync(join(work, "bin-"));
  for (const name of programs)
    symlinkSync(execFileSync("which", [name], { encoding: "utf8" }).trim(), join(folder, name));
  return folder;
}

async function opened(file: string): Promise<{ spec: object; attempt: (input: object) => Promise<Outcome> }> {
  const source = await scriptSource({ name: "made", file });
  closing.push(() => source.close());
  expect(source.health().warnings).toEqual([]);
  const registry = new OperationRegistry();
  mountSource(registry, source);
  const [operation] = source.operations;
  if (operation === undefined) throw new Error("there is no operation");
  return { spec: operation.spec, attempt: (input) => registry.attempt(operation.id, input) };
}

function printed([program = "", ...words]: readonly string[], env: NodeJS.ProcessEnv = process.env): string {
  try {
    return execFileSync(program, words, { encoding: "utf8", env, stdio: ["ignore", "pipe", "ignore"] });
  } catch (thrown) {
    return (thrown as { stdout: string }).stdout;
  }
}

function rulesBroken(command: readonly string[], env?: NodeJS.ProcessEnv): readonly unknown[] {
  return helperOutput.validate(JSON.parse(printed(command, env)));
}
