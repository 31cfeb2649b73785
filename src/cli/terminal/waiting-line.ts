import type { Output } from "../io.js";
import { tell } from "./tell.js";
import { CLEAR_LINE, columnsOf, fitText } from "./text-width.js";

/** Milliseconds before anything is said: most waits are over by then. */
const PATIENCE = 700;

/** Tells on a terminal what is waited for, once that takes a while. Returns what takes it off again. */
export function waitingLine(output: Output, text: () => string): () => void {
  if (output.isTTY !== true) return () => {};
  let isShown = false;
  const timer = setInterval(() => {
    isShown = true;
    output.write(CLEAR_LINE);
    tell(output, fitText(text(), columnsOf(output) - 1));
  }, PATIENCE).unref();
  return () => {
    clearInterval(timer);
    if (isShown) output.write(CLEAR_LINE);
  };
}
