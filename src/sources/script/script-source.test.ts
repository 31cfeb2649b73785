import { existsSync, readFileSync } from "node:fs";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { watchResources } from "../../../test/left-behind.js";
import { markProcesses } from "../../../test/marked-processes.js";
import { STUBBORN } from "../fixtures/processes.js";
import { openScript, openShell, runShell } from "./fixtures/open-script.js";
import { scriptSource } from "./index.js";

const assertNothingLeft = watchResources();
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "plico-script-"));
});

afterAll(async () => {
  await rm(folder, { recursive: true });
  await assertNothingLeft();
});

async function file(name: string, text: string, mode = 0o755): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, text);
  await chmod(path, mode);
  return path;
}

const PRINT = 'for word in "$@"; do echo "$word"; done';

describe("a call", () => {
  test("gives the input as an argument, after those of the command", async () => {
    const answer = await runShell(PRINT, { outputAs: "text" }, { a: "$HOME" });
    expect(answer).toMatchObject({ ok: true, data: '--input\n{"a":"$HOME"}\n' });
  });

  test("gives the input on standard input", async () => {
    expect(await runShell("cat", { inputAs: "stdin" }, { a: 1 })).toMatchObject({ ok: true, data: { a: 1 } });
  });

  test("gives the input as flags, which are not checked only by the program", async () => {
    const inputSchema = { type: "object", properties: { maxCount: { type: "number" } } };
    const { source, call } = await openShell(PRINT, { inputAs: "flags", outputAs: "text", inputSchema });
    expect(await call({ maxCount: 2 })).toMatchObject({ ok: true, data: "--max-count=2\n" });
    expect(await call({ exec: "x" })).toMatchObject({ ok: false, error: { code: "VALIDATION_ERROR" } });
    expect(await call()).toMatchObject({ ok: true, data: "" });
    await source.close();
  });

  test("makes no flag of a field that neither schema nor flags name", async () => {
    const { source, call } = await openShell(PRINT, { flags: { count: "--count" }, outputAs: "text" });
    expect(await call({ count: 2 })).toMatchObject({ ok: true, data: "--count\n2\n" });
    expect(await call({ output: "/etc/passwd" })).toMatchObject({ ok: false, error: { code: "VALIDATION_ERROR" } });
    await source.close();
  });

  test("tells the command without the input, which may be secret", async () => {
    const command = ["/bin/sh", "-c", "exit 1", "sh"];
    const outcome = await runShell("exit 1", {}, { password: "hunter2" });
    expect(outcome).toMatchObject({ ok: false, error: { details: { command } }, meta: { source: "script", command } });
    expect(JSON.stringify(outcome)).not.toContain("hunter2");
  });

  test("runs where it is told to, with the trace of its caller", async () => {
    const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    const script = 'pwd; echo "$TRACEPARENT"';
    const answer = await runShell(script, { cwd: folder, outputAs: "text" }, undefined, { metadata: { traceparent } });
    expect(answer).toMatchObject({ ok: true, data: `${folder}\n${traceparent}\n` });
  });

  test("ends well although the program never reads its input", async () => {
    const big = { text: "x".repeat(2_000_000) };
    expect(await runShell("exec <&-; echo 1", { inputAs: "stdin" }, big)).toMatchObject({ ok: true, data: 1 });
    expect(await runShell("echo 1", { inputAs: "stdin" }, big)).toMatchObject({ ok: true, data: 1 });
  });

  test("tells each line of standard error, and whose it is", async () => {
    const lines: unknown[] = [];
    await runShell("echo a >&2; echo b >&2", { onStderr: (line, id) => lines.push([line, id]) });
    expect(lines).toEqual([
      ["a", "test.script"],
      ["b", "test.script"],
    ]);
  });

  test("keeps only the end of standard error", async () => {
    expect(await runShell("echo 12345 >&2; exit 1", { maxStderrBytes: 3 })).toMatchObject({
      error: { details: { stderr: "45\n" } },
    });
  });

  test("of a program that is missing says what to do", async () => {
    const { source, call } = await openScript({ command: ["plico-has-no-such-program"] });
    expect(await call()).toMatchObject({
      ok: false,
      error: { code: "TOOL_MISSING", recoverable: false, suggestedAction: expect.any(String) },
      meta: { source: "script", command: ["plico-has-no-such-program"], exitCode: null },
    });
    expect(source.health()).toMatchObject({ status: "ready", running: 0 });
    await source.close();
  });

  test("of a script that was saved on Windows says how to mend it", async () => {
    const saved = await file("saved.sh", "#!/bin/sh\r\necho 1\r\n");
    const { source, call } = await openScript({ command: [saved] });
    const { message } = await call().then((outcome) => (outcome.ok ? { message: "" } : outcome.error));
    expect(message).toContain("CR LF");
    await source.close();
  });

  test("of a program that is killed tells the signal, and what it printed", async () => {
    expect(await runShell("echo half; kill -SEGV $$")).toMatchObject({
      ok: false,
      error: { code: "SCRIPT_KILLED", category: "execution", data: "half\n", details: { signal: "SIGSEGV" } },
      meta: { exitCode: null },
    });
  });
});

