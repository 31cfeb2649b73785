import { writeSync } from "node:fs";
import { CallError } from "../../envelope/call-error.js";
import { orElse } from "../../json/attempt.js";
import type { HelperIo } from "./helper-io.js";

const TAKEN = Symbol.for("plico.helper.answers");

/** Shared with copies of this file in other bundles. */
const world = globalThis as { [TAKEN]?: boolean };

/**
 * This process for a helper. From here on standard output is for the answer alone; what else is written there goes to
 * standard error. Throws where there is an answer already.
 */
export function takeProcess(): HelperIo {
  if (world[TAKEN] === true)
    throw new TypeError("A process has one answer: call either runHelper or emit, and only once.");
  world[TAKEN] = true;
  const { stdout, stderr } = process;
  const write = stdout.write.bind(stdout);
  stdout.write = stderr.write.bind(stderr) as typeof stdout.write;
  // A reader that has gone is told to whoever writes.
  for (const stream of [stdout, stderr]) stream.on("error", () => {});
  return {
    argv: process.argv.slice(2),
    env: process.env,
    get stdin() {
      return process.stdin;
    },
    stdout: { write: (text, done) => write(text, done) },
    stderr: { write: (text, done) => stderr.write(text, done) },
    exit: (code) => process.exit(code),
  };
}

/** What becomes of a helper that does not come to its end by itself. */
export interface LastWords {
  fail(thrown: unknown): void;
  abort(reason: CallError): void;
  /** What is to be written at the very end, if nothing was. */
  missing(error: CallError): string | undefined;
}

/** Sees to it that there is an answer however the process ends. */
export function watchProcess(words: LastWords): void {
  process.on("uncaughtException", (thrown) => words.fail(thrown));
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    process.once(signal, () => {
      words.abort(new CallError({ category: "aborted", message: `The helper was ended by ${signal}.` }));
      // Who asks twice does not want to wait.
      process.once(signal, () => process.exit(1));
    });
  }
  process.once("beforeExit", () => words.fail(unanswered("it waits for something that cannot come any more")));
  process.once("exit", () => {
    const text = words.missing(unanswered("it called process.exit"));
    if (text === undefined) return;
    orElse(() => writeSync(1, text), 0);
    process.exitCode = 1;
  });
}

function unanswered(why: string): CallError {
  return new CallError({ category: "execution", message: `The helper ended without an answer: ${why}.` });
}
