import { CreditGate } from "./credit-gate.js";
import type { CallRespondedEvent } from "./events.js";
import { type KeptRoom, sizeOfEvent } from "./kept-room.js";

/**
 * The values of a subscription that is being served. Where it may be resumed, those are kept that the consumer may not
 * have taken: never more than the credit, because a consumer gives credit back for what it has taken, and no more than
 * there is room for.
 */
export class ServedValues {
  readonly gate: CreditGate;
  readonly #credit: number;
  readonly #room: KeptRoom | undefined;
  /** A ring, by number. */
  readonly #kept: (KeptValue | undefined)[] = [];
  #sent = 0;
  #keptFrom = 0;
  #size = 0;

  /** Without a room none are kept. */
  constructor(credit: number, room: KeptRoom | undefined) {
    this.gate = new CreditGate(credit);
    this.#credit = credit;
    this.#room = room;
  }

  get sent(): number {
    return this.#sent;
  }

  /** Of those that are kept, in characters of JSON. */
  get size(): number {
    return this.#size;
  }

  /** Notes a value that was sent. */
  add(event: CallRespondedEvent): void {
    const number = this.#sent;
    this.#sent += 1;
    if (this.#room === undefined) return;
    const size = sizeOfEvent(event);
    this.#forgetBelow(this.#sent - MOST_KEPT);
    while (!this.#takesRoom(size)) {
      if (this.#keptFrom === number) {
        this.#keptFrom = this.#sent;
        return;
      }
      this.#forgetBelow(this.#keptFrom + 1);
    }
    this.#size += size;
    this.#kept[number % MOST_KEPT] = { event, size };
  }

  grant(credit: number): void {
    // Whoever waits for credit waits on, and for no longer.
    if (credit === 0) return;
    this.gate.grant(credit);
    this.#forgetTaken();
  }

  /** The consumer has so many values, and has allowed so many in all. */
  resume(received: number, granted: number): void {
    this.#forgetBelow(received);
    this.gate.grantInAll(granted);
    this.#forgetTaken();
  }

  /** What was sent from a number on; nothing where not all of it is there any more, or not yet. */
  from(number: number): CallRespondedEvent[] | undefined {
    if (this.#room === undefined || number < this.#keptFrom || number > this.#sent) return undefined;
    const events: CallRespondedEvent[] = [];
    for (let at = number; at < this.#sent; at += 1) {
      const kept = this.#kept[at % MOST_KEPT];
      if (kept !== undefined) events.push(kept.event);
    }
    return events;
  }

  /** Nobody will ask for any of them. */
  forget(): void {
    this.#forgetBelow(this.#sent);
  }

  #takesRoom(size: number): boolean {
    return this.#size + size <= MOST_SIZE && this.#room?.take(size) === true;
  }

  #forgetTaken(): void {
    this.#forgetBelow(this.gate.granted - this.#credit);
  }

  #forgetBelow(number: number): void {
    const end = Math.min(number, this.#sent);
    for (; this.#keptFrom < end; this.#keptFrom += 1) {
      const slot = this.#keptFrom % MOST_KEPT;
      const { size = 0 } = this.#kept[slot] ?? {};
      this.#kept[slot] = undefined;
      this.#size -= size;
      this.#room?.give(size);
    }
  }
}

/** Of a consumer that allows more at a time, only the last ones can be sent again. */
const MOST_KEPT = 1024;

/** One subscription does not take the room of all. */
const MOST_SIZE = 16 * 1024 * 1024;

interface KeptValue {
  readonly event: CallRespondedEvent;
  readonly size: number;
}
