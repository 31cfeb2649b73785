import { CallError } from "../../envelope/call-error.js";
import { keepHints } from "../../registry/failure-hints.js";
import type { RateLimitConfig } from "../config/config.js";

/** So many calls at once, and then one after each interval. */
export interface Rate {
  readonly limit: number;
  readonly intervalMs: number;
}

export function rateOf({ perSecond, burst = perSecond }: RateLimitConfig): Rate {
  return { limit: Math.max(1, Math.floor(burst)), intervalMs: 1000 / perSecond };
}

/** Times are sums of fractions: what is less than this is no wait. */
const NO_WAIT_MS = 0.01;

/** All that is kept of a bucket is when it will be full again, so nothing has to be filled while time goes by. */
export class TokenBucket {
  #fullAt = 0;

  /** Takes one out. Where there is none, the milliseconds until there will be. */
  take(rate: Rate, now: number): number {
    const fullAt = now + this.fullInMs(rate, now);
    const wait = fullAt - now - (rate.limit - 1) * rate.intervalMs;
    if (wait > NO_WAIT_MS) return Math.ceil(wait - NO_WAIT_MS);
    this.#fullAt = fullAt + rate.intervalMs;
    return 0;
  }

  /** Never longer than an empty bucket takes, also where the clock was put back or the rate has changed. */
  fullInMs({ limit, intervalMs }: Rate, now: number): number {
    return Math.min(Math.max(0, this.#fullAt - now), limit * intervalMs);
  }
}

/** Takes one out of a bucket. Where there is none, the error that says when there will be. */
export function refusalBy(bucket: TokenBucket, rate: Rate, now: number, whose: string): CallError | undefined {
  const retryAfterMs = bucket.take(rate, now);
  if (retryAfterMs === 0) return undefined;
  const { limit, intervalMs } = rate;
  const error = new CallError({
    category: "rate_limit",
    code: "RATE_LIMITED",
    message: `The rate limit of ${whose} is reached: ${limit} at once, then one every ${Math.round(intervalMs)} ms.`,
    retryAfterMs,
    suggestedAction: `Call again in ${retryAfterMs} ms.`,
  });
  const resetSeconds = Math.ceil(bucket.fullInMs(rate, now) / 1000);
  return keepHints(error, { rateLimit: { limit, remaining: 0, resetSeconds, retryAfterMs } });
}
