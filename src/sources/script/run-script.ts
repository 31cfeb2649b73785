import { StringDecoder } from "node:string_decoder";
import type { CallError } from "../../envelope/call-error.js";
import { LONGEST_TIMER } from "../../json/longest-timer.js";
import type { ProcessTree } from "../process-tree.js";
import { outputTooLarge, type RunAccount, scriptLate } from "./failure.js";
import type { ScriptResult } from "./read-output.js";

interface RunLimits {
  readonly maxOutputBytes: number;
  /** Milliseconds; undefined waits for ever. */
  readonly timeout: number | undefined;
}

export interface RunControl extends RunLimits {
  /** Calls back when the call is over before the program is. Returns what ends the watch. */
  readonly watchEnd: (listener: (error: CallError) => void) => () => void;
  readonly account: Omit<RunAccount, "exitCode" | "stderr" | "output">;
}

/** Reads all that a program prints, within limits. Whatever goes beyond them ends it, and is not waited for. */
export function runToEnd(tree: ProcessTree, control: RunControl): Promise<ScriptResult> {
  const { maxOutputBytes, timeout, watchEnd, account } = control;
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const soFar = (bytes: number): RunAccount => ({
      ...account,
      exitCode: null,
      stderr: tree.stderrTail,
      output: beginningOf(Buffer.concat(chunks, Math.min(size, bytes))),
    });
    let isOver = false;
    let unwatch = (): void => {};
    const finish = (): void => {
      isOver = true;
      clearTimeout(timer);
      unwatch();
    };
    const fail = (error: CallError): void => {
      finish();
      tree.stdout.off("data", collect);
      void tree.stop();
      reject(error);
    };
    const collect = (chunk: Buffer): void => {
      chunks.push(chunk);
      size += chunk.length;
      if (size > maxOutputBytes) fail(outputTooLarge(soFar(MOST_SHOWN), maxOutputBytes, "output"));
    };
    const timer = startTimer(timeout, (ms) => fail(scriptLate(soFar(size), ms)));
    tree.stdout.on("data", collect);
    // It may call back at once.
    unwatch = watchEnd(fail);
    if (isOver) unwatch();
    void tree.exited.then(({ code, signal }) => {
      finish();
      const run = { ...account, exitCode: code, stderr: tree.stderrTail };
      resolve({ code, signal, stdout: chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks), run });
    });
  });
}

/** Bytes of what is too large to be given. */
export const MOST_SHOWN = 65_536;

/** As text, without the first half of a character that was cut. */
export function beginningOf(bytes: Buffer): string {
  return new StringDecoder("utf8").write(bytes);
}

/** What is longer than a timer can be is no limit that anybody waits for. */
export function startTimer(ms: number | undefined, ring: (ms: number) => void): NodeJS.Timeout | undefined {
  return ms === undefined || ms > LONGEST_TIMER ? undefined : setTimeout(() => ring(ms), ms);
}
