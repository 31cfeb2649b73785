import { describe, expect, test } from "vitest";
import { readDescription } from "../../helper/description.js";
import type { JsonRecord } from "../../json/value.js";
import { documentIn, recordedIo } from "./fixtures/recorded-io.js";
import { runRecorded } from "./fixtures/run-recorded.js";
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

async function inputOf(...argv: string[]): Promise<unknown> {
  const io = recordedIo(argv, '{"text":"piped"}');
  await runHelper(({ input }) => ({ input }), { inputSchema: INPUT, io });
  const { input, error } = documentIn(io);
  return error === null ? input : error;
}

describe("the command line of a helper", () => {
  test("takes an input of any size", async () => {
    const text = "x".repeat(11_000_000);
    const io = await runRecorded(
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
    const expecting = (major: string) => runRecorded(["--expect-major", major], () => ({}));
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
