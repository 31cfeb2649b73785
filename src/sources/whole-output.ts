import { startTimer } from "../json/longest-timer.js";
import type { ProcessEnd, ProcessTree } from "./process-tree.js";

export interface OutputLimits<Why> {
  readonly maxBytes: number;
  /** Milliseconds; undefined waits for ever. */
  readonly timeout: number | undefined;
  /** Calls back when nobody waits any more. Returns what ends the watch. */
  readonly watchEnd?: (listener: (why: Why) => void) => () => void;
}

/** All that a program printed, or why it was ended before and what it had printed by then; of too much the beginning. */
export type WholeOutput<Why> = { readonly stdout: Buffer } & (
  | ({ readonly kind: "ended" } & ProcessEnd)
  | { readonly kind: "late" }
  | { readonly kind: "large" }
  | { readonly kind: "unwanted"; readonly why: Why }
);

/** Reads what a program prints to its end. Whatever goes beyond the limits ends it, which is not waited for. */
export function wholeOutput<Why = never>(tree: ProcessTree, limits: OutputLimits<Why>): Promise<WholeOutput<Why>> {
  const { maxBytes, timeout, watchEnd = () => () => {} } = limits;
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    let isOver = false;
    let unwatch = (): void => {};
    const finish = (): void => {
      isOver = true;
      clearTimeout(timer);
      unwatch();
    };
    const stop = (cause: { kind: "late" | "large" } | { kind: "unwanted"; why: Why }): void => {
      finish();
      tree.stdout.off("data", collect);
      void tree.stop();
      resolve({ ...cause, stdout: Buffer.concat(chunks, cause.kind === "large" ? Math.min(size, MOST_SHOWN) : size) });
    };
    const collect = (chunk: Buffer): void => {
      chunks.push(chunk);
      size += chunk.length;
      if (size > maxBytes) stop({ kind: "large" });
    };
    const timer = startTimer(timeout, () => stop({ kind: "late" }));
    tree.stdout.on("data", collect);
    unwatch = watchEnd((why) => stop({ kind: "unwanted", why }));
    // It may have called back at once.
    if (isOver) unwatch();
    void tree.exited.then((end) => {
      finish();
      const [only] = chunks;
      resolve({ ...end, kind: "ended", stdout: chunks.length === 1 && only ? only : Buffer.concat(chunks, size) });
    });
  });
}

/** Bytes of what is too large to be given. */
export const MOST_SHOWN = 65_536;
