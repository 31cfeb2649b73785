import { type HelperChanges, helperChanges } from "../../contract/helper-changes.js";
import { helperOutput } from "../../dialects/helper-output.js";
import { printJson } from "../../json/printable.js";
import { compact, type JsonRecord } from "../../json/value.js";
import { type Call, type Command, usageError } from "../command.js";
import type { ExitCode, Io } from "../io.js";
import { styleFor } from "../terminal/style.js";
import { tell, tellLine } from "../terminal/tell.js";
import { readFixture, readReplaced, writeFixture } from "./fixture-file.js";
import { changesText, dueText, rowsOf } from "./fixture-text.js";
import { failureText, type HelperAnswer, readAnswer } from "./helper-answer.js";
import { runCommand } from "./helper-run.js";
import { maxBytesOf } from "./input.js";
import { isValid, violationsText } from "./violations.js";

/** Runs a helper and compares its output with a captured one, or captures it. */
export async function checkFixture(command: Command, call: Call, io: Io): Promise<ExitCode> {
  const job = jobOf(command, call);
  const { file, words, limits, update } = job;
  // First of all: a helper is not run for nothing.
  const before = update ? await readReplaced(file, limits.maxBytes) : await readFixture(file, limits.maxBytes, io);
  const answer = readAnswer(words, await runCommand(words, limits, io), call.count("expect-major"));
  const changes = before === undefined || !answer.isUsable ? undefined : helperChanges(before, answer.document);
  if (update && answer.isUsable) writeFixture(file, answer.bytes);
  if (job.json) io.stdout.write(jsonOf(job, before, answer, changes));
  if (!answer.isUsable) return tellUnusable(job, answer, io);
  return update ? tellCapture(job, answer, changes, io) : tellChanges(job, answer, changes, io);
}

interface Job {
  readonly file: string;
  readonly words: readonly string[];
  readonly limits: { readonly seconds: number; readonly maxBytes: number };
  readonly update: boolean;
  readonly json: boolean;
}

function jobOf(command: Command, call: Call): Job {
  const file = call.value("fixture") ?? "";
  if (file === "" || file === "-") throw usageError(command, `--fixture takes the name of a file, not "${file}"`);
  if (call.value("as") !== undefined)
    throw usageError(command, "--as does not go with --fixture: helpers print helper-output");
  if (call.words.length === 0) throw usageError(command, "--fixture needs the command of a helper after `--`");
  const limits = { seconds: call.count("timeout", 1) ?? 60, maxBytes: maxBytesOf(call) };
  return { file, words: call.words, limits, update: call.flag("update"), json: call.flag("json") };
}

function jsonOf(
  { file, update }: Job,
  before: JsonRecord | undefined,
  { document, violations, error, isUsable }: HelperAnswer,
  changes: HelperChanges | undefined,
): string {
  const shown = {
    fixture: file,
    version: { before: before?.["schema_version"] ?? null, after: document["schema_version"] ?? null },
    due: changes?.due ?? null,
    changes: changes?.changes ?? [],
    unseen: changes?.unseen ?? [],
    violations,
    error,
    captured: update ? isUsable : undefined,
    valid: isUsable && changes?.isSound !== false,
  };
  return `${printJson(compact(shown), 2)}\n`;
}

function tellUnusable({ file, update, json }: Job, answer: HelperAnswer, io: Io): ExitCode {
  const { label, document, violations, error } = answer;
  if (error !== undefined) tellLine(io.stderr, `plico: ${label}: ${failureText(document, error)}`);
  if (error?.suggestedAction !== undefined) tellLine(io.stderr, `  Suggestion: ${error.suggestedAction}`);
  if (!isValid(violations) && !json)
    tell(io.stdout, `${violationsText(label, helperOutput, violations, styleFor(io.stdout, io))}\n`);
  if (update) tellLine(io.stderr, `plico: ${file} is left as it is: only an answer without faults is captured`);
  return 1;
}

function tellChanges({ file, json }: Job, answer: HelperAnswer, changes: HelperChanges | undefined, io: Io): ExitCode {
  if (changes === undefined) return 0;
  if (!json) tell(io.stdout, changesText(file, answer, changes, styleFor(io.stdout, io)));
  return changes.isSound ? 0 : 1;
}

function tellCapture({ file, json }: Job, answer: HelperAnswer, changes: HelperChanges | undefined, io: Io): ExitCode {
  const style = styleFor(io.stdout, io);
  const verdict = style.green(`captured, version ${String(answer.document["schema_version"])}`);
  if (!json) tell(io.stdout, [`${file}: ${verdict}`, ...rowsOf(answer, changes, style), ""].join("\n"));
  if (changes?.isSound === false) tellLine(io.stderr, `plico: ${file}: ${dueText(changes)}`);
  return 0;
}
