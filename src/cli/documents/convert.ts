import { writeFileSync } from "node:fs";
import { DIALECT_NAMES, dialectNamed } from "../../dialects/all.js";
import { type FoundReading, read } from "../../dialects/convert.js";
import type { Dialect, Loss } from "../../dialects/dialect.js";
import type { Outcome } from "../../envelope/outcome.js";
import { messageOf } from "../../json/attempt.js";
import { type Call, type Command, fileIn, usageError } from "../command.js";
import { Complaint, type ExitCode, type Io, worst } from "../io.js";
import { tellLine } from "../terminal/tell.js";
import { tellFault, tellMalformed, tellStranger } from "./complaints.js";
import { type Document, type Input, readInput } from "./input.js";
import { tellLosses, wireText } from "./wire-text.js";

export const convertCommand: Command = {
  name: "convert",
  usage: "--to NAME [FILE] [--strict] [--report FILE]",
  summary: "Writes a document in another dialect; each thing that is lost is told on standard error.",
  flags: {
    to: { type: "string", value: "NAME", choices: DIALECT_NAMES, help: "the dialect to write" },
    strict: { type: "boolean", help: "fail, and write nothing, if anything is lost" },
    report: { type: "string", value: "FILE", help: "also write the losses there, as JSON" },
  },
  async run(call, io) {
    const to = target(call);
    const input = await readInput(call, io);
    const reports: Report[] = [];
    const codes = input.documents.map((document) => convertDocument(document, input, { to, call, io, reports }));
    writeReport(fileIn(call, "report", io), reports, input);
    return worst(codes);
  },
};

interface Job {
  readonly to: Dialect;
  readonly call: Call;
  readonly io: Io;
  readonly reports: Report[];
}

interface Report {
  readonly from: string | undefined;
  readonly to: string;
  readonly lost: readonly Loss[];
}

function target(call: Call): Dialect {
  const dialect = dialectNamed(call.value("to") ?? "");
  if (dialect !== undefined) return dialect;
  const known = DIALECT_NAMES.join(", ");
  throw usageError(convertCommand, `--to is missing: name the dialect to write, one of ${known}`);
}

function convertDocument(document: Document, { lines }: Input, { to, call, io, reports }: Job): ExitCode {
  if ("fault" in document) return tellFault(document, io);
  const reading = read(document.value, { deep: true });
  if (reading.kind === "stranger") return tellStranger(document, io);
  const outcome = outcomeOf(reading, document.label, io);
  if (outcome === undefined) return 1;

  const same = reading.kind === "outcome" && reading.dialect === to.name;
  const { wire, lost: unsaid } = to.write(outcome, same ? { layout: reading.layout } : {});
  const rounded = document.inexact().map(({ path, written, held }) => ({ path, reason: `${written} becomes ${held}` }));
  const lost = [...rounded, ...unsaid];
  tellLosses(lost, io);
  reports.push({ from: reading.dialect, to: to.name, lost });
  if (lost.length > 0 && call.flag("strict")) {
    tellLine(io.stderr, `plico: ${document.label}: not converted, ${lost.length} lost and --strict was asked for`);
    return 1;
  }
  io.stdout.write(wireText(to, wire, { lines, pretty: io.stdout.isTTY === true }));
  return reading.kind === "outcome" ? 0 : 1;
}

/** The outcome to write. The text beside a damaged block is still one. */
function outcomeOf(reading: Exclude<FoundReading, { kind: "stranger" }>, label: string, io: Io): Outcome | undefined {
  if (reading.kind === "malformed") {
    tellMalformed(label, reading, io);
    return reading.fallback;
  }
  for (const { message, path } of reading.notes) {
    tellLine(io.stderr, `note: ${path === undefined ? "" : `${path}: `}${message}`);
  }
  return reading.outcome;
}

function writeReport(file: string | undefined, reports: readonly Report[], { lines }: Input): void {
  if (file === undefined) return;
  const text = lines
    ? reports.map((report) => JSON.stringify(report)).join("\n")
    : JSON.stringify(reports[0] ?? null, null, 2);
  try {
    writeFileSync(file, `${text}\n`);
  } catch (thrown) {
    throw new Complaint(`the report cannot be written: ${messageOf(thrown)}`, 2);
  }
}
