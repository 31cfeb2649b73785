import type { CallRunningEvent } from "./events.js";
import type { ServedCall } from "./served-call.js";

/**
 * Tells callers that their calls are being worked on, where they want to hear it. Most calls end before the first sign
 * is due and cost an entry in a list: two timers do for all calls, and what has ended is dropped when they ring.
 */
export class SignsOfLife {
  readonly #controlTo: string;
  /** Calls without a sign yet: those that began since the last ring, and those from before it. */
  #new: ServedCall[] = [];
  #older: ServedCall[] = [];
  #steady: Signed[] = [];
  #firstTimer: ReturnType<typeof setTimeout> | undefined;
  #steadyTimer: ReturnType<typeof setTimeout> | undefined;
  #steadyEvery = Number.POSITIVE_INFINITY;

  constructor(controlTo: string) {
    this.#controlTo = controlTo;
  }

  begin(call: ServedCall): void {
    const { heartbeat, credit } = call.request;
    if (heartbeat === undefined) return;
    if (credit !== undefined) {
      this.#goOn(call);
      return;
    }
    this.#new.push(call);
    this.#firstTimer ??= unawaited(this.#signFirst, FIRST_AFTER);
  }

  /** Says so now, to a caller that asks. */
  sign(call: ServedCall): void {
    call.responder.tell(this.#event(call));
  }

  stop(): void {
    clearTimeout(this.#firstTimer);
    clearTimeout(this.#steadyTimer);
    this.#new = this.#older = this.#steady = [];
  }

  /** A call gets its first sign at the second ring after it began, so none gets it early. */
  readonly #signFirst = (): void => {
    const due = this.#older;
    this.#older = this.#new;
    this.#new = [];
    for (const call of due) if (!call.responder.isSettled) this.#goOn(call);
    this.#firstTimer = this.#older.length > 0 ? unawaited(this.#signFirst, FIRST_AFTER) : undefined;
  };

  #goOn(call: ServedCall): void {
    const every = Math.max(call.request.heartbeat ?? 0, SHORTEST_HEARTBEAT);
    this.sign(call);
    this.#steady.push({ call, every, signedAt: Date.now() });
    if (every < this.#steadyEvery) this.#ringEvery(every);
  }

  /** Four times a heartbeat everything is looked at, so that no sign comes late and no timer is needed for each. */
  #ringEvery(every: number): void {
    clearTimeout(this.#steadyTimer);
    this.#steadyEvery = every;
    this.#steadyTimer = every === Number.POSITIVE_INFINITY ? undefined : unawaited(this.#signAgain, every / 4);
  }

  readonly #signAgain = (): void => {
    const now = Date.now();
    this.#steady = this.#steady.filter(({ call }) => !call.responder.isSettled);
    let shortest = Number.POSITIVE_INFINITY;
    for (const signed of this.#steady) {
      shortest = Math.min(shortest, signed.every);
      if (now - signed.signedAt < signed.every * 0.75) continue;
      signed.signedAt = now;
      this.sign(signed.call);
    }
    this.#ringEvery(shortest);
  };

  #event({ request: { requestId }, values }: ServedCall): CallRunningEvent {
    const event = { type: "call.running", requestId, controlTo: this.#controlTo } as const;
    return values === undefined ? event : { ...event, sent: values.sent, granted: values.gate.granted };
  }
}

/** Milliseconds. */
const FIRST_AFTER = 5;

/** Milliseconds. What a caller asks for must not keep the worker busy. */
const SHORTEST_HEARTBEAT = 10;

interface Signed {
  readonly call: ServedCall;
  readonly every: number;
  signedAt: number;
}

/** A timer that does not keep Node alive; elsewhere a timer is a number. */
function unawaited(ring: () => void, ms: number): ReturnType<typeof setTimeout> {
  const timer = setTimeout(ring, ms);
  timer.unref?.();
  return timer;
}
