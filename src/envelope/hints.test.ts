import { Compile } from "typebox/schema";
import { describe, expect, test } from "vitest";
import { HINT_NAMES, HINT_SCHEMAS, hintsIn, isDeprecation, isHint, type ResponseHints } from "./hints.js";

const LINK = { type: "resource_link", uri: "docs://1", name: "one" };
const DEPRECATION = { field: "payload.rows", since: 1, removeInVersion: 2 };

const TEXT = { good: ["", "a"], bad: [null, 0, ["a"], {}] };
const TEXTS = { good: [[], [""], ["a", "b"]], bad: [null, "a", [1], ["a", null], { 0: "a" }] };
const RECORD = { good: [{}, { a: 1 }], bad: [null, [], "a", 0] };

const SAMPLES: Readonly<Record<keyof ResponseHints, { good: readonly unknown[]; bad: readonly unknown[] }>> = {
  requestId: TEXT,
  traceId: TEXT,
  spanId: TEXT,
  timestamp: { good: [0, -1, 1.5, 1_770_000_000_000], bad: [null, "0", "2025-06-17T18:30:00Z", [0]] },
  status: { good: ["ok", "info", "warn"], bad: ["error", "OK", "", null, 0, ["ok"]] },
  summary: TEXT,
  details: TEXTS,
  nextSteps: TEXTS,
  warnings: {
    good: [[], [{ code: "", message: "" }], [{ code: "A", message: "m", path: "/a", more: 1 }]],
    bad: [
      null,
      {},
      ["a"],
      [{ code: "A" }],
      [{ message: "m" }],
      [{ code: 1, message: "m" }],
      [{ code: "A", message: "m", path: 0 }],
    ],
  },
  skippedSources: {
    good: [[], ["journal"], [{ name: "calendar" }, "a"]],
    bad: [null, "journal", [0], [null], [["a"]]],
  },
  deprecations: {
    good: [[], [DEPRECATION], [{ ...DEPRECATION, replacement: "payload.items", note: "" }]],
    bad: [
      null,
      DEPRECATION,
      [{}],
      [{ ...DEPRECATION, since: "1" }],
      [{ ...DEPRECATION, note: 1 }],
      [{ field: "a", since: 1 }],
    ],
  },
  pagination: {
    good: [{}, { cursor: null }, { cursor: "", hasMore: false, totalCount: 0, pageSize: 0, page: 0 }, { more: 1 }],
    bad: [
      null,
      [],
      { cursor: 0 },
      { hasMore: "no" },
      { totalCount: -1 },
      { pageSize: 1.5 },
      { page: "1" },
      { page: null },
    ],
  },
  rateLimit: {
    good: [{}, { limit: 0, remaining: 0, resetAt: 0, resetSeconds: 0.5, retryAfterMs: 1 }],
    bad: [
      null,
      [],
      { limit: "1" },
      { remaining: null },
      { resetAt: "now" },
      { resetSeconds: [] },
      { retryAfterMs: true },
    ],
  },
  tokenUsage: {
    good: [{}, { inline: 0 }, { inline: 1, total: 2.5 }],
    bad: [null, [], 5, { inline: "1" }, { total: null }],
  },
  telemetry: RECORD,
  truncated: { good: [true, false], bad: [null, 0, "true", {}] },
  links: {
    good: [[], [LINK], [{ ...LINK, title: "", description: "", mimeType: "text/plain" }]],
    bad: [
      null,
      LINK,
      [{ ...LINK, type: "resource" }],
      [{ ...LINK, uri: 1 }],
      [{ type: "resource_link", uri: "a" }],
      [null],
    ],
  },
  extra: RECORD,
};

const GOOD = HINT_NAMES.flatMap((name) => SAMPLES[name].good.map((value) => [name, value] as const));
const BAD = HINT_NAMES.flatMap((name) => SAMPLES[name].bad.map((value) => [name, value] as const));

describe("isHint", () => {
  test.each(GOOD)("takes for %s the value %j", (name, value) => {
    expect(isHint(name, value)).toBe(true);
  });

  test.each(BAD)("does not take for %s the value %j", (name, value) => {
    expect(isHint(name, value)).toBe(false);
  });

  test("does not take undefined for any hint, as it is absent", () => {
    expect(HINT_NAMES.filter((name) => isHint(name, undefined))).toEqual([]);
  });

  test.each(["source", "", "toString", "__proto__", "constructor", "hasOwnProperty"])("does not know %j", (name) => {
    for (const value of ["", 0, {}, []]) expect(isHint(name, value)).toBe(false);
  });
});

describe("the schema of each hint", () => {
  test("is there for every hint", () => {
    expect(Object.keys(HINT_SCHEMAS).sort()).toEqual([...HINT_NAMES].sort());
  });

  test.each(GOOD)("takes for %s the value %j", (name, value) => {
    expect(Compile(HINT_SCHEMAS[name]).Check(value)).toBe(true);
  });

  test.each(BAD)("does not take for %s the value %j", (name, value) => {
    expect(Compile(HINT_SCHEMAS[name]).Check(value)).toBe(false);
  });

  test.each(["title", "description", "mimeType"])("says of a link's %s that is no text the same as isHint", (field) => {
    const links = [{ ...LINK, [field]: 5 }];
    expect(isHint("links", links)).toBe(Compile(HINT_SCHEMAS.links).Check(links));
  });
});

describe("hintsIn", () => {
  test("takes the hints of a meta, and nothing else that it has", () => {
    const meta = { source: "local", operationId: "a.b", summary: "", truncated: false, warnings: "none", details: [] };
    expect(hintsIn(meta)).toEqual({ summary: "", truncated: false, details: [] });
  });

  test.each([undefined, null, "summary", 0, [{ summary: "a" }]])("finds none in %j", (meta) => {
    expect(hintsIn(meta)).toEqual({});
  });
});

describe("isDeprecation", () => {
  test("takes one deprecated field", () => {
    expect(isDeprecation(DEPRECATION)).toBe(true);
    expect([[DEPRECATION], {}, null, "payload.rows"].some(isDeprecation)).toBe(false);
  });
});
