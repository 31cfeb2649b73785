import { isUtf8 } from "node:buffer";
import type { Readable } from "node:stream";
import type { CallError } from "../../envelope/call-error.js";
import type { ResponseEnvelope } from "../../envelope/response-envelope.js";
import { startTimer } from "../../json/longest-timer.js";
import { isRecord } from "../../json/value.js";
import type { ProcessTree } from "../process-tree.js";
import { MOST_SHOWN } from "../whole-output.js";
import { outputTooLarge, type RunAccount, scriptLate } from "./failure.js";
import { readPrinted } from "./printed.js";
import { checkEnd, envelopeFromPrinted, NOT_UTF8, type OutputRules } from "./read-output.js";
import { beginningOf, type RunControl } from "./run-script.js";

/**
 * The JSON lines that a program prints, each when it is wanted: a program that is faster than its reader waits. It is
 * ended when nobody wants more, and must itself end well.
 */
export async function* lineValues(
  tree: ProcessTree,
  control: RunControl,
  rules: OutputRules,
): AsyncGenerator<ResponseEnvelope> {
  const watch = watchRun(tree, control);
  let hasEnded = false;
  try {
    for await (const line of linesOf(tree.stdout, control.maxOutputBytes)) {
      watch.throwIfEnded();
      const value = await envelopeOf(line, tree, control, rules);
      if (value !== undefined) yield value;
    }
    watch.throwIfEnded();
    const end = await tree.exited;
    hasEnded = true;
    watch.throwIfEnded();
    checkEnd(end, runSoFar(tree, control, end.code), rules);
  } catch (thrown) {
    watch.throwIfEnded();
    throw thrown;
  } finally {
    watch.stop();
    if (!hasEnded) void tree.stop();
  }
}

interface RunWatch {
  /** Throws why it was ended, if it was: all else follows from that. */
  throwIfEnded(): void;
  stop(): void;
}

function watchRun(tree: ProcessTree, control: RunControl): RunWatch {
  let ended: CallError | undefined;
  const end = (error: CallError): void => {
    ended ??= error;
    // Whoever waits for the next line waits no longer.
    tree.stdout.destroy();
    void tree.stop();
  };
  const { timeout } = control;
  const timer = startTimer(timeout, () => end(scriptLate(runSoFar(tree, control), timeout)));
  const unwatch = control.watchEnd(end);
  const stop = (): void => {
    clearTimeout(timer);
    unwatch();
  };
  const throwIfEnded = (): void => {
    if (ended !== undefined) throw ended;
  };
  return { throwIfEnded, stop };
}

/** Undefined for an empty line. */
async function envelopeOf(
  { bytes, kind }: Line,
  tree: ProcessTree,
  control: RunControl,
  rules: OutputRules,
): Promise<ResponseEnvelope | undefined> {
  const output = kind === "long" ? beginningOf(bytes.subarray(0, MOST_SHOWN)) : bytes.toString();
  const run = { ...runSoFar(tree, control), output };
  if (kind === "long") throw outputTooLarge(run, control.maxOutputBytes, "line");
  if (run.output.trim() === "") return undefined;
  const printed = readPrinted(run.output, "json-lines");
  if (printed.kind === "unreadable" && kind === "last") {
    // How the program ended tells why there is only half a line.
    const end = await tree.exited;
    checkEnd(end, { ...run, exitCode: end.code, stderr: tree.stderrTail }, rules);
  }
  // What the program says on the side belongs to no single value.
  return envelopeFromPrinted(printed, { ...run, stderr: "" }, rules, isUtf8(bytes) ? [] : [NOT_UTF8]);
}

function runSoFar(tree: ProcessTree, { account }: RunControl, exitCode: number | null = null): RunAccount {
  return { ...account, exitCode, stderr: tree.stderrTail };
}

interface Line {
  readonly bytes: Buffer;
  /** The last one has no end; a long one is the beginning of one that is longer than allowed. */
  readonly kind: "whole" | "last" | "long";
}

async function* linesOf(stdout: Readable, maxBytes: number): AsyncGenerator<Line> {
  let parts: Buffer[] = [];
  let size = 0;
  for await (const chunk of chunksOf(stdout)) {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      const bytes = parts.length === 0 ? chunk.subarray(from, at) : Buffer.concat([...parts, chunk.subarray(from, at)]);
      yield { bytes, kind: bytes.length > maxBytes ? "long" : "whole" };
      parts = [];
      size = 0;
      from = at + 1;
    }
    parts.push(chunk.subarray(from));
    size += chunk.length - from;
    if (size > maxBytes) yield { bytes: Buffer.concat(parts), kind: "long" };
  }
  if (size > 0) yield { bytes: Buffer.concat(parts), kind: "last" };
}

const NEWLINE = 0x0a;

/** A pipe that somebody else holds open is closed before it has come to its end. */
async function* chunksOf(stdout: Readable): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of stdout) yield chunk as Buffer;
  } catch (thrown) {
    if (!isRecord(thrown) || thrown["code"] !== "ERR_STREAM_PREMATURE_CLOSE") throw thrown;
  }
}
