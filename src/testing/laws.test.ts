import { describe, expect, test } from "vitest";
import { DIALECTS } from "../dialects/all.js";
import type { Dialect } from "../dialects/dialect.js";
import { helperOutput } from "../dialects/helper-output.js";
import { responseEnvelope } from "../dialects/response-envelope.js";
import type { Outcome } from "../envelope/outcome.js";
import { assert, assertEqual, assertReproduces, assertRestores, assertRoundTrip, without } from "./laws.js";

const right = responseEnvelope as Dialect;
const OUTCOME: Outcome = { ok: true, data: { rows: [1] }, meta: { requestId: "r", summary: "One row" } };
const DOCUMENT = {
  data: { rows: [1] },
  meta: { source: "local", operationId: "rows.list", timestamp: 0, summary: "One row" },
};

function withoutSummary({ meta: { summary: _, ...meta }, ...rest }: Outcome): Outcome {
  return { ...rest, meta } as Outcome;
}

/** Forgets the summary and does not say so. */
const forgetful: Dialect = { ...right, write: (outcome, options) => right.write(withoutSummary(outcome), options) };

/** Forgets the summary and says so. */
const honest: Dialect = {
  ...right,
  write(outcome, options) {
    const { wire, lost } = right.write(withoutSummary(outcome), options);
    return {
      wire,
      lost: outcome.meta.summary === undefined ? lost : [...lost, { path: "/meta/summary", reason: "no place" }],
    };
  },
};

describe("assertRoundTrip", () => {
  test("passes for what every dialect writes", () => {
    for (const dialect of DIALECTS) expect(() => assertRoundTrip(dialect, OUTCOME), dialect.name).not.toThrow();
  });

  test("fails where something is lost in silence, and passes where it is said", () => {
    expect(() => assertRoundTrip(forgetful, OUTCOME)).toThrow();
    expect(() => assertRoundTrip(honest, OUTCOME)).not.toThrow();
  });

  test("fails where something is invented", () => {
    const inventive: Dialect = {
      ...right,
      write: (outcome, options) => right.write({ ...outcome, meta: { ...outcome.meta, traceId: "made up" } }, options),
    };
    expect(() => assertRoundTrip(inventive, OUTCOME)).toThrow();
  });

  test("fails where the text that is sent says something else than the value", () => {
    const careless: Dialect = { ...right, print: (wire) => JSON.stringify({ ...(wire as object), data: null }) };
    expect(() => assertRoundTrip(careless, OUTCOME)).toThrow();
  });

  test("fails where the dialect does not claim or cannot read what it wrote", () => {
    expect(() => assertRoundTrip({ ...right, claims: () => false }, OUTCOME)).toThrow();
    expect(() => assertRoundTrip({ ...right, read: () => ({ kind: "malformed", issues: [] }) }, OUTCOME)).toThrow();
  });

  test("fails where the dialect breaks a rule of its own, but not for advice", () => {
    const issue = { path: "", message: "", rule: "r" };
    expect(() => assertRoundTrip({ ...right, validate: () => [{ ...issue, level: "violation" }] }, OUTCOME)).toThrow();
    expect(() => assertRoundTrip({ ...right, validate: () => [{ ...issue, level: "advice" }] }, OUTCOME)).not.toThrow();
  });

  test("tells falsy data from none", () => {
    const truthy: Dialect = {
      ...right,
      write: (outcome, options) =>
        right.write(outcome.ok ? { ...outcome, data: outcome.data || null } : outcome, options),
    };
    for (const data of [0, "", false]) {
      expect(() => assertRoundTrip(truthy, { ok: true, data, meta: {} })).toThrow();
      expect(() => assertRoundTrip(right, { ok: true, data, meta: {} })).not.toThrow();
    }
  });
});

describe("assertReproduces", () => {
  test("passes for a document of the dialect", () => {
    expect(() => assertReproduces(right, DOCUMENT)).not.toThrow();
  });

  test("fails for a stranger, for a changed document and for a loss", () => {
    expect(() => assertReproduces(right, { rows: [] })).toThrow();
    expect(() => assertReproduces(forgetful, DOCUMENT)).toThrow();
    const complaining: Dialect = {
      ...right,
      write: (outcome, options) => ({ ...right.write(outcome, options), lost: [{ path: "/data", reason: "" }] }),
    };
    expect(() => assertReproduces(complaining, DOCUMENT)).toThrow();
  });
});

describe("assertRestores", () => {
  test("passes by way of every dialect", () => {
    for (const dialect of DIALECTS) expect(() => assertRestores(right, dialect, DOCUMENT), dialect.name).not.toThrow();
  });

  test("fails where something is lost in silence on the way there or back", () => {
    expect(() => assertRestores(right, forgetful, DOCUMENT)).toThrow();
    expect(() => assertRestores(forgetful, right, DOCUMENT)).toThrow();
    expect(() => assertRestores(right, honest, DOCUMENT)).not.toThrow();
    expect(() => assertRestores(honest, right, DOCUMENT)).not.toThrow();
  });

  test("fails for a stranger", () => {
    expect(() => assertRestores(helperOutput as Dialect, right, DOCUMENT)).toThrow();
  });
});

describe("assertEqual and assert", () => {
  test("pass for equal values in another order, and fail for others", () => {
    expect(() => assertEqual({ a: 1, b: 2 }, { b: 2, a: 1 }, "differs")).not.toThrow();
    expect(() => assertEqual({ a: 1 }, { a: null }, "differs")).toThrow();
    expect(() => assert(true, "no")).not.toThrow();
    expect(() => assert(false, "no")).toThrow();
  });
});

describe("without", () => {
  const outcome: Outcome = {
    ok: true,
    data: { "a/b": 1, rows: [{ id: 1 }] },
    meta: { requestId: "r", pagination: { page: 0 }, rateLimit: { limit: 1, remaining: 0 } },
  };

  function lost(...paths: string[]): unknown {
    return without(
      outcome,
      paths.map((path) => ({ path, reason: "" })),
    );
  }

  test("removes the named places", () => {
    expect(lost("/meta/requestId", "/meta/rateLimit/limit", "/data/a~1b")).toEqual({
      ok: true,
      data: { rows: [{ id: 1 }] },
      meta: { pagination: { page: 0 }, rateLimit: { remaining: 0 } },
    });
  });

  test("removes a record that loses all its fields", () => {
    expect(lost("/meta/pagination/page")).toEqual({
      ...outcome,
      meta: { requestId: "r", rateLimit: { limit: 1, remaining: 0 } },
    });
    expect(lost("/meta/pagination", "/meta/requestId", "/meta/rateLimit")).toEqual({ ok: true, data: outcome.data });
  });

  test("removes nothing for a place that is not there, in a list, inherited, or the whole", () => {
    expect(lost("/meta/links", "/x/y", "/data/rows/0/id", "/meta/toString", "/__proto__/x", "")).toEqual(outcome);
  });

  test("removes nothing where nothing is lost, and gives a copy", () => {
    expect(lost()).toEqual(outcome);
    expect(lost()).not.toBe(outcome);
  });

  test("leaves the outcome alone", () => {
    const before = structuredClone(outcome);
    lost("/meta/requestId", "/data");
    expect(outcome).toEqual(before);
  });
});
