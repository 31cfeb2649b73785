import { orElse } from "../json/attempt.js";
import type { Bus } from "./bus.js";
import type { CallAbortedEvent, CallCreditedEvent, CallEvent, CallResumedEvent } from "./events.js";
import { UnconfirmedAborts } from "./unconfirmed-aborts.js";

export interface ControlLineOptions {
  readonly bus: Bus;
  /** Where every worker listens. */
  readonly control: string;
  /** Where confirmations are to come. */
  readonly inbox: string;
  /** Milliseconds; `Infinity` where nothing is confirmed. */
  readonly heartbeat: number;
  readonly onUnconfirmed: () => void;
}

/** What a caller says to workers of requests that they have. */
export class ControlLine {
  readonly #bus: Bus;
  readonly #control: string;
  readonly #inbox: string;
  readonly #aborts: UnconfirmedAborts | undefined;

  constructor({ bus, control, inbox, heartbeat, onUnconfirmed }: ControlLineOptions) {
    this.#bus = bus;
    this.#control = control;
    this.#inbox = inbox;
    const send = (event: CallAbortedEvent, controlTo: string | undefined) => this.tell(event, controlTo);
    if (heartbeat !== Number.POSITIVE_INFINITY)
      this.#aborts = new UnconfirmedAborts({ heartbeat, send, onUnconfirmed });
  }

  /** Tells one worker, or all of them. */
  tell(event: CallAbortedEvent | CallCreditedEvent | CallResumedEvent, controlTo: string | undefined): void {
    // If the bus is gone, so is whoever would have listened.
    orElse(() => this.#bus.publish(controlTo ?? this.#control, event), undefined);
  }

  abort(requestId: string, reason: string | undefined, controlTo: string | undefined): void {
    const event = abortedEvent(requestId, reason);
    if (this.#aborts === undefined) this.tell(event, controlTo);
    else this.#aborts.add({ ...event, replyTo: this.#inbox }, controlTo);
  }

  /** Whether an event for no pending call was awaited all the same. */
  hear(event: CallEvent): boolean {
    if (this.#aborts === undefined) return false;
    if (this.#aborts.hear(event)) return true;
    // The worker was out of reach for longer than its abort was repeated: nobody waits for what it does.
    if (event.type === "call.running" && !this.#aborts.has(event.requestId))
      this.abort(event.requestId, undefined, event.controlTo);
    return false;
  }

  /** The same request is made again: an abort that is sent once more would hit it. */
  forget(requestId: string): void {
    this.#aborts?.forget(requestId);
  }

  suspend(): void {
    this.#aborts?.suspend();
  }

  resume(): void {
    this.#aborts?.resume();
  }

  stop(): void {
    this.#aborts?.stop();
  }
}

function abortedEvent(requestId: string, reason: string | undefined): CallAbortedEvent {
  return reason === undefined ? { type: "call.aborted", requestId } : { type: "call.aborted", requestId, reason };
}
