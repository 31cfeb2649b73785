import { describe, expect, test } from "vitest";
import type { ScriptResponseMeta } from "../envelope/origin.js";
import type { Outcome } from "../envelope/outcome.js";
import { assertReproduces } from "../testing/index.js";
import { helperOutputFixtures } from "./fixtures/helper-output.js";
import {
  failure,
  failureOf,
  lostPaths,
  readingOf,
  rulesBroken,
  success,
  successOf,
  throughWire,
  wireOf,
} from "./fixtures/reading.js";
import { testFixtures } from "./fixtures/test-fixtures.js";
import { helperOutput } from "./helper-output.js";

const dialect = helperOutput;
const FIXED = ["schema_version", "status", "error", "agent", "ts"];
const HEAD = { schema_version: "1.0.0", status: "ok", error: null, agent: "claude", ts: "2026-05-01T09:30:00.000Z" };
const SCRIPT: ScriptResponseMeta = { source: "script", command: ["a"], exitCode: 0, timestamp: 0 };

function output(changes: object): object {
  return { ...HEAD, ...changes };
}

function printed(outcome: Outcome): string {
  return helperOutput.print(helperOutput.write(outcome).wire);
}

function keysOf(text: string): string[] {
  return [...text.matchAll(/^ {2}"([^"]+)":/gm)].map(([, key = ""]) => key);
}

describe("helper-output", () => {
  testFixtures(dialect, helperOutputFixtures);
});

describe("reading helper-output", () => {
  test("gives the helper's own fields as data and the moment in milliseconds", () => {
    const { data, meta } = successOf(dialect, output({ rows: [1], total: 0 }));
    expect(data).toEqual({ rows: [1], total: 0 });
    expect(meta.timestamp).toBe(Date.UTC(2026, 4, 1, 9, 30));
  });

  test("reads microseconds and offsets", () => {
    const { meta } = successOf(dialect, output({ ts: "2026-05-01T11:30:00.250999+02:00" }));
    expect(meta.timestamp).toBe(Date.UTC(2026, 4, 1, 9, 30, 0, 250));
  });

  test.each(["2026-05-01T09:30:00+00", "2026-05-01T09:30:00,250Z"])(
    "finds nothing wrong with %s, which is ISO 8601 too",
    (ts) => {
      expect(rulesBroken(dialect, output({ ts }))).toEqual([]);
    },
  );

  test("uses a partial answer and turns its error into a warning", () => {
    const error = { code: "HALF", message: "one is missing" };
    const skipped_sources = ["journal", { name: "calendar" }];
    const { data, meta } = successOf(dialect, output({ status: "partial", error, skipped_sources, rows: [] }));
    expect(data).toEqual({ rows: [] });
    expect(meta.skippedSources).toEqual(skipped_sources);
    expect(meta.warnings).toEqual([error]);
  });

  test.each([
    ["error", "GATHER_FAILED", "execution"],
    ["error", "VALIDATION_ERROR", "validation"],
    ["error", "SPEC_NOT_FOUND", "not_found"],
    ["tool-missing", "TOOL_MISSING", "unavailable"],
    ["tool-missing", "GH_ABSENT", "unavailable"],
  ])("reads status %s with code %s as a failure of category %s", (status, code, category) => {
    const { error } = failureOf(dialect, output({ status, error: { code, message: "no" } }));
    expect(error).toMatchObject({ code, category, message: "no" });
  });

  test("gives each field that an error has in our words", () => {
    const error = {
      code: "BUSY",
      message: "later",
      category: "conflict",
      recoverable: true,
      details: { at: 1 },
      issues: [{ path: "/a", message: "taken" }],
      suggestedAction: "Wait",
      nextTool: "rows.get",
      retryAfterMs: 0,
    };
    expect(failureOf(dialect, output({ status: "error", error })).error).toEqual(error);
  });

  test("keeps what a failed helper printed besides its error", () => {
    const error = { code: "E", message: "no" };
    expect(failureOf(dialect, output({ status: "error", error, rows: [1] })).error.data).toEqual({ rows: [1] });
  });

  test.each([
    ["a text", "it broke"],
    ["nothing", null],
  ])("reads a failure whose error is %s, and warns", (_, error) => {
    const { outcome, notes } = readingOf(dialect, output({ status: "error", error }));
    expect(outcome).toMatchObject({ ok: false, error: { category: "execution", code: "TOOL_ERROR" } });
    expect(notes.map(({ code }) => code)).toEqual(["NONCONFORMING"]);
  });

  test("keeps a field that happens to be called plico", () => {
    assertReproduces(dialect, output({ plico: "0.1.0" }));
  });

  test.each(["agent", "ts"])("reproduces a document that lacks %s", (key) => {
    assertReproduces(dialect, Object.fromEntries(Object.entries(output({ a: 1 })).filter(([name]) => name !== key)));
  });

  test("writes back what it read from an ok that lists its skipped sources and has no error field", () => {
    const document = { schema_version: "1.0.0", status: "ok", agent: "claude", ts: HEAD.ts, skipped_sources: [], a: 1 };
    const { outcome } = readingOf(dialect, document);
    expect(readingOf(dialect, wireOf(dialect, outcome)).outcome).toMatchObject({ ok: true, data: { a: 1 } });
  });
});

