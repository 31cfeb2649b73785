import { sizeLeft } from "../schema/size.js";
import type { CallEvent } from "./events.js";
import { RequestTable } from "./request-table.js";
import type { ServedValues } from "./served-values.js";

/** How a request ended. */
export interface KeptAnswer {
  readonly requestId: string;
  readonly replyTo: string;
  readonly lastWord: CallEvent;
  /** Of a subscription. */
  readonly values: ServedValues | undefined;
}

/**
 * The last words to requests that must not run twice, for callers that have missed them: the newest ones, for a while,
 * and no more of them than fit into memory.
 */
export class KeptAnswers {
  readonly #byId = new RequestTable<Slot>();
  /** A ring, in the order in which they came. */
  readonly #slots: (Slot | undefined)[] = [];
  #next = 0;
  /** Of all of them, in characters of JSON. */
  #total = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  get size(): number {
    return this.#byId.size;
  }

  add(answer: KeptAnswer): void {
    this.delete(answer.requestId);
    this.#drop(this.#slots[this.#next]);
    const size = sizeOf(answer);
    if (size > MOST_SIZE) return;
    this.#makeRoom(size);
    const slot: Slot = { answer, size, at: this.#next, until: Date.now() + KEPT_MS };
    this.#total += size;
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

  stop(): void {
    clearTimeout(this.#timer);
    for (const slot of this.#byId.values()) this.#drop(slot);
  }

  /** The oldest stand after the next place of the ring. */
  #makeRoom(size: number): void {
    for (let at = 1; at < MOST_KEPT && this.#total + size > MOST_SIZE; at += 1)
      this.#drop(this.#slots[(this.#next + at) % MOST_KEPT]);
  }

  #drop(slot: Slot | undefined): void {
    if (slot === undefined) return;
    this.#total -= slot.size;
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
const MOST_SIZE = 64 * 1024 * 1024;
const MOST_DEPTH = 1000;

/** `Infinity` where it is more than can be kept. */
function sizeOf({ lastWord, values }: KeptAnswer): number {
  let left = sizeLeft(lastWord, MOST_DEPTH, MOST_SIZE);
  for (const value of values?.kept ?? []) left = left < 0 ? left : sizeLeft(value, MOST_DEPTH, left);
  return left < 0 ? Number.POSITIVE_INFINITY : MOST_SIZE - left;
}

interface Slot {
  readonly answer: KeptAnswer;
  readonly size: number;
  readonly at: number;
  readonly until: number;
}
