import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { watchResources } from "../../../test/left-behind.js";
import { markProcesses } from "../../../test/marked-processes.js";
import { describeScript, type ScriptAccount, type ScriptToDescribe } from "./describe-script.js";

const DESCRIPTION = '{ "version": "1.2.0", "inputSchema": { "type": "object" }, "accepts": ["stdin"] }';

let cwd: string;
const mark = markProcesses();
const nothingIsLeft = watchResources();

beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), "plico-describe-"));
});

afterAll(async () => {
  await rm(cwd, { recursive: true });
  expect(mark.alive()).toEqual([]);
  await nothingIsLeft();
});

/** What a shell script of this text says. It notes that it ran by a file. */
async function accountOf(text: string, options: Partial<ScriptToDescribe> = {}): Promise<ScriptAccount> {
  await rm(join(cwd, "ran"), { force: true });
  const file = join(cwd, "script.sh");
  await writeFile(file, `: >ran\n${text}\n`);
  const settings = { file, cwd, env: { PATH: process.env["PATH"] ?? "", ...mark.env }, timeout: 10_000, graceMs: 100 };
  return describeScript({
    command: ["sh", file],
    when: undefined,
    signal: new AbortController().signal,
    ...settings,
    ...options,
  });
}

async function hasRun(): Promise<boolean> {
  return (await readdir(cwd)).includes("ran");
}

describe("a script that describes itself", () => {
  test("is read", async () => {
    expect(await accountOf(`[ "$*" = --schema ] && echo '${DESCRIPTION}'`)).toEqual({
      description: { version: "1.2.0", inputSchema: { type: "object" }, outputSchema: true, accepts: ["stdin"] },
    });
  });

  test("gets its arguments before the question, its directory and its variables", async () => {
    const text = `[ "$*" = "a b --schema" ] && [ "$(pwd -P)" = "$(cd ${cwd} && pwd -P)" ] && [ "$NAME" = x ] && echo '${DESCRIPTION}'`;
    const options = { command: ["sh", "script.sh", "a b"], when: true, env: { NAME: "x", PATH: "/usr/bin:/bin" } };
    expect((await accountOf(text, options)).description?.version).toBe("1.2.0");
  });

  test("finds its standard input at its end", async () => {
    expect(await accountOf(`cat; echo '${DESCRIPTION}'; : --schema`)).toHaveProperty("description");
  });

  test("may print a byte order mark, and noise to standard error", async () => {
    const text = `echo noise >&2; printf '\\357\\273\\277'; echo '${DESCRIPTION}'; : --schema`;
    expect(await accountOf(text)).toHaveProperty("description");
  });

  test("may leave somebody behind who holds its output", async () => {
    const text = `sleep 60 & echo '${DESCRIPTION}'; : --schema`;
    expect(await accountOf(text)).toHaveProperty("description");
    expect(mark.alive()).toEqual([]);
  });
});

describe("a script is asked", () => {
  test.each([
    ["its text names the question and parts of the answer", "# --schema inputSchema"],
    ["its text names the question and the field of an envelope", "case $1 in --schema) ;; esac # schema_version"],
    ["it uses the kit", "# runHelper"],
    ["it names the kit's module", "# plico/servers/script"],
    ["it names the kit's file", "# ./helper-kit.mjs"],
  ])("where %s", async (_, text) => {
    await accountOf(text);
    expect(await hasRun()).toBe(true);
  });

  test("after arguments of its own where it uses the kit", async () => {
    await accountOf("# runHelper", { command: ["sh", "script.sh", "deploy"] });
    expect(await hasRun()).toBe(true);
  });

  test("where it is named by a path that is not the full one", async () => {
    await accountOf("# --schema outputSchema", { command: ["sh", "./script.sh"] });
    expect(await hasRun()).toBe(true);
  });

  test("where one says so", async () => {
    await accountOf("", { when: true });
    expect(await hasRun()).toBe(true);
  });
});

describe("a script is not asked", () => {
  test.each([
    ["says nothing of it", "echo deploying"],
    ["has the flag for the schema of a database", "case $1 in --schema) psql -f schema.sql ;; esac"],
    ["has another flag that begins so", "# --schema-file inputSchema"],
    ["is a program and no text", "# runHelper --schema inputSchema \0"],
    ["says it only after the first megabyte", `${"#".repeat(1_048_576)} runHelper`],
  ])("where it %s", async (_, text) => {
    expect(await accountOf(text)).toEqual({});
    expect(await hasRun()).toBe(false);
  });

  test("where the flag would come after arguments of its own", async () => {
    expect(await accountOf("# --schema inputSchema", { command: ["sh", "script.sh", "migrate"] })).toEqual({});
    expect(await hasRun()).toBe(false);
  });

  test("where there is no file to look into", async () => {
    expect(await accountOf("# runHelper", { file: undefined })).toEqual({});
    expect(await accountOf("# runHelper", { file: join(cwd, "gone") })).toEqual({});
    expect(await hasRun()).toBe(false);
  });

  test("where one says so", async () => {
    expect(await accountOf("# runHelper", { when: false })).toEqual({});
    expect(await hasRun()).toBe(false);
  });
});

describe("an answer that is none", () => {
  test.each([
    ["nothing", "true"],
    ["no JSON", "echo usage: script"],
    ["JSON that is no description", 'echo \'{ "status": "ok" }\''],
    ["a description with a version that is none", 'echo \'{ "version": "new" }\''],
    ["an exit code", `echo '${DESCRIPTION}'; echo 'no such flag' >&2; exit 2`],
    ["a signal", "kill -KILL $$"],
    ["too much", "head -c 20000000 /dev/zero"],
  ])("is a warning: %s", async (_, text) => {
    const account = await accountOf(text, { when: true });
    expect(account).toEqual({ warning: { code: "SCRIPT_UNDESCRIBED", message: expect.stringContaining("script.sh") } });
  });

  test("is a warning that tells exit code and last words", async () => {
    const { warning } = await accountOf("echo 'no such flag' >&2; exit 2", { when: true });
    expect(warning?.message).toMatch(/exit code 2.*no such flag/);
  });

  test("is a warning where the program is missing, or its directory", async () => {
    const missing = await accountOf("", { when: true, command: ["no-such-program-of-plico"], file: undefined });
    expect(missing.warning?.code).toBe("SCRIPT_UNDESCRIBED");
    const nowhere = await accountOf("", { when: true, cwd: join(cwd, "gone") });
    expect(nowhere.warning?.code).toBe("SCRIPT_UNDESCRIBED");
  });

  test("is a warning where it takes too long, and the script is ended with all that it started", async () => {
    const account = await accountOf("trap '' TERM; sleep 60 & sleep 60; sleep 60", { when: true, timeout: 100 });
    expect(account.warning?.code).toBe("SCRIPT_UNDESCRIBED");
    expect(mark.alive()).toEqual([]);
  });

  test("is a warning where it never ends to print", async () => {
    const account = await accountOf("yes", { when: true, timeout: 100 });
    expect(account.warning?.code).toBe("SCRIPT_UNDESCRIBED");
  });
});