describe("a limit", () => {
  test("of time ends the program, and keeps what it printed", async () => {
    const mark = markProcesses();
    const outcome = await runShell("echo half; echo why >&2; sleep 60", { timeout: 300, env: mark.env });
    expect(outcome).toMatchObject({
      ok: false,
      error: { code: "TIMEOUT", category: "timeout", data: "half\n", details: { stderr: "why\n" } },
      meta: { source: "script" },
    });
    expect(mark.alive()).toEqual([]);
  });

  test("of time keeps all that was printed, however much", async () => {
    const script = "head -c 200000 /dev/zero; exec sleep 60";
    const outcome = await runShell(script, { timeout: 500, graceMs: 50 });
    expect(outcome).toMatchObject({ ok: false, error: { code: "TIMEOUT", data: "\0".repeat(200_000) } });
  });

  test("of the system for arguments is told as one of the input", async () => {
    const paths = Array.from({ length: 100 }, () => "x".repeat(90_000));
    const outcome = await runShell("echo 1", { inputAs: "flags" }, { paths });
    expect(outcome).toMatchObject({ ok: false, error: { code: "PAYLOAD_TOO_LARGE", category: "validation" } });
  });

  test("of size ends the program, and keeps the beginning", async () => {
    const outcome = await runShell("echo begin; exec cat /dev/zero", { maxOutputBytes: 100_000 });
    expect(outcome).toMatchObject({ ok: false, error: { code: "PAYLOAD_TOO_LARGE", recoverable: false } });
    expect(outcome.ok ? "" : String(outcome.error.data).slice(0, 6)).toBe("begin\n");
  });

  test("of size cuts no character in two", async () => {
    const outcome = await runShell("printf x; exec yes -- äöü", { maxOutputBytes: 100_000 });
    expect(outcome.ok ? "" : outcome.error.data).toMatch(/^xäöü\n[äöü\n]+$/);
  });

  test("of size is not below what may be", async () => {
    const options = { maxOutputBytes: 100, outputAs: "text" } as const;
    expect(await runShell("printf %100s", options)).toMatchObject({ ok: true });
    expect(await runShell("printf %101s", options)).toMatchObject({ error: { code: "PAYLOAD_TOO_LARGE" } });
  });
});

describe("a call that is given up", () => {
  test("is over at once, and its program with all it started soon after", async () => {
    const mark = markProcesses();
    const { source, call } = await openScript({
      command: ["/bin/sh", "-c", `sh -c "$0" & ${STUBBORN}`, STUBBORN],
      env: mark.env,
      graceMs: 100,
    });
    const controller = new AbortController();
    const outcome = call(undefined, { signal: controller.signal });
    await expect.poll(() => mark.alive().length).toBeGreaterThan(1);
    controller.abort();
    expect(await outcome).toMatchObject({ ok: false, error: { code: "ABORTED" } });
    expect(source.health().running).toBe(1);
    await expect.poll(() => source.health().running).toBe(0);
    await source.close();
    expect(mark.alive()).toEqual([]);
  });

  test("is over at its deadline", async () => {
    const outcome = await runShell("sleep 60", {}, undefined, { deadline: Date.now() + 100 });
    expect(outcome).toMatchObject({ ok: false, error: { code: "TIMEOUT" } });
  });

  test("while it waits starts nothing", async () => {
    const trace = join(folder, "started");
    const { source, call } = await openShell(`echo x >>"${trace}"; sleep 60`, { concurrency: 1, graceMs: 100 });
    const [first, second] = [new AbortController(), new AbortController()];
    const running = call(undefined, { signal: first.signal });
    const waiting = call(undefined, { signal: second.signal });
    expect(source.health()).toMatchObject({ running: 1, waiting: 1 });
    second.abort();
    expect(await waiting).toMatchObject({ error: { code: "ABORTED" } });
    expect(source.health()).toMatchObject({ running: 1, waiting: 0 });
    await expect.poll(() => existsSync(trace)).toBe(true);
    first.abort();
    await running;
    await source.close();
    expect(readFileSync(trace, "utf8")).toBe("x\n");
  });
});

describe("many calls", () => {
  test("run so many at a time, and all come to their end", async () => {
    const counter = join(folder, "counter");
    // Each adds its line, counts those who are there, and goes.
    const script = `mkdir -p "${counter}"; touch "${counter}/$$"; ls "${counter}" | wc -l; rm "${counter}/$$"`;
    const { source, call } = await openShell(script, { concurrency: 3, inputAs: "stdin" });
    const outcomes = await Promise.all(Array.from({ length: 24 }, () => call()));
    const counts = outcomes.map((outcome) => (outcome.ok ? Number(outcome.data) : Number.NaN));
    expect(Math.max(...counts)).toBeLessThanOrEqual(3);
    expect(source.health()).toMatchObject({ running: 0, waiting: 0 });
    await source.close();
  });

  test("more than may wait are refused, and may come again", async () => {
    const { source, call } = await openShell("cat; echo 1", { concurrency: 1, maxQueue: 1 });
    const outcomes = await Promise.all([call(), call(), call()]);
    expect(outcomes.map((outcome) => (outcome.ok ? outcome.data : outcome.error.code))).toEqual([1, 1, "QUEUE_FULL"]);
    expect(await call()).toMatchObject({ ok: true, data: 1 });
    await source.close();
  });
});

