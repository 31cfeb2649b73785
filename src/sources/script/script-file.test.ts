import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isCallError } from "../../envelope/call-error.js";
import { commandOfFile, nameOfFile, scriptName } from "./script-file.js";

let cwd: string;

beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), "plico-file-"));
});

afterAll(() => rm(cwd, { recursive: true }));

async function file(name: string, text = "#!/bin/sh\n", mode = 0o755): Promise<string> {
  const path = join(cwd, name);
  await writeFile(path, text);
  await chmod(path, mode);
  return path;
}

describe("the command of a file", () => {
  test("is the file itself where it is executable, by whatever path it is named", async () => {
    const path = await file("own");
    expect(await commandOfFile("own", { cwd })).toEqual([path]);
    expect(await commandOfFile("./own", { cwd })).toEqual([path]);
    expect(await commandOfFile(path, { cwd: "/" })).toEqual([path]);
    await symlink(path, join(cwd, "link"));
    expect(await commandOfFile("link", { cwd })).toEqual([join(cwd, "link")]);
  });

  test.each([
    ["a.js", process.execPath],
    ["a.mjs", process.execPath],
    ["a.cjs", process.execPath],
    ["a.py", "python3"],
    ["a.sh", "sh"],
    ["a.bash", "bash"],
    ["a.rb", "ruby"],
    ["a.pl", "perl"],
    ["a.php", "php"],
    ["A.PY", "python3"],
  ])("has the program for the extension of %s first where it is not executable", async (name, program) => {
    expect(await commandOfFile(name, { cwd: await with644(name) })).toEqual([program, join(cwd, name)]);
  });

  async function with644(name: string): Promise<string> {
    await file(name, "#!/usr/bin/env something\n", 0o644);
    return cwd;
  }

  test("has that program first for an executable without a first line for it", async () => {
    const path = await file("bare.py", "print(1)\n");
    expect(await commandOfFile("bare.py", { cwd })).toEqual(["python3", path]);
    const empty = await file("empty.js", "");
    expect(await commandOfFile("empty.js", { cwd })).toEqual([process.execPath, empty]);
    const unknown = await file("bare.tool", "echo 1\n");
    expect(await commandOfFile("bare.tool", { cwd })).toEqual([unknown]);
  });

  test("is Node for TypeScript where this Node runs it", async () => {
    const path = await file("typed.ts", "", 0o644);
    const attempt = commandOfFile("typed.ts", { cwd });
    if ("typescript" in process.features && process.features.typescript !== false)
      expect(await attempt).toEqual([process.execPath, path]);
    else await expect(attempt).rejects.toMatchObject({ code: "TOOL_MISSING", recoverable: false });
  });

  test.each(["missing.py", "folder", "notes.txt", "plain", "own/below"])(
    "is refused for %s, with advice",
    async (name) => {
      await mkdir(join(cwd, "folder"), { recursive: true });
      await file("notes.txt", "", 0o644);
      await file("plain", "", 0o644);
      const thrown = await commandOfFile(name, { cwd }).catch((error: unknown) => error);
      expect(isCallError(thrown)).toBe(true);
      expect(thrown).toMatchObject({
        category: "unavailable",
        code: "TOOL_MISSING",
        suggestedAction: expect.any(String),
        details: { file: join(cwd, name) },
      });
    },
  );
});

describe("the name of a command", () => {
  beforeAll(async () => {
    for (const name of ["count.py", "setup.js", "list.mjs", "data.json"]) await file(name, "", 0o644);
  });

  test.each<[readonly string[], string, string?]>([
    [["git", "log"], "git"],
    [["python3.11", "-V"], "python3_11"],
    [["python3", "count.py"], "count", "count.py"],
    [["/usr/bin/python3.12", "-u", "-X", "utf8", "./count.py", "data.json"], "count", "count.py"],
    [["python3", "gone.py", "data.json"], "gone"],
    [["python3", "-m", "count", "data.json"], "python3"],
    [["python3", "-c", "pass", "data.json"], "python3"],
    [["node", "--import", "./setup.js", "list.mjs"], "list", "list.mjs"],
    [["node", "-r", "./setup.js", "--no-warnings", "list.mjs", "setup.js"], "list", "list.mjs"],
    [["node.exe", "list.mjs"], "list", "list.mjs"],
    [["node", "-e", "1", "data.json"], "node"],
    [["node", "-pe", "1", "data.json"], "node"],
    [["node", "-", "data.json"], "node"],
    [["sh", "-c", "echo", "data.json"], "sh"],
    [["sh", "-e", "setup.js"], "setup", "setup.js"],
    [["bash", "-o", "pipefail", "-ec", "echo", "data.json"], "bash"],
    [["grep", "-c", "x", "data.json"], "grep"],
    [["./list.mjs"], "list", "list.mjs"],
    [["./gone.sh"], "gone"],
    [["list.mjs"], "list"],
    [["/no/where/tool-x"], "tool-x"],
  ])("%j is %s", async (command, name, found) => {
    const named = await scriptName(command, { cwd });
    expect(named.name).toBe(name);
    expect(named.file === undefined ? undefined : relative(cwd, named.file)).toBe(found);
  });

  test.each([
    ["/a/b/triage-gather.js", "triage-gather"],
    ["a.b.sh", "a_b"],
    ["größe messen.py", "gr_e_messen"],
    [".hidden", "_hidden"],
    ["7.2", "7_2"],
    ["", "tool"],
  ])("of the file %s is %s", (path, name) => {
    expect(nameOfFile(path)).toBe(name);
  });

  test("is never one that an object cannot have", () => {
    expect(nameOfFile("then.sh")).toMatch(/^then_[0-9a-f]{8}$/);
    expect(nameOfFile("constructor")).toMatch(/^constructor_[0-9a-f]{8}$/);
  });
});
