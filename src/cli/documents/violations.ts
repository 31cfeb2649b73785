import type { Dialect, Violation } from "../../dialects/dialect.js";
import { majorOf } from "../../dialects/helper-output-rules.js";
import { isRecord } from "../../json/value.js";
import type { Style } from "../terminal/style.js";

/** Whether nothing but advice was found. */
export function isValid(violations: readonly Violation[]): boolean {
  return violations.every(({ level }) => level === "advice");
}

export function majorViolations(document: unknown, dialect: Dialect, major: number | undefined): Violation[] {
  if (major === undefined) return [];
  const broken = { rule: "UNSUPPORTED_VERSION", level: "fatal" } as const;
  if (dialect.name !== "helper-output") {
    return [
      {
        rule: "helper-output",
        level: "fatal",
        path: "",
        message: `major ${major} of a helper is expected, and this is ${dialect.name}`,
      },
    ];
  }
  const version = isRecord(document) ? document["schema_version"] : undefined;
  const found = majorOf(version);
  if (found === undefined || found === major) return [];
  return [{ ...broken, path: "/schema_version", message: `it is ${String(version)}, and major ${major} is expected` }];
}

/** For people: the verdict, and a line for each rule. */
export function violationsText(
  label: string,
  { name, rules }: Dialect,
  violations: readonly Violation[],
  style: Style,
): string {
  const broken = violations.filter(({ level }) => level !== "advice");
  const count = broken.length === 1 ? "1 rule is broken" : `${broken.length} rules are broken`;
  const verdict = broken.length === 0 ? style.green(`valid ${name}`) : style.red(`${name}, ${count}`);
  const rows = violations.map(({ path, rule, level, message }) => {
    const mark = level === "advice" ? style.yellow("advice") : style.red("broken");
    const demand = rules[rule]?.demand;
    return `  ${mark} ${path === "" ? "(document)" : path}: ${style.bold(rule)}: ${message}${demand === undefined ? "" : style.dim(` — ${demand}`)}`;
  });
  return [`${label}: ${verdict}`, ...rows].join("\n");
}
