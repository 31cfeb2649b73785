import { orElse } from "../../../json/attempt.js";
import type { BusListener } from "../../../protocol/bus.js";
import type { CallEvent } from "../../../protocol/events.js";
import type { NatsSubscription } from "../nats-client.js";
import { Turns } from "./turns.js";

/** One subscription of NATS, and who hears it. */
export class Topic {
  readonly address: string;
  readonly turns: Turns;
  subscription: NatsSubscription | undefined;
  /** Replaced, never changed: a delivery that is under way goes on with the old one. */
  #members: readonly Member[] = [];
  readonly #onError: (thrown: unknown) => void;
  /** What waits for a large event before it, by request. */
  readonly #waiting = new Map<string, Waiting[]>();
  #waitingCount = 0;
  #whenIdle: () => void = () => {};

  constructor(address: string, onError: (thrown: unknown) => void) {
    this.address = address;
    this.#onError = onError;
    this.turns = new Turns(onError);
  }

  get isDeserted(): boolean {
    return this.#members.length === 0;
  }

  join(listener: BusListener, awaited: () => number = UNKNOWN): Member {
    const member: Member = { listener, awaited, isActive: true };
    this.#members = [...this.#members, member];
    return member;
  }

  /** How many answers the listeners wait for. */
  awaited(): number {
    return this.#members.reduce((sum, member) => sum + member.awaited(), 0);
  }

  leave(member: Member): void {
    member.isActive = false;
    this.#members = this.#members.filter((other) => other !== member);
  }

  dismiss(): void {
    for (const member of this.#members) member.isActive = false;
    this.#members = [];
    this.#waiting.clear();
    this.#waitingCount = 0;
  }

  /** Gives back whether it is delivered, or will be: whoever announces what never comes must not fill the memory. */
  deliver(event: CallEvent): boolean {
    const before = this.#waiting.size === 0 ? undefined : this.#waiting.get(event.requestId);
    if (before !== undefined) return this.#wait(before, event);
    this.tell(event);
    return true;
  }

  /** Delivers it whatever waits. */
  tell(event: CallEvent): void {
    for (const member of this.#members) {
      // One that left during this very delivery is still in the list.
      if (!member.isActive) continue;
      try {
        member.listener(event);
      } catch (thrown) {
        orElse(() => this.#onError(thrown), undefined);
      }
    }
  }

  /**
   * Begins something that takes its time in the place of an event, once all before it is delivered. Later events of the
   * request wait until `goOn`. Gives back whether it begins, or will.
   */
  pause(requestId: string, begin: () => void): boolean {
    const before = this.#waiting.get(requestId);
    if (before !== undefined) return this.#wait(before, begin);
    this.#waiting.set(requestId, []);
    begin();
    return true;
  }

  goOn(requestId: string): void {
    const waiting = this.#waiting.get(requestId) ?? [];
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      this.#waitingCount -= 1;
      if (typeof next === "function") {
        next();
        return;
      }
      this.tell(next);
    }
    this.#waiting.delete(requestId);
    if (this.#waiting.size === 0) this.#whenIdle();
  }

  /** Calls back when nothing is waited for. */
  idle(then: () => void): void {
    if (this.#waiting.size === 0) then();
    else this.#whenIdle = then;
  }

  #wait(before: Waiting[], next: Waiting): boolean {
    if (this.#waitingCount >= MOST_WAITING) return false;
    this.#waitingCount += 1;
    before.push(next);
    return true;
  }
}

type Waiting = CallEvent | (() => void);

const MOST_WAITING = 10_000;

const UNKNOWN = (): number => Number.POSITIVE_INFINITY;

export interface Member {
  readonly listener: BusListener;
  readonly awaited: () => number;
  isActive: boolean;
}
