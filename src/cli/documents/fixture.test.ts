import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { watchResources } from "../../../test/left-behind.js";
import { markProcesses } from "../../../test/marked-processes.js";
import { type Captured, runCaptured } from "../fixtures/run-captured.js";

const root = mkdtempSync(join(tmpdir(), "plico-fixture-"));
const { PATH = "/usr/bin:/bin" } = process.env;
const nothingLeft = watchResources();
afterAll(async () => {
  rmSync(root, { recursive: true });
  await nothingLeft();
});

let folder: string;
let fixture: string;
beforeEach(() => {
  folder = mkdtempSync(join(root, "case-"));
  fixture = join(folder, "triage.json");
});

const ANSWER = {
  schema_version: "1.0.0",
  status: "ok",
  error: null,
  agent: "claude",
  ts: "2026-05-01T09:00:00Z",
  rows: [{ id: 1, title: "a" }],
};
const FAILED = {
  ...ANSWER,
  status: "tool-missing",
  error: { code: "TOOL_MISSING", message: "git is not here", suggestedAction: "apt install git" },
};

const plico = (argv: string[], { isTTY = false, env = {} } = {}): Promise<Captured> =>
  runCaptured(argv, { isTTY, env: { PATH, ...env } });

/** A command that prints this document. */
function printing(document: unknown, more = ""): string[] {
  const file = join(folder, "answer.txt");
  writeFileSync(file, typeof document === "string" ? document : `${JSON.stringify(document, null, 2)}\n`);
  return ["/bin/sh", "-c", `cat "$0"; ${more}`, file];
}

function capture(document: unknown = ANSWER): void {
  writeFileSync(fixture, JSON.stringify(document));
}

const captured = (): unknown => JSON.parse(readFileSync(fixture, "utf8"));
const guard = (command: string[], ...flags: string[]) =>
  plico(["check", "--fixture", fixture, ...flags, "--", ...command]);

describe("a helper with the shape that was captured", () => {
  test("passes with one line, whatever its values", async () => {
    capture();
    const again = { ...ANSWER, agent: "codex", ts: "2027-01-01T00:00:00Z", rows: [{ id: 9, title: "z" }] };
    const { code, out, err } = await guard(printing(again));
    expect({ code, lines: out.split("\n").length, err }).toEqual({ code: 0, lines: 2, err: "" });
    expect(out).toContain("1.0.0");
  });

  test("passes with another version, and is told to be captured", async () => {
    capture();
    const { code, out } = await guard(printing({ ...ANSWER, schema_version: "1.1.0" }));
    expect({ code, hint: out.includes("--update") }).toEqual({ code: 0, hint: true });
  });

  test("fails with a lower version", async () => {
    capture();
    expect((await guard(printing({ ...ANSWER, schema_version: "0.9.0" }))).code).toBe(1);
  });

  test("passes in part, which is told", async () => {
    capture();
    const partial = { ...ANSWER, status: "partial", error: { code: "X", message: "x" }, skipped_sources: ["journal"] };
    const { code, out } = await guard(printing(partial));
    expect({ code, told: out.includes("partial") }).toEqual({ code: 0, told: true });
  });

  test("is not judged by what Plico wrote beside its fields", async () => {
    capture({ ...ANSWER, plico: { added: ["/agent"] } });
    expect((await guard(printing(ANSWER))).out).toContain("unchanged");
  });
});

