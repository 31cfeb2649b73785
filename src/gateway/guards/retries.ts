import type { CallError } from "../../envelope/call-error.js";
import { type HandlerContext, whenEnded } from "../../registry/context.js";

const WORTH_IT: ReadonlySet<string> = new Set(["network", "unavailable", "timeout", "rate_limit"]);

const FIRST_WAIT = 200;
const LONGEST_WAIT = 5_000;
/** A source that wants a longer wait is not asked again: its caller can decide better. */
const LONGEST_WANTED = 30_000;

/** Milliseconds before the next attempt; `undefined` where there is to be none. */
export function waitBefore(
  error: CallError,
  attempts: number,
  { deadline }: HandlerContext,
  random: () => number = Math.random,
): number | undefined {
  if (!error.recoverable || !WORTH_IT.has(error.category)) return undefined;
  const wanted = error.retryAfterMs ?? 0;
  // Callers that failed together must not come back together: anything up to the full wait.
  const wait = Math.max(wanted, random() * Math.min(FIRST_WAIT * 2 ** (attempts - 1), LONGEST_WAIT));
  const isInTime = deadline === undefined || Date.now() + wait < deadline;
  return wanted <= LONGEST_WANTED && isInTime ? wait : undefined;
}

/** Rejects where the call ends meanwhile. */
export function pause(ms: number, context: HandlerContext): Promise<void> {
  return new Promise((resolve, reject) => {
    let unwatch = (): void => {};
    const timer = setTimeout(() => {
      unwatch();
      resolve();
    }, ms);
    unwatch = whenEnded(context, (error) => {
      clearTimeout(timer);
      reject(error);
    });
  });
}

/** Tells the consumer, whether the last attempt went well or not. */
export function tellAttempts(context: HandlerContext, attempts: number): void {
  if (attempts === 1) return;
  context.warn({ code: "RETRIED", message: "was called more than once, because its source failed", count: attempts });
}
