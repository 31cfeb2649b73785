import { spawnSync } from "node:child_process";
import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { orElse } from "../src/json/attempt.js";
import { OperationRegistry } from "../src/registry/registry.js";
import { mountSource } from "../src/registry/source.js";
import { scriptSource } from "../src/sources/script/index.js";
import { type HostileScript, tables } from "./fixtures/scripts-hostile/index.js";
import { watchResources } from "./left-behind.js";
import { markProcesses, type ProcessMark } from "./marked-processes.js";
import { SLACK, within } from "./own-time.js";
import { assertExpected, codesOf, ending, openScript } from "./script-trial.js";

const PATIENCE = 30_000;
const DOCUMENT = `echo '{"done":true}'`;
const done = { envelope: { data: { done: true } } };

const assertNothingLeft = watchResources();

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "plico-hostile-"));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

async function tryHostile(one: HostileScript): Promise<void> {
  const mark = markProcesses();
  const { source, call } = await openScript({ command: ["sh", "-c", one.sh, "sh"], env: mark.env, ...one.options });
  try {
    const end = await within((one.expect.within ?? 10_000) + SLACK, call(one.input));
    assertExpected(end, one.expect);
  } finally {
    await source.close();
  }
  if (one.expect.escapes === true) await endAll(mark);
  expect(mark.alive()).toEqual([]);
}

/** Again, because one of them may start another meanwhile. */
async function endAll(mark: ProcessMark): Promise<void> {
  for (let pids = mark.alive(); pids.length > 0; pids = mark.alive()) {
    for (const pid of pids) orElse(() => process.kill(pid, "SIGKILL"), false);
    await delay(10);
  }
}

describe.each(Object.entries(tables))("a program that misbehaves (%s):", (_, table) => {
  for (const [name, one] of Object.entries(table)) test.concurrent(name, { timeout: PATIENCE }, () => tryHostile(one));
});

describe("the ground that is pulled away", () => {
  async function program(name: string, text: string): Promise<string> {
    const path = join(folder, name);
    await writeFile(path, `#!/bin/sh\n${text}\n`);
    await chmod(path, 0o755);
    return path;
  }

  test("a program that is gone is missing, and works when it is back", async () => {
    const path = await program("vanishing", DOCUMENT);
    const { source, call } = await openScript({ command: [path] });
    expect(await call()).toMatchObject(done);
    await rm(path);
    expect(await call()).toMatchObject({ error: { code: "TOOL_MISSING", recoverable: false } });
    await program("vanishing", DOCUMENT);
    expect(await call()).toMatchObject(done);
    await source.close();
  });

  test("a program that may not be executed any more is told as such", async () => {
    const path = await program("locked", DOCUMENT);
    const { source, call } = await openScript({ command: [path] });
    await chmod(path, 0o644);
    expect(await call()).toMatchObject({ error: { code: "UNAVAILABLE", details: { command: path } } });
    await source.close();
  });

  test("a program that is half written fails", async () => {
    const path = await program("half", "#");
    const { source, call } = await openScript({ command: [path] });
    await writeFile(path, "\x7fELF");
    // The system has a shell run what it does not know.
    expect(await call()).toMatchObject({ error: { code: "SCRIPT_FAILED" } });
    await source.close();
  });

  test("a directory that is gone is told as such, and works when it is back", async () => {
    const cwd = join(folder, "vanishing-directory");
    await mkdir(cwd);
    const { source, call } = await openScript({ command: ["sh", "-c", DOCUMENT], cwd });
    expect(await call()).toMatchObject(done);
    await rm(cwd, { recursive: true });
    expect(await call()).toMatchObject({ error: { code: "UNAVAILABLE", details: { cwd } } });
    await mkdir(cwd);
    expect(await call()).toMatchObject(done);
    await source.close();
  });

  test("a program that removes the directory under its own feet answers", async () => {
    const cwd = join(folder, "sawn-off");
    await mkdir(cwd);
    const { source, call } = await openScript({ command: ["sh", "-c", `rmdir "$PWD"; ${DOCUMENT}`], cwd });
    expect(await call()).toMatchObject(done);
    await source.close();
  });
});

