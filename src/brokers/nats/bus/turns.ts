import { attempt } from "../../../json/attempt.js";

/**
 * Keeps callers and workers out of step. Where the answers to all calls come together, the next requests go together too,
 * and from then on one side stands still while the other works. So half of such answers wait for the next turn, and what
 * comes meanwhile waits behind them.
 */
export class Turns {
  #waiting: (() => void)[] = [];
  #isCatchingUp = false;
  readonly #onError: (thrown: unknown) => void;

  constructor(onError: (thrown: unknown) => void) {
    this.#onError = onError;
  }

  /** Whether something waits. */
  get areAhead(): boolean {
    return this.#waiting.length > 0;
  }

  /** How many of the events that came together are to be delivered in this turn. */
  shareOf(count: number, awaited: number): number {
    return count < FEWEST || count <= MOST_OF * awaited || this.#isCatchingUp ? count : Math.ceil(count / 2);
  }

  /** In the next turn, behind what waits already. */
  later(deliver: () => void): void {
    if (this.#waiting.length === 0) setImmediate(this.#catchUp);
    this.#waiting.push(deliver);
  }

  readonly #catchUp = (): void => {
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#isCatchingUp = true;
    for (const deliver of waiting) attempt(deliver, this.#onError);
    this.#isCatchingUp = false;
  };
}

/** One more turn costs more than a few calls do. */
const FEWEST = 32;

/** Some calls take longer than others; out of step, two halves of them alternate. */
const MOST_OF = 0.75;
