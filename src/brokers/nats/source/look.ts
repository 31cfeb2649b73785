/** How long nothing more must come before all is taken to have come, in milliseconds. */
const QUIET_MS = 100;

/** Waits for the answers to one question to many. Nobody knows how many there will be. */
export class Look {
  /** Those who answered. */
  readonly heard: Set<string> = new Set();
  /** Those of whom the server says that they are not there. */
  readonly gone: Set<string> = new Set();
  readonly ended: Promise<void>;
  readonly #expected: Set<string>;
  readonly #quietMs: number;
  #end: () => void = () => {};
  #timer: ReturnType<typeof setTimeout> | undefined;
  #deadline: ReturnType<typeof setTimeout> | undefined;

  /** It ends when all who are expected have answered and nothing more comes, but no later than it may. */
  constructor(expected: Iterable<string>, longestMs: number, quietMs: number = QUIET_MS) {
    this.#expected = new Set(expected);
    this.#quietMs = quietMs;
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
    this.#deadline = setTimeout(() => this.end(), longestMs);
  }

  /** Answers of strangers count too: who is near enough answers at about the same time. */
  hear(id: string | undefined): void {
    if (id !== undefined) {
      this.heard.add(id);
      this.#expected.delete(id);
    }
    this.#wait();
  }

  miss(id: string): void {
    this.gone.add(id);
    this.#expected.delete(id);
    this.#wait();
  }

  end(): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#deadline);
    this.#end();
  }

  #wait(): void {
    if (this.#expected.size > 0) return;
    if (this.#quietMs === 0) this.end();
    else if (this.#timer === undefined) this.#timer = setTimeout(() => this.end(), this.#quietMs);
    else this.#timer.refresh();
  }
}
