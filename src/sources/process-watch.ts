import { orElse } from "../json/attempt.js";
import type { ProcessFamily } from "./process-family.js";
import { ProcessGuard } from "./process-guard.js";
import { lookNow } from "./process-look.js";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** How long the guard stays when there is nobody to guard: to start it costs as much as to start a small program. */
const GUARD_STAYS_MS = 2_000;

const families = new Set<ProcessFamily>();
let guard: ProcessGuard | undefined;
let dismissal: ReturnType<typeof setTimeout> | undefined;
let hasNews = false;
let isDying = false;

/** Sees to it that a family ends when this process does, however that comes about. What is given back takes it back. */
export function watchOver(family: ProcessFamily): () => void {
  families.add(family);
  if (families.size === 1) listen();
  clearTimeout(dismissal);
  if (guard?.isAlive === true || process.platform === "win32") guard?.add(family.pid);
  else {
    guard = orElse(() => new ProcessGuard(), undefined);
    tellGuard();
  }
  return () => {
    if (!families.delete(family)) return;
    tellGuardSoon();
    if (families.size > 0) return;
    unlisten();
    dismissal = setTimeout(dismissGuard, GUARD_STAYS_MS).unref();
  };
}

function dismissGuard(): void {
  guard?.close();
  guard = undefined;
}

/** Many may go at the same time. */
function tellGuardSoon(): void {
  if (!hasNews) queueMicrotask(tellGuard);
  hasNews = true;
}

function tellGuard(): void {
  hasNews = false;
  guard?.guard([...families].map(({ pid }) => pid));
}

function listen(): void {
  process.on("exit", endAtExit);
  listenToSignals();
}

function unlisten(): void {
  process.off("exit", endAtExit);
  unlistenToSignals();
}

function listenToSignals(): void {
  // The first process of a container is not ended by a signal that it does not listen to; nor shall we end it.
  if (isDying || process.pid === 1) return;
  for (const signal of SIGNALS) process.prependListener(signal, endAtSignal);
}

function unlistenToSignals(): void {
  for (const signal of SIGNALS) process.off(signal, endAtSignal);
}

/** There is no time to wait: they get TERM, and the guard sees to the rest. */
function endAtExit(): void {
  lookNow();
  const signal = guard?.isAlive === true ? "SIGTERM" : "SIGKILL";
  guard?.finish([...families].flatMap((family) => family.signal(signal)));
}

/** Does what the signal would have done without us, a little later. */
function endAtSignal(signal: NodeJS.Signals): void {
  // Others count the listeners, to know whether the decision is theirs: they are not to count us.
  unlistenToSignals();
  if (process.listenerCount(signal) > 0) {
    setImmediate(() => {
      if (families.size > 0) listenToSignals();
    });
    return;
  }
  isDying = true;
  lookNow();
  void Promise.all([...families].map((family) => family.stop())).then(() => process.kill(process.pid, signal));
}
