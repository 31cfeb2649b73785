import type { Io } from "../io.js";

/** Why something was aborted whose output nobody reads any more. */
export const UNREAD = "unread";

/** Runs something that ends like one that is aborted where the reader of its output, like `head`, has what it wanted. */
export async function untilUnread<Result>(
  io: Io,
  signal: AbortSignal,
  run: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  const stop = (): void => controller.abort(UNREAD);
  io.on?.("SIGPIPE", stop);
  try {
    return await run(AbortSignal.any([signal, controller.signal]));
  } finally {
    io.off?.("SIGPIPE", stop);
  }
}
