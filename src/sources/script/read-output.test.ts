import { describe, expect, test } from "vitest";
import { DIALECTS } from "../../dialects/all.js";
import { isCallError } from "../../envelope/call-error.js";
import type { Outcome } from "../../envelope/outcome.js";
import { outcomeFromEnvelope } from "../../envelope/outcome.js";
import { hintsOfFailure } from "../../registry/failure-hints.js";
import { envelopeFromResult, type OutputRules } from "./read-output.js";

const run = { operationId: "test.script", command: ["prog"], startedAt: 5, exitCode: 0, stderr: "" };
const origin = { source: "script", command: ["prog"], exitCode: 0 };

interface End {
  readonly code?: number;
  readonly stderr?: string;
  readonly major?: number;
  readonly exitCodes?: readonly number[];
}

/** What is made of an output. */
function outcomeOf(output: string | Buffer, outputAs: OutputRules["outputAs"], end: End = {}): Outcome {
  const { code = 0, stderr = "", major, exitCodes = [0] } = end;
  const stdout = Buffer.from(output);
  try {
    const result = { code, signal: null, stdout, run: { ...run, exitCode: code, stderr } };
    return outcomeFromEnvelope(envelopeFromResult(result, { outputAs, major, exitCodes }));
  } catch (thrown) {
    if (!isCallError(thrown)) throw thrown;
    return { ok: false, error: thrown.toJSON(), meta: hintsOfFailure(thrown) ?? {} };
  }
}

const helper = (fields: object): string =>
  JSON.stringify({
    schema_version: "1.2.0",
    status: "ok",
    error: null,
    agent: "codex",
    ts: "2026-01-02T03:04:05Z",
    ...fields,
  });

function codesOf({ meta }: Outcome): readonly string[] {
  return (meta.warnings ?? []).map(({ code }) => code);
}

describe("the form auto takes", () => {
  test.each([
    ["an object", '{"a":1}\n', { a: 1 }],
    ["a list", " [1, 2]\n", [1, 2]],
    ["JSON after a mark of the byte order", '\uFEFF{"a":1}', { a: 1 }],
    ["a quoted text", '"a"\n', "a"],
    ["a number", "42\n", 42],
    ["a negative number", "-1.5", -1.5],
    ["a word of JSON", "true\n", true],
    ["nothing", "", null],
    ["text, exactly", "  hello\r\n\n", "  hello\r\n\n"],
    ["a number that JavaScript would round", "12345678901234567890\n", "12345678901234567890\n"],
    ["a number that would lose a zero", "1.10\n", "1.10\n"],
    ["text that begins with a quote", '"a" and more\n', '"a" and more\n'],
    ["a list called content", '{"content":[1]}', { content: [1] }],
    ["a status and a title", '{"status":404,"title":"x"}', { status: 404, title: "x" }],
  ])("%s", (_, output, data) => {
    const outcome = outcomeOf(output, "auto");
    expect(outcome).toMatchObject({ ok: true, data, meta: origin });
    expect(codesOf(outcome)).toEqual([]);
  });

  test.each(["{not json}\n", "[1, 2", "{}{}"])("what looks like JSON as text, with a warning: %j", (output) => {
    const outcome = outcomeOf(output, "auto");
    expect(outcome).toMatchObject({ ok: true, data: output });
    expect(codesOf(outcome)).toEqual(["OUTPUT_NOT_JSON"]);
  });

  test("a result of MCP, where it cannot be anything else", () => {
    const content = [{ type: "text", text: "x" }];
    expect(outcomeOf(JSON.stringify({ content, isError: true }), "auto")).toMatchObject({ ok: false });
    expect(outcomeOf(JSON.stringify({ content: [], structuredContent: { a: 1 } }), "auto")).toMatchObject({
      ok: true,
      data: { a: 1 },
    });
  });

  test("what only looks like a helper's document as data", () => {
    const report = { schema_version: "2", status: "passing" };
    expect(outcomeOf(JSON.stringify(report), "auto")).toMatchObject({ ok: true, data: report });
  });

  test("a document that breaks its format as a failure: it may tell of one", () => {
    const output = helper({ status: "failed", error: { code: "X", message: "no" } });
    expect(outcomeOf(output, "auto")).toMatchObject({
      ok: false,
      error: { code: "INVALID_ANSWER", data: output, issues: [{ path: "/status" }] },
    });
    expect(outcomeOf(output, "json")).toMatchObject({ ok: true, data: { status: "failed" } });
  });
});

describe.each(DIALECTS.map((dialect) => [dialect.name, dialect] as const))("a document of %s", (name, dialect) => {
  const isSure = name !== "mcp-result" && name !== "problem-details";
  const options = { now: 1_700_000_000_000, tool: "script", schemaVersion: "1.0.0", agent: "claude" };

  test("gives its data", () => {
    const { wire } = dialect.write({ ok: true, data: { rows: [1] }, meta: { summary: "one row" } }, options);
    for (const form of [name as "auto", ...(isSure ? (["auto"] as const) : [])])
      expect(outcomeOf(dialect.print(wire), form)).toMatchObject({ ok: true, data: { rows: [1] }, meta: origin });
  });

  test("gives its error, whatever the exit code", () => {
    const error = { category: "not_found", code: "NO_JOURNAL", message: "There is none.", recoverable: false } as const;
    const { wire } = dialect.write({ ok: false, error, meta: {} }, options);
    for (const code of [0, 1]) {
      const outcome = outcomeOf(dialect.print(wire), name as "auto", { code });
      expect(outcome).toMatchObject({ ok: false, error, meta: { source: "script", exitCode: code } });
      expect(codesOf(outcome)).toEqual([]);
    }
  });

  test.each(["", "text", "[]", "{", "1"])("is not %j", (output) => {
    expect(outcomeOf(output, name as "auto")).toMatchObject({
      ok: false,
      error: { code: "INVALID_ANSWER", category: "execution", data: output },
      meta: origin,
    });
  });
});

