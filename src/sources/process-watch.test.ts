import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { isAlive, readPids, STUBBORN, survivorsOf } from "./fixtures/processes.js";
import { processTable } from "./process-table.js";

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "plico-watch-"));
  const entry = fileURLToPath(new URL("process-tree.ts", import.meta.url));
  const outfile = join(folder, "process-tree.mjs");
  await build({ entryPoints: [entry], bundle: true, platform: "node", format: "esm", outfile });
  await writeFile(join(folder, "copy.mjs"), `export * from "./process-tree.mjs?copy";`);
});

afterAll(() => rm(folder, { recursive: true }));

/** Starts a shell that ignores TERM, with a child and a child in a session of its own, which do likewise. */
const START = `
  const stubborn = ${JSON.stringify(STUBBORN)};
  const argv = ["sh", "-c", "sh -c \\"$0\\" & setsid sh -c \\"$0\\" & eval \\"$0\\"", stubborn];
  const tree = await startProcessTree(argv, { graceMs: 200 });
  tree.stdout.pipe(process.stdout);
  await new Promise((resolve) => {
    let lines = 0;
    tree.stdout.on("data", (chunk) => (lines += String(chunk).split("\\n").length - 1) === 3 && resolve());
  });`;

/** A program of its own that starts processes, does what the body says, and stays. */
function run(body: string): ChildProcess & { stdout: NonNullable<ChildProcess["stdout"]> } {
  const source = `import { startProcessTree } from ${JSON.stringify(join(folder, "process-tree.mjs"))};
    const folder = ${JSON.stringify(folder)};
    ${body}`;
  return spawn(process.execPath, ["--input-type=module", "-e", source], { stdio: ["ignore", "pipe", "ignore"] });
}

async function outcomeOf(program: ChildProcess): Promise<{ code: number | null; signal: string | null }> {
  const [code, signal] = program.exitCode === null && program.signalCode === null ? await once(program, "exit") : [];
  return { code: code ?? program.exitCode, signal: signal ?? program.signalCode };
}

function guardsOf(program: ChildProcess, pids: readonly number[]): number[] {
  const children = (processTable() ?? []).filter(({ parent }) => parent === program.pid);
  return children.map(({ pid }) => pid).filter((pid) => !pids.includes(pid));
}

