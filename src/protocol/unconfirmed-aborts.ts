import type { CallAbortedEvent, CallEvent } from "./events.js";
import { type Expiring, ExpirySweep } from "./expiry-sweep.js";
import { RequestTable } from "./request-table.js";

export interface UnconfirmedAbortsOptions {
  /** How long, in milliseconds, a worker has to confirm. */
  readonly heartbeat: number;
  /** Without an address, to every worker. */
  readonly send: (event: CallAbortedEvent, controlTo: string | undefined) => void;
  /** Told of each abort that nobody confirmed. */
  readonly onUnconfirmed: () => void;
}

/** Aborts that no worker has confirmed: they are sent again, for a while. Nobody waits for them. */
export class UnconfirmedAborts {
  readonly #heartbeat: number;
  readonly #send: UnconfirmedAbortsOptions["send"];
  readonly #onUnconfirmed: () => void;
  readonly #aborts = new RequestTable<Unconfirmed>();
  readonly #sweep: ExpirySweep<Unconfirmed> = new ExpirySweep(this.#aborts, (abort) => this.#expire(abort));
  #isSuspended = false;

  constructor({ heartbeat, send, onUnconfirmed }: UnconfirmedAbortsOptions) {
    this.#heartbeat = heartbeat;
    this.#send = send;
    this.#onUnconfirmed = onUnconfirmed;
  }

  add(event: CallAbortedEvent, controlTo: string | undefined): void {
    this.forget(event.requestId);
    if (this.#aborts.size >= MOST_KEPT) {
      this.#send(event, controlTo);
      this.#onUnconfirmed();
      return;
    }
    const abort: Unconfirmed = { event, controlTo, repeats: 0, expiresAt: 0 };
    this.#aborts.add(event.requestId, abort);
    this.#sendNow(abort);
    this.#sweep.watch(abort.expiresAt);
  }

  has(requestId: string): boolean {
    return this.#aborts.get(requestId) !== undefined;
  }

  /** Whether the event of a call that is no longer pending tells how its abort went. */
  hear(event: CallEvent): boolean {
    if (this.#aborts.size === 0) return false;
    const abort = this.#aborts.get(event.requestId);
    if (abort === undefined) return false;
    if (event.type === "call.running") this.#direct(abort, event.controlTo);
    else if (isLast(event)) this.forget(event.requestId);
    return event.type === "call.aborted";
  }

  /** The same request is made again: an abort would hit it. */
  forget(requestId: string): void {
    this.#aborts.delete(requestId);
  }

  /** Until `resume`, nothing can be confirmed. */
  suspend(): void {
    this.#isSuspended = true;
  }

  resume(): void {
    this.#isSuspended = false;
    for (const abort of this.#aborts.values()) this.#sendNow(abort);
  }

  /** Nobody hears a confirmation any more. */
  stop(): void {
    for (const { event } of this.#aborts.values()) this.#giveUp(event.requestId);
    this.#sweep.stop();
  }

  /** The sign of life was sent before the worker heard of the abort, or it has not heard of it at all. */
  #direct(abort: Unconfirmed, controlTo: string | undefined): void {
    if (controlTo === undefined || abort.controlTo === controlTo) return;
    abort.controlTo = controlTo;
    this.#sendNow(abort);
  }

  #sendNow(abort: Unconfirmed): void {
    abort.expiresAt = Date.now() + this.#heartbeat;
    this.#send(abort.event, abort.controlTo);
  }

  #expire(abort: Unconfirmed): void {
    if (this.#isSuspended) {
      abort.expiresAt = Date.now() + this.#heartbeat;
    } else if (abort.repeats < MOST_REPEATS) {
      abort.repeats += 1;
      this.#sendNow(abort);
    } else {
      this.#giveUp(abort.event.requestId);
    }
  }

  #giveUp(requestId: string): void {
    this.forget(requestId);
    this.#onUnconfirmed();
  }
}

const MOST_REPEATS = 5;
const MOST_KEPT = 10_000;

interface Unconfirmed extends Expiring {
  readonly event: CallAbortedEvent;
  controlTo: string | undefined;
  repeats: number;
  expiresAt: number;
}

/** The worker confirms, or had ended the call by then. */
function isLast(event: CallEvent): boolean {
  if (event.type === "call.responded") return event.sequence === undefined;
  return event.type === "call.aborted" || event.type === "call.error" || event.type === "call.completed";
}
