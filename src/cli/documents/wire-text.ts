import type { Dialect, Loss } from "../../dialects/dialect.js";
import { printJson } from "../../json/printable.js";
import type { Io } from "../io.js";
import { tellLine } from "../terminal/tell.js";

export interface WireTextOptions {
  /** Whether each document is a line of its own. */
  readonly lines: boolean;
  readonly pretty: boolean;
}

/** What a dialect has written, as it is printed. */
export function wireText(dialect: Dialect, wire: unknown, { lines, pretty }: WireTextOptions): string {
  if (typeof wire === "string") return `${wire}\n`;
  if (lines) return `${printJson(wire)}\n`;
  if (pretty) return `${printJson(wire, 2)}\n`;
  const text = dialect.print(wire);
  return text.endsWith("\n") ? text : `${text}\n`;
}

/** Tells what a dialect has no words for, beside the document. */
export function tellLosses(lost: readonly Loss[], io: Io): void {
  for (const { path, reason } of lost) tellLine(io.stderr, `lost: ${path}: ${reason}`);
}
