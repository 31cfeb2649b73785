import { type JsonPointer, pointerTo } from "../../json/pointer.js";
import { isEqual, isRecord, presentKeys } from "../../json/value.js";

export interface Difference {
  readonly path: JsonPointer;
  /** `undefined` where there is nothing. */
  readonly recorded: unknown;
  readonly given: unknown;
}

/** The places where two JSON values differ, at most so many. */
export function differences(recorded: unknown, given: unknown, most: number, path: JsonPointer = ""): Difference[] {
  if (most <= 0 || isEqual(recorded, given)) return [];
  const keys = keysOfBoth(recorded, given);
  if (keys === undefined) return [{ path, recorded, given }];
  const found: Difference[] = [];
  for (const key of keys) {
    const [before, now] = [fieldOf(recorded, key), fieldOf(given, key)];
    found.push(...differences(before, now, most - found.length, path + pointerTo(key)));
    if (found.length >= most) break;
  }
  return found;
}

/** `undefined` where the two are not of one kind, and differ as a whole. */
function keysOfBoth(a: unknown, b: unknown): Iterable<string> | undefined {
  if (Array.isArray(a) && Array.isArray(b)) return Object.keys(a.length > b.length ? a : b);
  if (isRecord(a) && isRecord(b)) return new Set([...presentKeys(a), ...presentKeys(b)]);
  return undefined;
}

function fieldOf(value: unknown, key: string): unknown {
  return Object.hasOwn(value as object, key) ? (value as Record<string, unknown>)[key] : undefined;
}
