import { describe, expect, test } from "vitest";
import { DIALECTS, dialectNamed } from "../../dialects/all.js";
import { helperOutput } from "../../dialects/helper-output.js";
import { CallError } from "../../envelope/call-error.js";
import { readDescription } from "../../helper/description.js";
import { whileImporting } from "../../helper/importing.js";
import type { JsonRecord } from "../../json/value.js";
import { defineOperation } from "../../registry/operation.js";
import { defineHelper } from "./define-helper.js";
import { brokenIo, documentIn, type RecordedIo, recordedIo } from "./fixtures/recorded-io.js";
import type { Helper } from "./helper.js";
import { HelperRun } from "./helper-run.js";
import { runHelper } from "./run-helper.js";

const INPUT = {
  type: "object",
  properties: {
    maxCount: { type: "integer", description: "how many", default: 5 },
    verbose: { type: "boolean" },
    tags: { type: "array", items: { type: "string" } },
    ids: { type: "array", items: { type: "integer" } },
    where: { type: "object" },
    text: { type: "string" },
    any: true,
    schema: { type: "string" },
  },
  additionalProperties: false,
} as const;

async function run(argv: readonly string[], what: (helper: Helper) => unknown, stdin = ""): Promise<RecordedIo> {
  const io = recordedIo(argv, stdin);
  await runHelper(what, { name: "try", version: "1.2.3", io });
  return io;
}

async function inputOf(...argv: string[]): Promise<unknown> {
  const io = recordedIo(argv, '{"text":"piped"}');
  await runHelper(({ input }) => ({ input }), { inputSchema: INPUT, io });
  const { input, error } = documentIn(io);
  return error === null ? input : error;
}

