import { once } from "node:events";
import { readFileSync } from "node:fs";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { within } from "../../test/own-time.js";
import { isCallError } from "../envelope/call-error.js";
import { isAlive, readAll, readPids, STUBBORN, STUBBORN_NODE, survivorsOf } from "./fixtures/processes.js";
import { processTable } from "./process-table.js";
import { type ProcessTreeOptions, startProcessTree } from "./process-tree.js";

const node = process.execPath;
const quick = { graceMs: 100 };

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "plico-tree-"));
});

afterAll(() => rm(folder, { recursive: true }));

async function failureOf(argv: readonly string[], options?: ProcessTreeOptions) {
  const thrown = await startProcessTree(argv, options).catch((error: unknown) => error);
  if (!isCallError(thrown)) throw new Error("It should have failed with a CallError.");
  const { category, code, recoverable, details } = thrown;
  return { category, code, recoverable, details };
}

async function file(name: string, text: string, mode: number): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, text);
  await chmod(path, mode);
  return path;
}

describe("a process", () => {
  test("talks over stdin and stdout, and tells its exit code", async () => {
    const tree = await startProcessTree([node, "-e", "process.stdin.pipe(process.stdout); process.exitCode = 7"]);
    tree.stdin.end("hello");
    expect(await readAll(tree.stdout)).toBe("hello");
    expect(await tree.exited).toEqual({ code: 7, signal: null });
    await tree.end();
  });

  test("tells the signal that ended it", async () => {
    const tree = await startProcessTree(["sh", "-c", "kill -USR1 $$"]);
    expect(await tree.exited).toEqual({ code: null, signal: "SIGUSR1" });
  });

  test("gets its arguments as they are, the given directory, and no variable but the given", async () => {
    const script = "console.log(JSON.stringify([process.argv.slice(1), process.cwd(), process.env]))";
    const env = { NAME: "a b" };
    const tree = await startProcessTree([node, "-e", script, "$HOME; '\"", ""], { cwd: folder, env });
    expect(JSON.parse(await readAll(tree.stdout))).toEqual([["$HOME; '\"", ""], folder, env]);
  });

  test("gives all of its output", async () => {
    const script = "console.log('one line\\n'.repeat(1_000_000))";
    const tree = await startProcessTree([node, "-e", script]);
    let length = 0;
    for await (const chunk of tree.stdout) length += chunk.length;
    expect(length).toBe(9 * 1_000_000 + 1);
    expect(await tree.exited).toEqual({ code: 0, signal: null });
  });

  test("is not held up by what it writes to stderr", async () => {
    const script =
      "for (let i = 0; i < 10_000; i++) process.stderr.write('x'.repeat(1_023) + '\\n'); console.error('end')";
    let lines = 0;
    const tree = await startProcessTree([node, "-e", script], { stderrTail: 10, onStderr: () => lines++ });
    expect(await tree.exited).toEqual({ code: 0, signal: null });
    expect({ lines, tail: tree.stderrTail }).toEqual({ lines: 10_001, tail: "xxxxx\nend\n" });
  });

  test("does no harm by not reading what it is sent", async () => {
    const tree = await startProcessTree(["sh", "-c", "exec <&-; exit 3"]);
    tree.stdin.write("x".repeat(1_000_000));
    expect(await tree.exited).toEqual({ code: 3, signal: null });
    tree.stdin.write("more");
    await tree.end();
  });
});

describe("what cannot be started", () => {
  const unavailable = { category: "unavailable", code: "UNAVAILABLE", recoverable: false };
  const missing = { category: "unavailable", code: "TOOL_MISSING", recoverable: false };

  test("is missing", async () => {
    for (const command of ["plico-has-no-such-program", "./no-such-file", "/etc/passwd/program"])
      expect(await failureOf([command])).toEqual({ ...missing, details: { command } });
  });

  test("has a missing interpreter", async () => {
    const command = await file("script", "#!/nowhere/interpreter\n", 0o755);
    expect(await failureOf([command])).toEqual({ ...missing, details: { command } });
  });

  test("has a directory that is none", async () => {
    const plain = await file("plain", "", 0o644);
    for (const cwd of [join(folder, "nowhere"), plain])
      expect(await failureOf(["sh"], { cwd })).toEqual({ ...unavailable, details: { cwd } });
  });

  test("is not executable", async () => {
    const plain = await file("plain", "", 0o644);
    for (const command of [plain, folder])
      expect(await failureOf([command])).toEqual({ ...unavailable, details: { command } });
  });

  test("is no command", async () => {
    for (const argv of [[], [""], ["sh", "a\0b"], ["s\0h"]])
      expect(await failureOf(argv)).toMatchObject({ category: "validation" });
  });

  test("is too long for the system", async () => {
    const failure = await failureOf(["sh", "x".repeat(3_000_000)]);
    expect(failure).toMatchObject({ category: "validation", code: "PAYLOAD_TOO_LARGE" });
  });
});

