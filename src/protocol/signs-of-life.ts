import { LONGEST_TIMER } from "../json/longest-timer.js";
import { CallList } from "./call-list.js";
import type { CallRunningEvent } from "./events.js";
import type { ServedCall } from "./served-call.js";

/**
 * Tells callers that their calls are being worked on, where they want to hear it. Most calls end before the first sign
 * is due: they are put into a list and taken out of it, and two timers do for all calls.
 */
export class SignsOfLife {
  /** While it is set, nobody is taken for gone: the worker itself may not be heard. */
  isSuspended = false;
  readonly #controlTo: string;
  readonly #onGone: (call: ServedCall) => void;
  readonly #unsigned = new CallList<ServedCall>();
  #steady: Signed[] = [];
  /** How often the timer for first signs has rung. */
  #rings = 0;
  #firstTimer: ReturnType<typeof setTimeout> | undefined;
  #steadyTimer: ReturnType<typeof setTimeout> | undefined;
  #steadyEvery = Number.POSITIVE_INFINITY;

  /** `onGone` is told of a subscription whose consumer has answered no sign for too long. */
  constructor(controlTo: string, onGone: (call: ServedCall) => void) {
    this.#controlTo = controlTo;
    this.#onGone = onGone;
  }

  begin(call: ServedCall): void {
    const { heartbeat, credit } = call.request;
    if (heartbeat === undefined) return;
    if (credit !== undefined) {
      this.#goOn(call);
      return;
    }
    // It gets its first sign at the second ring from now, so none gets it early.
    this.#unsigned.add(call, this.#rings + 2);
    this.#firstTimer ??= unawaited(this.#signFirst, FIRST_AFTER);
  }

  end(call: ServedCall): void {
    this.#unsigned.delete(call);
  }

  /** Says so now, to a caller that asks. */
  sign(call: ServedCall): void {
    call.responder.tell(this.#event(call));
  }

  stop(): void {
    clearTimeout(this.#firstTimer);
    clearTimeout(this.#steadyTimer);
    this.#steady = [];
  }

  readonly #signFirst = (): void => {
    this.#rings += 1;
    let call = this.#unsigned.takeDue(this.#rings);
    for (; call !== undefined; call = this.#unsigned.takeDue(this.#rings)) {
      if (!call.responder.isSettled) this.#goOn(call);
    }
    this.#firstTimer = this.#unsigned.isEmpty ? undefined : unawaited(this.#signFirst, FIRST_AFTER);
  };

  #goOn(call: ServedCall): void {
    const every = Math.max(call.request.heartbeat ?? 0, SHORTEST_HEARTBEAT);
    this.sign(call);
    const now = Date.now();
    this.#steady.push({ call, every, signedAt: now, heardAt: now });
    if (every < this.#steadyEvery) this.#ringEvery(every);
  }

  /** Four times a heartbeat everything is looked at, so that no sign comes late and no timer is needed for each. */
  #ringEvery(every: number): void {
    clearTimeout(this.#steadyTimer);
    this.#steadyEvery = every;
    this.#steadyTimer =
      every === Number.POSITIVE_INFINITY ? undefined : unawaited(this.#signAgain, Math.min(every / 4, LONGEST_TIMER));
  }

  readonly #signAgain = (): void => {
    const now = Date.now();
    this.#steady = this.#steady.filter(({ call }) => !call.responder.isSettled);
    let shortest = Number.POSITIVE_INFINITY;
    for (const signed of this.#steady) {
      shortest = Math.min(shortest, signed.every);
      if (now - signed.signedAt < signed.every * 0.75) continue;
      signed.signedAt = now;
      if (this.#isGone(signed, now)) this.#onGone(signed.call);
      else this.sign(signed.call);
    }
    this.#ringEvery(shortest);
  };

  /** Signs count, and not only the time: where this process stood still, what came meanwhile has not been read. */
  #isGone(signed: Signed, now: number): boolean {
    const { call, every } = signed;
    if (call.values === undefined) return false;
    if (this.isSuspended || call.unanswered === 0) signed.heardAt = now;
    call.unanswered = this.isSuspended ? 0 : call.unanswered + 1;
    return (
      call.unanswered > MOST_UNANSWERED && now - signed.heardAt >= Math.max(MOST_UNANSWERED * every, SHORTEST_WAIT)
    );
  }

  #event({ request: { requestId }, values }: ServedCall): CallRunningEvent {
    const event = { type: "call.running", requestId, controlTo: this.#controlTo } as const;
    return values === undefined ? event : { ...event, sent: values.sent, granted: values.gate.granted };
  }
}

/** Milliseconds. */
const FIRST_AFTER = 5;

const MOST_UNANSWERED = 10;

/** Milliseconds. A caller that is cut off for a moment comes back. */
const SHORTEST_WAIT = 10_000;

/** Milliseconds. What a caller asks for must not keep the worker busy. */
const SHORTEST_HEARTBEAT = 10;

interface Signed {
  readonly call: ServedCall;
  readonly every: number;
  signedAt: number;
  /** About when its caller was last heard of. */
  heardAt: number;
}

/** A timer that does not keep Node alive; elsewhere a timer is a number. */
function unawaited(ring: () => void, ms: number): ReturnType<typeof setTimeout> {
  const timer = setTimeout(ring, ms);
  timer.unref?.();
  return timer;
}
