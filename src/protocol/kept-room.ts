import { sizeLeft } from "../schema/size.js";
import type { CallEvent } from "./events.js";

/** How much a worker keeps of what its callers may have missed, in characters of JSON. */
export class KeptRoom {
  #left = MOST_SIZE;

  /** Whether there was so much; it is taken then. */
  take(size: number): boolean {
    if (size > this.#left) return false;
    this.#left -= size;
    return true;
  }

  give(size: number): void {
    this.#left += size;
  }
}

const MOST_SIZE = 64 * 1024 * 1024;
const MOST_DEPTH = 1000;

/** About as many characters as its JSON has; `Infinity` where it is more than can be kept. */
export function sizeOfEvent(event: CallEvent): number {
  const left = sizeLeft(event, MOST_DEPTH, MOST_SIZE);
  return left < 0 ? Number.POSITIVE_INFINITY : MOST_SIZE - left;
}
