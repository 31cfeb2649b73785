import type { Violation } from "../../dialects/dialect.js";
import { helperOutput } from "../../dialects/helper-output.js";
import type { CallErrorData } from "../../envelope/call-error.js";
import { told } from "../../json/told.js";
import { isRecord, type JsonRecord } from "../../json/value.js";
import { Complaint } from "../io.js";
import { type HelperRun, labelOf } from "./helper-run.js";
import { documentOf } from "./input.js";
import { isValid, majorViolations } from "./violations.js";

/** What a helper printed, and the rules that it broke. */
export interface HelperAnswer {
  readonly label: string;
  readonly document: JsonRecord;
  readonly violations: readonly Violation[];
  readonly error: CallErrorData | undefined;
  /** One that breaks the format has no version to rely on; of one that failed, the content is undefined. */
  readonly isUsable: boolean;
  readonly bytes: Buffer;
}

export function readAnswer(words: readonly string[], run: HelperRun, major: number | undefined): HelperAnswer {
  const label = labelOf(words);
  const value = printedValue(run, label);
  if (!isRecord(value)) throw new Complaint(`${label} printed ${told(value)} and no helper output`, 1);
  const violations = [
    ...helperOutput.validate(value),
    ...majorViolations(value, helperOutput, major),
    ...exitCodeViolations(value, run),
  ];
  const error = failureOf(value);
  return {
    label,
    document: value,
    violations,
    error,
    isUsable: isValid(violations) && error === undefined,
    bytes: run.output,
  };
}

/** The error of a document that tells of a failure. */
export function failureOf(document: JsonRecord): CallErrorData | undefined {
  const reading = helperOutput.read(document);
  return reading.kind === "outcome" && !reading.outcome.ok ? reading.outcome.error : undefined;
}

/** The same in a few words. */
export function failureText({ status }: JsonRecord, { code, message }: CallErrorData): string {
  return `${String(status)} [${code}]: ${message}`;
}

function printedValue({ output, exitCode }: HelperRun, label: string): unknown {
  const ending = exitCode === 0 ? "" : ` and ended with exit code ${exitCode}`;
  if (output.toString("latin1").trim() === "") throw new Complaint(`${label} printed nothing${ending}`, 1);
  const document = documentOf(output, `what ${label} printed`);
  if (!("fault" in document)) return document.value;
  throw new Complaint(`${label} printed no document${ending}: ${document.fault}`, 1);
}

/** Shells and CI look at nothing else. */
function exitCodeViolations({ status }: JsonRecord, { exitCode }: HelperRun): Violation[] {
  if (exitCode === 0 || (status !== "ok" && status !== "partial")) return [];
  const message = `it is ${exitCode} although the status is ${status}; a helper fails with status error only`;
  return [{ path: "", rule: "exit-code", level: "violation", message }];
}
