import { orElse } from "../json/attempt.js";

/** To write code for one node of a schema takes about as long as to walk over so many parts of a value. */
const PARTS_PER_NODE = 16;

/** Decides when a schema is used so much that generated code pays: most are used once or twice. */
export class CodeWorth {
  /** A value that lacks much is no less work: what is absent is looked for too. */
  readonly #least: number;
  /** How many parts may be walked over before. */
  #left: number;

  /** The walk tries one alternative after the other, so that with many of them each part takes longer. */
  constructor(nodes: number, alternatives: number) {
    this.#least = nodes / Math.max(1, alternatives - 1);
    this.#left = this.#least * PARTS_PER_NODE;
  }

  /** Whether code pays by now, with this value to come. */
  isReachedBy(value: unknown): boolean {
    if (this.#left <= 0) return true;
    const least = this.#left - this.#least;
    // A value that throws when it is looked at is left to the walk.
    const left = orElse(() => leftAfter(value, this.#left, MAX_DEPTH), least);
    this.#left = Math.min(left, least);
    return this.#left <= 0;
  }
}

const MAX_DEPTH = 100;

/** What is left of a number after the parts of a value. Ends where nothing is. */
function leftAfter(value: unknown, number: number, depth: number): number {
  let left = number - 1;
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value) || depth === 0) return left;
  const parts = Array.isArray(value) ? value : Object.values(value);
  for (let at = 0; at < parts.length && left > 0; at++) left = leftAfter(parts[at], left, depth - 1);
  return left;
}
