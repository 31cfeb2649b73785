import { execFile, spawnSync } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { CallError } from "../../envelope/call-error.js";
import { helperFailure } from "./helper-failure.js";
import { hasProgram, requireProgram } from "./require-program.js";

const ABSENT = "no-such-program-here";

test.each([
  [new CallError({ category: "conflict", message: "taken" }), { category: "conflict", code: "CONFLICT" }],
  [Object.assign(new Error("no"), { code: "EACCES", details: 1 }), { code: "EACCES", message: "no", details: 1 }],
  [new Error("RATE_LIMITED: later"), { category: "rate_limit", code: "RATE_LIMITED", message: "later" }],
  [new Error("Not: a code"), { code: "EXECUTION_ERROR", message: "Not: a code" }],
  [new DOMException("gone", "AbortError"), { category: "aborted", code: "ABORTED" }],
  ["a text", { code: "EXECUTION_ERROR", message: "a text" }],
  [undefined, { code: "EXECUTION_ERROR" }],
])("%s becomes a failure with its own words", (thrown, expected) => {
  expect(helperFailure(thrown, "a.b")).toMatchObject(expected);
});

test("a program that cannot be started is a missing tool", async () => {
  const later = await promisify(execFile)(ABSENT).catch((thrown) => thrown);
  const { error: atOnce } = spawnSync(ABSENT);
  for (const thrown of [later, atOnce])
    expect(helperFailure(thrown, "a.b")).toMatchObject({ code: "TOOL_MISSING", recoverable: false });
});

test("a program is found in PATH, or where its path says", () => {
  expect(hasProgram("sh")).toBe(true);
  expect(hasProgram("/bin/sh")).toBe(true);
  expect(hasProgram("sh", { PATH: "/no/such/folder" })).toBe(false);
  // A folder, a file that nobody may run, and nothing.
  for (const name of ["/bin", "/etc/passwd", "", "./sh"]) expect(hasProgram(name)).toBe(false);
  expect(() => requireProgram(ABSENT)).toThrow(
    expect.objectContaining({ code: "TOOL_MISSING", category: "unavailable" }),
  );
});
