import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import type { CapturedOptions } from "../src/cli/fixtures/run-captured.js";
import type { Signal } from "../src/cli/io.js";
import { watchResources } from "./left-behind.js";
import { runPublished } from "./published-run.js";

const tools = fileURLToPath(new URL("fixtures/cli-tools.mjs", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "plico-call-"));
const nothingLeft = watchResources();
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await nothingLeft();
});

const call = (words: readonly string[], options: CapturedOptions = {}) =>
  runPublished(["call", ...words, "--module", tools], { cwd: folder, ...options });
const atTerminal = { isTTY: true, env: { NO_COLOR: "1" } };
const lines = (out: string): unknown[] =>
  out
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));

describe("an answer", () => {
  test("is the JSON of its envelope in a pipe, on one line", async () => {
    const { code, out, err } = await call(["add", "a=2", "b=3"]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(lines(out)).toEqual([
      { data: { sum: 5 }, meta: { source: "local", operationId: "cli-tools.add", timestamp: expect.any(Number) } },
    ]);
  });

  test("is shown to people on a terminal", async () => {
    const { out } = await call(["cli-tools.add", "a=2"], atTerminal);
    expect(out).toContain("The call succeeded (cli-tools.add)");
    expect(out).toContain('{ "sum": 3 }');
  });

  test("is only the data where that is asked for", async () => {
    expect((await call(["add", "a=2", "--data"])).out).toBe('{"sum":3}\n');
    expect((await call(["text", "--data"])).out).toBe('"line one\\nline two"\n');
    expect((await call(["text", "--raw"])).out).toBe("line one\nline two");
    expect((await call(["text", "--data"], atTerminal)).out).toBe("line one\nline two\n");
  });

  test("comes in another dialect, with what that cannot say told beside it", async () => {
    const { code, out, err } = await call(["add", "a=2", "--as", "mcp-result"]);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ structuredContent: { sum: 3 } });
    expect(err).not.toContain("plico:");
    expect((await call(["add", "a=2", "--as", "mcp-reslt"])).err).toContain("did you mean mcp-result?");
  });
});

describe("a failure", () => {
  test("is told whole on a terminal, with each field that is at fault", async () => {
    const { code, out } = await call(["add", "a=two"], atTerminal);
    expect(code).toBe(2);
    expect(out).toMatch(/VALIDATION_ERROR\]: The input of cli-tools\.add is not valid/);
    expect(out).toContain("  a: must be a number");
  });

  test("has the exit code of its category, its envelope on standard output and a line beside it", async () => {
    const { code, out, err } = await call(["divide", "by=0"]);
    expect(code).toBe(73);
    expect(lines(out)).toMatchObject([
      { data: null, meta: { error: { code: "DIVISION_BY_ZERO", category: "conflict", details: { by: 0 } } } },
    ]);
    expect(err).toBe("plico: cli-tools.divide: Conflict [DIVISION_BY_ZERO]: It is zero.\n");
  });

  test("is told once on a terminal", async () => {
    const { out, err } = await call(["divide", "by=0"], atTerminal);
    expect(out).toContain("Conflict [DIVISION_BY_ZERO]: It is zero.");
    expect(err).toBe("");
  });

  test("leaves no data behind where only that was asked for", async () => {
    const { code, out, err } = await call(["divide", "by=0", "--data"]);
    expect({ code, out }).toEqual({ code: 73, out: "" });
    expect(err).toContain("DIVISION_BY_ZERO");
  });

  test("of the input names each field as it was typed", async () => {
    const { code, err } = await call(["echo", "place.zip=x", "count=1.5"]);
    expect(code).toBe(2);
    expect(err).toMatch(/^ {2}place\.zip: /m);
    expect(err).toMatch(/^ {2}place\.city: /m);
    expect(err).toMatch(/^ {2}count: /m);
    expect((await call(["add"], atTerminal)).out).toMatch(/^ {2}a: /m);
  });

  test.each([
    [["adt"], 66, "Did you mean cli-tools.add?"],
    [["cli-tools.ad"], 66, "Did you mean cli-tools.add?"],
    [["other.thing"], 66, "plico ls"],
  ])("tells the nearest where there is no such operation: %j", async (words, exitCode, help) => {
    const { code, err } = await call(words);
    expect(code).toBe(exitCode);
    expect(err).toContain(help);
  });

  test("is a time-out after the time that was given", async () => {
    const { code, out } = await call(["wait", `folder=${mkdtempSync(join(folder, "w-"))}`, "--timeout", "30ms"]);
    expect(code).toBe(124);
    expect(lines(out)).toMatchObject([{ meta: { error: { category: "timeout" } } }]);
  });

  test.each([
    [[]],
    [["a=1"]],
    [["add", "a=1", "--input", "{}"]],
    [["add", "a"]],
    [["add", "=1"]],
    [["add", "a:={"]],
    [["add", "a@=nowhere.txt"]],
    [["add", "--input", "{"]],
    [["add", "--input", "@nowhere.json"]],
    [["add", "--pages", "0"]],
    [["add", "--timeout", "soon"]],
    [["add", "--data", "--as", "mcp-result"]],
    [["add", "--stream", "--pages", "2"]],
    [["add", "--record", "a", "--replay", "b"]],
    [["echo", "place.city=x", "place=y"]],
    [["echo", "place=y", "place.city=x"]],
    [["echo", "place.town=y"]],
  ])("of the command line has the exit code 2: %j", async (words) => {
    const { code, out, err } = await call(words);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toMatch(/^plico: /);
    expect(err).not.toContain("fault of Plico");
  });
});

