import type { CallError } from "../../envelope/call-error.js";
import type { Outcome } from "../../envelope/outcome.js";
import type { ResponseEnvelope } from "../../envelope/response-envelope.js";
import type { Identity } from "../../registry/access.js";
import type { ExecuteOptions } from "../../registry/call-options.js";
import { hintsOfFailure } from "../../registry/failure-hints.js";
import type { LimitsConfig } from "../config/config.js";
import { type Rate, rateOf, refusalBy, TokenBucket } from "../guards/token-bucket.js";
import type { Layer } from "../layer.js";

export interface IdentityLimitsOptions {
  /** Asked for each call, because a configuration may be read again. */
  readonly limits: () => LimitsConfig | undefined;
  /** @default Date.now */
  readonly now?: () => number;
}

/** Gives each caller a bucket of its own; those without an identity share one. */
export function identityLimits({ limits, now = Date.now }: IdentityLimitsOptions): Layer {
  const buckets = new IdentityBuckets();
  const refusal = (options: ExecuteOptions | undefined): CallError | undefined => {
    const limit = limits()?.perIdentity;
    return limit === undefined ? undefined : buckets.refusal(options?.identity, rateOf(limit), now());
  };
  return (registry) => ({
    list: () => registry.list(),
    onChange: (listener) => registry.onChange(listener),
    attempt(id, input, options) {
      const error = refusal(options);
      return error === undefined ? registry.attempt(id, input, options) : Promise.resolve(refused(error, options));
    },
    subscribe(id, input, options) {
      const error = refusal(options);
      return error === undefined ? registry.subscribe(id, input, options) : refusedValues(error);
    },
  });
}

/** Who has not called for the longest time is forgotten first: its bucket is the most likely to be full again. */
const MOST_BUCKETS = 10_000;

class IdentityBuckets {
  readonly #buckets = new Map<string | undefined, TokenBucket>();

  refusal(identity: Identity | undefined, rate: Rate, now: number): CallError | undefined {
    const id = identity?.id;
    const bucket = this.#buckets.get(id) ?? new TokenBucket();
    this.#buckets.delete(id);
    this.#forget(rate, now);
    this.#buckets.set(id, bucket);
    return refusalBy(bucket, rate, now, id === undefined ? "callers without an identity" : `the caller ${id}`);
  }

  /** A full bucket is the same as none. */
  #forget(rate: Rate, now: number): void {
    for (const [id, bucket] of this.#buckets) {
      if (bucket.fullInMs(rate, now) > 0 && this.#buckets.size < MOST_BUCKETS) return;
      this.#buckets.delete(id);
    }
  }
}

function refused(error: CallError, options: ExecuteOptions | undefined): Outcome {
  const id = options?.requestId;
  return { ok: false, error, meta: { ...(id !== undefined && { requestId: id }), ...hintsOfFailure(error) } };
}

// biome-ignore lint/correctness/useYield: it fails in place of the first value
async function* refusedValues(error: CallError): AsyncGenerator<ResponseEnvelope> {
  throw error;
}
