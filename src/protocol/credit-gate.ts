/** Lets a producer pass as often as its consumer has allowed. */
export class CreditGate {
  #left: number;
  #open: (() => void) | undefined;

  constructor(credit: number) {
    this.#left = credit;
  }

  /** Whether there was credit for one more; it is used up then. */
  take(): boolean {
    if (this.#left === 0) return false;
    this.#left -= 1;
    return true;
  }

  grant(credit: number): void {
    this.#left = Math.min(this.#left + credit, Number.MAX_SAFE_INTEGER);
    this.wake();
  }

  /** Lets the one who waits look again, with or without credit. */
  wake(): void {
    this.#open?.();
    this.#open = undefined;
  }

  /** Until there is credit, or `wake` is called. */
  wait(): Promise<void> {
    return new Promise((resolve) => {
      this.#open = resolve;
    });
  }
}