describe("a helper with another shape", () => {
  const grown = { ...ANSWER, count: 1 };
  const broken = { ...ANSWER, rows: [{ id: "1", title: "a" }] };

  test.each([
    ["the same version", grown, "1.0.0", "minor is due: 1.0.0 → 1.1.0"],
    ["too little", grown, "1.0.1", "minor is due: 1.0.0 → 1.1.0"],
    ["a minor for a break", broken, "1.1.0", "major is due: 1.0.0 → 2.0.0"],
    ["the same version after a new order", reordered(ANSWER), "1.0.0", "patch is due: 1.0.0 → 1.0.1"],
  ])("fails with %s, and learns what is due", async (_, document, schema_version, due) => {
    capture();
    const { code, out } = await guard(printing({ ...document, schema_version }));
    expect({ code, due: out.includes(due) }).toEqual({ code: 1, due: true });
    expect(out).toMatch(/^ {2}(major \/rows\/\*\/id|minor \/count|patch \/rows\/\*): /m);
  });

  test("passes with the version that is due, and is told to be captured", async () => {
    capture();
    const { code, out } = await guard(printing({ ...grown, schema_version: "1.1.0" }));
    expect({ code, hint: out.includes("--update"), row: out.includes("minor /count") }).toEqual({
      code: 0,
      hint: true,
      row: true,
    });
  });

  test("is told to programs as JSON", async () => {
    capture({ ...ANSWER, notes: [] });
    const { code, out } = await guard(printing({ ...broken, notes: [1] }), "--json");
    expect(code).toBe(1);
    expect(JSON.parse(out)).toEqual({
      fixture,
      version: { before: "1.0.0", after: "1.0.0" },
      due: { level: "major", version: "2.0.0" },
      changes: [{ path: "/rows/*/id", kind: "type", level: "major", message: expect.any(String) }],
      unseen: [{ path: "/notes/*", message: expect.any(String) }],
      violations: [],
      valid: false,
    });
  });

  test("of very many fields is told in part", async () => {
    capture();
    const map = Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`key${at}`, at]));
    const { out } = await guard(printing({ ...ANSWER, ...map }));
    expect(out.split("\n").length).toBeLessThan(110);
    expect(out).toContain("900 more");
  });

  test("is told in colours on a terminal, and cannot move its cursor", async () => {
    capture();
    const evil = { ...ANSWER, "\u001b[2J\nfake: all is fine": 1 };
    const command = printing(evil, "printf '\\033]0;title\\007' >&2");
    const { out, err } = await plico(["check", "--fixture", fixture, "--", ...command], { isTTY: true });
    expect(out).toContain("\u001b[31m");
    expect(out).toContain("\\u001b[2J\\nfake");
    expect(err).toBe("\\u001b]0;title\\u0007\n");
  });
});

describe("a helper that gives no answer to compare", () => {
  test.each([FAILED, { ...FAILED, status: "error" }])("tells why it failed", async (document) => {
    capture();
    const { code, out, err } = await guard(printing(document, "exit 1"));
    expect({ code, out }).toEqual({ code: 1, out: "" });
    for (const told of ["TOOL_MISSING", "git is not here", "apt install git"]) expect(err).toContain(told);
  });

  test("tells the same as JSON", async () => {
    capture();
    const { code, out } = await guard(printing(FAILED), "--json");
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({ due: null, changes: [], error: { code: "TOOL_MISSING" }, valid: false });
  });

  test.each([
    ["a rule of the format", { ...ANSWER, agent: "" }, "", "agent"],
    ["the format at all", { success: true }, "", "schema-version"],
    ["the meaning of exit codes", ANSWER, "exit 3", "exit-code"],
  ])("breaks %s", async (_, document, more, rule) => {
    capture();
    const { code, out } = await guard(printing(document, more), "--json");
    expect(code).toBe(1);
    expect(JSON.parse(out).violations).toContainEqual(expect.objectContaining({ rule }));
    expect((await guard(printing(document, more))).out).toContain(rule);
  });

  test("speaks another major than is expected", async () => {
    capture();
    expect((await guard(printing(ANSWER), "--expect-major", "1")).code).toBe(0);
    expect(await guard(printing(ANSWER), "--expect-major", "2")).toMatchObject({
      code: 1,
      out: expect.stringContaining("UNSUPPORTED_VERSION"),
    });
  });

  test.each([
    ["is missing", ["plico-no-such-program"], "plico-no-such-program"],
    ["is ended by a signal", ["sh", "-c", "kill -9 $$"], "SIGKILL"],
    ["prints nothing", ["sh", "-c", "exit 3"], "exit code 3"],
    ["prints a text", ["sh", "-c", "echo hello"], "line 1, column 1"],
    ["prints several documents", ["sh", "-c", "echo '{}'; echo '{}'"], "line 2, column 1"],
    ["prints a number", ["echo", "42"], "42"],
    ["prints what is no text", ["printf", "\\377"], "UTF-8"],
  ])("%s", async (_, command, told) => {
    capture();
    const { code, out, err } = await guard(command);
    expect({ code, out, lines: err.trimEnd().split("\n").length }).toEqual({ code: 1, out: "", lines: 1 });
    expect(err).toContain(told);
  });

  test("prints without end", async () => {
    capture();
    expect(await guard(["yes"], "--max-bytes", "1000")).toMatchObject({
      code: 1,
      err: expect.stringContaining("--max-bytes"),
    });
  });

  test("takes too long, and is ended with all that it started", async () => {
    capture();
    const mark = markProcesses();
    const script = "sleep 60 & sleep 60 & wait";
    const argv = ["check", "--fixture", fixture, "--timeout", "1", "--", "sh", "-c", script];
    const { code, err } = await plico(argv, { env: mark.env });
    expect({ code, hint: err.includes("--timeout"), alive: mark.alive() }).toEqual({ code: 1, hint: true, alive: [] });
  });
});

