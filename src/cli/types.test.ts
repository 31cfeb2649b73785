import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { runCaptured } from "./fixtures/run-captured.js";

const script = { script: ["./say.sh"], describe: false, operation: "say", outputSchema: { type: "string" } };

function folderWith(sources: object): string {
  const folder = mkdtempSync(join(tmpdir(), "plico-types-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, "say.sh"), "#!/bin/sh\necho hello\n", { mode: 0o755 });
  writeFileSync(join(folder, "plico.json"), JSON.stringify({ sources }));
  return folder;
}

test("types go to standard output", async () => {
  const cwd = folderWith({ tools: script });
  const { code, out, err } = await runCaptured(["types"], { cwd });
  expect([code, err]).toEqual([0, ""]);
  expect(out).toContain("export type ToolsSayOutput = string;");
  expect(out).toContain("// Made by `plico types`.");
});

test("types are written to a file, and checked against it", async () => {
  const cwd = folderWith({ tools: script });
  const types = (...flags: string[]) => runCaptured(["types", "tools", "--out", "t.ts", ...flags], { cwd });
  expect((await types("--check")).code).toBe(1);
  expect((await types()).code).toBe(0);
  expect((await types("--check")).code).toBe(0);
  const file = join(cwd, "t.ts");
  writeFileSync(file, readFileSync(file, "utf8").replace("ToolsSayOutput = string", "ToolsSayOutput = number"));
  const { code, err } = await types("--check");
  expect(code).toBe(1);
  expect(err).toContain("~ ToolsSayOutput");
  expect(err).toContain("plico types tools --out t.ts");
});

test("nothing is written where a source that is wanted is not up", async () => {
  const cwd = folderWith({ tools: script, gone: { mcp: ["no-such-program"] } });
  const { code, out, err } = await runCaptured(["types"], { cwd });
  expect([code, out]).toEqual([1, ""]);
  expect(err).toContain("gone");
  expect((await runCaptured(["types", "tools"], { cwd })).code).toBe(0);
});

test("--check without a file is a mistake", async () => {
  expect((await runCaptured(["types", "--check"])).code).toBe(2);
});
