import { describe, expect, test } from "vitest";
import { type CommandLineOptions, commandLineFor } from "./command-line.js";

const argument: CommandLineOptions = { inputAs: "argument", readsStdin: false, isHelper: false };
const stdin: CommandLineOptions = { ...argument, inputAs: "stdin" };
const long = { text: "x".repeat(100_000) };

describe("as an argument", () => {
  test.each([
    [{ a: 1 }, ["--input", '{"a":1}']],
    [[], ["--input", "[]"]],
    [null, ["--input", "null"]],
    [0, ["--input", "0"]],
    ["", ["--input", '""']],
    [false, ["--input", "false"]],
    [{}, []],
    [undefined, []],
  ])("%j is %j", (input, args) => {
    expect(commandLineFor(input, argument)).toEqual({ args });
  });

  test("a long input goes to standard input where the script reads that", () => {
    const line = commandLineFor(long, { ...argument, readsStdin: true, isHelper: true });
    expect(line).toEqual({ args: ["--input", "-"], stdin: `${JSON.stringify(long)}\n` });
  });

  test("a long input is refused where it does not", () => {
    expect(() => commandLineFor(long, argument)).toThrow(expect.objectContaining({ code: "PAYLOAD_TOO_LARGE" }));
  });

  test("the bytes count, not the characters", () => {
    const input = "€".repeat(40_000);
    expect(() => commandLineFor(input, argument)).toThrow(expect.objectContaining({ code: "PAYLOAD_TOO_LARGE" }));
  });
});

describe("on standard input", () => {
  test("an input is one line", () => {
    expect(commandLineFor({ a: "\n" }, stdin)).toEqual({ args: [], stdin: '{"a":"\\n"}\n' });
    expect(commandLineFor({}, stdin)).toEqual({ args: [], stdin: "{}\n" });
    expect(commandLineFor(undefined, stdin)).toEqual({ args: [] });
  });

  test("a helper is told where its input is", () => {
    const line = commandLineFor({ a: 1 }, { ...stdin, readsStdin: true, isHelper: true });
    expect(line).toEqual({ args: ["--input", "-"], stdin: '{"a":1}\n' });
  });
});

test("flags are arguments, and not too long", () => {
  const flags: CommandLineOptions = { ...argument, inputAs: "flags" };
  expect(commandLineFor({ count: 1 }, flags)).toEqual({ args: ["--count=1"] });
  expect(() => commandLineFor(long, flags)).toThrow(expect.objectContaining({ code: "PAYLOAD_TOO_LARGE" }));
});

test("what JSON cannot write is refused", () => {
  const cycle: { self?: unknown } = {};
  cycle.self = cycle;
  for (const input of [cycle, { big: 1n }])
    expect(() => commandLineFor(input, stdin)).toThrow(expect.objectContaining({ code: "VALIDATION_ERROR" }));
});
