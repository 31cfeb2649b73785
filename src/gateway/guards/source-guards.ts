import type { CallError } from "../../envelope/call-error.js";
import { Listeners } from "../../registry/listeners.js";
import type { AnyHandler } from "../../registry/operation.js";
import type { AnyOperation } from "../../registry/operation-map.js";
import { CallQueue } from "../../sources/call-queue.js";
import type { CommonConfig, SourceKind } from "../config/config.js";
import type { Log } from "../log.js";
import { type BreakerState, CircuitBreaker } from "./circuit-breaker.js";
import { GuardedCalls } from "./guarded-calls.js";
import { rateOf } from "./token-bucket.js";

export interface SourceGuardsOptions {
  readonly name: string;
  readonly kind: SourceKind;
  readonly config: CommonConfig;
  readonly log: Log;
  /** @default Date.now */
  readonly now?: () => number;
}

/** What stands between the callers of a source and the source. */
export interface SourceGuards {
  /** The handler with all that goes around it; the same one where nothing does. */
  handlerOf(operation: AnyOperation): AnyHandler;
  state(): GuardsState;
  /** Calls back when the state of the circuit breaker has changed. Returns what ends it. */
  onChange(listener: () => void): () => void;
  /** Calls that wait for their turn end with this error, and so do all that come. */
  close(error: CallError): void;
}

interface GuardsState {
  readonly breaker?: "open" | "half-open";
  /** Calls that run; only of handlers that something goes around. */
  readonly running: number;
  readonly waiting: number;
}

const MAX_QUEUE = 1_000;

export function sourceGuards({ name, kind, config, log, now = Date.now }: SourceGuardsOptions): SourceGuards {
  const listeners = new Listeners();
  const onChange = (state: BreakerState): void => {
    tellBreaker(log, name, state);
    listeners.tell();
  };
  const breaker = breakerOf(config, { name, now, onChange });
  // Scripts have a queue of their own, because a call has its place until its process has ended.
  const { concurrency, maxQueue = MAX_QUEUE } = kind === "script" ? {} : config;
  const queue = concurrency === undefined ? undefined : new CallQueue({ concurrency, maxQueue });
  const calls = new GuardedCalls({
    name,
    now,
    breaker,
    queue,
    rate: config.limit === undefined ? undefined : rateOf(config.limit),
    // OpenAPI sources know better what they may send again, and all but modules keep the time themselves.
    retries: kind === "openapi" ? 0 : (config.retries ?? 0),
    timeout: kind === "module" ? config.timeout : undefined,
  });
  return {
    handlerOf: (operation) => calls.handlerOf(operation),
    state: () => ({
      ...(breaker !== undefined && breaker.state !== "closed" && { breaker: breaker.state }),
      running: queue?.running ?? calls.running,
      waiting: queue?.waiting ?? 0,
    }),
    onChange: (listener) => listeners.add(listener),
    close: (error) => queue?.close(error),
  };
}

interface BreakerParts {
  readonly name: string;
  readonly now: () => number;
  readonly onChange: (state: BreakerState) => void;
}

function breakerOf({ breaker = {} }: CommonConfig, { name, now, onChange }: BreakerParts): CircuitBreaker | undefined {
  if (breaker === false) return undefined;
  const { failures = 5, cooldownMs = 10_000 } = breaker;
  return new CircuitBreaker({ source: name, failures, cooldownMs, now, onChange });
}

function tellBreaker(log: Log, source: string, state: BreakerState): void {
  if (state === "open") log.warn(`${source} keeps failing and is left alone for a while`, { source, breaker: state });
  else if (state === "closed") log.info(`${source} works again`, { source, breaker: state });
  else log.debug(`${source} is tried again`, { source, breaker: state });
}