describe("what is ours", () => {
  const env = `printf '{'; env | sed 's/[\\\\"]//g; s/^\\([A-Za-z_0-9]*\\)=.*$/"\\1":1,/' | grep '^"'; printf '"end":1}'`;

  test("the environment does not reach a program, but for what is named", async () => {
    const secrets = ["PLICO_SECRET", "AWS_SECRET_ACCESS_KEY", "NODE_OPTIONS_SECRET", "PLICO_NAMED", "PLICO_STAR_ONE"];
    for (const name of secrets) process.env[name] = "secret";
    try {
      const passEnv = ["PLICO_NAMED", "PLICO_STAR_*"];
      const { source, call } = await openScript({ command: ["sh", "-c", env], passEnv, env: { OWN: "1" } });
      const end = await call();
      if ("error" in end) throw end.error;
      const names = Object.keys(end.envelope.data as object);
      expect(names).toEqual(expect.arrayContaining(["PATH", "PLICO_NAMED", "PLICO_STAR_ONE", "OWN"]));
      expect(names.filter((name) => /SECRET/.test(name))).toEqual([]);
      await source.close();
    } finally {
      for (const name of secrets) delete process.env[name];
    }
  });

  test("no file that is open here is open there", { skip: process.platform !== "linux" }, async () => {
    const { source, call } = await openScript({ command: ["sh", "-c", "ls /proc/self/fd"], outputAs: "text" });
    const end = await call();
    if ("error" in end) throw end.error;
    // Whoever started this process may have left some open for everybody.
    const { stdout } = spawnSync("sh", ["-c", "ls /proc/self/fd"], { encoding: "utf8" });
    expect(end.envelope.data).toBe(stdout);
    await source.close();
  });

  test("an input that looks like a command is none", async () => {
    const words = ["$(touch owned)", "`touch owned`", "; touch owned", "--", "-n", "'\"\\", "\u2028", "a\nb", ""];
    const show = 'for word in "$@"; do printf "%s\\0" "$word"; done';
    const flags = { words: "--word=" };
    const { source, call } = await openScript({ command: ["sh", "-c", show, "sh"], flags, outputAs: "text" });
    const end = await call({ words });
    if ("error" in end) throw end.error;
    expect((end.envelope.data as string).split("\0").slice(0, -1)).toEqual(words.map((word) => `--word=${word}`));
    await source.close();
  });
});

describe("a stream that misbehaves", () => {
  async function streamed(
    sh: string,
    options: object,
    take: (value: unknown, at: number) => boolean | Promise<boolean>,
  ) {
    const mark = markProcesses();
    const lines = { outputAs: "json-lines", graceMs: 200, env: mark.env, ...options } as const;
    const { source, registry } = await openScript({ command: ["sh", "-c", sh], ...lines });
    const values: unknown[] = [];
    let error: unknown;
    try {
      for await (const { data } of registry.subscribe("hostile.trial", {})) {
        values.push(data);
        if (!(await take(data, values.length))) break;
      }
    } catch (thrown) {
      error = thrown;
    }
    await source.close();
    expect(mark.alive()).toEqual([]);
    return { values, error };
  }

  test("is ended where nobody wants more of it", async () => {
    const sh = `trap '' TERM PIPE; while :; do echo '{"a":1}'; done 2>/dev/null`;
    const { values, error } = await streamed(sh, {}, (_, count) => count < 3);
    expect({ values, error }).toEqual({ values: [{ a: 1 }, { a: 1 }, { a: 1 }], error: undefined });
  });

  test("waits for a slow reader, and takes no memory", { timeout: PATIENCE }, async () => {
    const before = process.memoryUsage().rss;
    const sh = `yes '{"text":"${"x".repeat(10_000)}"}'`;
    await streamed(sh, {}, (_, count) => delay(50, count < 20));
    expect(process.memoryUsage().rss - before).toBeLessThan(150_000_000);
  });

  test("gives the values before half a line, then fails with it", async () => {
    const { values, error } = await streamed(`echo 1; echo 2; printf '{"a":'`, {}, () => true);
    expect(values).toEqual([1, 2]);
    expect(error).toMatchObject({ code: "INVALID_ANSWER", data: '{"a":' });
  });

  test("gives the values before its death, then fails with it", async () => {
    const { values, error } = await streamed("echo 1; kill -KILL $$", {}, () => true);
    expect(values).toEqual([1]);
    expect(error).toMatchObject({ code: "SCRIPT_KILLED" });
  });

  test("has no line that never ends", async () => {
    const { values, error } = await streamed("echo 1; exec cat /dev/zero", { maxOutputBytes: 100_000 }, () => true);
    expect(values).toEqual([1]);
    expect(error).toMatchObject({ code: "PAYLOAD_TOO_LARGE" });
  });

  test("is ended by an abort while it is silent, and makes room for the next", async () => {
    const mark = markProcesses();
    const lines = { outputAs: "json-lines", concurrency: 1, graceMs: 200, env: mark.env } as const;
    const { source, registry } = await openScript({ command: ["sh", "-c", "echo 1; exec sleep 60"], ...lines });
    for (const options of [{ signal: AbortSignal.timeout(300) }, { deadline: Date.now() + 2_000 }]) {
      const values = registry.subscribe("hostile.trial", {}, options);
      expect((await values.next()).value?.data).toBe(1);
      await expect(values.next()).rejects.toMatchObject({ code: "TIMEOUT" });
      await expect.poll(() => mark.alive()).toEqual([]);
    }
    await source.close();
  });

  test("ends with its source, however long its reader has been away", async () => {
    const mark = markProcesses();
    const lines = { outputAs: "json-lines", graceMs: 200, env: mark.env } as const;
    const { source, registry } = await openScript({ command: ["yes", "1"], ...lines });
    const values = registry.subscribe("hostile.trial", {});
    await values.next();
    await source.close();
    expect(mark.alive()).toEqual([]);
    // What came before may still be given.
    const readOn = async (): Promise<void> => {
      for await (const _ of values);
    };
    await expect(readOn()).rejects.toMatchObject({ code: "UNAVAILABLE" });
  });

  test("has empty lines, carriage returns and no last line end", async () => {
    const { values, error } = await streamed("printf '1\\r\\n\\n \\n2\\n3'", {}, () => true);
    expect({ values, error }).toEqual({ values: [1, 2, 3], error: undefined });
  });
});