describe("the end of a tree", () => {
  test("comes by itself where the process heeds the end of its stdin", async () => {
    const tree = await startProcessTree(["sh", "-c", "trap 'exit 9' TERM; cat; exit 5"], { graceMs: 60_000 });
    await tree.end();
    expect(await tree.exited).toEqual({ code: 5, signal: null });
  });

  test("comes by TERM where it heeds that only", async () => {
    const script =
      "setInterval(() => {}, 1000); process.on('SIGTERM', () => process.exit(6)); console.log(process.pid)";
    const tree = await startProcessTree([node, "-e", script], { graceMs: 300 });
    await readPids(tree.stdout, 1);
    await tree.end();
    expect(await tree.exited).toEqual({ code: 6, signal: null });
  });

  test("comes by KILL where it heeds nothing, and once for all who ask", async () => {
    const tree = await startProcessTree([node, "-e", STUBBORN_NODE], quick);
    await readPids(tree.stdout, 1);
    expect(tree.end()).toBe(tree.end());
    await tree.end();
    expect(isAlive(tree.pid)).toBe(false);
    expect(await tree.exited).toEqual({ code: null, signal: "SIGKILL" });
  });

  test("lets a process clean up after TERM, also with the help of others", async () => {
    const script = "trap 'sh -c \"sleep 0.2; echo cleaned\"; exit 6' TERM; echo started; while :; do sleep 0.05; done";
    const tree = await startProcessTree(["sh", "-c", script], { graceMs: 1_000 });
    const output = readAll(tree.stdout);
    await tree.end();
    expect(await output).toBe("started\ncleaned\n");
    expect(await tree.exited).toEqual({ code: 6, signal: null });
  });

  test("reaches a server behind a wrapper", async () => {
    const tree = await startProcessTree(["sh", "-c", `"${node}" -e "${STUBBORN_NODE}" & wait`], quick);
    const pids = await readPids(tree.stdout, 1);
    await tree.end();
    expect([tree.pid, ...pids].filter(isAlive)).toEqual([]);
  });

  test("reaches a server behind a shell and another program, as npx has them", async () => {
    const server = `require("node:child_process").spawn("sh", ["-c", ${JSON.stringify(STUBBORN)}], { stdio: "inherit" })`;
    const tree = await startProcessTree(["sh", "-c", '"$1" -e "$2"; true', "sh", node, server], quick);
    const pids = await readPids(tree.stdout, 1);
    await tree.end();
    expect([tree.pid, ...pids].filter(isAlive)).toEqual([]);
  });

  test("reaches those with a session of their own, and their children", async () => {
    const inner = `${STUBBORN.replace("while", "sh -c '$0' & while")}`.replace("'$0'", '"$0"');
    const tree = await startProcessTree(["sh", "-c", 'setsid sh -c "$1" "$0"; true', STUBBORN, inner], quick);
    const pids = await readPids(tree.stdout, 2);
    expect(new Set(pids).size).toBe(2);
    await tree.end();
    expect([tree.pid, ...pids].filter(isAlive)).toEqual([]);
  });

  test("reaches those with a session of their own whose parent goes at the end of its stdin", async () => {
    const tree = await startProcessTree(["sh", "-c", 'setsid sh -c "$0" <&- & cat', STUBBORN], quick);
    const pids = await readPids(tree.stdout, 1);
    await tree.end();
    expect(await tree.exited).toEqual({ code: 0, signal: null });
    expect(pids.filter(isAlive)).toEqual([]);
  });

  test("reaches those who start others while they are ended", async () => {
    const script = 'trap \'sh -c "$0" & setsid sh -c "$0" & echo TERM\' TERM; echo $$; while :; do sleep 0.05; done';
    const tree = await startProcessTree(["sh", "-c", script, STUBBORN], { graceMs: 500 });
    const output = readAll(tree.stdout);
    await tree.end();
    const lines = (await output).trim().split("\n");
    expect(lines).toContain("TERM");
    expect(lines.filter((line) => line !== "TERM" && isAlive(Number(line)))).toEqual([]);
  });

  test("comes to those left behind when the first process ends by itself", async () => {
    const tree = await startProcessTree(["sh", "-c", 'sh -c "$0" & exit 4', STUBBORN], quick);
    const pids = await readPids(tree.stdout, 1);
    expect(await tree.exited).toEqual({ code: 4, signal: null });
    expect(await survivorsOf(pids)).toEqual([]);
    await tree.end();
  });

  test("is told, although somebody left behind holds the pipe", async () => {
    const tree = await startProcessTree(["sh", "-c", 'sh -c "$0" & exit 4', STUBBORN], { graceMs: 60_000 });
    const [pid = 0] = await readPids(tree.stdout, 1);
    expect(await tree.exited).toEqual({ code: 4, signal: null });
    expect(isAlive(pid)).toBe(true);
    process.kill(-tree.pid, "SIGKILL");
    await tree.end();
  });

  test("leaves the output of the slowest reader whole when the process ends by itself", async () => {
    const tree = await startProcessTree(["sh", "-c", "head -c 300000 /dev/zero"]);
    let length = 0;
    for await (const chunk of tree.stdout) {
      length += chunk.length;
      await new Promise((resolve) => setTimeout(resolve, 60));
    }
    expect(length).toBe(300_000);
  });

  test("does not wait for a reader who never comes back", async () => {
    const tree = await startProcessTree(["sh", "-c", "head -c 1000000 /dev/zero; sleep 60"], quick);
    await once(tree.stdout, "readable");
    await tree.end();
    expect(tree.stdout.destroyed).toBe(true);
    expect(await tree.exited).toEqual({ code: null, signal: "SIGTERM" });
  });

  test("loses nothing that came while this process was busy, although somebody who got away holds the pipe", async () => {
    const tree = await startProcessTree(
      ["sh", "-c", "(setsid sleep 60 & echo $! >&2); head -c 60000 /dev/zero"],
      quick,
    );
    let length = 0;
    tree.stdout.on("data", (chunk: Buffer) => {
      length += chunk.length;
    });
    const until = performance.now() + 400;
    while (performance.now() < until);
    await tree.exited;
    await once(tree.stdout, "close");
    process.kill(Number(tree.stderrTail), "SIGKILL");
    expect(length).toBe(60_000);
  });

  test("leaves no listener and no guard behind, however many there were", async () => {
    const names = ["exit", "SIGINT", "SIGTERM", "SIGHUP"] as const;
    const count = () => names.map((name) => process.listenerCount(name as "exit"));
    const childrenOf = (pid: number) => (processTable() ?? []).filter(({ parent }) => parent === pid);
    const before = childrenOf(process.pid).map(({ pid }) => pid);
    const newChildren = () => childrenOf(process.pid).filter(({ pid }) => !before.includes(pid));
    const guards = () => childrenOf(process.pid).filter(({ pid }) => isGuard(pid));
    const listeners = count();
    const trees = await Promise.all(Array.from({ length: 20 }, () => startProcessTree(["cat"])));
    expect(count()).toEqual(listeners.map((number) => number + 1));
    expect(guards().length).toBe(1);
    await Promise.all(trees.map((tree) => tree.end()));
    expect(count()).toEqual(listeners);
    await expect.poll(() => [...newChildren(), ...guards()]).toEqual([]);
  });

  function isGuard(pid: number): boolean {
    return readFileSync(`/proc/${pid}/cmdline`, "latin1").includes("plico-guard");
  }
});

