import { describe, expect, test } from "vitest";
import { helperChanges } from "./helper-changes.js";

const ANSWER = { schema_version: "1.0.0", status: "ok", error: null, agent: "x", ts: "2026-05-01T09:00:00Z", count: 1 };

describe("the changes between two answers of a helper", () => {
  test("are none where only the fields differ that all helpers have", () => {
    const partial = {
      status: "partial",
      error: { code: "E", message: "e", details: 1 },
      agent: "y",
      skipped_sources: [{ source: "journal" }],
    };
    expect(helperChanges(ANSWER, { ...ANSWER, ...partial })).toEqual({
      version: { before: "1.0.0", after: "1.0.0" },
      due: null,
      changes: [],
      unseen: [],
      isSound: true,
    });
  });

  test("are none where Plico wrote something beside them, unless it is the data", () => {
    expect(helperChanges(ANSWER, { ...ANSWER, plico: { meta: { summary: "x" } } }).changes).toEqual([]);
    expect(helperChanges(ANSWER, { ...ANSWER, plico: { data: [1] } }).due?.level).toBe("minor");
    expect(helperChanges(ANSWER, { ...ANSWER, plico: "its own" }).due?.level).toBe("minor");
  });

  test.each([
    ["1.0.0", false],
    ["1.0.9", false],
    ["0.9.0", false],
    ["1.1.0", true],
    ["2.0.0", true],
  ])("ask for a version: with a new field, %s is right: %s", (schema_version, isSound) => {
    const found = helperChanges(ANSWER, { ...ANSWER, schema_version, more: true });
    expect(found).toMatchObject({ due: { level: "minor", version: "1.1.0" }, isSound });
  });

  test.each([
    ["1.0.0", true],
    ["1.0.0+build", true],
    ["3.0.0", true],
    ["0.9.9", false],
  ])("being none, let the version be %s: %s", (schema_version, isSound) => {
    expect(helperChanges(ANSWER, { ...ANSWER, schema_version }).isSound).toBe(isSound);
  });
});
