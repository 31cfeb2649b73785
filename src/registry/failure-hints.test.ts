import { expect, test, vi } from "vitest";
import { CallError } from "../envelope/call-error.js";
import { hintsOfFailure, keepHints, withMoreHints } from "./failure-hints.js";
import { registryOf } from "./fixtures/operations.js";

test("what one caller was told is not told to the next, also where both get the same error", async () => {
  const CONFLICT = new CallError({ category: "conflict", message: "taken" });
  const registry = registryOf((input: unknown, context: { warn: (text: string) => void }) => {
    context.warn(`about ${JSON.stringify(input)}`);
    throw CONFLICT;
  });
  const outcomes = [await registry.attempt("test.run", { a: 1 }), await registry.attempt("test.run", { a: 2 })];
  expect(outcomes.map(({ meta }) => meta.warnings?.map(({ message }) => message))).toEqual([
    ['about {"a":1}'],
    ['about {"a":2}'],
  ]);
  expect(hintsOfFailure(CONFLICT)).toBeUndefined();
});

test("more hints are added to those of the source, on a copy that is the same error", () => {
  const cause = new Error("why");
  const error = new CallError({ category: "conflict", code: "TAKEN", message: "taken", data: [1], cause });
  keepHints(error, { summary: "one", warnings: [{ code: "A", message: "a" }] });
  const more = withMoreHints(error, { warnings: [{ code: "B", message: "b" }] });
  expect(more.toJSON()).toEqual(error.toJSON());
  expect([more.cause, more.stack]).toEqual([cause, error.stack]);
  expect(hintsOfFailure(more)).toMatchObject({ summary: "one", warnings: [{ code: "A" }, { code: "B" }] });
  expect(hintsOfFailure(error)?.warnings).toHaveLength(1);
  expect(withMoreHints(error, undefined)).toBe(error);
});

test("another copy of Plico in the same process knows the hints too", async () => {
  vi.resetModules();
  const other: typeof import("./failure-hints.js") = await import("./failure-hints.js");
  expect(other.keepHints).not.toBe(keepHints);
  const error = other.keepHints(new CallError({ category: "conflict", message: "taken" }), { skippedSources: ["a"] });
  expect(hintsOfFailure(error)).toEqual({ skippedSources: ["a"] });
});
