import { CallError, type CallErrorInit } from "../../envelope/call-error.js";
import type { ScriptResponseMeta } from "../../envelope/origin.js";
import type { Issue } from "../../json/issue.js";
import { compact } from "../../json/value.js";
import { keepHints } from "../../registry/failure-hints.js";

/** What failures tell of a run, as far as it came. */
export interface RunAccount {
  readonly operationId: string;
  /** Without the input, which may hold secrets. */
  readonly command: readonly string[];
  /** Unix epoch milliseconds. */
  readonly startedAt: number;
  /** `null` while it runs, and when a signal ended it. */
  readonly exitCode: number | null;
  /** The end of it. */
  readonly stderr: string;
  /** What it printed; absent where that was given away already. */
  readonly output?: string;
}

/** Where an answer of this run comes from. */
export function originOf({ command, exitCode, startedAt }: RunAccount): Omit<ScriptResponseMeta, "source"> {
  return { command: [...command], exitCode, timestamp: startedAt };
}

/** The error, with the origin beside it. */
export function withOrigin(error: CallError, run: RunAccount): CallError {
  return keepHints(error, { ...originOf(run), source: "script" });
}

export function scriptFailed(run: RunAccount, exitCodes: readonly number[]): CallError {
  const words = tellingLine(run.stderr);
  return failure(run, {
    category: "execution",
    code: "SCRIPT_FAILED",
    message: `${run.operationId} ended with exit code ${run.exitCode}${words === undefined ? "." : `: ${words}`}`,
    suggestedAction: `Look at details.stderr and data. If this exit code is no failure, add it to exitCodes (now ${exitCodes.join(", ")}).`,
  });
}

export function scriptKilled(run: RunAccount, signal: string): CallError {
  return failure(
    run,
    {
      category: "execution",
      code: "SCRIPT_KILLED",
      message: `The program of ${run.operationId} was ended by the signal ${signal}, which did not come from here.`,
      suggestedAction:
        "Find out who ended it: the system does where memory runs out (SIGKILL), or the program crashed.",
    },
    { signal },
  );
}

export function scriptLate(run: RunAccount, timeout: number | undefined): CallError {
  return failure(run, {
    category: "timeout",
    message: `The program of ${run.operationId} did not end within ${timeout} ms, and was ended.`,
    suggestedAction: "Ask for less, or give the source a longer timeout.",
  });
}

export function outputTooLarge(run: RunAccount, limit: number, what: "output" | "line"): CallError {
  return failure(run, {
    category: "validation",
    code: "PAYLOAD_TOO_LARGE",
    recoverable: false,
    message: `The program of ${run.operationId} printed ${what === "line" ? "a line of " : ""}more than ${limit} bytes, and was ended; data has the beginning.`,
    suggestedAction: "Ask for less, or give the source a higher maxOutputBytes.",
  });
}

/** What could not be read, and why. */
export interface Unread {
  /** As the end of a sentence about it. */
  readonly what: string;
  readonly issues?: readonly Issue[];
  readonly suggestedAction?: string;
  readonly cause?: unknown;
}

export function invalidAnswer(run: RunAccount, { what, issues, suggestedAction, cause }: Unread): CallError {
  const told = compact({ issues, suggestedAction, cause });
  const message = `What ${run.operationId} printed ${what.replace(/\.$/, "")}.`;
  return failure(run, { category: "execution", code: "INVALID_ANSWER", message, ...told });
}

export function otherMajor(run: RunAccount, version: string, major: number): CallError {
  return failure(run, {
    category: "execution",
    code: "UNSUPPORTED_VERSION",
    recoverable: false,
    message: `${run.operationId} speaks version ${version} of its output; the major ${major} is expected.`,
    suggestedAction:
      "Get the data in another way, or update whatever uses this helper and the option major, or the helper.",
  });
}

function failure(run: RunAccount, init: CallErrorInit, more: object = {}): CallError {
  const { command, exitCode, stderr, output } = run;
  const details = compact({
    command: [...command],
    exitCode: exitCode === null ? undefined : exitCode,
    ...more,
    stderr: stderr === "" ? undefined : stderr,
  });
  return withOrigin(new CallError({ ...init, details, ...(output !== undefined && { data: output }) }), run);
}

/** For the message: the line that is called an error, as at the end of a trace; else the first, as advice comes after it. */
function tellingLine(stderr: string): string | undefined {
  const lines = stderr.split("\n").map((line) => line.trim());
  const line = lines.find((words) => CALLED_ERROR.test(words)) ?? lines.find((words) => words !== "");
  return line?.slice(0, 300);
}

/** `ValueError: …`, `fatal: …`, `jq: error …` */
const CALLED_ERROR = /^(?:\S+:? )?[\w.]*(?:error|exception|fatal|panic)\b/i;
