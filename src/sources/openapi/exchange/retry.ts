import { waitFrom } from "../answer/rate-limit.js";
import type { HttpAnswer, RequestControl } from "../http-answer.js";
import { isConnectionLoss } from "./exchange-errors.js";

export interface RetryPolicy {
  /** How often at most, after the first time. */
  readonly retries: number;
  /** Whether the server does the same if it is asked twice as if it is asked once. */
  readonly isRepeatable: boolean;
  /**
   * A server that wants a longer wait is not asked again.
   * @default 30000
   */
  readonly maxWaitMs?: number;
  /** From 0 up to 1. */
  readonly random?: () => number;
  /** Rejects where the caller gives up. */
  readonly wait?: (milliseconds: number, control: RequestControl) => Promise<void>;
}

/** What is done again as a whole: a request, and what is made of its answer. */
export interface Attempt<T> {
  send(): Promise<HttpAnswer>;
  read(answer: HttpAnswer): Promise<T>;
}

const IDEMPOTENT: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE", "QUERY"]);

export function isIdempotentMethod(method: string): boolean {
  return IDEMPOTENT.has(method.toUpperCase());
}

/** Asks again where that may help, also where an answer is cut while it is read. The last answer is read, whatever it is. */
export async function withRetries<T>(attempt: Attempt<T>, control: RequestControl, policy: RetryPolicy): Promise<T> {
  const { retries, isRepeatable, wait = pause } = policy;
  for (let attempts = 1; ; attempts += 1) {
    const tried = await attemptOnce(attempt, (result) => {
      if (!isRepeatable || attempts > retries || !isWorthIt(result)) return undefined;
      const milliseconds = waitBefore(attempts, result, policy);
      return fits(milliseconds, control, policy) ? milliseconds : undefined;
    });
    if ("value" in tried) return tried.value;
    await wait(tried.wait, control);
  }
}

type Result = { readonly answer: HttpAnswer } | { readonly thrown: unknown };

/** `waitAfter` says how long to wait before the next attempt; `undefined` where there is to be none. */
async function attemptOnce<T>(
  { send, read }: Attempt<T>,
  waitAfter: (result: Result) => number | undefined,
): Promise<{ readonly value: T } | { readonly wait: number }> {
  try {
    const answer = await send();
    const wait = waitAfter({ answer });
    if (wait === undefined) return { value: await read(answer) };
    answer.discard();
    return { wait };
  } catch (thrown) {
    const wait = waitAfter({ thrown });
    if (wait === undefined) throw thrown;
    return { wait };
  }
}

const PASSING: ReadonlySet<number> = new Set([408, 425, 429, 502, 503, 504]);

function isWorthIt(result: Result): boolean {
  if ("thrown" in result) return isConnectionLoss(result.thrown);
  const told = result.answer.headers["stripe-should-retry"];
  if (told === "true" || told === "false") return told === "true";
  return PASSING.has(result.answer.status);
}

const FIRST_WAIT = 200;
const LONGEST_WAIT = 5_000;

/** Callers that failed together do not come back together: anything up to the full wait. */
function waitBefore(attempts: number, result: Result, { random = Math.random }: RetryPolicy): number {
  const own = random() * Math.min(FIRST_WAIT * 2 ** (attempts - 1), LONGEST_WAIT);
  const wanted = "answer" in result ? waitFrom(result.answer.headers) : undefined;
  return Math.max(own, wanted ?? 0);
}

function fits(milliseconds: number, { deadline }: RequestControl, { maxWaitMs = 30_000 }: RetryPolicy): boolean {
  return milliseconds <= maxWaitMs && (deadline === undefined || Date.now() + milliseconds < deadline);
}

function pause(milliseconds: number, { watchEnd }: RequestControl): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      unwatch();
      resolve();
    }, milliseconds);
    const unwatch = watchEnd((error) => {
      clearTimeout(timer);
      unwatch();
      reject(error);
    });
  });
}
