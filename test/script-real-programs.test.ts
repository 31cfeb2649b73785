import { execFileSync } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { describeWith } from "./describe-with.js";
import { scriptMounter } from "./mounted-scripts.js";
import { programOnThisMachine } from "./program.js";

const node = process.execPath;
const mount = scriptMounter();
const folder = mkdtempSync(join(tmpdir(), "plico-programs-"));

afterAll(() => rmSync(folder, { recursive: true }));

/** A new folder with these files. */
function folderWith(name: string, files: Readonly<Record<string, string>>): string {
  const path = join(folder, name);
  mkdirSync(path);
  for (const [file, text] of Object.entries(files)) writeFileSync(join(path, file), text);
  return path;
}

describeWith("git", programOnThisMachine("git"), (git) => {
  /** Nothing of the user's own configuration, which could sign commits or call other programs. */
  const env = { GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1", GIT_CEILING_DIRECTORIES: tmpdir() };
  let repository: string;

  beforeAll(() => {
    repository = folderWith("repository", { "a.txt": "one\n", "-odd name.txt": "1\n" });
    run("-c", "init.defaultBranch=main", "init", "-q");
    run("add", ".");
    commit("Ada", 'Say "one"');
    appendFileSync(join(repository, "a.txt"), "two\n");
    run("add", ".");
    commit("Grace", "Say two");
    appendFileSync(join(repository, "-odd name.txt"), "2\n");
    commit("Ada", "Count on", "-a");
  });

  function run(...words: readonly string[]): string {
    return execFileSync(git, words, { cwd: repository, env: { ...process.env, ...env }, encoding: "utf8" });
  }

  function commit(name: string, subject: string, ...words: readonly string[]): void {
    const email = `${name.toLowerCase()}@example.org`;
    run("-c", `user.name=${name}`, "-c", `user.email=${email}`, "commit", "-q", "-m", subject, ...words);
  }

  const LOG = ["git", "log", '--format={ "hash": "%H", "author": "%ae", "time": %at }'];
  const FLAGS = { count: "-n", author: "--author=", reverse: "--reverse", paths: "--" };
  const inputSchema = {
    type: "object",
    properties: {
      count: { type: "integer" },
      author: { type: "string" },
      reverse: { type: "boolean" },
      paths: { type: "array", items: { type: "string" } },
    },
    additionalProperties: false,
  };

  function mountLog() {
    const options = {
      operation: "log",
      cwd: repository,
      env,
      outputAs: "json-lines",
      flags: FLAGS,
      inputSchema,
    } as const;
    return mount({ command: LOG, ...options });
  }

  const authorsOf = (commits: readonly unknown[]): string[] =>
    commits.map((commit) => (commit as { readonly author: string }).author);

  test("log gives its commits one by one", async () => {
    const { values, spec } = await mountLog();
    expect(spec("log")?.type).toBe("subscription");
    const commits = await values("log", {});
    expect(authorsOf(commits)).toEqual(["ada@example.org", "grace@example.org", "ada@example.org"]);
    expect(commits[0]).toEqual({
      hash: run("rev-parse", "HEAD").trim(),
      author: "ada@example.org",
      time: expect.any(Number),
    });
  });

  test.each([
    [{ count: 1 }, ["ada"]],
    [{ author: "grace" }, ["grace"]],
    [{ count: 2, reverse: true }, ["grace", "ada"]],
    [{ reverse: false, paths: ["a.txt"] }, ["grace", "ada"]],
    [{ paths: ["-odd name.txt"] }, ["ada", "ada"]],
    [{ author: "nobody; touch x" }, []],
  ])("log takes %j as flags", async (input, names) => {
    const { values } = await mountLog();
    expect(authorsOf(await values("log", input))).toEqual(names.map((name) => `${name}@example.org`));
  });

  test("log does not take a value for an option", async () => {
    const { values } = await mountLog();
    expect(await values("log", { author: "--output=stolen", paths: ["--output=stolen"] })).toEqual([]);
    expect(existsSync(join(repository, "stolen"))).toBe(false);
  });

  test("log refuses a field of the wrong type and one that it does not have", async () => {
    const { values } = await mountLog();
    await expect(values("log", { count: "all" })).rejects.toMatchObject({ code: "VALIDATION_ERROR" });
    await expect(values("log", { output: "stolen" })).rejects.toMatchObject({ code: "VALIDATION_ERROR" });
  });

  test("log fails with what git says outside of a repository", async () => {
    const { values } = await mount({ command: LOG, operation: "log", cwd: folder, env, outputAs: "json-lines" });
    await expect(values("log")).rejects.toMatchObject({
      code: "SCRIPT_FAILED",
      details: { exitCode: 128, stderr: expect.stringContaining("not a git repository") },
    });
  });

  test("log as text keeps what would break JSON", async () => {
    const command = ["git", "log", "--reverse", "--format=%s"];
    const { call, names } = await mount({ command, cwd: repository, env, outputAs: "text", type: "query" });
    expect(names).toEqual(["git"]);
    const { data, meta } = await call("git");
    expect(data).toBe('Say "one"\nSay two\nCount on\n');
    expect(meta).toMatchObject({ source: "script", command, exitCode: 0 });
  });

  test("status gives its text exactly, also with NUL between the entries", async () => {
    writeFileSync(join(repository, "new\nline.txt"), "");
    appendFileSync(join(repository, "a.txt"), "three\n");
    try {
      const status = ["git", "status", "--porcelain=v2", "--branch"];
      const options = { operation: "status", cwd: repository, env, inputAs: "flags", outputAs: "text" } as const;
      const lines = await mount({ command: status, ...options });
      expect((await lines.call("status")).data).toBe(run(...status.slice(1)));
      const entries = await mount({ command: [...status, "-z"], ...options });
      const { data } = await entries.call("status");
      expect(String(data).split("\0")).toEqual(
        expect.arrayContaining(["# branch.head main", expect.stringMatching(/^1 \.M .* a\.txt$/), "? new\nline.txt"]),
      );
    } finally {
      rmSync(join(repository, "new\nline.txt"));
      run("checkout", "-q", "a.txt");
    }
  });
});

describeWith("npm", programOnThisMachine("npm"), () => {
  const env = { NPM_CONFIG_UPDATE_NOTIFIER: "false", NPM_CONFIG_LOGS_MAX: "0", NPM_CONFIG_OFFLINE: "true" };
  const command = ["npm", "ls", "--json"];
  const MISSING = "missing: left-pad@^1.0.0, required by broken@1.0.0";
  let broken: string;
  let sound: string;

  beforeAll(() => {
    const about = { name: "broken", version: "1.0.0", dependencies: { "left-pad": "^1.0.0" } };
    broken = folderWith("broken", { "package.json": JSON.stringify(about) });
    sound = folderWith("sound", { "package.json": '{ "name": "sound", "version": "2.0.0" }' });
  });

  test("ls gives its JSON as data", async () => {
    const { call } = await mount({ command, cwd: sound, env, outputAs: "json" });
    expect((await call("npm")).data).toMatchObject({ name: "sound", version: "2.0.0" });
  });

  test("ls gives the problems as data where its exit code does not mean failure", async () => {
    const { call } = await mount({ command, cwd: broken, env, outputAs: "json", exitCodes: [0, 1] });
    const { data, meta } = await call("npm");
    expect(data).toMatchObject({ name: "broken", problems: [MISSING] });
    expect(meta).toMatchObject({ exitCode: 1, telemetry: { stderr: expect.stringContaining("ELSPROBLEMS") } });
  });

  test("ls with problems fails where it does, and what it printed is kept", async () => {
    const { fail } = await mount({ command, cwd: broken, env });
    const error = await fail("npm");
    expect(error).toMatchObject({ category: "execution", code: "SCRIPT_FAILED", details: { exitCode: 1 } });
    expect(JSON.stringify(error.data)).toContain("left-pad@^1.0.0");
  });
});

describe("node --test", () => {
  const TESTS =
    'import test from "node:test";\ntest("adds", () => {});\ntest("fails", () => { throw new Error("no"); });\n';
  let cwd: string;

  beforeAll(() => {
    cwd = folderWith("tests", { "sum.test.mjs": TESTS });
  });

  const reporter = fileURLToPath(new URL("fixtures/scripts/json-lines-reporter.mjs", import.meta.url));
  const tested = (reporter: string): readonly string[] => [
    node,
    "--test",
    `--test-reporter=${reporter}`,
    "sum.test.mjs",
  ];

  test.each([
    ["tap", /^TAP version 13\n[\s\S]*^ok 1 - adds$[\s\S]*^not ok 2 - fails$/m],
    ["spec", /^✔ adds [\s\S]*^✖ fails /m],
  ])("gives the text of its reporter %s, whether tests fail or not", async (reporter, text) => {
    const options = { operation: "tests", cwd, outputAs: "text" } as const;
    const { call } = await mount({ command: tested(reporter), ...options, exitCodes: [0, 1] });
    const { data, meta } = await call("tests");
    expect(data).toMatch(text);
    expect(meta).toMatchObject({ exitCode: 1 });
  });

  test("gives the lines of a reporter of one's own as values", async () => {
    const options = { operation: "tests", cwd, outputAs: "json-lines", exitCodes: [0, 1] } as const;
    const { values } = await mount({ command: tested(reporter), ...options });
    expect(await values("tests")).toEqual([
      { name: "adds", passed: true, line: 2 },
      { name: "fails", passed: false, line: 3 },
    ]);
  });

  test("gives all those values before it fails where failing tests mean failure", async () => {
    const { each } = await mount({ command: tested(reporter), operation: "tests", cwd, outputAs: "json-lines" });
    const names: unknown[] = [];
    const reading = (async () => {
      for await (const { data } of each("tests")) names.push(data);
    })();
    await expect(reading).rejects.toMatchObject({ code: "SCRIPT_FAILED", details: { exitCode: 1 } });
    expect(names).toMatchObject([{ name: "adds" }, { name: "fails" }]);
  });

  test("fails where failing tests mean failure, with the report as data", async () => {
    const { fail } = await mount({ command: tested("tap"), operation: "tests", cwd, outputAs: "text" });
    const error = await fail("tests");
    expect(error).toMatchObject({ code: "SCRIPT_FAILED", details: { exitCode: 1 } });
    expect(error.data).toMatch(/^not ok 2 - fails$/m);
  });
});

describe("tsc", () => {
  const compiler = fileURLToPath(new URL("../node_modules/typescript/bin/tsc", import.meta.url));
  const words = ["--noEmit", "--pretty", "false", "--lib", "es5", "--types", "none", "--skipLibCheck"];
  const COMPLAINT = /^wrong\.ts\(1,14\): error TS2322: .+\n$/;
  let cwd: string;

  beforeAll(() => {
    cwd = folderWith("typescript", {
      "wrong.ts": 'export const n: number = "x";\n',
      "right.ts": "export const n: number = 1;\n",
    });
    // The compiler is asked for no types but wants to find those that it is asked for.
    mkdirSync(join(cwd, "node_modules/@types/none"), { recursive: true });
    writeFileSync(join(cwd, "node_modules/@types/none/index.d.ts"), "");
  });

  function mountCompiler(exitCodes: readonly number[]) {
    return mount({ command: [node, compiler, ...words], cwd, flags: { files: "" }, outputAs: "text", exitCodes });
  }

  test("is named after its file, and gives its complaints as data where they are no failure", async () => {
    const { call, names } = await mountCompiler([0, 2]);
    expect(names).toEqual(["tsc"]);
    const { data, meta } = await call("tsc", { files: ["wrong.ts"] });
    expect(data).toMatch(COMPLAINT);
    expect(meta).toMatchObject({ exitCode: 2 });
    expect(await call("tsc", { files: ["right.ts"] })).toMatchObject({ data: "", meta: { exitCode: 0 } });
  });

  test("fails with its complaints as data where they are", async () => {
    const { fail } = await mountCompiler([0]);
    const error = await fail("tsc", { files: ["wrong.ts"] });
    expect(error).toMatchObject({ category: "execution", code: "SCRIPT_FAILED", details: { exitCode: 2 } });
    expect(error.data).toMatch(COMPLAINT);
  });

  test("is not given a file that it would read as an option", async () => {
    const { fail } = await mountCompiler([0]);
    expect((await fail("tsc", { files: ["--outDir=stolen"] })).code).toBe("VALIDATION_ERROR");
  });
});

test("a program that is missing is told as such, with advice", async () => {
  const { fail } = await mount({ command: ["no-such-program-of-plico"], operation: "tool" });
  expect(await fail("tool")).toMatchObject({
    category: "unavailable",
    code: "TOOL_MISSING",
    recoverable: false,
    suggestedAction: expect.any(String),
  });
});
