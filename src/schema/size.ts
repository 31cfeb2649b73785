/** How large a value may be. */
export interface SizeLimits {
  /** Levels of nesting. */
  readonly depth: number;
  /** About as many characters as its JSON has. */
  readonly size: number;
}

/** Which limit a value exceeds. */
export type Excess = "depth" | "size";

/** A cycle is deeper than any limit. */
export function excessOf(value: unknown, { depth, size }: SizeLimits): Excess | undefined {
  return excessFromLeft(sizeLeft(value, depth, size));
}

export function excessFromLeft(left: number): Excess | undefined {
  if (left >= 0) return undefined;
  return left === TOO_DEEP ? "depth" : "size";
}

const TOO_DEEP = Number.NEGATIVE_INFINITY;

/** What is left of the size that is allowed; below zero it is exceeded, and nothing more is looked at. */
export function sizeLeft(value: unknown, depth: number, size: number): number {
  if (typeof value === "string") return size - value.length - 4;
  return typeof value === "object" && value !== null ? leftAfter(value, depth, size) : size - 4;
}

function leftAfter(value: object, depth: number, size: number): number {
  if (depth === 0) return TOO_DEEP;
  if (ArrayBuffer.isView(value)) return size - value.byteLength;
  let left = size - 2;
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length && left >= 0; at++) left = sizeLeft(value[at], depth - 1, left);
    return left;
  }
  for (const key in value) {
    left = sizeLeft((value as Record<string, unknown>)[key], depth - 1, left - key.length);
    if (left < 0) return left;
  }
  return left;
}
