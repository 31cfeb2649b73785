import type { Io } from "../io.js";
import { tell } from "./tell.js";

/** Whether there is somebody to ask. */
export function canAsk(io: Io): boolean {
  return io.stdin.isTTY === true && io.stderr.isTTY === true;
}

/** Asks somebody at the terminal; only a clear yes counts, and `signal` ends the wait with a no. */
export async function confirm(question: string, io: Io, signal?: AbortSignal): Promise<boolean> {
  tell(io.stderr, `${question} [y/N] `);
  const answer = await readLine(io, signal);
  if (answer === undefined) io.stderr.write("\n");
  return /^\s*y(es)?\s*$/i.test(answer ?? "");
}

/** One line of the terminal; `undefined` at its end. */
async function readLine({ stdin }: Io, signal: AbortSignal | undefined): Promise<string | undefined> {
  // A terminal that is still read keeps the process alive.
  const letGo = (): void => (stdin as { readonly destroy?: () => void }).destroy?.call(stdin);
  signal?.addEventListener("abort", letGo, { once: true });
  let text = "";
  try {
    if (signal?.aborted === true) return undefined;
    for await (const chunk of stdin) {
      text += typeof chunk === "string" ? chunk : new TextDecoder().decode(chunk);
      if (text.includes("\n")) return text.slice(0, text.indexOf("\n"));
    }
    return text === "" ? undefined : text;
  } catch (thrown) {
    if (signal?.aborted === true) return undefined;
    throw thrown;
  } finally {
    signal?.removeEventListener("abort", letGo);
  }
}