describe("a directory of scripts that misbehave when they are asked for their schemas", () => {
  const WELL = `printf '{"version":"1.0.0","inputSchema":true,"outputSchema":true}'`;
  const ANSWER = `{"schema_version":"1.0.0","status":"ok","error":null,"agent":"a","ts":"2026-05-01T09:30:00Z","a":1}`;
  const asked = (answer: string): string =>
    `# outputSchema\nif [ "$1" = --schema ]; then ${answer}; exit; fi; echo '${ANSWER}'`;
  const QUESTIONED = {
    crashes: "kill -SEGV $$",
    fails: "exit 3",
    floods: "exec cat /dev/zero",
    forks: "setsid sleep 60 & sleep 60 & sleep 0.2; exit 0",
    garbage: "echo '<html>'",
    hangs: "trap '' TERM; exec sleep 60",
    halves: `printf '{"version":'`,
    nothing: ":",
    pollutes: `printf '{"__proto__":{"polluted":1},"inputSchema":7}'`,
    stops: "kill -STOP $$",
  };

  test("has them all, undescribed, beside the good one", { timeout: PATIENCE }, async () => {
    const mark = markProcesses();
    const directory = await mkdtemp(join(folder, "asked-"));
    for (const [name, answer] of Object.entries({ ...QUESTIONED, good: WELL }))
      await writeFile(join(directory, `${name}.sh`), `#!/bin/sh\n${asked(answer)}\n`, { mode: 0o755 });
    await writeFile(join(directory, "orphan.sh"), "#!/no/such/interpreter --schema outputSchema\n", { mode: 0o755 });
    const limits = { startTimeout: 1_000, graceMs: 200, env: mark.env };
    const source = await within(15_000 + SLACK, scriptSource({ name: "asked", directory, ...limits }));
    const registry = new OperationRegistry();
    mountSource(registry, source);
    const { status, warnings } = source.health();
    expect(status).toBe("ready");
    expect(codesOf(warnings)).toEqual([...Object.keys(QUESTIONED), "orphan"].map(() => "SCRIPT_UNDESCRIBED"));
    for (const name of [...Object.keys(QUESTIONED), "good"])
      expect(await ending(registry.execute(`asked.${name}`, {})), name).toMatchObject({ envelope: { data: { a: 1 } } });
    expect(await ending(registry.execute("asked.orphan", {}))).toMatchObject({ error: { code: "TOOL_MISSING" } });
    await source.close();
    await endAll(mark);
  });
});

test("nothing is left of all these programs", { timeout: PATIENCE }, assertNothingLeft);
