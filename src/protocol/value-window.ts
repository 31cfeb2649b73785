import type { ResponseEnvelope } from "../envelope/response-envelope.js";

/** What a value is that arrives with a sequence number. */
type Arrival = "next" | "duplicate" | "gap" | "excess";

/**
 * The values of a subscription between their arrival and the consumer, never more than the credit. It counts what was
 * granted, received and taken: everything else follows from the three numbers.
 */
export class ValueWindow {
  readonly #credit: number;
  /** A ring: the credit bounds it, so nothing is ever moved. */
  readonly #values: (ResponseEnvelope | undefined)[] = [];
  #granted: number;
  #received = 0;
  #taken = 0;

  constructor(credit: number) {
    this.#credit = credit;
    this.#granted = credit;
  }

  /** How many have arrived, which is also the number of the next one. */
  get received(): number {
    return this.#received;
  }

  /** How many the producer may send in all. */
  get granted(): number {
    return this.#granted;
  }

  get isEmpty(): boolean {
    return this.#received === this.#taken;
  }

  /** A peer that does not number its values is believed to send them in order. */
  judge(sequence: number = this.#received): Arrival {
    if (sequence < this.#received) return "duplicate";
    if (sequence > this.#received) return "gap";
    return this.#received < this.#granted ? "next" : "excess";
  }

  put(value: ResponseEnvelope): void {
    this.#values[this.#received % this.#credit] = value;
    this.#received += 1;
  }

  take(): ResponseEnvelope | undefined {
    const slot = this.#taken % this.#credit;
    const value = this.#values[slot];
    this.#values[slot] = undefined;
    this.#taken += 1;
    return value;
  }

  clear(): void {
    this.#values.length = 0;
    this.#taken = this.#received;
  }

  /** How much credit the producer gets back: nothing while it has more than half of it left, unless it is urgent. */
  grant(isUrgent: boolean): number {
    const owed = this.#taken + this.#credit - this.#granted;
    if (owed * 2 < this.#credit && !isUrgent) return 0;
    this.#granted += owed;
    return owed;
  }
}
