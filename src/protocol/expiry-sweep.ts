import { LONGEST_TIMER } from "../json/longest-timer.js";

/** Something that ends by itself; `Infinity` where it does not. When the time is brought forward, `watch` must be called. */
export interface Expiring {
  readonly expiresAt: number;
}

/** Those that are watched, as they are at the moment. */
interface Members<T> {
  readonly size: number;
  values(): readonly T[];
}

/**
 * Ends what has expired, with one timer for all of it: a timer a call would cost more than the rest of the call. The
 * timer stands at the earliest time; when it rings, everything is looked at once.
 */
export class ExpirySweep<T extends Expiring> {
  readonly #members: Members<T>;
  readonly #expire: (member: T) => void;
  readonly #isAwaited: boolean;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #ringsAt = Number.POSITIVE_INFINITY;

  /** Where someone awaits the members, the process must not end before they do. */
  constructor(members: Members<T>, expire: (member: T) => void, isAwaited = false) {
    this.#members = members;
    this.#expire = expire;
    this.#isAwaited = isAwaited;
  }

  /** To be called with the time of each new member, and of one whose time was brought forward. */
  watch(expiresAt: number): void {
    if (expiresAt < this.#ringsAt) this.#arm(expiresAt, expiresAt - Date.now());
    else if (this.#isAwaited) this.#timer?.ref?.();
  }

  /** No member is left: the timer is no reason for Node to stay alive. Elsewhere a timer is a number. */
  rest(): void {
    this.#timer?.unref?.();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#ringsAt = Number.POSITIVE_INFINITY;
  }

  #arm(expiresAt: number, delay: number): void {
    clearTimeout(this.#timer);
    this.#ringsAt = expiresAt;
    this.#timer = setTimeout(this.#sweep, Math.min(Math.max(delay, 0), LONGEST_TIMER));
    if (!this.#isAwaited) this.rest();
  }

  readonly #sweep = (): void => {
    this.#ringsAt = Number.POSITIVE_INFINITY;
    const now = Date.now();
    for (const member of this.#members.values()) if (member.expiresAt <= now) this.#expire(member);
    let earliest = Number.POSITIVE_INFINITY;
    for (const { expiresAt } of this.#members.values()) if (expiresAt < earliest) earliest = expiresAt;
    // The more there is to look at, the more rarely: a thousand calls a millisecond at most.
    if (earliest < this.#ringsAt) this.#arm(earliest, Math.max(earliest - now, this.#members.size / 1000));
  };
}
