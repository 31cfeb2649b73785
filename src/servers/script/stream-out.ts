import type { HelperStream } from "./helper-io.js";

/** Writes a text whole, whatever its size. Gives the error where it could not be written. */
export function writeWhole(stream: HelperStream, text: string): Promise<Error | undefined> {
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
