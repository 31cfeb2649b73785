import type { OperationSource } from "./source.js";

/** The source once it is open; one that fails, or that is given up, is closed. */
export async function opened<Source extends OperationSource>(
  source: Source,
  open: () => Promise<void>,
  signal?: AbortSignal,
): Promise<Source> {
  const giveUp = (): void => void source.close();
  signal?.addEventListener("abort", giveUp, { once: true });
  try {
    signal?.throwIfAborted();
    await open();
    signal?.throwIfAborted();
    return source;
  } catch (thrown) {
    await source.close();
    throw thrown;
  } finally {
    signal?.removeEventListener("abort", giveUp);
  }
}
