import { Compile } from "typebox/schema";
import { describe, expect, test } from "vitest";
import { CALL_ERROR_FIELDS } from "../envelope/call-error.js";
import { CATEGORIES } from "../envelope/category.js";
import { HINT_NAMES, isHint } from "../envelope/hints.js";
import { originFaults, originFields, RESPONSE_SOURCES } from "../envelope/origin.js";
import { OutcomeSchema } from "../envelope/outcome.js";
import { sampleOutcomes } from "./outcomes.js";

const OUTCOMES = sampleOutcomes.map(({ outcome }) => outcome);
const METAS = OUTCOMES.map(({ meta }) => meta as Record<string, unknown>);

describe("the sample outcomes", () => {
  test.each(sampleOutcomes.map(({ label, outcome }) => [label, outcome] as const))(
    "%s is an outcome by its schema",
    (_, outcome) => {
      expect(Compile(OutcomeSchema).Check(outcome)).toBe(true);
    },
  );

  test("have labels of their own", () => {
    const labels = sampleOutcomes.map(({ label }) => label);
    expect(labels.filter((label, at) => labels.indexOf(label) !== at)).toEqual([]);
  });

  test("are JSON, without a field that holds undefined", () => {
    expect(JSON.parse(JSON.stringify(OUTCOMES))).toStrictEqual(OUTCOMES);
  });

  test("fail in every category, and in one that nobody knows", () => {
    const failed = OUTCOMES.flatMap((outcome) => (outcome.ok ? [] : [outcome.error.category]));
    expect(new Set(failed)).toEqual(new Set([...CATEGORIES, "quantum"]));
  });

  test("have every field of an error", () => {
    const present = OUTCOMES.flatMap((outcome) => (outcome.ok ? [] : Object.keys(outcome.error)));
    expect(CALL_ERROR_FIELDS.filter((name) => !present.includes(name))).toEqual([]);
  });

  test("have every hint alone and all together, but for extra, which each dialect has of its own", () => {
    const hints = HINT_NAMES.filter((name) => name !== "extra");
    for (const name of hints) {
      expect(
        METAS.some((meta) => Object.keys(meta).join() === name && isHint(name, meta[name])),
        name,
      ).toBe(true);
    }
    expect(METAS.some((meta) => hints.every((name) => name in meta))).toBe(true);
  });

  test("come from every source, each with the fields that it requires", () => {
    for (const source of RESPONSE_SOURCES) {
      const from = METAS.filter((meta) => meta["source"] === source);
      expect(from.length, source).toBeGreaterThan(0);
      expect(from.flatMap((meta) => originFaults(source, meta))).toEqual([]);
    }
  });

  test("have every field of every source somewhere", () => {
    const missing = RESPONSE_SOURCES.flatMap((source) =>
      originFields(source)
        .filter((name) => !METAS.some((meta) => meta["source"] === source && name in meta))
        .map((name) => `${source}.${name}`),
    );
    expect(missing).toEqual([]);
  });

  test("have each kind of falsy data", () => {
    const data = OUTCOMES.flatMap((outcome) => (outcome.ok ? [JSON.stringify(outcome.data)] : []));
    expect(["null", "0", '""', "false", "[]", "{}"].filter((text) => !data.includes(text))).toEqual([]);
  });
});
