/** What the suite writes for each thing that it has looked at. */
export interface Check {
  readonly id: string;
  readonly name: string;
  readonly status: "SUCCESS" | "FAILURE" | "WARNING" | "SKIPPED" | "INFO";
  readonly description: string;
  readonly errorMessage?: string;
}

export interface ScenarioResult {
  readonly checks: readonly Check[];
  /** Of the client under test. */
  readonly stdout?: string;
  readonly stderr?: string;
}

/** As the suite wants it: `scenario`, or `scenario:check`. */
export type ExpectedFailures = Readonly<Partial<Record<"server" | "client", readonly string[]>>>;

export interface Verdict {
  /** What failed and is not expected to, one line each. */
  readonly failures: readonly string[];
  /** What is expected to fail, and does not. */
  readonly stale: readonly string[];
  readonly passed: number;
  /** The suite's own verdict, which is about what the revision requires only. */
  readonly exitCode: number | null;
  readonly said: string;
}

/** What the client under test writes when all went as its scenario wants. */
export const CLIENT_IS_DONE = "all calls are done";

/** The scenarios in which a good client gives up. */
const REFUSALS = new Set([
  "auth/resource-mismatch",
  "auth/scope-retry-limit",
  "auth/iss-supported-missing",
  "auth/iss-wrong-issuer",
  "auth/iss-unexpected",
  "auth/iss-normalized",
  "auth/metadata-issuer-mismatch",
]);

/**
 * Judges all scenarios, also those that the suite only reports; a warning is a failure. The suite sees what a client
 * sends and not what becomes of the answers, so a client has to say that it came to its end.
 */
export function judge(
  scenarios: readonly string[],
  results: ReadonlyMap<string, ScenarioResult>,
  expected: readonly string[],
): Pick<Verdict, "failures" | "stale" | "passed"> {
  const failed = scenarios.flatMap((scenario) => failuresOf(scenario, results.get(scenario)));
  const isExpected = ({ scenario, check }: Failure): boolean =>
    expected.includes(scenario) || expected.includes(`${scenario}:${check}`);
  const names = new Set(failed.flatMap(({ scenario, check }) => [scenario, `${scenario}:${check}`]));
  const checks = scenarios.flatMap((scenario) => results.get(scenario)?.checks ?? []);
  return {
    failures: failed
      .filter((failure) => !isExpected(failure))
      .map(({ scenario, check, why }) => `${scenario}:${check} ${why}`),
    stale: expected.filter((name) => !names.has(name)),
    passed: checks.filter(({ status }) => status === "SUCCESS").length,
  };
}

interface Failure {
  readonly scenario: string;
  readonly check: string;
  readonly why: string;
}

function failuresOf(scenario: string, result: ScenarioResult | undefined): readonly Failure[] {
  if (result === undefined) return [{ scenario, check: "run", why: "has not been run" }];
  const { checks, stdout = CLIENT_IS_DONE, stderr = "" } = result;
  const bad = checks.filter(({ status }) => status === "FAILURE" || status === "WARNING");
  const failures = bad.map((check) => ({ scenario, check: check.id, why: `${check.name}: ${wordsOf(check)}` }));
  if (stdout.includes(CLIENT_IS_DONE) || REFUSALS.has(scenario)) return failures;
  return [...failures, { scenario, check: "client", why: `the client failed: ${stderr.trim()}` }];
}

function wordsOf({ errorMessage, description }: Check): string {
  return errorMessage ?? description;
}
