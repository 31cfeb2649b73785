import type { HelperIo, HelperStream } from "./helper-io.js";

/** Milliseconds that those have who are waited for at the very end. */
export const GRACE_MS = 1_000;

/** A reader who has gone has had enough; whatever else went wrong is a failure. */
export type Written = "whole" | "unwanted" | "failed";

/** Writes a text whole, whatever its size. */
export async function writeAnswer({ stdout, stderr }: HelperIo, text: string, tool: string): Promise<Written> {
  const error = await writeWhole(stdout, text);
  if (error === undefined) return "whole";
  if ((error as NodeJS.ErrnoException).code === "EPIPE") return "unwanted";
  stderr.write(`${tool}: the answer cannot be written: ${error.message}\n`, () => {});
  return "failed";
}

/** Ends the process when standard error is written too, unless its reader has stopped reading. */
export async function leave({ stderr, exit }: HelperIo, exitCode: number): Promise<void> {
  await within(GRACE_MS, writeWhole(stderr, ""));
  exit(exitCode);
}

/** Gives the error where it could not be written. */
function writeWhole(stream: HelperStream, text: string): Promise<Error | undefined> {
  return new Promise((resolve) => {
    try {
      stream.write(text, (error) => resolve(error ?? undefined));
    } catch (thrown) {
      resolve(thrown instanceof Error ? thrown : new Error(String(thrown)));
    }
  });
}

/** Waits for a promise, but not for ever. */
export async function within(milliseconds: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  await Promise.race([work.catch(() => undefined), late]);
  clearTimeout(timer);
}