describe("the command", () => {
  test("is run without a shell, with our environment and nothing to read", async () => {
    capture({ ...ANSWER, argv: [""], input: "" });
    const script = `
      const input = require("node:fs").readFileSync(0, "utf8");
      console.log(JSON.stringify({ ...${JSON.stringify(ANSWER)}, argv: process.argv.slice(1), input: input + process.env.WORD }))`;
    const argv = [process.execPath, "-e", script, "--", "$HOME; --help", "--version"];
    const { code, out } = await plico(["check", "--fixture", fixture, "--update", "--", ...argv], {
      env: { WORD: "x" },
    });
    expect({ code, captured: out.includes("captured") }).toEqual({ code: 0, captured: true });
    expect(captured()).toMatchObject({ argv: ["$HOME; --help", "--version"], input: "x" });
  });

  test("has its words on stderr passed on, before the verdict", async () => {
    capture();
    expect((await guard(printing(ANSWER, "echo one >&2; echo two >&2"))).err).toBe("one\ntwo\n");
  });

  test("leaves nobody behind when it ends by itself", async () => {
    capture();
    const mark = markProcesses();
    const command = printing(ANSWER, "sleep 60 >/dev/null 2>&1 &");
    const { code } = await plico(["check", "--fixture", fixture, "--", ...command], { env: mark.env });
    expect({ code, alive: mark.alive() }).toEqual({ code: 0, alive: [] });
  });

  test("is not run when there is nothing to compare with", async () => {
    const witness = join(folder, "ran");
    const { code, err } = await guard(["touch", witness]);
    expect({ code, hint: err.includes("--update") }).toEqual({ code: 2, hint: true });
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe("a fixture that is none", () => {
  test.each([
    ["is empty", ""],
    ["is no JSON", "{"],
    ["is another document", '{"name":"x"}'],
    ["is a list", "[]"],
    ["breaks a rule", JSON.stringify({ ...ANSWER, ts: "today" })],
    ["is of a failed run", JSON.stringify(FAILED)],
  ])("because it %s is at fault", async (_, text) => {
    writeFileSync(fixture, text);
    const { code, out, err } = await guard(["touch", join(folder, "ran")]);
    expect({ code, out, told: err.includes(fixture) }).toEqual({ code: 1, out: "", told: true });
    expect(readdirSync(folder)).toEqual(["triage.json"]);
  });
});

describe("--update", () => {
  test("captures what is printed, to the byte", async () => {
    const text = `${JSON.stringify(ANSWER, null, 3)}\n\n`;
    expect((await guard(printing(text), "--update")).code).toBe(0);
    expect(readFileSync(fixture, "utf8")).toBe(text);
    expect((await guard(printing(text))).code).toBe(0);
    expect(readdirSync(folder).sort()).toEqual(["answer.txt", "triage.json"]);
  });

  test("captures another shape, and tells the version that is due", async () => {
    capture();
    const { code, out, err } = await guard(printing({ ...ANSWER, count: 1 }), "--update");
    expect({ code, row: out.includes("/count"), due: err.includes("1.0.0 → 1.1.0") }).toEqual({
      code: 0,
      row: true,
      due: true,
    });
    expect(captured()).toMatchObject({ count: 1 });
  });

  test("says nothing of versions when the right one is there", async () => {
    capture();
    expect((await guard(printing({ ...ANSWER, schema_version: "1.1.0", count: 1 }), "--update")).err).toBe("");
  });

  test("tells as JSON that it captured", async () => {
    const { out } = await guard(printing(ANSWER), "--update", "--json");
    expect(JSON.parse(out)).toMatchObject({ version: { before: null, after: "1.0.0" }, captured: true, valid: true });
  });

  test.each([
    ["a failed run", FAILED],
    ["a broken document", { ...ANSWER, agent: "" }],
  ])("does not capture %s", async (_, document) => {
    expect((await guard(printing(document), "--update")).code).toBe(1);
    expect(readdirSync(folder)).toEqual(["answer.txt"]);
    capture();
    expect((await guard(printing(document), "--update")).code).toBe(1);
    expect(captured()).toEqual(ANSWER);
  });

  test.each([
    ["an empty file", ""],
    ["a broken answer", JSON.stringify({ ...ANSWER, schema_version: "one" })],
    ["the answer of a failed run", JSON.stringify(FAILED)],
  ])("replaces %s", async (_, text) => {
    writeFileSync(fixture, text);
    expect(await guard(printing(ANSWER), "--update")).toMatchObject({ code: 0, err: "" });
    expect(captured()).toEqual(ANSWER);
  });

  test.each([
    ["source code", "export {};"],
    ["another document", '{"name":"x"}'],
  ])("does not replace %s, nor runs the command", async (_, text) => {
    writeFileSync(fixture, text);
    expect((await guard(["touch", join(folder, "ran")], "--update")).code).toBe(1);
    expect(readFileSync(fixture, "utf8")).toBe(text);
    expect(readdirSync(folder)).toEqual(["triage.json"]);
  });

  test("follows a link and keeps it", async () => {
    const target = join(folder, "target.json");
    writeFileSync(target, "");
    symlinkSync(target, fixture);
    expect((await guard(printing(ANSWER), "--update")).code).toBe(0);
    expect(realpathSync(fixture)).toBe(realpathSync(target));
    expect(JSON.parse(readFileSync(target, "utf8"))).toEqual(ANSWER);
  });

  test("needs a folder and a file that can be replaced", async () => {
    const ran = join(folder, "ran");
    for (const file of [join(folder, "no", "x.json"), join(folder, "x".repeat(300)), folder, "/dev/null"]) {
      const { code } = await plico(["check", "--fixture", file, "--update", "--", "touch", ran]);
      expect({ file, code }).toEqual({ file, code: 2 });
    }
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe("a wrong call", () => {
  test.each([
    ["no command", ["--fixture", "f.json"]],
    ["no command after --", ["--fixture", "f.json", "--"]],
    ["a command of no name", ["--fixture", "f.json", "--update", "--", ""]],
    ["a command without --", ["--fixture", "f.json", "node", "x.js"]],
    ["a command without --fixture", ["--", "node", "x.js"]],
    ["--update without --fixture", ["--update", "f.json"]],
    ["--timeout without --fixture", ["--timeout", "3", "f.json"]],
    ["a file twice", ["--fixture", "f.json", "--fixture", "g.json", "--", "true"]],
    ["a file beside the fixture", ["g.json", "--fixture", "f.json", "--", "true"]],
    ["standard input", ["--fixture", "-", "--", "true"]],
    ["another dialect", ["--fixture", "f.json", "--as", "response-v2", "--", "true"]],
    ["no time", ["--fixture", "f.json", "--timeout", "0", "--", "true"]],
    ["a major that is none", ["--fixture", "f.json", "--expect-major", "x", "--", "true"]],
  ])("is %s", async (_, argv) => {
    const { code, out, err } = await plico(["check", ...argv]);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toMatch(/^plico: /);
  });

  test("shows how it is done", async () => {
    expect((await plico(["check", "--fixture", "f.json"])).err).toContain("-- COMMAND");
  });

  test("is not a file that follows --", async () => {
    capture();
    expect((await plico(["check", "--", fixture])).code).toBe(0);
  });
});

function reordered({ rows, ...rest }: typeof ANSWER): object {
  return { ...rest, rows: rows.map(({ id, title }) => ({ title, id })) };
}
