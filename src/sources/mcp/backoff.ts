const FIRST_DELAY = 250;
const LONGEST_DELAY = 30_000;
/** One that lived this long has started well, whatever ended it. */
const SETTLED_AFTER = 10_000;

/** When a server that ended may be started again: at once, then ever more slowly while it keeps failing. */
export class Backoff {
  #failures = 0;
  #notBefore = 0;
  #startedAt = 0;

  started(): void {
    this.#startedAt = Date.now();
  }

  failed(now: number = Date.now()): void {
    if (this.#startedAt > 0 && now - this.#startedAt >= SETTLED_AFTER) this.#failures = 0;
    this.#startedAt = 0;
    const delay = this.#failures === 0 ? 0 : Math.min(FIRST_DELAY * 2 ** (this.#failures - 1), LONGEST_DELAY);
    this.#failures += 1;
    this.#notBefore = now + delay;
  }

  /** Milliseconds still to wait. */
  wait(now: number = Date.now()): number {
    return Math.max(0, this.#notBefore - now);
  }

  get failures(): number {
    return this.#failures;
  }
}
