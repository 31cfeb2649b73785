import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { describeWith, isMissing } from "./describe-with.js";
import { type MountedScripts, scriptMounter } from "./mounted-scripts.js";
import { programOnThisMachine } from "./program.js";

const scripts = fileURLToPath(new URL("fixtures/scripts/", import.meta.url));
const python = programOnThisMachine("python3");
const jq = programOnThisMachine("jq");
const mount = scriptMounter();
const cwd = mkdtempSync(join(tmpdir(), "plico-helpers-"));

writeFileSync(join(cwd, "monday.md"), "# Monday\n- [ ] größer werden\n- [x] done\n- [ ] rest\n");
writeFileSync(join(cwd, "tuesday.md"), "- [ ] go on\n");
afterAll(() => rmSync(cwd, { recursive: true }));

describeWith("a Python helper", python, () => {
  let helper: MountedScripts;

  beforeAll(async () => {
    helper = await mount({ file: join(scripts, "gather.py"), cwd, env: { CODEX_PROFILE: "x" } });
  });

  test("describes itself", () => {
    expect(helper.names).toEqual(["gather"]);
    expect(helper.spec("gather")).toMatchObject({
      version: "1.2.0",
      type: "query",
      title: "Open tasks",
      tags: ["notes"],
      annotations: { readOnly: true },
      inputSchema: { required: ["notes"] },
      outputSchema: { required: ["tasks", "total"] },
    });
    expect(helper.source.health()).toMatchObject({ status: "ready", operations: 1, warnings: [] });
  });

  test("answers ok", async () => {
    const { data, meta } = await helper.call("gather", { notes: ["monday.md", "tuesday.md"] });
    expect(data).toEqual({
      tasks: [
        { note: "monday.md", text: "größer werden" },
        { note: "monday.md", text: "rest" },
        { note: "tuesday.md", text: "go on" },
      ],
      total: 3,
    });
    expect(meta).toMatchObject({ source: "script", exitCode: 0, schemaVersion: "1.2.0", agent: "codex" });
    expect(meta.warnings).toBeUndefined();
  });

  test("answers partial: the data counts, and what was skipped is named", async () => {
    const { data, meta } = await helper.call("gather", { notes: ["sunday.md", "tuesday.md"] });
    expect(data).toEqual({ tasks: [{ note: "tuesday.md", text: "go on" }], total: 1 });
    expect(meta).toMatchObject({
      skippedSources: [{ source: "sunday.md", reason: "No such file or directory" }],
      warnings: [{ code: "SOURCES_SKIPPED" }],
      telemetry: { stderr: expect.stringContaining("sunday.md") },
    });
  });

  test("answers error: the call fails with its code", async () => {
    expect(await helper.fail("gather", { notes: ["sunday.md"] })).toMatchObject({
      category: "execution",
      code: "NO_NOTES",
    });
  });

  test("answers tool-missing: the call fails with its hint", async () => {
    expect(await helper.fail("gather", { notes: ["monday.md"], needs: "no-such-program-of-plico" })).toMatchObject({
      category: "unavailable",
      code: "TOOL_MISSING",
      suggestedAction: "Install no-such-program-of-plico first.",
    });
  });

  test("is not started with input that its schema refuses", async () => {
    const error = await helper.fail("gather", { notes: [] });
    expect(error).toMatchObject({ code: "VALIDATION_ERROR", issues: [{ path: "/notes" }] });
  });

  test("gets an input that no argument can hold", async () => {
    const notes = Array.from({ length: 12_000 }, () => "tuesday.md");
    const { data } = await helper.call("gather", { notes });
    expect(data).toMatchObject({ total: 12_000 });
  });

  test("crashes: the call fails with the end of its traceback", async () => {
    const command = [join(scripts, "gather.py")];
    const { fail } = await mount({ command, cwd, describe: false, inputAs: "argument" });
    const error = await fail("gather", { nothing: 1 });
    expect(error).toMatchObject({ code: "SCRIPT_FAILED", details: { exitCode: 1 } });
    expect(error.details).toMatchObject({ stderr: expect.stringContaining("KeyError") });
  });

  test("is refused where another major is pinned", async () => {
    const { fail } = await mount({ file: join(scripts, "gather.py"), cwd, major: 2 });
    expect(await fail("gather", { notes: ["monday.md"] })).toMatchObject({
      code: "UNSUPPORTED_VERSION",
      recoverable: false,
      suggestedAction: expect.any(String),
    });
  });
});

