/** Lets a producer pass as often as its consumer has allowed. */
export class CreditGate {
  #granted: number;
  #passed = 0;
  #open: (() => void) | undefined;

  constructor(credit: number) {
    this.#granted = credit;
  }

  /** How often it may pass in all. */
  get granted(): number {
    return this.#granted;
  }

  /** Whether there was credit for one more; it is used up then. */
  take(): boolean {
    if (this.#passed === this.#granted) return false;
    this.#passed += 1;
    return true;
  }

  grant(credit: number): void {
    this.grantInAll(this.#granted + credit);
  }

  /** What was allowed once is never taken back. */
  grantInAll(granted: number): void {
    this.#granted = Math.min(Math.max(this.#granted, granted), Number.MAX_SAFE_INTEGER);
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
