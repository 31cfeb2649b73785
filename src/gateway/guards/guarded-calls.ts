import type { CallError } from "../../envelope/call-error.js";
import { isThenable } from "../../json/attempt.js";
import { type HandlerContext, whenEnded } from "../../registry/context.js";
import { mapError } from "../../registry/map-error.js";
import type { AnyHandler } from "../../registry/operation.js";
import type { AnyOperation } from "../../registry/operation-map.js";
import { isRepeatable } from "../../registry/repeatable.js";
import type { CallQueue } from "../../sources/call-queue.js";
import { blameFor, hasEnded } from "./blame.js";
import type { CircuitBreaker } from "./circuit-breaker.js";
import { guardedValues } from "./guarded-values.js";
import { pause, tellAttempts, waitBefore } from "./retries.js";
import { withinTime } from "./time-limit.js";
import { type Rate, refusalBy, type TokenBucket } from "./token-bucket.js";

export interface GuardedCallsOptions {
  readonly name: string;
  readonly now: () => number;
  readonly breaker: CircuitBreaker | undefined;
  readonly queue: CallQueue | undefined;
  readonly rate: Rate | undefined;
  readonly bucket: TokenBucket;
  readonly retries: number;
  /** Milliseconds for one attempt. */
  readonly timeout: number | undefined;
}

/**
 * The calls of one source. First the circuit breaker and the rate limit are asked, which cost nothing; then a call waits
 * for its turn; then it is made, again where that may help. Each attempt is one more call to the source: the breaker and
 * the rate limit are asked for it, and the breaker hears how it ended. The turn is kept in between.
 */
export class GuardedCalls {
  readonly #options: GuardedCallsOptions;

  constructor(options: GuardedCallsOptions) {
    this.#options = options;
  }

  handlerOf(operation: AnyOperation): AnyHandler {
    const { breaker, queue, rate, timeout } = this.#options;
    const { spec, handler } = operation;
    const retries = isRepeatable(spec) ? this.#options.retries : 0;
    if (spec.type === "subscription") {
      const isFree = breaker === undefined && queue === undefined && rate === undefined;
      return isFree ? handler : (input, context) => this.#subscribe(operation, input, context);
    }
    const once = timeout === undefined ? handler : limited(handler, timeout);
    const tried = breaker === undefined ? once : this.#watched(operation, once, breaker);
    if (queue === undefined && rate === undefined && retries === 0) return tried;
    return (input, context) => this.#call({ operation, retries, handler: tried }, input, context);
  }

  /**
   * One attempt, of which the breaker hears. Most calls go through this and nothing else, so it makes no promise of its
   * own but hears of the handler's.
   */
  #watched(operation: AnyOperation, handler: AnyHandler, breaker: CircuitBreaker): AnyHandler {
    const succeeded = (): void => breaker.succeeded();
    return (input, context) => {
      raise(breaker.enter());
      const startedAt = this.#options.now();
      const failed = (thrown: unknown): void => this.#hearFailure(operation, thrown, context, startedAt);
      try {
        const result = handler(input, context);
        if (!isThenable(result)) {
          succeeded();
          return result;
        }
        // What another library gives in place of a promise may do its work each time that it is asked.
        const promise = Promise.resolve(result);
        promise.then(succeeded, failed);
        return promise;
      } catch (thrown) {
        failed(thrown);
        throw thrown;
      }
    };
  }

  async #call(guarded: Guarded, input: unknown, context: HandlerContext): Promise<unknown> {
    const leave = await this.#enter(context);
    // Who does not listen to its signal would keep others waiting for ever.
    const unwatch = leave === undefined ? undefined : whenEnded(context, leave);
    try {
      return await this.#attempts(guarded, input, context);
    } finally {
      unwatch?.();
      leave?.();
    }
  }

  /** Until it is this call's turn. Gives what ends it. */
  async #enter(context: HandlerContext): Promise<(() => void) | undefined> {
    const { breaker, queue } = this.#options;
    raise(breaker?.refusal() ?? this.#limit());
    return queue?.enter(context);
  }

  async #attempts({ operation, retries, handler }: Guarded, input: unknown, context: HandlerContext): Promise<unknown> {
    for (let attempts = 1; ; attempts += 1) {
      try {
        const result = await handler(input, context);
        tellAttempts(context, attempts);
        return result;
      } catch (thrown) {
        const error = mapError(thrown, operation.id, operation.spec.errorSchemas);
        const isLast = attempts > retries || hasEnded(context) || this.#isLeftAlone();
        const wait = isLast ? undefined : waitBefore(error, attempts, context);
        if (wait !== undefined) await pause(wait, context);
        // Why the source failed tells more than why it is not asked again.
        if (wait !== undefined && !this.#isLeftAlone() && this.#limit() === undefined) continue;
        tellAttempts(context, attempts);
        throw thrown;
      }
    }
  }

  async #subscribe(operation: AnyOperation, input: unknown, context: HandlerContext): Promise<unknown> {
    const { breaker, now } = this.#options;
    const leave = await this.#enter(context);
    const refusal = breaker?.enter();
    if (refusal !== undefined) leave?.();
    raise(refusal);
    const startedAt = now();
    const failed = (thrown: unknown): void => this.#hearFailure(operation, thrown, context, startedAt);
    const over = this.#begin(context, leave);
    try {
      const result = await operation.handler(input, context);
      return guardedValues(result, { began: () => breaker?.succeeded(), failed, over });
    } catch (thrown) {
      failed(thrown);
      over();
      throw thrown;
    }
  }

  /** Gives what is called when a subscription is over, which it is too when its caller has gone. */
  #begin(context: HandlerContext, leave: (() => void) | undefined): () => void {
    let isOver = false;
    let unwatch = (): void => {};
    const over = (): void => {
      if (isOver) return;
      isOver = true;
      unwatch();
      leave?.();
      // In case no value has come that would have shown whether the source works.
      this.#options.breaker?.left();
    };
    unwatch = whenEnded(context, over);
    return over;
  }

  #isLeftAlone(): boolean {
    return this.#options.breaker?.refusal() !== undefined;
  }

  #hearFailure({ id, spec }: AnyOperation, thrown: unknown, context: HandlerContext, startedAt: number): void {
    const { breaker, now } = this.#options;
    if (breaker === undefined) return;
    const blame = blameFor(mapError(thrown, id, spec.errorSchemas), context, now() - startedAt);
    if (blame === "broken") breaker.failed();
    else if (blame === "works") breaker.succeeded();
    else breaker.left();
  }

  #limit(): CallError | undefined {
    const { rate, bucket, now, name } = this.#options;
    return rate === undefined ? undefined : refusalBy(bucket, rate, now(), `the source ${name}`);
  }
}

interface Guarded {
  readonly operation: AnyOperation;
  readonly retries: number;
  /** Makes one attempt. */
  readonly handler: AnyHandler;
}

function limited(handler: AnyHandler, ms: number): AnyHandler {
  return (input, context) => withinTime(handler, input, context, ms);
}

function raise(error: CallError | undefined): void {
  if (error !== undefined) throw error;
}
