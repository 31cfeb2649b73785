import { describe, expect, test } from "vitest";
import type { Dialect, Violation } from "../dialects/dialect.js";
import { responseEnvelope } from "../dialects/response-envelope.js";
import type { Outcome } from "../envelope/outcome.js";
import { isRecord } from "../json/value.js";
import { type DialectFixtures, testDialect } from "./test-dialect.js";

const right = responseEnvelope as Dialect;
const LOCAL = { source: "local", operationId: "rows.list", timestamp: 0 };

const FIXTURES: DialectFixtures = {
  accepts: [
    { label: "an empty list", document: { data: [], meta: LOCAL } },
    { label: "a summary", document: { data: null, meta: { ...LOCAL, summary: "Nothing" } } },
  ],
  strangers: [{ content: [] }, { success: true, meta: { version: "response-v2" } }, "text"],
};

/** The labels of the cases that fail. */
function failing(dialect: Dialect, fixtures: DialectFixtures = FIXTURES): string[] {
  return testDialect(dialect, fixtures).flatMap(({ label, run }) => {
    try {
      run();
      return [];
    } catch {
      return [label];
    }
  });
}

/** A dialect that changes each outcome before it writes it, and says nothing. */
function writing(change: (outcome: Outcome) => Outcome): Dialect {
  return { ...right, write: (outcome, options) => right.write(change(outcome), options) };
}

function withoutHint(name: string): (outcome: Outcome) => Outcome {
  return (outcome) => {
    const { [name]: _, ...meta } = outcome.meta as Record<string, unknown>;
    return { ...outcome, meta } as Outcome;
  };
}

describe("the suite for dialects", () => {
  test("has no failing case for a right dialect", () => {
    expect(failing(right)).toEqual([]);
  });

  test("has labels of their own for its cases", () => {
    const labels = testDialect(right, FIXTURES).map(({ label }) => label);
    expect(labels.filter((label, at) => labels.indexOf(label) !== at)).toEqual([]);
  });

  test("needs no fixtures", () => {
    const cases = testDialect(right);
    expect(cases.length).toBeGreaterThan(50);
    expect(testDialect(right, {})).toHaveLength(cases.length);
  });

  test("has two cases for an accepted document and one for a stranger", () => {
    expect(testDialect(right, FIXTURES)).toHaveLength(testDialect(right).length + 2 * 2 + 3);
  });

  test("does not run a case before it is asked to", () => {
    const broken: Dialect = {
      ...right,
      write: () => {
        throw new Error("not yet");
      },
    };
    expect(() => testDialect(broken, FIXTURES)).not.toThrow();
  });
});