describe("a source that is closed", () => {
  test("ends what runs, refuses what waits, and takes no more", async () => {
    const mark = markProcesses();
    const { source, call } = await openShell(STUBBORN, { concurrency: 1, env: mark.env, graceMs: 100 });
    const calls = [call(), call()];
    await expect.poll(() => mark.alive().length).toBeGreaterThan(0);
    await source.close();
    expect(mark.alive()).toEqual([]);
    const unavailable = { ok: false, error: { code: "UNAVAILABLE", category: "unavailable" } };
    for (const one of [...calls, call()]) expect(await one).toMatchObject(unavailable);
    expect(source.health()).toMatchObject({ status: "closed", running: 0, waiting: 0 });
    await source.close();
  });

  test("starts nothing for a call whose turn has just come", async () => {
    const mark = markProcesses();
    const { source, call } = await openShell(STUBBORN, { env: mark.env, graceMs: 100 });
    const outcome = call();
    await source.close();
    expect(mark.alive()).toEqual([]);
    expect(await outcome).toMatchObject({ ok: false, error: { code: "UNAVAILABLE" } });
    expect(source.health().running).toBe(0);
  });

  test("does not wait for a script that is being asked for its schemas", async () => {
    const answer = '{"version":"1.0.0","inputSchema":true}';
    const asked = await file("asked.sh", `#!/bin/sh\n[ "$1" = --schema ] && echo '${answer}'\n`);
    const source = await scriptSource({ name: "test", file: asked, graceMs: 50 });
    const silent = `#!/bin/sh\n# ${answer}\n[ "$1" = --schema ] && echo > ${folder}/begun && exec sleep 60\n`;
    await file("asked.sh", silent);
    const refreshing = source.refresh();
    await expect.poll(() => existsSync(join(folder, "begun"))).toBe(true);
    await source.close();
    await refreshing;
    expect(source.health().status).toBe("closed");
  });

  test("leaves nobody whom a program left behind", async () => {
    const mark = markProcesses();
    const script = "sleep 60 >/dev/null 2>&1 & echo 1";
    const { source, call } = await openShell(script, { env: mark.env, graceMs: 100 });
    expect(await call()).toMatchObject({ ok: true, data: 1 });
    await source.close();
    expect(mark.alive()).toEqual([]);
  });
});

describe("a source of", () => {
  test("a file is named after it, and runs it", async () => {
    const path = await file("say-hello.sh", "#!/bin/sh\necho '{\"hello\":1}'\n");
    const source = await scriptSource({ name: "tools", file: "say-hello.sh", cwd: folder });
    expect(source.operations.map(({ id, spec }) => [id, spec.type])).toEqual([["tools.say-hello", "mutation"]]);
    await source.close();
    await rm(path);
  });

  test("a file that is missing cannot be opened", async () => {
    await expect(scriptSource({ name: "tools", file: "nowhere.sh", cwd: folder })).rejects.toMatchObject({
      code: "TOOL_MISSING",
    });
    await expect(scriptSource({ name: "tools", directory: "nowhere", cwd: folder })).rejects.toMatchObject({
      category: "unavailable",
    });
  });

  test("a directory has an operation a script, with what is said of it, and follows what changes", async () => {
    const directory = await mkdtemp(join(folder, "scripts-"));
    const add = async (name: string, text: string, mode = 0o755): Promise<void> => {
      await writeFile(join(directory, name), `#!/bin/sh\n${text}\n`);
      await chmod(join(directory, name), mode);
    };
    await add("a.sh", "echo 1");
    await add("notes.txt", "", 0o644);
    const scripts = { "a.sh": { title: "A" }, "typo.sh": {} };
    const { source, registry } = await openScript({ operation: undefined, directory, scripts, type: "query" });
    expect(registry.list()).toMatchObject([{ namespace: "test", name: "a", title: "A", type: "query" }]);
    expect(source.health().warnings).toMatchObject([{ code: "OPERATION_SKIPPED" }]);
    const [before] = source.operations;
    await add("b.sh", "echo 2");
    await source.refresh();
    expect(source.operations[0]).toBe(before);
    expect(await registry.attempt("test.b", {})).toMatchObject({ ok: true, data: 2 });
    await rm(join(directory, "a.sh"));
    await source.refresh();
    expect(registry.list().map(({ name }) => name)).toEqual(["b"]);
    await source.close();
  });
});
