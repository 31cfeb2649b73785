import type { CallEvent } from "./events.js";
import { KeptRoom, sizeOfEvent } from "./kept-room.js";
import { RequestTable } from "./request-table.js";
import type { ServedValues } from "./served-values.js";

/** How a request ended. */
export interface KeptAnswer {
  readonly requestId: string;
  readonly replyTo: string;
  readonly lastWord: CallEvent;
  /** Of a subscription; they have room of their own. */
  readonly values: ServedValues | undefined;
}

/**
 * The last words to requests that must not run twice, for callers that have missed them: the newest ones, for a while,
 * and no more of them than there is room for.
 */
export class KeptAnswers {
  readonly #room = new KeptRoom();
  readonly #byId = new RequestTable<Slot>();
  /** A ring, in the order in which they came. */
  readonly #slots: (Slot | undefined)[] = [];
  #next = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isStopped = false;

  get size(): number {
    return this.#byId.size;
  }

  add(answer: KeptAnswer): void {
    this.delete(answer.requestId);
    const size = sizeOfEvent(answer.lastWord);
    if (this.#isStopped || !this.#makeRoom(size)) {
      answer.values?.forget();
      return;
    }
    this.#drop(this.#slots[this.#next]);
    const slot: Slot = { answer, size, at: this.#next, until: Date.now() + KEPT_MS };
    this.#slots[this.#next] = slot;
    this.#byId.add(answer.requestId, slot);
    this.#next = (this.#next + 1) % MOST_KEPT;
    this.#timer ??= this.#dropLater();
  }

  get(requestId: string): KeptAnswer | undefined {
    const slot = this.#byId.get(requestId);
    return slot === undefined || slot.until <= Date.now() ? undefined : slot.answer;
  }

  /** Whether it was kept. */
  delete(requestId: string): boolean {
    const slot = this.#byId.get(requestId);
    this.#drop(slot);
    return slot !== undefined;
  }

  /** Keeps nothing any more, also of calls that end later. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    for (const slot of this.#byId.values()) this.#drop(slot);
  }

  /** Whether there is room now. The oldest stands at the next place of the ring. */
  #makeRoom(size: number): boolean {
    if (size === Number.POSITIVE_INFINITY) return false;
    for (let at = 0; at < MOST_KEPT; at += 1) {
      if (this.#room.take(size)) return true;
      this.#drop(this.#slots[(this.#next + at) % MOST_KEPT]);
    }
    return this.#room.take(size);
  }

  #drop(slot: Slot | undefined): void {
    if (slot === undefined) return;
    this.#room.give(slot.size);
    slot.answer.values?.forget();
    this.#slots[slot.at] = undefined;
    this.#byId.delete(slot.answer.requestId);
  }

  #dropLater(): ReturnType<typeof setTimeout> {
    const timer = setTimeout(this.#dropOld, KEPT_MS);
    timer.unref?.();
    return timer;
  }

  readonly #dropOld = (): void => {
    const now = Date.now();
    for (const slot of this.#byId.values()) if (slot.until <= now) this.#drop(slot);
    this.#timer = this.size > 0 ? this.#dropLater() : undefined;
  };
}

const MOST_KEPT = 1024;
const KEPT_MS = 30_000;

interface Slot {
  readonly answer: KeptAnswer;
  readonly size: number;
  readonly at: number;
  readonly until: number;
}
