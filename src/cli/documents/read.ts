import { type FoundReading, read } from "../../dialects/convert.js";
import type { Outcome } from "../../envelope/outcome.js";
import type { Warning } from "../../envelope/warning.js";
import { printJson } from "../../json/printable.js";
import type { Command } from "../command.js";
import { type ExitCode, type Io, worst } from "../io.js";
import { styleFor } from "../terminal/style.js";
import { tell, tellLine } from "../terminal/tell.js";
import { view } from "../terminal/view.js";
import { placeJson, placeText } from "./carrier-place.js";
import { tellFault, tellMalformed, tellStranger } from "./complaints.js";
import { type Document, type Input, readInput } from "./input.js";

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

type Readable = Exclude<FoundReading, { kind: "stranger" }>;

function readDocument(document: Document, { lines }: Input, json: boolean, io: Io): ExitCode {
  if ("fault" in document) return unread(tellFault(document, io), lines && json, io);
  const { value, label, inexact } = document;
  const reading = read(value, { deep: true });
  if (reading.kind === "stranger") return unread(tellStranger(document, io), lines && json, io);
  for (const { path, written, held } of inexact()) {
    tellLine(io.stderr, `plico: ${label}: ${path}: ${written} is no exact JavaScript number and is shown as ${held}`);
  }
  if (reading.kind === "malformed") tellMalformed(label, reading, io);
  if (json) io.stdout.write(jsonOf(reading, lines));
  else tell(io.stdout, lines ? `${label}\n${peopleOf(reading, io)}\n` : peopleOf(reading, io));
  return reading.kind === "malformed" ? 1 : 0;
}

/** A line that could not be read has its line in the answer all the same. */
function unread(code: ExitCode, answer: boolean, io: Io): ExitCode {
  if (answer) io.stdout.write('{"dialect":null,"outcome":null}\n');
  return code;
}

function jsonOf(reading: Readable, lines: boolean): string {
  const issues = reading.kind === "malformed" ? { issues: reading.issues } : {};
  const shown = {
    dialect: reading.dialect,
    ...placeJson(reading.carrier),
    ...issues,
    outcome: outcomeOf(reading) ?? null,
  };
  return `${printJson(shown, lines ? 0 : 2)}\n`;
}

function peopleOf(reading: Readable, io: Io): string {
  const outcome = outcomeOf(reading);
  if (outcome === undefined) return "";
  return view(outcome, `${reading.dialect}${placeText(reading.carrier)}`, styleFor(io.stdout, io));
}

/** What was read, or the text beside a part that could not be. */
function outcomeOf(reading: Readable): Outcome | undefined {
  return reading.kind === "outcome" ? warned(reading.outcome, reading.notes) : reading.fallback;
}

/** What the reader noticed belongs to the warnings that a person or a program looks at. */
function warned(outcome: Outcome, notes: readonly Warning[]): Outcome {
  if (notes.length === 0) return outcome;
  return { ...outcome, meta: { ...outcome.meta, warnings: [...(outcome.meta.warnings ?? []), ...notes] } };
}