describe("the answer of a helper", () => {
  test("is five fixed fields in order, then its own, and exit code 0", async () => {
    const { said } = await run(["--agent", "codex"], () => ({ b: 1, a: { c: [] } }));
    const ts = /"ts": "([^"]+)"/.exec(said.stdout)?.[1];
    expect(said.stdout).toBe(`{
  "schema_version": "1.2.3",
  "status": "ok",
  "error": null,
  "agent": "codex",
  "ts": "${ts}",
  "b": 1,
  "a": {
    "c": []
  }
}
`);
    expect(said.exitCode).toBe(0);
  });

  test("has only the fixed fields where the helper returns nothing", async () => {
    expect(Object.keys(documentIn(await run([], () => {})))).toEqual([
      "schema_version",
      "status",
      "error",
      "agent",
      "ts",
    ]);
  });

  test.each([[0], [""], [false], [null], [[1]]])("keeps %j, which has no fields", async (value) => {
    expect(documentIn(await run([], () => value))).toMatchObject({ status: "ok", result: value });
  });

  test("is partial and names the sources where some are skipped, and exit code 0", async () => {
    const io = await run([], ({ skip }) => {
      skip("journal");
      skip("calendar", "no token");
      return { rows: 1 };
    });
    const { status, error, skipped_sources: skipped, rows } = documentIn(io);
    expect({ status, rows, code: (error as JsonRecord)["code"] }).toEqual({
      status: "partial",
      rows: 1,
      code: "SOURCES_SKIPPED",
    });
    expect(skipped).toEqual(["journal", { source: "calendar", reason: "no token" }]);
    expect(io.said.exitCode).toBe(0);
  });

  test("tells on stderr what was skipped where its format has no place for it", async () => {
    const skipping = ({ skip }: Helper): void => skip("journal");
    expect((await run(["--envelope", "problem-details"], skipping)).said.stderr).toContain("SOURCES_SKIPPED");
    expect((await run([], skipping)).said.stderr).toBe("");
  });

  test("is an error where many values come that nobody asked for, or a source without a name", async () => {
    const many = async function* (): AsyncGenerator<number> {
      yield 1;
    };
    expect(documentIn(await run([], many))).toMatchObject({ status: "error" });
    const nameless = await run([], ({ skip }) => skip(""));
    expect(documentIn(nameless)).toMatchObject({ status: "error" });
    expect(documentIn(nameless)).not.toHaveProperty("skipped_sources");
  });

  test("is an error whose sources are named too where it fails after skipping", async () => {
    const io = await run([], ({ skip }) => {
      skip("journal");
      throw new Error("nothing is left");
    });
    expect(documentIn(io)).toMatchObject({ status: "error", skipped_sources: ["journal"] });
    expect(io.said.exitCode).toBe(1);
  });

  test("says tool-missing with the hint, and exit code 0, where a program is absent", async () => {
    const io = await run([], ({ requires }) => requires("no-such-program-here", "apt install it"));
    expect(documentIn(io)).toMatchObject({
      status: "tool-missing",
      error: { code: "TOOL_MISSING", suggestedAction: "apt install it" },
    });
    expect(io.said.exitCode).toBe(0);
  });

  test("never has a field of the helper in the place of a fixed one", async () => {
    for (const name of ["schema_version", "status", "error", "agent", "ts", "skipped_sources", "plico"]) {
      const io = await run([], () => ({ [name]: 1 }));
      expect(documentIn(io)).toMatchObject({ status: "error", error: { code: "RESERVED_FIELD" } });
      expect(io.said.exitCode).toBe(1);
    }
    const other = await run(["--envelope", "response-v2"], () => ({ status: 1 }));
    expect(documentIn(other)).toMatchObject({ success: true, data: { status: 1 } });
  });

  test("keeps all that the helper said where a field has a fixed name", async () => {
    const io = await run([], ({ skip }) => {
      skip("journal");
      return { status: 1, rows: [2] };
    });
    expect(helperOutput.read(documentIn(io))).toMatchObject({
      outcome: { ok: false, error: { code: "RESERVED_FIELD", data: { status: 1, rows: [2] } } },
    });
    expect(documentIn(io)).toMatchObject({ skipped_sources: ["journal"] });
    const failed = await run([], () => {
      throw new CallError({ category: "not_found", code: "GONE", message: "gone", data: { status: 1 } });
    });
    expect(helperOutput.read(documentIn(failed))).toMatchObject({
      outcome: { ok: false, error: { code: "GONE", data: { status: 1 } } },
    });
  });

  test("that cannot be written ends with exit code 1, and says so", async () => {
    const line = defineHelper({ name: "line", version: "1.0.0", type: "subscription", run: () => [{ at: 1 }] });
    for (const [code, exitCode] of [
      ["ENOSPC", 1],
      ["EPIPE", 0],
    ] as const) {
      const one = brokenIo(code);
      await runHelper(() => ({}), { io: one });
      const many = brokenIo(code);
      await runHelper(line, { io: many });
      expect([one, many].map(({ said }) => said.exitCode)).toEqual([exitCode, exitCode]);
      expect([one, many].map(({ said }) => said.stderr.includes(code))).toEqual([exitCode === 1, exitCode === 1]);
    }
  });

  test("stays the only one where something fails after it, of which standard error tells", async () => {
    const io = recordedIo();
    const helper = new HelperRun(io, undefined);
    await helper.start(() => defineHelper({ name: "late", version: "1.0.0", run: () => ({}) }));
    helper.fail(new Error("too late"));
    expect(documentIn(io)).toMatchObject({ status: "ok" });
    expect(io.said.stderr).toContain("too late");
  });

  test("keeps the stack of an error out, which goes to standard error", async () => {
    const { said } = await run([], () => {
      throw new Error("GATHER_FAILED: no disk");
    });
    expect(JSON.parse(said.stdout).error).toEqual({ code: "GATHER_FAILED", message: "no disk" });
    expect(said.stdout).not.toContain(".ts:");
    expect(said.stderr).toContain("run-helper.test.ts");
  });

  test("keeps the words of a CallError with a cause", async () => {
    const io = await run([], () => {
      throw new CallError({ category: "execution", message: "mine", cause: new Error("inner") });
    });
    expect(documentIn(io)).toMatchObject({ error: { code: "EXECUTION_ERROR", message: "mine" } });
  });

  test("tells on standard error the warnings that the format has no place for", async () => {
    const { said } = await run([], ({ warn, progress }) => {
      warn({ code: "OLD", message: "it is old" });
      progress(1, 2, "half");
      return {};
    });
    expect(said.stderr).toContain("OLD: it is old");
    expect(said.stderr).toContain("1/2 half");
  });

  test.each(DIALECTS.map(({ name }) => name))("can be read as %s", async (name) => {
    const good = await run(["--envelope", name], () => ({ rows: [1] }));
    const reading = dialectNamed(name)?.read(JSON.parse(good.said.stdout));
    if (name !== "problem-details") expect(reading).toMatchObject({ outcome: { ok: true, data: { rows: [1] } } });
    const bad = await run([`--envelope=${name}`], () => {
      throw new Error("RATE_LIMITED: later");
    });
    const failure = dialectNamed(name)?.read(JSON.parse(bad.said.stdout));
    expect(failure).toMatchObject({ outcome: { ok: false, error: { code: "RATE_LIMITED", category: "rate_limit" } } });
    expect([good.said.exitCode, bad.said.exitCode]).toEqual([0, 1]);
  });
});

