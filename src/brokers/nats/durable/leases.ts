import type { RunningDurable } from "./running.js";

export interface LeaseOptions {
  /** Tells the server that the call is being worked on; resolves when it has heard it. */
  readonly renew: (running: RunningDurable) => Promise<void>;
  readonly onLost: (running: RunningDurable) => void;
  /** Resolves when all that the server had sent before has arrived. */
  readonly flush: () => Promise<void>;
}

/** How often, within the time that the server allows, it hears that a call is being worked on. */
const RENEWALS = 4;

/** Keeps the calls that a worker has from being given to another, by one timer for all. */
export class Leases {
  readonly #options: LeaseOptions;
  readonly #held = new Set<RunningDurable>();
  #shortest = Number.POSITIVE_INFINITY;
  #timer: ReturnType<typeof setInterval> | undefined;
  #lookedAt = performance.now();
  #pauses = 0;

  constructor(options: LeaseOptions) {
    this.#options = options;
  }

  /** There will be calls that are held for so long. */
  expect(ackWaitMs: number): void {
    if (ackWaitMs >= this.#shortest) return;
    this.#shortest = ackWaitMs;
    clearInterval(this.#timer);
    this.#lookedAt = performance.now();
    this.#timer = setInterval(() => this.#look(), ackWaitMs / RENEWALS).unref();
  }

  add(running: RunningDurable): void {
    this.#held.add(running);
  }

  delete(running: RunningDurable): void {
    this.#held.delete(running);
  }

  /**
   * Whether this process stood still for so long that what it reads now may have been given to another worker since.
   */
  get isBehind(): boolean {
    if (performance.now() - this.#lookedAt > this.#shortest / 2) this.#look();
    return this.#pauses > 0;
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#held.clear();
  }

  #look(): void {
    const now = performance.now();
    const stoodStill = now - this.#lookedAt > this.#shortest / 2;
    this.#lookedAt = now;
    if (stoodStill) this.#catchUp();
    for (const running of this.#held) this.#tend(running, now);
  }

  #tend(running: RunningDurable, now: number): void {
    if (running.stopped?.reason === "lost") return;
    if (now >= running.heldUntil) this.#options.onLost(running);
    else
      this.#options.renew(running).then(
        () => running.renew(now),
        () => {},
      );
  }

  #catchUp(): void {
    this.#pauses += 1;
    const done = (): void => {
      this.#pauses -= 1;
    };
    this.#options.flush().then(done, done);
  }
}
