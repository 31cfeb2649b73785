import type { HelperChanges } from "../../contract/helper-changes.js";
import type { Style } from "../terminal/style.js";
import type { HelperAnswer } from "./helper-answer.js";

/** More of them would not help anyone. */
const MOST_ROWS = 100;

/** For people: the verdict, and a line for each change. */
export function changesText(file: string, answer: HelperAnswer, changes: HelperChanges, style: Style): string {
  const verdict = changes.isSound ? style.green(soundText(changes)) : style.red(dueText(changes));
  return [`${file}: ${verdict}`, ...rowsOf(answer, changes, style), ""].join("\n");
}

function soundText({ version: { before, after }, due }: HelperChanges): string {
  if (due !== null)
    return `the shape changed and the version with it, ${before} → ${after} (${due.level} was due); capture it with --update`;
  if (before === after) return `unchanged shape, version ${after}`;
  return `unchanged shape, and another version, ${before} → ${after}; capture it with --update`;
}

/** What is wrong with the version. */
export function dueText({ version: { before, after }, due }: HelperChanges): string {
  if (due === null) return `the version has gone down, ${before} → ${after}`;
  const is = before === after ? `is still ${after}` : `is ${after}`;
  return `${due.level} is due: ${before} → ${due.version}, and schema_version ${is}`;
}

export function rowsOf({ document }: HelperAnswer, found: HelperChanges | undefined, style: Style): string[] {
  const { changes, unseen } = found ?? { changes: [], unseen: [] };
  const rows = [
    ...changes.map(({ path, level, message }) => row(style[PAINTS[level]](level), path, message)),
    ...unseen.map(({ path, message }) => row(style.dim("unseen"), path, `${message}; this is not judged`)),
  ];
  const more = rows.length - MOST_ROWS;
  return [
    ...rows.slice(0, MOST_ROWS),
    ...(more > 0 ? [`  … and ${more} more; --json shows all`] : []),
    ...(document["status"] === "partial" ? [partialRow(style)] : []),
  ];
}

const PAINTS = { major: "red", minor: "yellow", patch: "dim" } as const;

function row(mark: string, path: string, text: string): string {
  return `  ${mark} ${path === "" ? "(document)" : path}: ${text}`.replaceAll("\n", "\\n");
}

function partialRow(style: Style): string {
  return `  ${style.yellow("partial")} this run skipped sources; what is missing may be missing for that`;
}