describeWith("a shell helper", jq, () => {
  let helper: MountedScripts;

  beforeAll(async () => {
    helper = await mount({ file: "count-lines.sh", cwd: scripts });
  });

  test("describes itself, and is named after its file", () => {
    expect(helper.names).toEqual(["count-lines"]);
    expect(helper.spec("count-lines")).toMatchObject({ version: "2.0.1", description: "Counts the lines of files." });
  });

  test("answers ok", async () => {
    const file = join(cwd, "monday.md");
    const { data, meta } = await helper.call("count-lines", { files: [file, join(cwd, "tuesday.md")] });
    expect(data).toEqual({ counts: { [file]: 4, [join(cwd, "tuesday.md")]: 1 }, total: 5 });
    expect(meta).toMatchObject({ schemaVersion: "2.0.1", exitCode: 0 });
  });

  test("answers partial", async () => {
    const { data, meta } = await helper.call("count-lines", { files: ["greet", "sunday.md"] });
    expect(data).toEqual({ counts: { greet: 3 }, total: 3 });
    expect(meta).toMatchObject({ skippedSources: ["sunday.md"], warnings: [{ code: "SOURCES_SKIPPED" }] });
  });

  test("answers error", async () => {
    expect(await helper.fail("count-lines", { files: ["sunday.md"] })).toMatchObject({ code: "NO_FILES" });
  });

  test("answers tool-missing where jq is not in its PATH", async () => {
    const bin = mkdtempSync(join(cwd, "bin-"));
    for (const name of ["cat", "date", "wc"]) symlinkSync(findProgram(name), join(bin, name));
    const { fail } = await mount({ file: "count-lines.sh", cwd: scripts, env: { PATH: bin } });
    expect(await fail("count-lines", { files: ["greet"] })).toMatchObject({
      category: "unavailable",
      code: "TOOL_MISSING",
      suggestedAction: "apt install jq",
    });
  });

  test("gets each name as it is, whatever the shell would make of it", async () => {
    const folder = join(cwd, "$(touch stolen); 'x' \"y\" *");
    mkdirSync(folder);
    const file = join(folder, "a b\\c.txt");
    writeFileSync(file, "1\n2\n");
    expect((await helper.call("count-lines", { files: [file] })).data).toEqual({ counts: { [file]: 2 }, total: 2 });
  });
});

function findProgram(name: string): string {
  const found = programOnThisMachine(name);
  return isMissing(found) ? expect.fail(found.reason) : found;
}

describe("a directory of scripts", () => {
  let folder: MountedScripts;

  beforeAll(async () => {
    folder = await mount({
      directory: scripts,
      cwd,
      scripts: { greet: { description: "Says hello.", type: "query", outputAs: "text" } },
    });
  });

  test("has an operation for each executable", () => {
    expect(folder.names).toEqual(["count-lines", "gather", "greet"]);
    expect(folder.source.health()).toMatchObject({ status: "ready", operations: 3 });
  });

  test("has scripts that describe themselves beside those of which the options tell", () => {
    expect(folder.spec("count-lines")?.version).toBe("2.0.1");
    expect(folder.spec("greet")).toMatchObject({ description: "Says hello.", type: "query" });
  });

  test("calls one that knows nothing of helpers with what it is given", async () => {
    expect((await folder.call("greet")).data).toBe("hello\n");
    expect((await folder.call("greet", { name: "Ada" })).data).toBe('hello\n--input\n{"name":"Ada"}\n');
  });
});
