import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type Server } from "node:net";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { markProcesses } from "./marked-processes.js";

const root = fileURLToPath(new URL("../", import.meta.url));
const mark = markProcesses();

describe("the example that npm start serves", () => {
  let other: Server;
  let started: ChildProcess;
  let printed = "";

  beforeAll(async () => {
    // The usual port is taken, by this or by somebody else.
    other = createServer().on("error", () => {});
    other.listen(4100, "127.0.0.1");
    started = spawn(process.execPath, ["examples/gateway/start.mjs"], {
      cwd: root,
      env: { ...process.env, ...mark.env },
      stdio: ["ignore", "pipe", "inherit"],
    });
    await new Promise<void>((resolve) => {
      started.stdout?.setEncoding("utf8").on("data", (text: string) => {
        printed += text;
        if (commandsIn(printed).length === 3) resolve();
      });
      started.once("exit", () => resolve());
    });
  });

  afterAll(() => {
    started.kill("SIGKILL");
    other.close();
  });

  test("tells what it serves, of each kind of source", () => {
    expect(printed).toMatch(/^module +todos\.list +query/m);
    expect(printed).toMatch(/^script +git\.triage +query/m);
    expect(printed).toMatch(/^mcp +everything\.get-sum +query/m);
    expect(printed).toMatch(/^openapi +pets\.list +query/m);
  });

  test("takes another port where the usual one is taken", () => {
    expect(printed).toContain("Port 4100 is taken");
    expect(printed).not.toContain("127.0.0.1:4100");
  });

  test("prints three commands that work as they are printed", async () => {
    // One after the other, as people do: two npx at once may disturb each other.
    const answers = [];
    for (const command of commandsIn(printed)) answers.push(await run(command));
    const [list, pets, slow] = answers;
    expect(list).toMatchObject({ data: { result: [{ id: 1, isDone: true }, { id: 2 }] } });
    expect(pets).toMatchObject({ data: [{ name: "Tom" }, { name: "Kit" }] });
    expect(slow).toMatchObject({ data: [{ text: expect.stringContaining("completed") }] });
  });

  test("ends when it is interrupted, and leaves nothing behind", async () => {
    started.kill("SIGINT");
    const [code] = started.exitCode === null ? await once(started, "exit") : [started.exitCode];
    expect(code).toBe(0);
    await expect.poll(() => mark.alive()).toEqual([]);
  });
});

test("the example ends when it is interrupted before it is up", async () => {
  const own = markProcesses();
  const child = spawn(process.execPath, ["examples/gateway/start.mjs"], {
    cwd: root,
    env: { ...process.env, ...own.env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    if (text.includes("Plico serves")) child.kill("SIGINT");
  });
  expect(await once(child, "exit")).toEqual([0, null]);
  await expect.poll(() => own.alive()).toEqual([]);
});

function commandsIn(text: string): string[] {
  return [...text.matchAll(/^ {2}((?:curl|npx) .+)\n/gm)].map(([, command = ""]) => command);
}

/** What the command answers, as a shell runs it. */
async function run(command: string): Promise<unknown> {
  const child = spawn("sh", ["-c", command], { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
  let out = "";
  let err = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    out += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    err += text;
  });
  const [code] = await once(child, "close");
  expect({ command, code, err: code === 0 ? "" : err }).toEqual({ command, code: 0, err: "" });
  return JSON.parse(out);
}