describe("an input", () => {
  const dataOf = async (words: string[], options?: CapturedOptions) =>
    JSON.parse((await call(["echo", ...words, "--data"], options)).out);

  test("gets the types that the schema wants", async () => {
    const words = ["text=5", "count=5", "loud=true", "mood=sad", "place.city=Bern", "place.zip=3000", "place.spot.x=1"];
    expect(await dataOf(words)).toEqual({
      text: "5",
      count: 5,
      loud: true,
      mood: "sad",
      place: { city: "Bern", zip: 3000, spot: { x: 1 } },
    });
  });

  test("makes a list of what is given again, and of one value where a list is wanted", async () => {
    expect(await dataOf(["tags=a", "tags=b", "sizes=1"])).toEqual({ tags: ["a", "b"], sizes: [1] });
    expect(await dataOf(['tags=["a","b"]'])).toEqual({ tags: ["a", "b"] });
    expect(await dataOf(["tags=[a"])).toEqual({ tags: ["[a"] });
    expect(await dataOf(["sizes=[1,2]"])).toEqual({ sizes: [1, 2] });
    expect(await dataOf(["sizes:=1", "sizes:=2"])).toEqual({ sizes: [1, 2] });
  });

  test("takes JSON as it is, and what a file holds", async () => {
    writeFileSync(join(folder, "words.txt"), "from a file");
    expect(await dataOf(['free:={"x":[1]}', "text@=words.txt"])).toEqual({ free: { x: [1] }, text: "from a file" });
    expect(await dataOf(["text=@words.txt"])).toEqual({ text: "@words.txt" });
  });

  test("knows a field whose name has a dot, and one that is called as nothing should", async () => {
    expect(await dataOf(["dotted.name=x"])).toEqual({ "dotted.name": "x" });
    const { out } = await call(["open", "__proto__=x", "more.deep=y", "known=1", "--data"]);
    expect(out).toBe('{"__proto__":"x","more":{"deep":"y"},"known":1}\n');
  });

  test("may have = in its value", async () => {
    expect(await dataOf(["text=a=b:=c"])).toEqual({ text: "a=b:=c" });
    expect(await dataOf(["text="])).toEqual({ text: "" });
  });

  test("comes whole from a text, a file or standard input", async () => {
    writeFileSync(join(folder, "input.json"), '{"text":"file"}');
    expect(await dataOf(["--input", '{"text":"flag"}'])).toEqual({ text: "flag" });
    expect(await dataOf(["--input", "@input.json"])).toEqual({ text: "file" });
    expect(await dataOf(["--input", "-"], { input: { text: "stdin" } })).toEqual({ text: "stdin" });
  });

  test("tells the nearest name, and all that there are", async () => {
    const { err } = await call(["echo", "txet=x"]);
    expect(err).toContain('has no input "txet"; did you mean text?');
    expect(err).toContain('  mood: "happy" | "sad"\n');
  });
});

describe("many answers", () => {
  test("follow the cursor, a line for each page", async () => {
    const { code, out } = await call(["rows", "--pages", "all", "--data"]);
    expect(code).toBe(0);
    expect(lines(out)).toEqual([{ rows: [10, 11] }, { rows: [20, 21] }, { rows: [30, 31] }]);
    expect(lines((await call(["rows", "--pages", "2"])).out)).toHaveLength(2);
  });

  test("are one on a terminal", async () => {
    const { out } = await call(["rows", "--pages", "all"], atTerminal);
    expect(out).toContain("[10, 11, 20, 21, 30, 31]");
    expect(out).toContain("the last page");
  });

  test("end with the page that failed, and its exit code", async () => {
    const { code, out } = await call(["rows", "broken=true", "--pages", "all"]);
    expect(code).toBe(66);
    expect(lines(out)).toMatchObject([{ data: { rows: [10, 11] } }, { meta: { error: { code: "NOT_FOUND" } } }]);
  });

  test.each([[[]], [["--stream"]]])("of a subscription come one a line: %j", async (flags) => {
    const { code, out } = await call(["ticks", "to=3", "--data", ...flags]);
    expect(code).toBe(0);
    expect(lines(out)).toEqual([{ at: 1 }, { at: 2 }, { at: 3 }]);
  });

  test("of a subscription that fails end with the failure", async () => {
    const { code, out } = await call(["ticks", "to=1", "fails=true"]);
    expect(code).toBe(69);
    expect(lines(out)).toMatchObject([{ data: { at: 1 } }, { meta: { error: { code: "UNAVAILABLE" } } }]);
  });

  test("of one call with --stream are one line", async () => {
    expect(lines((await call(["add", "a=1", "--stream", "--data"])).out)).toEqual([{ sum: 2 }]);
  });
});

