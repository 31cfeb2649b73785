import { counted, countFindings, type Finding, type FindingLevel } from "../gateway/doctor/finding.js";
import type { Io } from "./io.js";
import { type Style, styleFor } from "./terminal/style.js";

/** The findings, a paragraph each, and one line that sums them up. */
export function findingsText(findings: readonly Finding[], io: Io): string {
  const style = styleFor(io.stdout, io);
  const width = Math.max(...findings.map(({ about }) => about.length));
  return `${findings.map((finding) => findingText(finding, width, style)).join("\n")}\n\n${summaryText(findings, style)}\n`;
}

const PAINTS: Readonly<Record<FindingLevel, keyof Style>> = { fail: "red", warn: "yellow", ok: "green" };

function findingText({ level, about, message, fix }: Finding, width: number, style: Style): string {
  const margin = " ".repeat(width + 8);
  const lines = message.split("\n").join(`\n${margin}`);
  const head = `${style[PAINTS[level]](level.padEnd(4))}  ${style.bold(about.padEnd(width))}  ${lines}`;
  return fix === undefined ? head : `${head}\n${margin}${style.dim("→")} ${fix}`;
}

function summaryText(findings: readonly Finding[], style: Style): string {
  const { fail, warn, ok } = countFindings(findings);
  if (fail + warn === 0) return style.green(`All is well: ${counted(ok, "check")}.`);
  const parts = [
    ...(fail === 0 ? [] : [style.red(counted(fail, "failure"))]),
    ...(warn === 0 ? [] : [style.yellow(counted(warn, "warning"))]),
    `${ok} fine`,
  ];
  return `${parts.join(", ")}.`;
}
