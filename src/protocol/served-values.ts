import { CreditGate } from "./credit-gate.js";
import type { CallRespondedEvent } from "./events.js";

/**
 * The values of a subscription that is being served. Where it may be resumed, those are kept that the consumer may not
 * have taken: never more than the credit, because a consumer gives credit back for what it has taken.
 */
export class ServedValues {
  readonly gate: CreditGate;
  readonly #credit: number;
  /** A ring, by number. */
  readonly #kept: (CallRespondedEvent | undefined)[] | undefined;
  #sent = 0;
  #keptFrom = 0;

  constructor(credit: number, isKept: boolean) {
    this.gate = new CreditGate(credit);
    this.#credit = credit;
    this.#kept = isKept ? [] : undefined;
  }

  get sent(): number {
    return this.#sent;
  }

  /** Notes a value that was sent. */
  add(event: CallRespondedEvent): void {
    const number = this.#sent;
    this.#sent += 1;
    if (this.#kept === undefined) return;
    this.#kept[number % MOST_KEPT] = event;
    if (this.#sent - this.#keptFrom > MOST_KEPT) this.#keptFrom = this.#sent - MOST_KEPT;
  }

  grant(credit: number): void {
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
    if (this.#kept === undefined || number < this.#keptFrom || number > this.#sent) return undefined;
    const events: CallRespondedEvent[] = [];
    for (let at = number; at < this.#sent; at += 1) {
      const event = this.#kept[at % MOST_KEPT];
      if (event !== undefined) events.push(event);
    }
    return events;
  }

  /** What is kept to be sent again. */
  get kept(): readonly CallRespondedEvent[] {
    return this.from(this.#keptFrom) ?? [];
  }

  #forgetTaken(): void {
    this.#forgetBelow(this.gate.granted - this.#credit);
  }

  #forgetBelow(number: number): void {
    if (this.#kept === undefined) return;
    const end = Math.min(number, this.#sent);
    for (; this.#keptFrom < end; this.#keptFrom += 1) this.#kept[this.#keptFrom % MOST_KEPT] = undefined;
  }
}

/** Of a consumer that allows more at a time, only the last ones can be sent again. */
const MOST_KEPT = 1024;