describe("a destructive operation", () => {
  test("is refused in a pipe, where nobody can be asked", async () => {
    const { code, err } = await call(["remove", "path=x"]);
    expect(code).toBe(2);
    expect(err).toContain("--yes");
    expect((await call(["remove", "path=x", "--yes"])).code).toBe(0);
  });

  test.each([
    ["y\n", 0],
    ["YES\n", 0],
    ["n\n", 2],
    ["\n", 2],
    ["", 2],
  ])("asks on a terminal, and %j gives %i", async (input, exitCode) => {
    const { code, out, err } = await call(["remove", "path=x"], { ...atTerminal, input });
    expect(code).toBe(exitCode);
    expect(err).toContain('cli-tools.remove is destructive. Call it with { "path": "x" }? [y/N]');
    expect(out.includes("removed")).toBe(exitCode === 0);
  });
});

describe("progress", () => {
  test("is a line on a terminal that is gone in the end", async () => {
    const { err } = await call(["steps"], { ...atTerminal, columns: 60 });
    expect(err).toContain(" 25% the first");
    expect(err.endsWith("\r\u001b[2K")).toBe(true);
  });

  test("is silent in a pipe", async () => {
    expect((await call(["steps"])).err).toBe("");
  });
});

test("Ctrl-C aborts the call at its source, and gives 130", async () => {
  const own = mkdtempSync(join(folder, "abort-"));
  let send: (signal: Signal) => void = () => {};
  const running = call(["wait", `folder=${own}`], {
    onStart: (given) => {
      send = given;
    },
  });
  await expect.poll(() => existsSync(join(own, "begun"))).toBe(true);
  send("SIGINT");
  const { code, out, err } = await running;
  expect(code).toBe(130);
  expect(existsSync(join(own, "aborted"))).toBe(true);
  expect(lines(out)).toMatchObject([{ meta: { error: { category: "aborted" } } }]);
  expect(err).toContain("aborting");
});

test("whoever runs the command may call all there is, and an idempotency key goes with the call", async () => {
  const { out } = await call(["secret", "--idempotency-key", "k-1", "--data"]);
  expect(JSON.parse(out)).toEqual({ who: "cli", idempotencyKey: "k-1" });
});

test("only the source that has the operation is opened", async () => {
  const own = mkdtempSync(join(folder, "only-"));
  const mark = join(own, "started");
  const other = ["node", "-e", `require("fs").writeFileSync(${JSON.stringify(mark)}, "")`];
  const sources = { math: { module: tools, namespace: "math" }, other: { mcp: other } };
  writeFileSync(join(own, "plico.json"), JSON.stringify({ sources }));
  const { code } = await runPublished(["call", "math.add", "a=1"], { cwd: own });
  expect(code).toBe(0);
  expect(existsSync(mark)).toBe(false);
});

test("a name that two sources have must be said whole", async () => {
  const own = mkdtempSync(join(folder, "two-"));
  const sources = { one: { module: tools, namespace: "one" }, two: { module: tools, namespace: "two" } };
  writeFileSync(join(own, "plico.json"), JSON.stringify({ sources }));
  const { code, err } = await runPublished(["call", "add", "a=1"], { cwd: own });
  expect(code).toBe(2);
  expect(err).toContain("one.add, two.add");
  expect((await runPublished(["call", "two.add", "a=1"], { cwd: own })).code).toBe(0);
});

test("a call that was recorded is answered again without its source", async () => {
  const file = join(mkdtempSync(join(folder, "record-")), "calls.jsonl");
  const { out } = await call(["add", "a=20", "--data", "--record", file]);
  expect(readFileSync(file, "utf8")).toContain("cli-tools.add");
  const again = await runPublished(["call", "add", "a=20", "--data", "--replay", file], { cwd: folder });
  expect(again).toMatchObject({ code: 0, out });
  expect((await runPublished(["call", "nothing", "--replay", file], { cwd: folder })).code).toBe(66);
});
