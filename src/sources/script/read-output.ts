import { isUtf8 } from "node:buffer";
import { majorOf } from "../../dialects/helper-output-rules.js";
import { CallError } from "../../envelope/call-error.js";
import { hintsIn, type ResponseHints } from "../../envelope/hints.js";
import type { ScriptResponseMeta } from "../../envelope/origin.js";
import { type ResponseEnvelope, scriptEnvelope } from "../../envelope/response-envelope.js";
import type { Warning } from "../../envelope/warning.js";
import { compact, isRecord, isString } from "../../json/value.js";
import { keepHints } from "../../registry/failure-hints.js";
import type { ProcessEnd } from "../process-tree.js";
import { invalidAnswer, originOf, otherMajor, type RunAccount, scriptFailed, scriptKilled } from "./failure.js";
import type { OutputForm } from "./options.js";
import { type Printed, readPrinted } from "./printed.js";

/** How a script's output is to be taken. */
export interface OutputRules {
  readonly outputAs: OutputForm;
  /** Of the helper's `schema_version`. */
  readonly major?: number | undefined;
  readonly exitCodes: readonly number[];
}

/** One run that has come to its end. */
export interface ScriptResult extends ProcessEnd {
  readonly stdout: Buffer;
  readonly run: RunAccount;
}

/** What a program printed, and how it ended, as an envelope. Throws a `CallError` where that is a failure. */
export function envelopeFromResult(
  { stdout, signal, run: before }: ScriptResult,
  rules: OutputRules,
): ResponseEnvelope {
  const output = stdout.toString();
  const run = { ...before, output };
  if (signal !== null) throw scriptKilled(run, signal);
  const printed = readPrinted(output, rules.outputAs);
  const isFailed = !isGood(run, rules);
  // The exit code tells more than what could not be read.
  if (isFailed && printed.kind !== "document") throw scriptFailed(run, rules.exitCodes);
  const warnings = [...(isUtf8(stdout) ? [] : [NOT_UTF8]), ...(isFailed ? [exitCodeWarning(run)] : [])];
  return envelopeFromPrinted(printed, run, rules, warnings);
}

/** The same of one value, whatever becomes of the program. */
export function envelopeFromPrinted(
  printed: Printed,
  run: RunAccount,
  rules: OutputRules,
  warnings: readonly Warning[],
): ResponseEnvelope {
  const version = versionOf(printed, rules);
  if (version !== undefined && rules.major !== undefined && majorOf(version) !== rules.major)
    throw otherMajor(run, version, rules.major);
  if (printed.kind === "unreadable") throw invalidAnswer(run, printed);
  if (printed.kind === "data") return scriptEnvelope(printed.data, metaOf(run, {}, [...printed.warnings, ...warnings]));
  const { outcome, notes, document } = printed;
  const said = { ...hintsIn(outcome.meta), ...helperFields(document) };
  if (!outcome.ok) {
    const meta = metaOf(run, said, [...notes, ...warnings.filter(({ code }) => code !== "EXIT_CODE")]);
    throw keepHints(new CallError(outcome.error), { ...meta, source: "script" });
  }
  return scriptEnvelope(outcome.data, metaOf(run, said, [...notes, ...warnings]));
}

/** Throws where the end of a program alone is a failure. */
export function checkEnd({ signal }: ProcessEnd, run: RunAccount, rules: OutputRules): void {
  if (signal !== null) throw scriptKilled(run, signal);
  if (!isGood(run, rules)) throw scriptFailed(run, rules.exitCodes);
}

function isGood({ exitCode }: RunAccount, { exitCodes }: OutputRules): boolean {
  return exitCode !== null && exitCodes.includes(exitCode);
}

export const NOT_UTF8: Warning = {
  code: "NOT_UTF8",
  message: "The output is not UTF-8; what could not be read of it is marked by U+FFFD.",
};

function exitCodeWarning({ exitCode }: RunAccount): Warning {
  return { code: "EXIT_CODE", message: `The document says that all went well; the exit code is ${exitCode}.` };
}

/** A consumer reads the version before all else, also that of a document it cannot read otherwise. */
function versionOf(printed: Printed, { outputAs }: OutputRules): string | undefined {
  const document = printed.kind === "data" ? undefined : printed.document;
  const isHelper = isRecord(document) && (outputAs === "helper-output" || "status" in document);
  const version = isHelper ? document["schema_version"] : undefined;
  return isString(version) && majorOf(version) !== undefined ? version : undefined;
}

type Meta = Omit<ScriptResponseMeta, "source"> & ResponseHints;

function helperFields(document: unknown): Pick<Meta, "schemaVersion" | "agent"> {
  if (!isRecord(document) || !("schema_version" in document)) return {};
  const { schema_version: version, agent } = document;
  return compact({
    schemaVersion: isString(version) ? version : undefined,
    agent: isString(agent) ? agent : undefined,
  });
}

function metaOf(run: RunAccount, said: Partial<Meta>, more: readonly Warning[]): Meta {
  const warnings = [...(said.warnings ?? []), ...more];
  return {
    ...originOf(run),
    ...said,
    ...(warnings.length > 0 && { warnings }),
    ...(run.stderr !== "" && { telemetry: { stderr: run.stderr, ...said.telemetry } }),
  };
}