describe.concurrent("when this process ends, so do its trees:", () => {
  test.each([
    ["SIGTERM", { code: null, signal: "SIGTERM" }],
    ["SIGINT", { code: null, signal: "SIGINT" }],
    ["SIGHUP", { code: null, signal: "SIGHUP" }],
    ["SIGKILL", { code: null, signal: "SIGKILL" }],
    ["SIGUSR2", { code: null, signal: "SIGUSR2" }],
  ] as const)("by %s", async (signal, outcome) => {
    const program = run(`${START} setInterval(() => {}, 1000);`);
    const pids = await readPids(program.stdout, 3);
    const guards = guardsOf(program, pids);
    expect({ trees: pids.filter(isAlive).length, guards: guards.length }).toEqual({ trees: 3, guards: 1 });
    program.kill(signal);
    expect(await outcomeOf(program)).toEqual(outcome);
    expect(await survivorsOf([...pids, ...guards])).toEqual([]);
  });

  test.each([
    ["process.exit", "process.exit(3);", 3],
    ["an exception", "setTimeout(() => { throw new Error(); });", 1],
    ["a promise that nobody caught", "Promise.reject(new Error());", 1],
  ])("by %s", async (_, end, code) => {
    const program = run(`${START} ${end}`);
    const pids = await readPids(program.stdout, 3);
    expect(await outcomeOf(program)).toEqual({ code, signal: null });
    expect(await survivorsOf(pids)).toEqual([]);
  });

  test("also those who lose their parent on the way", async () => {
    const program = run(`
      const tree = await startProcessTree(["sh", "-c", "setsid sh -c \\"$0\\" & sleep 60", ${JSON.stringify(STUBBORN)}]);
      tree.stdout.pipe(process.stdout);
      tree.stdout.on("data", () => process.exit(3));`);
    const pids = await readPids(program.stdout, 1);
    expect(await outcomeOf(program)).toEqual({ code: 3, signal: null });
    expect(await survivorsOf(pids)).toEqual([]);
  });

  test("also where the guard was killed before", async () => {
    const program = run(`${START} process.on("SIGUSR2", () => process.exit(3));`);
    const pids = await readPids(program.stdout, 3);
    const [guard = 0] = guardsOf(program, pids);
    process.kill(guard, "SIGKILL");
    await vi.waitUntil(() => !existsSync(`/proc/${guard}`), { timeout: 10_000, interval: 20 });
    program.kill("SIGUSR2");
    expect(await outcomeOf(program)).toEqual({ code: 3, signal: null });
    expect(await survivorsOf(pids)).toEqual([]);
  });

  test("also those who were started later, when others had gone", async () => {
    const program = run(`
      const done = await startProcessTree(["true"]);
      const first = await startProcessTree(["sh", "-c", ${JSON.stringify(STUBBORN)}]);
      await done.gone;
      const second = await startProcessTree(["sh", "-c", ${JSON.stringify(STUBBORN)}]);
      for (const tree of [first, second]) tree.stdout.pipe(process.stdout);
      setInterval(() => {}, 1000);`);
    const pids = await readPids(program.stdout, 2);
    program.kill("SIGKILL");
    expect(await outcomeOf(program)).toEqual({ code: null, signal: "SIGKILL" });
    expect(await survivorsOf(pids)).toEqual([]);
  });

  test("also those of a second copy of this module", async () => {
    const program = run(`${START}
      const copy = await import(folder + "/copy.mjs");
      const other = await copy.startProcessTree(["sh", "-c", stubborn], { graceMs: 200 });
      other.stdout.pipe(process.stdout);`);
    const pids = await readPids(program.stdout, 4);
    program.kill("SIGTERM");
    expect(await outcomeOf(program)).toEqual({ code: null, signal: "SIGTERM" });
    expect(await survivorsOf(pids)).toEqual([]);
  });
});

describe.concurrent("a signal that others listen to", () => {
  test("is theirs: nothing is ended", async () => {
    const program = run(`${START}
      process.on("SIGINT", () => console.log(0));
      process.on("SIGTERM", async () => { await tree.end(); process.exit(8); });`);
    const pids = await readPids(program.stdout, 3);
    for (let round = 0; round < 2; round++) {
      program.kill("SIGINT");
      await once(program.stdout, "data");
    }
    expect(pids.filter(isAlive).length).toBe(3);
    program.kill("SIGTERM");
    expect(await outcomeOf(program)).toEqual({ code: 8, signal: null });
    expect(pids.filter(isAlive)).toEqual([]);
  });

  test("ends the process where they only clean up if they are alone", async () => {
    const program = run(`
      process.on("SIGINT", function listener() {
        if (process.listeners("SIGINT").length > 1) return;
        process.off("SIGINT", listener);
        process.kill(process.pid, "SIGINT");
      });
      ${START}`);
    const pids = await readPids(program.stdout, 3);
    program.kill("SIGINT");
    expect(await outcomeOf(program)).toEqual({ code: null, signal: "SIGINT" });
    expect(await survivorsOf(pids)).toEqual([]);
  });
});

describe.concurrent("a process ends by itself", () => {
  test("when its trees have been ended", async () => {
    const program = run(`${START} await tree.end(); process.exitCode = 5;`);
    const pids = await readPids(program.stdout, 3);
    expect(await outcomeOf(program)).toEqual({ code: 5, signal: null });
    expect(pids.filter(isAlive)).toEqual([]);
  });

  test("when its trees have ended, and whoever got away holds the pipes", async () => {
    const program = run(`
      const tree = await startProcessTree(["sh", "-c", "(setsid sleep 300 & echo $!); exit 2"], { graceMs: 200 });
      tree.stdout.pipe(process.stdout);
      process.exitCode = (await tree.exited).code;`);
    const [pid = 0] = await readPids(program.stdout, 1);
    expect(await outcomeOf(program)).toEqual({ code: 2, signal: null });
    if (isAlive(pid)) process.kill(pid, "SIGKILL");
  });
});