describe("writing helper-output", () => {
  test("prints two-space JSON and a final newline", () => {
    const text = printed(success({ rows: [1] }));
    expect(text).toBe(`${JSON.stringify(JSON.parse(text), null, 2)}\n`);
  });

  test.each([
    ["a success", success({ a: 1, b: 2 })],
    ["a partial answer", success({ a: 1 }, { skippedSources: ["x"] })],
    ["a failure", failure({ category: "conflict", message: "no", data: { a: 1 } })],
    ["fields whose names are numbers", success({ 404: "gone", 7: "seven" })],
  ])("puts the fixed fields first and in order: %s", (_, outcome) => {
    expect(keysOf(printed(outcome)).slice(0, 5)).toEqual(FIXED);
  });

  test("puts the helper's own fields flat after them", () => {
    expect(keysOf(printed(success({ rows: 1, total: 2 }))).slice(5, 7)).toEqual(["rows", "total"]);
  });

  test("takes version, agent and moment from the caller", () => {
    const options = { schemaVersion: "2.1.0", agent: "gemini", now: Date.UTC(2026, 0, 1) };
    const { wire } = helperOutput.write(success({}), options);
    expect(wire).toMatchObject({ schema_version: "2.1.0", agent: "gemini", ts: "2026-01-01T00:00:00.000Z" });
  });

  test("takes version and agent from a script's origin", () => {
    const meta = { ...SCRIPT, schemaVersion: "3.0.0", agent: "codex" };
    expect(wireOf(dialect, success({}, meta))).toMatchObject({ schema_version: "3.0.0", agent: "codex" });
  });

  test("does not write a version that is none", () => {
    expect(rulesBroken(dialect, wireOf(dialect, success({}, { ...SCRIPT, schemaVersion: "007" })))).toEqual([]);
  });

  test("has no error for ok, and one for every other status", () => {
    expect(wireOf(dialect, success({}))).toMatchObject({ status: "ok", error: null });
    expect(wireOf(dialect, success({}, { skippedSources: [] }))).toMatchObject({
      status: "partial",
      error: { code: "SOURCES_SKIPPED" },
      skipped_sources: [],
    });
    const error = { category: "timeout", code: "SLOW", message: "no" };
    expect(wireOf(dialect, failure(error))).toMatchObject({ status: "error", error: { code: "SLOW", message: "no" } });
  });

  test("says tool-missing for the code TOOL_MISSING alone", () => {
    const status = (code: string): unknown =>
      wireOf(dialect, failure({ category: "unavailable", code, message: "no" }))["status"];
    expect(status("TOOL_MISSING")).toBe("tool-missing");
    expect(status("UNAVAILABLE")).toBe("error");
  });

  test.each([...FIXED, "skipped_sources", "plico"])(
    "does not let the helper's own %s overwrite the fixed one",
    (key) => {
      const outcome = success({ [key]: "mine", a: 1 });
      const wire = wireOf(dialect, outcome);
      expect(rulesBroken(dialect, wire)).toEqual([]);
      expect(wire).toMatchObject({ status: "ok", error: null, agent: "unknown" });
      expect(throughWire(dialect, outcome)).toMatchObject({ ok: true, data: { [key]: "mine", a: 1 } });
      expect(lostPaths(dialect, outcome)).toEqual([]);
    },
  );

  test.each([
    ["an error without a code", failure({ category: "internal", code: "", message: "no" })],
    ["a warning without a code", success({}, { skippedSources: ["a"], warnings: [{ code: "", message: "half" }] })],
  ])("breaks no rule of its own over %s", (_, outcome) => {
    expect(rulesBroken(dialect, wireOf(dialect, outcome))).toEqual([]);
  });
});
