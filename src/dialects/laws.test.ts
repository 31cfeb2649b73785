import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { assertReproduces, assertRestores, assertRoundTrip } from "../testing/index.js";
import { DIALECTS, type DialectName } from "./all.js";
import { detect } from "./detect.js";
import { damaged } from "./fixtures/arbitrary-document.js";
import { json, outcome } from "./fixtures/arbitrary-outcome.js";
import { FIXTURES } from "./fixtures/by-dialect.js";

const NAMED = DIALECTS.map((dialect) => [dialect.name, dialect] as const);

const anything = fc.anything({
  withBigInt: true,
  withBoxedValues: true,
  withDate: true,
  withMap: true,
  withNullPrototype: true,
  withObjectString: true,
  withSet: true,
  withSparseArray: true,
  withTypedArray: true,
});

describe.each(NAMED)("%s", (name, dialect) => {
  const fixtures = FIXTURES[name as DialectName];

  test("reads back what it writes, but for what it reports as lost, and breaks no rule of its own", () => {
    fc.assert(
      fc.property(outcome, (value) => assertRoundTrip(dialect, value)),
      { numRuns: 300 },
    );
  });

  test("reproduces every document that it can read, damaged or not", () => {
    fc.assert(
      fc.property(damaged(fixtures), (document) => {
        fc.pre(dialect.read(document).kind === "outcome");
        assertReproduces(dialect, document);
      }),
      { numRuns: 300 },
    );
  });

  test("gives an answer about anything", () => {
    fc.assert(
      fc.property(fc.oneof(anything, json, fc.jsonValue(), damaged(fixtures)), (value) => {
        expect([true, false]).toContain(dialect.claims(value));
        expect(["outcome", "stranger", "malformed"]).toContain(dialect.read(value).kind);
        expect(dialect.claims(value)).toBe(dialect.read(value).kind !== "stranger");
      }),
      { numRuns: 300 },
    );
  });

  test("finds a fatal fault in every document that it claims and cannot read, and in no other", () => {
    fc.assert(
      fc.property(damaged(fixtures), (document) => {
        const { kind } = dialect.read(document);
        const fatal = dialect.validate(document).some(({ level }) => level === "fatal");
        if (kind !== "stranger") expect(fatal).toBe(kind === "malformed");
      }),
      { numRuns: 300 },
    );
  });
});

test("looking for a dialect never throws", () => {
  fc.assert(
    fc.property(fc.oneof(anything, json), (value) => {
      detect(value);
      detect({ content: [value], structuredContent: value }, { deep: true });
    }),
    { numRuns: 500 },
  );
});

describe.each(NAMED)("%s", (name, dialect) => {
  describe.each(NAMED)("by way of %s", (_, by) => {
    for (const { label, document } of FIXTURES[name as DialectName].accepts ?? []) {
      test(`restores ${label}`, () => assertRestores(dialect, by, document));
    }
  });
});
