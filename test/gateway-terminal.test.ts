import { existsSync, mkdirSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { describeWith } from "./describe-with.js";
import { Stage } from "./gateway-stage.js";
import { CONTROL_C, findTerminal, type PseudoTerminal } from "./pseudo-terminal.js";

const ESCAPE = "\u001b[";

describeWith("the built command in a terminal", findTerminal(), (script) => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await Stage.open();
  });
  afterAll(() => stage.close());

  const open = (...words: string[]): PseudoTerminal => stage.terminal(script, words);

  test("lists operations in a table that fits, in colours", async () => {
    const terminals = [80, 50].map((columns) => stage.terminal(script, ["ls"], { columns }));
    expect(await Promise.all(terminals.map(({ ended }) => ended))).toEqual([0, 0]);
    for (const [at, columns] of [80, 50].entries()) {
      const { lines = [], output = "" } = terminals[at] ?? {};
      expect(lines.filter((line) => line.length > columns)).toEqual([]);
      expect(lines.some((line) => line.includes("tools.add"))).toBe(true);
      expect(output).toContain(ESCAPE);
    }
  });

  test("shows what an operation takes and gives", async () => {
    const terminal = open("describe", "tools.greet");
    expect(await terminal.ended).toBe(0);
    expect(terminal.screen).toContain("Greets somebody by name");
    expect(terminal.screen).toMatch(/name: string/);
    expect(terminal.screen).toMatch(/greeting: string/);
  });

  test("shows an answer for people", async () => {
    const terminal = open("call", "tools.greet", "name=Ada", "times=2", "loud=true");
    expect(await terminal.ended).toBe(0);
    expect(terminal.screen).toContain("Ada! Ada!");
    expect(() => JSON.parse(terminal.screen)).toThrow();
  });

  test("draws a bar while an operation tells of its progress, and takes it away", async () => {
    const terminal = open("call", "tools.work", `until=${stage.path("go")}`);
    await terminal.waitFor(/50\s*%.*half of it/);
    stage.write("go", "");
    expect(await terminal.ended).toBe(0);
    expect(terminal.screen).not.toContain("half of it");
    expect(terminal.screen).toContain("true");
  });

  describe("at Ctrl-C", () => {
    test("aborts the handler of a module, and ends with the code of an aborted call", async () => {
      const terminal = open("call", "tools.wait", `report=${stage.path("wait.txt")}`);
      await terminal.waitFor("waiting");
      terminal.write(CONTROL_C);
      expect(await terminal.ended).toBe(130);
      expect(existsSync(stage.path("wait.txt"))).toBe(true);
    });

    test("ends the program of a script", async () => {
      const command = ["call", "patient", "--config", "patient.json"];
      const sources = { patient: { script: ["./patient.sh", stage.folder], env: stage.mark.env } };
      stage.write("patient.json", JSON.stringify({ sources }));
      const terminal = open(...command);
      await expect.poll(() => existsSync(stage.path("patient-up.txt"))).toBe(true);
      terminal.write(CONTROL_C);
      expect(await terminal.ended).toBe(130);
      expect(stage.read("patient.txt")).toBe("asked\n");
    });
  });

  test("asks before a destructive operation, and takes no for an answer", async () => {
    stage.write("dear.txt", "dear");
    const answered = async (keys: string): Promise<[number, boolean]> => {
      const terminal = open("call", "tools.remove", `file=${stage.path("dear.txt")}`);
      await terminal.waitFor(/destructive[\s\S]*\?/);
      terminal.write(keys);
      return [await terminal.ended, existsSync(stage.path("dear.txt"))];
    };
    expect(await answered("n\r")).toEqual([2, true]);
    expect(await answered(CONTROL_C)).toEqual([130, true]);
    expect(await answered("y\r")).toEqual([0, false]);
  });

  test("asks before it writes a plico.json of what other programs use", async () => {
    const folder = stage.path("project");
    mkdirSync(folder);
    stage.write("project/.mcp.json", JSON.stringify({ mcpServers: { clock: { command: "clock", args: ["--utc"] } } }));
    const answered = async (keys: string): Promise<boolean> => {
      const terminal = stage.terminal(script, ["init"], { cwd: folder, env: { HOME: folder } });
      await terminal.waitFor("?");
      terminal.write(keys);
      await terminal.ended;
      return existsSync(stage.path("project/plico.json"));
    };
    expect(await answered("n\r")).toBe(false);
    expect(await answered("y\r")).toBe(true);
    expect(stage.read("project/plico.json")).toContain('"--utc"');
  });

  test("serves until Ctrl-C, tells what it serves, and leaves nothing running", async () => {
    const terminal = open("serve", "--port", "0");
    await terminal.waitFor(/http:\/\/127\.0\.0\.1:\d+/);
    await terminal.waitFor("tools");
    terminal.write(CONTROL_C);
    expect(await terminal.ended).toBe(0);
    expect(stage.mark.alive()).toEqual([]);
  });
});
