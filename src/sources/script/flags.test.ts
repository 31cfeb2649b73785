import { describe, expect, test } from "vitest";
import { type FlagOptions, flagsFor } from "./flags.js";

const usual: FlagOptions = { isHelper: false };

function refusalOf(input: unknown, options: FlagOptions): unknown {
  try {
    return flagsFor(input, options);
  } catch (thrown) {
    return thrown;
  }
}

describe("a field becomes the usual flag:", () => {
  test.each([
    [{ count: 5 }, ["--count=5"]],
    [{ maxCount: 5, max_age: 1 }, ["--max-count=5", "--max-age=1"]],
    [{ text: "a b; $(c)" }, ["--text=a b; $(c)"]],
    [{ empty: "" }, ["--empty="]],
    [{ zero: 0 }, ["--zero=0"]],
    [{ verbose: true, color: false }, ["--verbose", "--no-color"]],
    [{ tag: ["a", "b", 3] }, ["--tag=a", "--tag=b", "--tag=3"]],
    [{ tag: [] }, []],
    [{ tag: ["a", null, undefined] }, ["--tag=a"]],
    [{ point: { x: 1 }, list: [{ x: 1 }, [2]] }, ['--point={"x":1}', '--list={"x":1}', "--list=[2]"]],
    [{ gone: null, absent: undefined }, []],
    [{ größe: 1 }, ["--größe=1"]],
    [{}, []],
    [undefined, []],
  ])("%j is %j", (input, args) => {
    expect(flagsFor(input, usual)).toEqual(args);
  });
});

describe("a field becomes the flag of the table:", () => {
  test.each([
    [{ count: "-n" }, { count: 5 }, ["-n", "5"]],
    [{ count: "-n" }, { count: [5, 6] }, ["-n", "5", "-n", "6"]],
    [{ author: "--author=" }, { author: "A" }, ["--author=A"]],
    [{ author: "--author=" }, { author: ["A", "-B"] }, ["--author=A", "--author=-B"]],
    [{ input: "if=" }, { input: "file" }, ["if=file"]],
    [{ verbose: "-v" }, { verbose: true }, ["-v"]],
    [{ verbose: "-v" }, { verbose: false }, []],
    [{ color: "--color=" }, { color: false }, ["--color=false"]],
    [{ paths: "--" }, { paths: ["a", "-b"] }, ["--", "a", "-b"]],
    [{ paths: "--" }, { paths: [] }, []],
    [{ dir: "" }, { dir: "src" }, ["src"]],
    [{ dir: "", n: "-n" }, { n: 1, dir: "src" }, ["src", "-n", "1"]],
    [{ paths: "--", n: "-n" }, { other: true, n: 1, paths: "p" }, ["-n", "1", "--other", "--", "p"]],
    [{ point: "-p" }, { point: { x: 1 } }, ["-p", '{"x":1}']],
    [{ gone: "-g" }, { gone: null }, []],
  ])("%j makes of %j the arguments %j", (flags, input, args) => {
    expect(flagsFor(input, { ...usual, flags })).toEqual(args);
  });
});

describe("what would be read as something else is refused:", () => {
  test.each([
    ["an option in the place of a word", { dir: "--upload=x" }, { ...usual, flags: { dir: "" } }, "/dir"],
    ["an option in a list of words", { dir: ["a", "-b"] }, { ...usual, flags: { dir: "" } }, "/dir"],
    ["a NUL", { text: "a\0b" }, usual, "/text"],
    ["a NUL in a list", { text: ["a", "\0"] }, { ...usual, flags: { text: "--" } }, "/text"],
    ["a name with an equals sign", { "exec=rm": "x" }, usual, "/exec=rm"],
    ["a name that begins with a dash", { "-x": 1 }, usual, "/-x"],
    ["a field that the schema does not know", { exec: "rm" }, { ...usual, fields: ["count"] }, "/exec"],
    ["an option that each helper has", { schema: "x" }, { isHelper: true }, "/schema"],
    ["a list", [1], usual, ""],
    ["a text", "x", usual, ""],
    ["a function", { run: () => 1 }, usual, "/run"],
  ])("%s", (_, input, options, path) => {
    expect(refusalOf(input, options)).toMatchObject({
      name: "CallError",
      code: "VALIDATION_ERROR",
      issues: [{ path }],
    });
  });
});