describe("a helper", () => {
  test("that is fine gives its fields, with version, agent and time", () => {
    expect(outcomeOf(helper({ rows: [1] }), "helper-output")).toMatchObject({
      ok: true,
      data: { rows: [1] },
      meta: { ...origin, schemaVersion: "1.2.0", agent: "codex", timestamp: Date.parse("2026-01-02T03:04:05Z") },
    });
  });

  test("that is partial tells what it skipped", () => {
    const error = { code: "SOURCES_SKIPPED", message: "one" };
    const outcome = outcomeOf(helper({ status: "partial", error, skipped_sources: ["journal"], rows: [] }), "auto");
    expect(outcome).toMatchObject({ ok: true, data: { rows: [] }, meta: { skippedSources: ["journal"] } });
    expect(codesOf(outcome)).toEqual(["SOURCES_SKIPPED"]);
  });

  test("that lacks a tool tells so", () => {
    const error = { code: "GIT", message: "apt install git" };
    expect(outcomeOf(helper({ status: "tool-missing", error }), "helper-output")).toMatchObject({
      ok: false,
      error: { category: "unavailable", code: "GIT", recoverable: false },
      meta: { schemaVersion: "1.2.0" },
    });
  });

  test("that breaks its format names the rules", () => {
    const output = helper({ status: "fine" });
    expect(outcomeOf(output, "helper-output")).toMatchObject({
      ok: false,
      error: { code: "INVALID_ANSWER", data: output, issues: [{ path: "/status" }, { path: "/error" }] },
    });
  });

  test.each(["auto", "helper-output"] as const)("of another major is not understood (%s)", (form) => {
    for (const output of [helper({}), helper({ status: "error", error: { code: "X", message: "x" } })]) {
      expect(outcomeOf(output, form, { major: 2 })).toMatchObject({
        ok: false,
        error: { code: "UNSUPPORTED_VERSION", recoverable: false, data: output, suggestedAction: expect.any(String) },
        meta: origin,
      });
      expect(outcomeOf(output, form, { major: 1 })).not.toMatchObject({ error: { code: "UNSUPPORTED_VERSION" } });
    }
  });

  test("of another major is so before it is anything else", () => {
    expect(outcomeOf(helper({ status: "new" }), "helper-output", { major: 2 })).toMatchObject({
      error: { code: "UNSUPPORTED_VERSION" },
    });
  });
});

describe("JSON", () => {
  test.each(["null", "0", '""', "false", "[]", '{"schema_version":"1.0.0","status":"error"}'])("is %s", (output) => {
    expect(outcomeOf(output, "json")).toMatchObject({ ok: true, data: JSON.parse(output), meta: origin });
  });

  test.each(["", " \n", "{", "text", "1 2", "NaN"])("is not %j", (output) => {
    expect(outcomeOf(output, "json")).toMatchObject({ ok: false, error: { code: "INVALID_ANSWER", data: output } });
  });
});

test.each(["", '{"a":1}', "\uFEFFx\r\n"])("the text %j stays what it is", (output) => {
  expect(outcomeOf(output, "text")).toMatchObject({ ok: true, data: output, meta: origin });
});

describe("bytes that are no UTF-8", () => {
  test("are marked, and told", () => {
    const outcome = outcomeOf(Buffer.from([0x61, 0xff, 0x62]), "text");
    expect(outcome).toMatchObject({ ok: true, data: "a\uFFFDb" });
    expect(codesOf(outcome)).toEqual(["NOT_UTF8"]);
  });
});

describe("an exit code that means failure", () => {
  test.each([
    ["auto", "plain text"],
    ["auto", '{"a":1}'],
    ["auto", ""],
    ["json", '{"a":1}'],
    ["json", "{"],
    ["text", "text"],
    ["helper-output", "Traceback"],
  ] as const)("fails a call (%s) that printed %j", (form, output) => {
    expect(outcomeOf(output, form, { code: 3, stderr: "one\nboom\n" })).toMatchObject({
      ok: false,
      error: {
        code: "SCRIPT_FAILED",
        category: "execution",
        data: output,
        details: { command: ["prog"], exitCode: 3, stderr: "one\nboom\n" },
      },
      meta: { ...origin, exitCode: 3 },
    });
  });

  test("does not overrule a document that says that all went well", () => {
    const outcome = outcomeOf(helper({ rows: [] }), "helper-output", { code: 1 });
    expect(outcome).toMatchObject({ ok: true, data: { rows: [] }, meta: { exitCode: 1 } });
    expect(codesOf(outcome)).toEqual(["EXIT_CODE"]);
  });

  test("is what the options say", () => {
    expect(outcomeOf("x", "text", { code: 1, exitCodes: [0, 1] })).toMatchObject({ ok: true, meta: { exitCode: 1 } });
    expect(outcomeOf("x", "text", { code: 0, exitCodes: [1] })).toMatchObject({ error: { code: "SCRIPT_FAILED" } });
  });
});

test("what was said on the side is a hint", () => {
  expect(outcomeOf("1", "json", { stderr: "careful\n" }).meta.telemetry).toEqual({ stderr: "careful\n" });
  const error = { status: "error", error: { code: "X", message: "x" } };
  expect(outcomeOf(helper(error), "auto", { stderr: "careful\n" }).meta.telemetry).toEqual({ stderr: "careful\n" });
  expect(outcomeOf("1", "json").meta).not.toHaveProperty("telemetry");
});
