import type { CallError } from "../../envelope/call-error.js";
import { isEqual } from "../../json/value.js";
import { Listeners } from "../../registry/listeners.js";
import type { AnyHandler } from "../../registry/operation.js";
import type { AnyOperation } from "../../registry/operation-map.js";
import { CallQueue } from "../../sources/call-queue.js";
import type { CommonConfig } from "../config/config.js";
import type { Log } from "../log.js";
import { type BreakerState, CircuitBreaker } from "./circuit-breaker.js";
import { GuardedCalls } from "./guarded-calls.js";
import { rateOf, TokenBucket } from "./token-bucket.js";

/** What is said of a source, without what it does itself. */
type GuardsConfig = Pick<CommonConfig, "breaker" | "concurrency" | "limit" | "maxQueue" | "retries" | "timeout">;

export interface SourceGuardsOptions {
  readonly name: string;
  readonly config: GuardsConfig;
  readonly log: Log;
  /** @default Date.now */
  readonly now?: () => number;
}

interface GuardsState {
  readonly breaker?: "open" | "half-open";
  /** Calls that wait for their turn. */
  readonly waiting: number;
}

const MAX_QUEUE = 1_000;

/** What stands between the callers of a source and the source. */
export class SourceGuards {
  readonly #options: SourceGuardsOptions;
  readonly #now: () => number;
  readonly #listeners = new Listeners();
  readonly #bucket = new TokenBucket();
  #config: GuardsConfig;
  #breaker: CircuitBreaker | undefined;
  #queue: CallQueue | undefined;
  #calls: GuardedCalls;

  constructor(options: SourceGuardsOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.#config = options.config;
    this.#breaker = this.#makeBreaker();
    this.#queue = this.#makeQueue();
    this.#calls = this.#makeCalls();
  }

  /** The handler with all that goes around it; the same one where nothing does. */
  handlerOf(operation: AnyOperation): AnyHandler {
    return this.#calls.handlerOf(operation);
  }

  /** For handlers that are asked for from now on. What is known of the source stays, where the same is said of that. */
  configure(config: GuardsConfig): void {
    const before = this.#config;
    this.#config = config;
    if (!isEqual(before.breaker, config.breaker)) this.#breaker = this.#makeBreaker();
    if (before.concurrency !== config.concurrency || before.maxQueue !== config.maxQueue)
      this.#queue = this.#makeQueue();
    this.#calls = this.#makeCalls();
  }

  state(): GuardsState {
    const breaker = this.#breaker?.state ?? "closed";
    return { ...(breaker !== "closed" && { breaker }), waiting: this.#queue?.waiting ?? 0 };
  }

  /** Calls back when the state of the circuit breaker has changed. Returns what ends it. */
  onChange(listener: () => void): () => void {
    return this.#listeners.add(listener);
  }

  /** Calls that wait for their turn end with this error, and so do all that come. */
  close(error: CallError): void {
    this.#queue?.close(error);
  }

  #makeBreaker(): CircuitBreaker | undefined {
    const { name, log } = this.#options;
    if (this.#config.breaker === false) return undefined;
    const { failures = 5, cooldownMs = 10_000 } = this.#config.breaker ?? {};
    const onChange = (state: BreakerState): void => {
      // One that was replaced still hears of the calls that it let through.
      if (breaker !== this.#breaker) return;
      tellBreaker(log, name, state);
      this.#listeners.tell();
    };
    const breaker = new CircuitBreaker({ source: name, failures, cooldownMs, now: this.#now, onChange });
    return breaker;
  }

  #makeQueue(): CallQueue | undefined {
    const { concurrency, maxQueue = MAX_QUEUE } = this.#config;
    return concurrency === undefined ? undefined : new CallQueue({ concurrency, maxQueue });
  }

  #makeCalls(): GuardedCalls {
    const { limit, retries = 0, timeout } = this.#config;
    return new GuardedCalls({
      name: this.#options.name,
      now: this.#now,
      breaker: this.#breaker,
      queue: this.#queue,
      rate: limit === undefined ? undefined : rateOf(limit),
      bucket: this.#bucket,
      retries,
      timeout,
    });
  }
}

function tellBreaker(log: Log, source: string, state: BreakerState): void {
  if (state === "open") log.warn(`${source} keeps failing and is left alone for a while`, { source, breaker: state });
  else if (state === "closed") log.info(`${source} works again`, { source, breaker: state });
  else log.debug(`${source} is tried again`, { source, breaker: state });
}
