import type { Dialect } from "../dialects/dialect.js";
import { hostileValues } from "./hostile-values.js";
import { assert, assertEqual, assertReproduces, assertRoundTrip } from "./laws.js";
import { sampleOutcomes } from "./outcomes.js";

/** One case of a suite, for whatever test runner: `for (const { label, run } of cases) test(label, run)`. */
export interface TestCase {
  readonly label: string;
  readonly run: () => void;
}

export interface DialectFixtures {
  /** Documents of the dialect, which it must reproduce. */
  readonly accepts?: readonly Fixture[];
  /** Documents that break a rule. */
  readonly rejects?: readonly RejectFixture[];
  /** Values that the dialect must not claim. */
  readonly strangers?: readonly unknown[];
}

export interface Fixture {
  readonly label: string;
  readonly document: unknown;
}

export interface RejectFixture extends Fixture {
  /** The name of the rule that the document breaks. */
  readonly rule: string;
}

/** The cases that every dialect must pass. */
export function testDialect(dialect: Dialect, fixtures: DialectFixtures = {}): TestCase[] {
  const { accepts = [], rejects = [], strangers = [] } = fixtures;
  return [
    ...sampleOutcomes.map(({ label, outcome }) => ({
      label: `carries ${label}, or says what it loses`,
      run: () => assertRoundTrip(dialect, outcome),
    })),
    ...accepts.flatMap(({ label, document }) => acceptCases(dialect, label, document)),
    ...rejects.map(({ label, document, rule }) => ({
      label: `names the rule ${rule} that is broken by ${label}`,
      run: () => assertBreaks(dialect, document, rule),
    })),
    ...strangers.map((value, at) => ({
      label: `does not claim stranger ${at}`,
      run: () => {
        assertEqual(dialect.claims(value), false, `${dialect.name} claims a stranger`);
        assertEqual(dialect.read(value), { kind: "stranger" }, `${dialect.name} reads a stranger`);
      },
    })),
    ...hostileValues().map((value, at) => ({
      label: `is not impressed by hostile value ${at}`,
      run: () => {
        dialect.claims(value);
        dialect.validate(value);
        assert(dialect.read(value).kind !== "outcome", `${dialect.name} reads a hostile value`);
      },
    })),
  ];
}

function acceptCases(dialect: Dialect, label: string, document: unknown): TestCase[] {
  return [
    { label: `reproduces ${label}`, run: () => assertReproduces(dialect, document) },
    {
      label: `finds nothing wrong with ${label}`,
      run: () =>
        assertEqual(
          dialect.validate(document).filter(({ level }) => level !== "advice"),
          [],
          "a rule is broken",
        ),
    },
  ];
}

function assertBreaks(dialect: Dialect, document: unknown, rule: string): void {
  const level = dialect.rules[rule]?.level;
  assert(level !== undefined, `${dialect.name} has no rule ${rule}`);
  const violations = dialect.validate(document);
  const named = violations.map((violation) => violation.rule);
  assert(named.includes(rule), `expected the rule ${rule} to be broken, found: ${named.join(", ") || "none"}`);
  if (level !== "fatal") return;
  const { kind } = dialect.read(document);
  assert(kind !== "outcome", `${dialect.name} reads a document that breaks ${rule}`);
}
