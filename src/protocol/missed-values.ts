import type { CallErrorInit } from "../envelope/call-error.js";
import type { ValueWindow } from "./value-window.js";

/** Tells when a subscription is to ask again for what did not arrive, on either side. */
export class MissedValues {
  readonly #window: ValueWindow;
  readonly #heartbeat: number;
  #gap: CallErrorInit | undefined;
  #gapAt = -1;
  #askedFor = -1;
  #askedAt = 0;
  #repeats = 0;
  #grantedBefore = 0;

  constructor(window: ValueWindow, heartbeat: number) {
    this.#window = window;
    this.#heartbeat = heartbeat;
  }

  /** What is missing, unless it has come since. */
  get gap(): CallErrorInit | undefined {
    return this.#gapAt === this.#window.received ? this.#gap : undefined;
  }

  /** Whether nobody was asked yet for what is missing now, or a while ago. */
  isNew(gap: CallErrorInit): boolean {
    this.#gap = gap;
    this.#gapAt = this.#window.received;
    return this.#isDue();
  }

  /**
   * Whether the worker's own counts tell of something missing. Credit may be on its way to it: only what was given
   * before the last sign of life has had the time.
   */
  isTold(sent: number, granted: number = Number.POSITIVE_INFINITY): boolean {
    const isMissing = sent > this.#window.received || granted < this.#grantedBefore;
    this.#grantedBefore = this.#window.granted;
    return isMissing && this.#isDue();
  }

  noteAsked(): void {
    this.#repeats = this.#askedFor === this.#window.received ? Math.min(this.#repeats + 1, MOST_DOUBLINGS) : 0;
    this.#askedFor = this.#window.received;
    this.#askedAt = Date.now();
  }

  /** Each answer is as large as all that is missing: where it does not come through, more of them would not either. */
  #isDue(): boolean {
    if (this.#askedFor !== this.#window.received) return true;
    return Date.now() - this.#askedAt >= this.#heartbeat * 2 ** this.#repeats;
  }
}

const MOST_DOUBLINGS = 3;
