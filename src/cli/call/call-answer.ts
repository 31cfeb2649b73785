import { textOf } from "../../dialects/content.js";
import type { Dialect } from "../../dialects/dialect.js";
import { responseEnvelope } from "../../dialects/response-envelope.js";
import { type CallErrorData, callErrorData } from "../../envelope/call-error.js";
import { categoryFacts } from "../../envelope/category.js";
import type { Failure, Outcome } from "../../envelope/outcome.js";
import { pointerToDotted } from "../../json/pointer.js";
import { printJson } from "../../json/printable.js";
import { tellLosses, wireText } from "../documents/wire-text.js";
import type { ExitCode, Io } from "../io.js";
import { styleFor } from "../terminal/style.js";
import { tell, tellLine } from "../terminal/tell.js";
import { dataText, view } from "../terminal/view.js";

export interface AnswerOptions {
  readonly io: Io;
  /** The operation that answers. */
  readonly id: string;
  /** The dialect that was asked for. */
  readonly as: Dialect | undefined;
  /** Whether only the data is wanted: as JSON, or a text as it is. */
  readonly data: "json" | "raw" | undefined;
}

/** Writes what a call gave, and gives its exit code. With `lines` there is one line, or one piece, for each of many. */
export function writeAnswer(outcome: Outcome, lines: boolean, options: AnswerOptions): ExitCode {
  const { io, as, data } = options;
  if (as !== undefined) writeDialect(outcome, as, lines, options);
  else if (outcome.ok && data !== undefined) writeData(outcome.data, lines, options);
  else if (data === undefined && io.stdout.isTTY === true) tell(io.stdout, forPeople(outcome, lines, options));
  else if (data === undefined) writeEnvelope(outcome, options);
  if (outcome.ok) return 0;
  if (data !== undefined || io.stdout.isTTY !== true) tellFailure(outcome.error, options);
  return categoryFacts(outcome.error.category).exitCode;
}

/** For programs, on one line. A call that failed before any source was asked has failed here. */
function writeEnvelope(outcome: Outcome, { io, id }: AnswerOptions): void {
  const here = { source: "local", operationId: id, timestamp: Date.now() } as const;
  const meta = outcome.meta.source === undefined ? { ...here, ...outcome.meta, source: here.source } : outcome.meta;
  io.stdout.write(`${printJson(responseEnvelope.write({ ...outcome, meta }).wire)}\n`);
}

function writeDialect(outcome: Outcome, dialect: Dialect, lines: boolean, { io, id }: AnswerOptions): void {
  const { wire, lost } = dialect.write(outcome, { tool: id });
  tellLosses(lost, io);
  io.stdout.write(wireText(dialect, wire, { lines, pretty: io.stdout.isTTY === true }));
}

function writeData(data: unknown, lines: boolean, { io, data: form }: AnswerOptions): void {
  if (form === "raw") writeRaw(data, io);
  else if (io.stdout.isTTY === true && !lines) tell(io.stdout, `${dataText(data)}\n`);
  else io.stdout.write(`${printJson(data)}\n`);
}

/** As bytes that a file may hold: nothing is added to a text, and nothing is changed in it. */
function writeRaw(data: unknown, io: Io): void {
  const text = typeof data === "string" ? data : Array.isArray(data) ? textOf(data) || undefined : undefined;
  if (text === undefined) io.stdout.write(`${printJson(data)}\n`);
  else if (io.stdout.isTTY === true) tell(io.stdout, `${text}\n`);
  else io.stdout.write(text);
}

function forPeople(outcome: Outcome, lines: boolean, { io, id }: AnswerOptions): string {
  if (outcome.ok && lines) return `${dataText(outcome.data)}\n`;
  return view(outcome.ok ? outcome : withTypedNames(outcome), id, styleFor(io.stdout, io));
}

/** The fields that are at fault by the names that were typed: `a.b` and not `/a/b`. */
function withTypedNames(outcome: Failure): Failure {
  const { issues } = outcome.error;
  if (issues === undefined) return outcome;
  const named = issues.map((issue) => ({ ...issue, path: pointerToDotted(issue.path) }));
  return { ...outcome, error: { ...callErrorData(outcome.error), issues: named } };
}

function tellFailure({ category, code, message, issues = [], suggestedAction }: CallErrorData, options: AnswerOptions) {
  const { io, id } = options;
  tellLine(io.stderr, `plico: ${id}: ${categoryFacts(category).label} [${code}]: ${message}`);
  for (const { path, message: fault } of issues)
    tellLine(io.stderr, `  ${path === "" ? "the input" : pointerToDotted(path)}: ${fault}`);
  if (suggestedAction !== undefined) tellLine(io.stderr, `  ${suggestedAction}`);
}
