import { expect, test } from "vitest";
import type { EmitOptions } from "./emit.js";
import { emitTo } from "./emit-to.js";
import { brokenIo, documentIn, type RecordedIo, recordedIo } from "./fixtures/recorded-io.js";

const error = { code: "GATHER_FAILED", message: "no disk" };

async function emitted(content: object, options: EmitOptions = {}): Promise<RecordedIo> {
  const io = recordedIo([], "", { GEMINI_PROFILE: "x" });
  await emitTo(() => io, content as Record<string, unknown>, options);
  return io;
}

test("emit writes the fixed fields in order, then the content", async () => {
  const { said } = await emitted({ b: 1, a: 2 }, { schemaVersion: "2.1.0" });
  const ts = /"ts": "([^"]+)"/.exec(said.stdout)?.[1];
  expect(said.stdout).toBe(
    `{\n  "schema_version": "2.1.0",\n  "status": "ok",\n  "error": null,\n  "agent": "gemini",\n  "ts": "${ts}",\n  "b": 1,\n  "a": 2\n}\n`,
  );
  expect(said.exitCode).toBe(0);
});

test.each([
  [{ status: "error", error }, { status: "error", error }, 1],
  [{ status: "tool-missing", error: { ...error, code: "GH_ABSENT" } }, { status: "tool-missing" }, 0],
  [{ status: "partial", skippedSources: ["a"] }, { status: "partial", skipped_sources: ["a"] }, 0],
  [{ agent: "mine" }, { agent: "mine" }, 0],
  [{ status: "error", error, envelope: "response-v2" }, { success: false, error: "no disk" }, 1],
] as const)("emit takes %j", async (options, document, exitCode) => {
  const io = await emitted({ rows: [] }, options as EmitOptions);
  expect(documentIn(io)).toMatchObject(document);
  expect(io.said.exitCode).toBe(exitCode);
});

test.each([
  [{}, { error }],
  [{}, { skippedSources: ["a"] }],
  [{}, { status: "error" }],
  [{}, { status: "tool-missing" }],
  [{}, { status: "partial" }],
  [{}, { status: "partial", skippedSources: [] }],
  [{}, { status: "fine" }],
  [{}, { status: "error", error: "text" }],
  [{}, { status: "error", error: { code: "", message: "" } }],
  [{}, { schemaVersion: "1" }],
  [{}, { agent: "" }],
  [{}, { envelope: "no-such" }],
  [{}, { colour: "red" }],
  [{ status: 1 }, {}],
  [{ skipped_sources: [] }, {}],
  [{ 1: "a" }, {}],
  [[], {}],
  ["text", {}],
])("emit refuses %j with %j before anything is written", (content, options) => {
  const io = recordedIo();
  expect(() => emitTo(() => io, content as never, options as EmitOptions)).toThrow(TypeError);
  expect(io.said.stdout).toBe("");
});

test.each([
  ["ENOSPC", 1],
  ["EPIPE", 0],
])("emit ends a process whose output fails with %s by exit code %d", async (code, exitCode) => {
  const io = brokenIo(code);
  await emitTo(() => io, {}, {});
  expect(io.said.exitCode).toBe(exitCode);
});
