/** What a check has found. */
export interface Finding {
  readonly level: FindingLevel;
  /** What was looked at: `node`, `file`, `tools`, or a source by its name. */
  readonly about: string;
  readonly message: string;
  /** What to do about it. */
  readonly fix?: string;
}

/** From the worst on. */
const LEVELS = ["fail", "warn", "ok"] as const;

export type FindingLevel = (typeof LEVELS)[number];

/** The worst first; what is equally bad stays in its order. */
export function sortedFindings(findings: readonly Finding[]): readonly Finding[] {
  return LEVELS.flatMap((level) => findings.filter((finding) => finding.level === level));
}

export function countFindings(findings: readonly Finding[]): Readonly<Record<FindingLevel, number>> {
  const count = (level: FindingLevel): number => findings.filter((finding) => finding.level === level).length;
  return { fail: count("fail"), warn: count("warn"), ok: count("ok") };
}

const MOST_NAMED = 4;

/** The first names of a list, and how many more there are. */
export function someOf(names: readonly string[]): string {
  const more = names.length - MOST_NAMED;
  return more > 0 ? `${names.slice(0, MOST_NAMED).join(", ")} and ${more} more` : names.join(", ");
}

/** `1 tool`, `2 tools`. */
export function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}
