import { LONGEST_TIMER } from "../../json/longest-timer.js";
import type { Io, Signal } from "../io.js";
import { tellLine } from "./tell.js";

const SIGNALS: readonly Signal[] = ["SIGINT", "SIGTERM"];

/**
 * Runs something that Ctrl-C aborts. The first time it is asked to stop and may say what it has; the second time nobody
 * listens any more, and the system ends the process at once.
 */
export async function interruptible<Result>(io: Io, run: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  const controller = new AbortController();
  const stop = (): void => {
    for (const name of SIGNALS) io.off?.(name, interrupt);
  };
  const interrupt = (): void => {
    stop();
    // The terminal has written ^C, perhaps behind a progress bar.
    if (io.stderr.isTTY === true) io.stderr.write("\n");
    tellLine(io.stderr, "plico: aborting; once more ends it at once");
    controller.abort();
  };
  for (const name of SIGNALS) io.on?.(name, interrupt);
  // Something that waits for nothing which Node knows of would end the process without an answer.
  const alive = setInterval(() => {}, LONGEST_TIMER);
  try {
    return await run(controller.signal);
  } finally {
    clearInterval(alive);
    stop();
  }
}