describe("the command line of a helper", () => {
  test("takes an input of any size", async () => {
    const text = "x".repeat(11_000_000);
    const io = await run(
      ["--input", "-"],
      ({ input }) => ({ size: (input as JsonRecord)["text"] === text }),
      JSON.stringify({ text }),
    );
    expect(documentIn(io)).toMatchObject({ status: "ok", size: true });
  });

  test("gives nothing as an input of defaults", async () => {
    expect(await inputOf()).toEqual({ maxCount: 5 });
  });

  test("needs no field that has a default, also where it is required", async () => {
    const inputSchema = { type: "object", properties: { limit: { type: "integer", default: 3 } }, required: ["limit"] };
    const io = recordedIo([]);
    await runHelper(({ input }) => ({ input }), { inputSchema, io });
    expect(documentIn(io)).toMatchObject({ status: "ok", input: { limit: 3 } });
    const help = recordedIo(["--help"]);
    await runHelper(() => ({}), { inputSchema, io: help });
    expect(help.said.stdout).not.toContain("(required)");
  });

  test("gives fields by flags, as the schema means them", async () => {
    expect(await inputOf("--max-count", "-3", "--verbose", "--text=--x", "--tags", "1", "--tags", "b")).toEqual({
      maxCount: -3,
      verbose: true,
      text: "--x",
      tags: ["1", "b"],
    });
    expect(await inputOf("--maxCount=3", "--no-verbose", "--ids=7", "--where", '{"a":1}', "--any")).toEqual({
      maxCount: 3,
      verbose: false,
      ids: [7],
      where: { a: 1 },
      any: true,
    });
    expect(await inputOf("--verbose", "false", "--text", "", "--tags=a")).toEqual({
      maxCount: 5,
      verbose: false,
      text: "",
      tags: ["a"],
    });
  });

  test("gives the whole input as JSON, from standard input too, to which flags add", async () => {
    expect(await inputOf("--input", '{"schema":"x"}')).toEqual({ schema: "x", maxCount: 5 });
    expect(await inputOf("--input=-", "--max-count", "1")).toEqual({ text: "piped", maxCount: 1 });
    expect(await inputOf("--text", "flag", "--input", "-")).toEqual({ text: "flag", maxCount: 5 });
  });

  test.each([
    ["--max-count", "x"],
    ["--max-count", "1", "--max-count", "2"],
    ["--input", "@/no/such/file"],
    ["--input", "@/"],
    ["--max-count"],
    ["--max-cuont", "3"],
    ["--text", "--verbose"],
    ["--no-text"],
    ["word"],
    ["--"],
    ["-x"],
    ["--input"],
    ["--input", "{"],
    ["--input", "[]", "--verbose"],
    ["--input", "{}", "--input", "{}"],
    ["--input", "@/no/such/file"],
    ["--input", '{"other":1}'],
    ["--schema=x"],
    ["--envelope", "no-such"],
    ["--expect-major", "one"],
    ["--agent="],
  ])("answers %s %s with what is wrong", async (...argv) => {
    const io = recordedIo(argv);
    await runHelper(() => ({}), { inputSchema: INPUT, io });
    const { error } = documentIn(io);
    expect(error).toMatchObject({ code: "VALIDATION_ERROR", issues: [{ message: expect.any(String) }] });
    expect(io.said).toMatchObject({ exitCode: 1, stderr: "" });
  });

  test("suggests the flag that was meant, and does not complain of its value", async () => {
    const { issues } = (await inputOf("--max-cuont", "3")) as { issues: { message: string }[] };
    expect(issues).toHaveLength(1);
    expect(issues[0]?.message).toContain("--max-count");
  });

  test("asks for a major version", async () => {
    const expecting = (major: string) => run(["--expect-major", major], () => ({}));
    expect(documentIn(await expecting("1"))).toMatchObject({ status: "ok" });
    expect(documentIn(await expecting("2"))).toMatchObject({
      status: "error",
      error: { code: "UNSUPPORTED_VERSION" },
    });
  });

  test("asks for the schema, which can be read back", async () => {
    const io = recordedIo(["--schema"]);
    await runHelper(() => ({}), { name: "try", version: "1.2.3", inputSchema: INPUT, io });
    expect(readDescription(documentIn(io))).toMatchObject({ name: "try", version: "1.2.3", inputSchema: INPUT });
    expect(io.said.exitCode).toBe(0);
  });

  test.each(["--help", "-h"])("asks for help by %s, which is a text", async (flag) => {
    const io = recordedIo([flag]);
    await runHelper(() => ({}), { name: "try", version: "1.2.3", description: "Tries.", inputSchema: INPUT, io });
    for (const line of [
      /^try 1\.2\.3\nTries\.\n/,
      / {2}--max-count INTEGER +how many \(default 5\)\n/,
      / {2}--envelope NAME/,
    ])
      expect(io.said.stdout).toMatch(line);
    expect(io.said.exitCode).toBe(0);
  });
});

