import type { Progress } from "../../registry/call-options.js";
import type { Output } from "../io.js";
import { tell } from "./tell.js";
import { CLEAR_LINE, columnsOf, fitText } from "./text-width.js";

export interface ProgressBar {
  update(progress: Progress): void;
  /** Takes it off the terminal, so that something else can be written there. */
  clear(): void;
}

export interface ProgressBarOptions {
  readonly output: Output;
  /** @default Date.now */
  readonly now?: () => number;
}

const BAR_WIDTH = 24;
/** Milliseconds between two drawings: more often nobody sees it. */
const PAUSE = 50;

/** One line that is drawn again in its place. Only a terminal gets it. */
export function progressBar({ output, now = Date.now }: ProgressBarOptions): ProgressBar {
  let isShown = false;
  let lastDrawn = Number.NEGATIVE_INFINITY;
  let latest: Progress = { progress: 0 };
  let timer: ReturnType<typeof setTimeout> | undefined;
  const draw = (): void => {
    clearTimeout(timer);
    timer = undefined;
    lastDrawn = now();
    isShown = true;
    output.write(CLEAR_LINE);
    // A full last column would make some terminals go to the next line.
    tell(output, fitText(progressText(latest), columnsOf(output) - 1));
  };
  return {
    update(progress) {
      if (output.isTTY !== true) return;
      latest = progress;
      if (now() - lastDrawn >= PAUSE || isComplete(progress)) draw();
      // The last of many must be seen too.
      else timer ??= setTimeout(draw, PAUSE).unref();
    },
    clear() {
      clearTimeout(timer);
      timer = undefined;
      if (isShown) output.write(CLEAR_LINE);
      isShown = false;
    },
  };
}

function isComplete({ progress, total }: Progress): boolean {
  return total !== undefined && progress >= total;
}

export function progressText({ progress, total, message = "" }: Progress): string {
  const words = message.replaceAll(/\s+/g, " ");
  if (total === undefined || !(total > 0)) return `${progress} ${words}`.trimEnd();
  const part = Math.min(1, Math.max(0, progress / total));
  const filled = Math.round(part * BAR_WIDTH);
  const percent = String(Math.floor(part * 100)).padStart(3);
  return `${"█".repeat(filled)}${"░".repeat(BAR_WIDTH - filled)} ${percent}% ${words}`.trimEnd();
}
