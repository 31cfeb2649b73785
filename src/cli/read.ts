import { type FoundReading, read } from "../dialects/convert.js";
import type { Outcome } from "../envelope/outcome.js";
import type { Warning } from "../envelope/warning.js";
import { printJson } from "../json/printable.js";
import type { Command } from "./command.js";
import { type Document, type Input, readInput } from "./input.js";
import { type ExitCode, type Io, worst } from "./io.js";
import { faultOf, strangerText } from "./stranger.js";
import { styleFor } from "./style.js";
import { view } from "./view.js";

export const readCommand: Command = {
  name: "read",
  usage: "[FILE] [--json]",
  summary: "Shows what a document says, whatever its dialect.",
  flags: { json: { type: "boolean", help: 'print { "dialect": …, "outcome": … } instead of the view for people' } },
  async run(call, io) {
    const input = await readInput(call, io);
    return worst(input.documents.map((document) => readDocument(document, input, call.flag("json"), io)));
  },
};

function readDocument(document: Document, { lines }: Input, json: boolean, io: Io): ExitCode {
  if ("fault" in document) return faultOf(document, io);
  const { value, label, inexact } = document;
  const reading = read(value, { deep: true });
  if (reading.kind === "stranger") {
    io.stderr.write(`plico: ${label}: ${strangerText(value)}\n`);
    return 1;
  }
  for (const { path, written, held } of inexact) {
    io.stderr.write(`plico: ${label}: ${path}: ${written} is no exact JavaScript number and is shown as ${held}\n`);
  }
  if (reading.kind === "malformed") {
    for (const issue of reading.issues) {
      io.stderr.write(`plico: ${label}: malformed ${reading.dialect}: ${issue.path} ${issue.rule}: ${issue.message}\n`);
    }
  }
  io.stdout.write(json ? jsonOf(reading, lines) : peopleOf(reading, io));
  return reading.kind === "malformed" ? 1 : 0;
}

function jsonOf(reading: Exclude<FoundReading, { kind: "stranger" }>, lines: boolean): string {
  const outcome = reading.kind === "outcome" ? warned(reading.outcome, reading.notes) : reading.fallback;
  const carrier =
    reading.carrier === undefined
      ? {}
      : { carrier: { dialect: reading.carrier.dialect.name, path: reading.carrier.path } };
  const issues = reading.kind === "malformed" ? { issues: reading.issues } : {};
  const shown = { dialect: reading.dialect, ...carrier, ...issues, outcome: outcome ?? null };
  return `${printJson(shown, lines ? 0 : 2)}\n`;
}

function peopleOf(reading: Exclude<FoundReading, { kind: "stranger" }>, io: Io): string {
  const outcome = reading.kind === "outcome" ? warned(reading.outcome, reading.notes) : reading.fallback;
  if (outcome === undefined) return "";
  const place = reading.carrier === undefined ? "" : ` in ${reading.carrier.path} of ${reading.carrier.dialect.name}`;
  return view(outcome, `${reading.dialect}${place}`, styleFor(io.stdout, io));
}

/** What the reader noticed belongs to the warnings that a person or a program looks at. */
function warned(outcome: Outcome, notes: readonly Warning[]): Outcome {
  if (notes.length === 0) return outcome;
  return { ...outcome, meta: { ...outcome.meta, warnings: [...(outcome.meta.warnings ?? []), ...notes] } };
}
