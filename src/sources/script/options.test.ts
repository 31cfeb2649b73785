import { constants } from "node:buffer";
import { describe, expect, test } from "vitest";
import { type ScriptSourceOptions, scriptOptionsIn, settingsOf } from "./options.js";

const command = ["true"];

describe("options", () => {
  test("have defaults", () => {
    expect(settingsOf({ name: "git", command, timeout: undefined })).toMatchObject({
      cwd: process.cwd(),
      startTimeout: 10_000,
      graceMs: 2_000,
      maxOutputBytes: 67_108_864,
      maxStderrBytes: 8_192,
      maxQueue: 1_000,
      concurrency: expect.any(Number),
    });
  });

  test("keep outputs within what a text can hold", () => {
    expect(settingsOf({ name: "git", command, maxOutputBytes: 1e12 }).maxOutputBytes).toBe(constants.MAX_STRING_LENGTH);
  });

  test("keep times within what a timer can wait for", () => {
    expect(settingsOf({ name: "git", command, startTimeout: 2 ** 32 }).startTimeout).toBe(2 ** 31 - 1);
  });

  test("of a file are those of all, and its own before them", () => {
    const scripts = { "a.sh": { outputAs: "text", title: undefined } } as const;
    const settings = settingsOf({ name: "tools", directory: ".", outputAs: "json", title: "T", scripts });
    expect(scriptOptionsIn(settings, "a.sh")).toEqual({ outputAs: "text", title: "T" });
    expect(scriptOptionsIn(settings, "b.sh")).toEqual({ outputAs: "json", title: "T" });
    expect(scriptOptionsIn(settings, "constructor")).toEqual({ outputAs: "json", title: "T" });
  });
});

describe("options are refused:", () => {
  test.each<[string, object]>([
    ["no name", { command }],
    ["a name that is none", { name: "a.b", command }],
    ["nothing to run", { name: "a" }],
    ["two things to run", { name: "a", command, file: "x.sh" }],
    ["a command that is a text", { name: "a", command: "ls -l" }],
    ["an empty command", { name: "a", command: [] }],
    ["scripts without a directory", { name: "a", command, scripts: {} }],
    ["one name for all scripts of a directory", { name: "a", directory: ".", operation: "x" }],
    ["an unknown option", { name: "a", command, shell: true }],
    ["an unknown option of a script", { name: "a", directory: ".", scripts: { "x.sh": { shell: true } } }],
    ["options of a script that are none", { name: "a", directory: ".", scripts: { "x.sh": true } }],
    ["flags that go another way", { name: "a", command, flags: {}, inputAs: "stdin" }],
    ["lines that are no subscription", { name: "a", command, outputAs: "json-lines", type: "query" }],
    ["a subscription that is no lines", { name: "a", command, outputAs: "json", type: "subscription" }],
    [
      "the same, said in two places",
      { name: "a", directory: ".", outputAs: "json", scripts: { "x.sh": { type: "subscription" } } },
    ],
    ["an unknown format", { name: "a", command, outputAs: "xml" }],
    ["an unknown way in", { name: "a", command, inputAs: "shell" }],
    ["half a major", { name: "a", command, major: 1.5 }],
    ["no exit code that is good", { name: "a", command, exitCodes: [] }],
    ["an exit code that is none", { name: "a", command, exitCodes: ["0"] }],
    ["nothing at a time", { name: "a", command, concurrency: 0 }],
    ["a variable with a strange name", { name: "a", command, env: { "A=B": "x" } }],
    ["a star in the middle", { name: "a", command, passEnv: ["A*B"] }],
    ["a negative time", { name: "a", command, timeout: -1 }],
    ["a version that is none", { name: "a", command, version: "1" }],
    ["nothing", null as unknown as object],
  ])("%s", (_, options) => {
    expect(() => settingsOf(options as ScriptSourceOptions)).toThrow(
      expect.objectContaining({ name: "CallError", category: "validation" }),
    );
  });

  test("what may be secret is not shown", () => {
    const secret = ["hunter2", 1] as unknown as string[];
    expect(() => settingsOf({ name: "a", command: secret })).toThrow(/^(?!.*hunter2)/);
  });
});