describe("the suite finds a dialect that", () => {
  test.each([
    "requestId",
    "status",
    "summary",
    "nextSteps",
    "warnings",
    "pagination",
    "rateLimit",
    "links",
    "truncated",
  ])("drops the hint %s in silence", (name) => {
    const labels = failing(writing(withoutHint(name)), {});
    expect(labels).toContain(`carries the hint ${name}, or says what it loses`);
    expect(labels).toContain("carries every hint, or says what it loses");
    expect(labels.filter((label) => label.includes("the hint ") && !label.includes(`the hint ${name},`))).toEqual([]);
  });

  test("drops a part of an error in silence", () => {
    const dialect = writing((outcome) => {
      if (outcome.ok) return outcome;
      const { nextTool: _, ...error } = outcome.error;
      return { ...outcome, error };
    });
    expect(failing(dialect)).toEqual(["carries a failure with everything, or says what it loses"]);
  });

  test("calls every failure an internal one", () => {
    const dialect = writing((outcome) =>
      outcome.ok ? outcome : { ...outcome, error: { ...outcome.error, category: "internal" } },
    );
    expect(failing(dialect)).toContain("carries a failure of category timeout, or says what it loses");
    expect(failing(dialect)).not.toContain("carries a failure of category internal, or says what it loses");
  });

  test("takes a failure for a success", () => {
    const dialect = writing((outcome) => (outcome.ok ? outcome : { ok: true, data: null, meta: outcome.meta }));
    expect(failing(dialect)).toContain("carries a failure that says nothing, or says what it loses");
  });

  test("tests data by truthiness", () => {
    const dialect = writing((outcome) => (outcome.ok ? { ...outcome, data: outcome.data || null } : outcome));
    expect(failing(dialect)).toEqual(
      ["zero", "an empty string", "false"].map((label) => `carries ${label}, or says what it loses`),
    );
  });

  test("loses a field called __proto__", () => {
    const dialect = writing((outcome) =>
      outcome.ok && isRecord(outcome.data) && Object.hasOwn(outcome.data, "__proto__")
        ? { ...outcome, data: Object.assign({}, outcome.data) }
        : outcome,
    );
    expect(failing(dialect)).toEqual(["carries the keys of an object's own machinery, or says what it loses"]);
  });

  test("does not reproduce a document", () => {
    expect(failing(writing(withoutHint("summary")))).toContain("reproduces a summary");
  });

  test("finds fault with a right document", () => {
    const issue: Violation = { path: "", message: "", rule: "r", level: "violation" };
    const picky: Dialect = {
      ...right,
      validate: (value) => (isRecord(value) && Array.isArray(value["data"]) ? [issue] : []),
    };
    expect(failing(picky)).toContain("finds nothing wrong with an empty list");
  });

  test("claims a stranger, or reads one", () => {
    const greedy: Dialect = { ...right, claims: () => true };
    expect(failing(greedy)).toEqual([0, 1, 2].map((at) => `does not claim stranger ${at}`));
    const nosy: Dialect = {
      ...right,
      read: (value) => (value === "text" ? { kind: "malformed", issues: [] } : right.read(value)),
    };
    expect(failing(nosy)).toEqual(["does not claim stranger 2"]);
  });

  test("throws at a hostile value, or reads one", () => {
    const careless: Dialect = { ...right, claims: (value) => (value as { meta?: object }).meta !== undefined };
    const impressed = failing(careless).filter((label) => label.startsWith("is not impressed"));
    expect(impressed.length).toBeGreaterThan(3);
    const outcome: Outcome = { ok: true, data: null, meta: {} };
    const credulous: Dialect = {
      ...right,
      read: (value) => (value === null ? { kind: "outcome", outcome, notes: [], layout: {} } : right.read(value)),
    };
    expect(failing(credulous)).toEqual(["is not impressed by hostile value 1"]);
  });
});

describe("the suite and rejected documents", () => {
  const [[rule = ""] = []] = Object.entries(right.rules).filter(([, { level }]) => level === "fatal");
  const document = { data: 1, meta: { source: "local" } };

  test("passes where the rule is named and the document is not read", () => {
    const rules = right.validate(document).filter(({ level }) => level === "fatal");
    const rejects = rules.map((violation) => ({ label: "a document", document, rule: violation.rule }));
    expect(rejects.length).toBeGreaterThan(0);
    expect(failing(right, { rejects })).toEqual([]);
  });

  test("fails where the rule is not broken, or is none of the dialect's", () => {
    const good = { data: [], meta: LOCAL };
    expect(failing(right, { rejects: [{ label: "a good one", document: good, rule }] })).toHaveLength(1);
    expect(failing(right, { rejects: [{ label: "a bad one", document, rule: "nobody-knows" }] })).toHaveLength(1);
  });

  test("fails where a document is read although a fatal rule is broken", () => {
    const [violation] = right.validate(document).filter(({ level }) => level === "fatal");
    const rejects = [{ label: "a bad one", document, rule: violation?.rule ?? "" }];
    const outcome: Outcome = { ok: true, data: 1, meta: {} };
    const lenient: Dialect = {
      ...right,
      read: (value) => (value === document ? { kind: "outcome", outcome, notes: [], layout: {} } : right.read(value)),
    };
    expect(failing(lenient, { rejects })).toHaveLength(1);
    expect(failing(right, { rejects })).toEqual([]);
  });
});