describe("a tree that is stopped", () => {
  test("gets TERM at once, although it would end with its stdin", async () => {
    const tree = await startProcessTree([
      "sh",
      "-c",
      "trap 'exit 9' TERM; echo $$; while read -r line; do :; done; exit 5",
    ]);
    await readPids(tree.stdout, 1);
    await within(1_500, tree.stop());
    expect(await tree.exited).toEqual({ code: 9, signal: null });
  });

  test("gets KILL when its time is over", async () => {
    const tree = await startProcessTree(["sh", "-c", STUBBORN], quick);
    await readPids(tree.stdout, 1);
    await tree.stop();
    expect(await tree.exited).toEqual({ code: null, signal: "SIGKILL" });
    await tree.gone;
  });

  test("may have ended before", async () => {
    const tree = await startProcessTree(["true"]);
    await tree.gone;
    await tree.stop();
    expect(await tree.exited).toEqual({ code: 0, signal: null });
  });
});

describe("a process that ends by itself", () => {
  test("is soon found to have left somebody outside of its group", async () => {
    // With job control every job is a group of its own.
    const script = 'set -m; sh -c "$0" >&2 </dev/null & sleep 0.1';
    const tree = await startProcessTree(["sh", "-c", script, STUBBORN], quick);
    expect(await tree.exited).toEqual({ code: 0, signal: null });
    await tree.gone;
    expect([Number(tree.stderrTail)].filter(isAlive)).toEqual([]);
  });
});