describe("runHelper", () => {
  test("runs any operation, and tells the text of what it throws", async () => {
    const operation = defineOperation({
      namespace: "math",
      name: "halve",
      version: "2.0.0",
      type: "query",
      description: "",
      inputSchema: { type: "object", properties: { of: { type: "number" } }, required: ["of"] },
      outputSchema: { type: "object", properties: { half: { type: "number" } } },
      handler: ({ of }) => {
        if (of === 0) throw new Error("nothing to halve");
        return { half: of / 2 };
      },
    });
    const good = recordedIo(["--of", "3"]);
    await runHelper(operation, { io: good });
    expect(documentIn(good)).toMatchObject({ schema_version: "2.0.0", half: 1.5 });
    const bad = recordedIo(["--of", "0"]);
    await runHelper(operation, { io: bad });
    expect(documentIn(bad)).toMatchObject({ error: { code: "EXECUTION_ERROR", message: "nothing to halve" } });
  });

  test("prints each value of a subscription as a line, and an error as the last", async () => {
    const count = defineHelper({
      name: "count",
      version: "1.0.0",
      type: "subscription",
      async *run({ skip }) {
        yield { at: 1 };
        skip("two");
        yield { at: 2 };
        throw new Error("NO_MORE: three is missing");
      },
    });
    const io = recordedIo();
    await runHelper(count, { io });
    const lines = io.said.stdout.trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { status: "ok", at: 1 },
      { status: "partial", at: 2, skipped_sources: ["two"] },
      { status: "error", error: { code: "NO_MORE" } },
    ]);
    expect(io.said.exitCode).toBe(1);
  });

  test("does nothing while its module is imported, or where another file is the main one", async () => {
    const io = recordedIo();
    await whileImporting(() => runHelper(() => ({}), { io }));
    await runHelper(() => ({}), { io, main: import.meta });
    await runHelper(() => ({}), { io, main: { exports: {} } as never });
    expect(io.said).toEqual({ stdout: "", stderr: "", exitCode: undefined });
  });

  test("answers with an error where there is no helper, or an option is unknown", async () => {
    for (const [what, options] of [
      [undefined, {}],
      [{ id: "a.b" }, {}],
      [() => ({}), { colour: "red" }],
      [() => ({}), { version: "1" }],
      [defineHelper({ name: "a", version: "1.0.0", run: () => 1 }), { version: "2.0.0" }],
    ] as const) {
      const io = recordedIo();
      await runHelper(what as never, { ...options, io } as object);
      expect(documentIn(io)).toMatchObject({ status: "error" });
      expect(io.said.exitCode).toBe(1);
    }
  });
});
