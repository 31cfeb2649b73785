const SHORTEST_REST = 25;
const LONGEST_REST = 10_000;

/**
 * Does something again whenever it may have changed: one after the other, and at most one waits. While there is a new
 * reason each time, or it fails, it is done ever more rarely.
 */
export class Refresher {
  readonly #work: () => Promise<void>;
  readonly #mayBegin: () => boolean;
  #last: Promise<unknown> = Promise.resolve();
  #isBusy = false;
  #isStale = false;
  #isStopped = false;
  #restMs = 0;
  #resting: ReturnType<typeof setTimeout> | undefined;
  #failure: unknown;

  /** `mayBegin` tells whether it may be done now without being asked for. */
  constructor(work: () => Promise<void>, mayBegin: () => boolean) {
    this.#work = work;
    this.#mayBegin = mayBegin;
  }

  /** Why what is known may be old. */
  get failure(): unknown {
    return this.#failure;
  }

  /** Once what was begun before has ended. */
  run(): Promise<void> {
    const turn = this.#last.then(this.#work);
    this.#last = turn.catch(() => {});
    return turn.then(
      () => {
        this.#failure = undefined;
      },
      (thrown) => {
        this.#failure = thrown;
        throw thrown;
      },
    );
  }

  soon(): void {
    this.#isStale = true;
    if (!this.#isBusy) this.#begin();
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#resting);
  }

  #begin(): void {
    if (this.#isStopped || !this.#mayBegin()) return;
    this.#isBusy = true;
    this.#isStale = false;
    this.run().then(
      () => this.#rest(),
      () => {
        this.#isStale = true;
        this.#rest();
      },
    );
  }

  #rest(): void {
    if (this.#isStopped) return;
    this.#restMs = this.#isStale ? Math.min(Math.max(this.#restMs * 2, SHORTEST_REST), LONGEST_REST) : 0;
    this.#resting = setTimeout(() => {
      this.#isBusy = false;
      if (this.#isStale) this.#begin();
    }, this.#restMs);
    this.#resting.unref();
  }
}
