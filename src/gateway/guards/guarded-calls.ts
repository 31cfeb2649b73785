import type { CallError } from "../../envelope/call-error.js";
import { type HandlerContext, whenEnded } from "../../registry/context.js";
import { mapError } from "../../registry/map-error.js";
import type { AnyHandler } from "../../registry/operation.js";
import type { AnyOperation } from "../../registry/operation-map.js";
import type { CallQueue } from "../../sources/call-queue.js";
import { blameFor, hasEnded } from "./blame.js";
import type { CircuitBreaker } from "./circuit-breaker.js";
import { guardedValues } from "./guarded-values.js";
import { isRepeatable, pause, tellAttempts, waitBefore } from "./retries.js";
import { withinTime } from "./time-limit.js";
import { type Rate, refusalBy, TokenBucket } from "./token-bucket.js";

export interface GuardedCallsOptions {
  readonly name: string;
  readonly now: () => number;
  readonly breaker: CircuitBreaker | undefined;
  readonly queue: CallQueue | undefined;
  readonly rate: Rate | undefined;
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
  readonly #bucket = new TokenBucket();
  running = 0;

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
    const succeeded = (): void => {
      this.running -= 1;
      breaker.succeeded();
    };
    const failed = (thrown: unknown, context: HandlerContext, startedAt: number): void => {
      this.running -= 1;
      this.#hearFailure(operation, thrown, context, startedAt);
    };
    return (input, context) => {
      raise(breaker.enter());
      const startedAt = this.#options.now();
      this.running += 1;
      try {
        const result = handler(input, context);
        if (result instanceof Promise) result.then(succeeded, (thrown) => failed(thrown, context, startedAt));
        else succeeded();
        return result;
      } catch (thrown) {
        failed(thrown, context, startedAt);
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
    const over = this.#run(context, leave);
    try {
      const result = await operation.handler(input, context);
      return guardedValues(result, { began: () => breaker?.succeeded(), failed, over });
    } catch (thrown) {
      failed(thrown);
      over();
      throw thrown;
    }
  }

  /** Counts a subscription until it is over, or its caller has gone. */
  #run(context: HandlerContext, leave: (() => void) | undefined): () => void {
    let isOver = false;
    let unwatch = (): void => {};
    const over = (): void => {
      if (isOver) return;
      isOver = true;
      this.running -= 1;
      unwatch();
      leave?.();
      // In case no value has come that would have shown whether the source works.
      this.#options.breaker?.left();
    };
    this.running += 1;
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
    const { rate, now, name } = this.#options;
    return rate === undefined ? undefined : refusalBy(this.#bucket, rate, now(), `the source ${name}`);
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
