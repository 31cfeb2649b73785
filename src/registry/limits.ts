import { CallError } from "../envelope/call-error.js";

/** How large an input may be. */
export interface InputLimits {
  /**
   * Levels of nesting.
   * @default 100
   */
  readonly depth?: number;
  /**
   * About as many characters as its JSON has.
   * @default 10,000,000
   */
  readonly size?: number;
}

export const DEFAULT_LIMITS: Required<InputLimits> = { depth: 100, size: 10_000_000 };

/** The reason to refuse an input, if it is larger or deeper than allowed. A cycle is deeper than any limit. */
export function excess(input: unknown, { depth, size }: Required<InputLimits>): CallError | undefined {
  if (typeof input !== "object" || input === null) {
    return typeof input === "string" && input.length > size ? tooLarge(`larger than ${size} characters`) : undefined;
  }
  const left = measured(input, depth, size);
  if (left >= 0) return undefined;
  return tooLarge(left === TOO_DEEP ? `nested more than ${depth} deep` : `larger than ${size} characters`);
}

const TOO_DEEP = Number.NEGATIVE_INFINITY;

/** What is left of the size that is allowed; below zero it is exceeded, and nothing more is looked at. */
function measured(value: object, depth: number, size: number): number {
  if (depth === 0) return TOO_DEEP;
  if (ArrayBuffer.isView(value)) return size - value.byteLength;
  let left = size - 2;
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length && left >= 0; at++) left = afterItem(value[at], depth, left);
    return left;
  }
  for (const key in value) {
    left = afterItem((value as Record<string, unknown>)[key], depth, left - key.length);
    if (left < 0) return left;
  }
  return left;
}

function afterItem(item: unknown, depth: number, left: number): number {
  if (typeof item === "string") return left - item.length - 4;
  return typeof item === "object" && item !== null ? measured(item, depth - 1, left) : left - 4;
}

function tooLarge(what: string): CallError {
  return new CallError({
    category: "validation",
    code: "PAYLOAD_TOO_LARGE",
    message: `The input is ${what}.`,
    recoverable: false,
  });
}
