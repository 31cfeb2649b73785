import { CallError } from "../../envelope/call-error.js";

export type BreakerState = "closed" | "open" | "half-open";

export interface CircuitBreakerOptions {
  readonly source: string;
  readonly failures: number;
  readonly cooldownMs: number;
  readonly now: () => number;
  readonly onChange: (state: BreakerState) => void;
}

/** Leaves a source alone that fails one time after the other. After a while one call tries whether it works again. */
export class CircuitBreaker {
  readonly #options: CircuitBreakerOptions;
  #state: BreakerState = "closed";
  #failures = 0;
  /** While it is open, until then; while one call tries, that call has until then. */
  #until = 0;

  constructor(options: CircuitBreakerOptions) {
    this.#options = options;
  }

  /** There is no timer: when its time is over, the next call may try. */
  get state(): BreakerState {
    return this.#state === "open" && this.#options.now() >= this.#until ? "half-open" : this.#state;
  }

  /** The error of a call that must not be made now. */
  refusal(): CallError | undefined {
    if (this.#state === "closed") return undefined;
    const wait = this.#until - this.#options.now();
    return wait > 0 ? circuitOpen(this.#options.source, this.#failures, Math.ceil(wait)) : undefined;
  }

  /** As `refusal`; where there is none, the call is made, and is the one that tries if the source was left alone. */
  enter(): CallError | undefined {
    if (this.#state === "closed") return undefined;
    const refusal = this.refusal();
    if (refusal === undefined) this.#go("half-open");
    return refusal;
  }

  /** The source works. */
  succeeded(): void {
    this.#failures = 0;
    if (this.#state !== "closed") this.#go("closed");
  }

  /** The source does not. */
  failed(): void {
    this.#failures += 1;
    const isTooMuch = this.#state === "closed" && this.#failures >= this.#options.failures;
    if (isTooMuch || this.#state === "half-open") this.#go("open");
  }

  /** A call ended that told nothing: if it was to try, another one may. */
  left(): void {
    if (this.#state === "half-open") this.#until = 0;
  }

  #go(state: BreakerState): void {
    this.#until = state === "closed" ? 0 : this.#options.now() + this.#options.cooldownMs;
    if (state === this.#state) return;
    this.#state = state;
    this.#options.onChange(state);
  }
}

function circuitOpen(source: string, failures: number, retryAfterMs: number): CallError {
  return new CallError({
    category: "unavailable",
    code: "CIRCUIT_OPEN",
    message: `The source ${source} has failed ${failures} times in a row and is left alone for another ${retryAfterMs} ms.`,
    recoverable: true,
    retryAfterMs,
    suggestedAction: `Call again in ${retryAfterMs} ms; meanwhile find out why ${source} fails.`,
    details: { source, failures },
  });
}
