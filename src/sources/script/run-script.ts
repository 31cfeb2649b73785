import { StringDecoder } from "node:string_decoder";
import type { CallError } from "../../envelope/call-error.js";
import type { ProcessTree } from "../process-tree.js";
import { wholeOutput } from "../whole-output.js";
import { outputTooLarge, type RunAccount, scriptLate } from "./failure.js";
import type { ScriptResult } from "./read-output.js";

export interface RunControl {
  readonly maxOutputBytes: number;
  /** Milliseconds; undefined waits for ever. */
  readonly timeout: number | undefined;
  /** Calls back when the call is over before the program is. Returns what ends the watch. */
  readonly watchEnd: (listener: (error: CallError) => void) => () => void;
  readonly account: Omit<RunAccount, "exitCode" | "stderr" | "output">;
}

/** Reads all that a program prints, within limits. Throws a `CallError` where it goes beyond them. */
export async function runToEnd(tree: ProcessTree, control: RunControl): Promise<ScriptResult> {
  const { maxOutputBytes, timeout, watchEnd, account } = control;
  const printed = await wholeOutput(tree, { maxBytes: maxOutputBytes, timeout, watchEnd });
  const { kind, stdout } = printed;
  const run = { ...account, stderr: tree.stderrTail };
  if (kind === "ended") return { ...printed, run: { ...run, exitCode: printed.code } };
  if (kind === "unwanted") throw printed.why;
  const soFar = { ...run, exitCode: null, output: beginningOf(stdout) };
  throw kind === "late" ? scriptLate(soFar, timeout) : outputTooLarge(soFar, maxOutputBytes, "output");
}

/** As text, without the first half of a character that was cut. */
export function beginningOf(bytes: Buffer): string {
  return new StringDecoder("utf8").write(bytes);
}
