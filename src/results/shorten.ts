import { type JsonRecord, setField } from "../json/value.js";
import { cutText } from "./cut-text.js";
import { encodedSize } from "./encoded-size.js";
import type { Fitted, Part } from "./part.js";

/** An item larger than this share of its list is itself shortened, so that some others are shown as well. */
const ITEM_SHARE = 1 / 8;

/** Fields are not alike as items are: rather a little of each than all of a few. */
const FIELD_SHARE = 1 / 100;

/** Rather fewer items or fields than so little of each. */
const COMFORT = 64;

/** An object with more fields than this that no schema declares is taken for a map, of which the first entries are shown. */
const MAX_RECORD = 20;

/** The part in so many bytes, or else the least that its rules allow. What is not shortened is shared. */
export function shorten(part: Part, bytes: number): Fitted {
  const smallest = smallestOf(part);
  if (bytes <= smallest.size) return smallest;
  const size = part.size(bytes);
  if (size <= bytes) return { value: part.given, size };
  if (typeof part.value === "string") return cutText(part.value, bytes, part.rules.least);
  const kept = Array.isArray(part.value) ? keptItems(part, part.value.length, bytes) : keptFields(part, bytes);
  return assembled(part, kept, divided(kept, bytes - overheadOf(kept)));
}

function smallestOf(part: Part): Fitted {
  part.smallest ??= findSmallest(part);
  return part.smallest;
}

function findSmallest(part: Part): Fitted {
  const { value } = part;
  const isFixed = typeof value !== "string" && (typeof value !== "object" || value === null);
  if (isFixed || part.isWhole) return { value: part.given, size: part.size(part.frame.bytes) };
  if (typeof value === "string") return cutText(value, 0, part.rules.least);
  const kept = Array.isArray(value) ? firstItems(part, part.rules.least) : namedFields(part, neededNames(part));
  return assembled(part, kept, kept.map(smallestOf));
}

/** As many of the first items as there is room for, and one where it fits at all. */
function keptItems(part: Part, count: number, bytes: number): Part[] {
  const { least } = part.rules;
  const comfort = Math.max(bytes * ITEM_SHARE, COMFORT);
  let total = 1;
  let kept = 0;
  for (; kept < count; kept++) {
    total += comfortOf(part.child(kept), comfort, bytes) + 1;
    if (total > bytes) break;
  }
  const holdsOne = kept === 0 && count > 0 && smallestOf(part.child(0)).size + 2 <= bytes;
  return firstItems(part, Math.max(least, holdsOne ? 1 : kept));
}

function firstItems(part: Part, count: number): Part[] {
  const length = Math.min((part.value as readonly unknown[]).length, count);
  return Array.from({ length }, (_, at) => part.child(at));
}

/** The fields that must be there, those that are declared, and as many of the first others as there is room for. */
function keptFields(part: Part, bytes: number): Part[] {
  const comfort = Math.max(bytes * FIELD_SHARE, COMFORT);
  const roomy = (name: string): number => comfortOf(part.child(name), comfort, bytes) + besides(name);
  const tight = (name: string): number => smallestOf(part.child(name)).size + besides(name);
  const kept = neededNames(part);
  const optional = part.names.filter((name) => !kept.has(name));
  const isMap = part.names.length > MAX_RECORD;
  const declared = optional.filter((name) => !isMap || part.rules.declares(name));
  const cost = sum([...kept, ...declared], roomy) < bytes ? roomy : tight;
  let total = 1 + sum([...kept], cost);
  const keepIfFits = (name: string): boolean => {
    const more = cost(name);
    if (total + more > bytes) return false;
    total += more;
    kept.add(name);
    return true;
  };
  for (const name of declared) keepIfFits(name);
  optional.filter((name) => isMap && !part.rules.declares(name)).every(keepIfFits);
  return namedFields(part, kept);
}

/** The names that must be there, and so many others as there must be. */
function neededNames(part: Part): Set<string> {
  const { names, rules } = part;
  const { least } = rules;
  const needed = new Set(names.filter((name) => rules.requires(name) || part.isPinnedBelow(name)));
  for (let at = 0; at < names.length && needed.size < least; at++) needed.add(names[at] as string);
  return needed;
}

/** In the order in which they stand. */
function namedFields(part: Part, wanted: ReadonlySet<string>): Part[] {
  return part.names.filter((name) => wanted.has(name)).map((name) => part.child(name));
}

/** What a part takes where it is not asked to be shorter than is useful. */
function comfortOf(part: Part, comfort: number, bytes: number): number {
  const size = part.size(bytes);
  return size <= comfort ? size : Math.min(size, Math.max(comfort, smallestOf(part).size));
}

/** The bytes that are not those of the values. */
function overheadOf(parts: readonly Part[]): number {
  return parts.length === 0 ? 2 : 1 + sum(parts, ({ key }) => besides(key));
}

/** The bytes beside a value: its name, and the comma or bracket behind it. */
function besides(key: string | number): number {
  return typeof key === "number" ? 1 : encodedSize(key) + 2;
}

/** The parts in so many bytes together: those that need little are whole, the others get equal shares. */
function divided(parts: readonly Part[], bytes: number): Fitted[] {
  const needs = parts.map((part): Need => ({ size: part.size(bytes), smallest: smallestOf(part).size }));
  const level = levelOf(needs, bytes);
  let spare = Math.max(0, bytes - sum(needs, (need) => shareOf(need, level)));
  return parts.map((part, at) => {
    const share = shareOf(needs[at] as Need, level) + spare;
    const fitted = shorten(part, share);
    spare = Math.max(0, share - fitted.size);
    return fitted;
  });
}

interface Need {
  readonly size: number;
  readonly smallest: number;
}

function shareOf({ size, smallest }: Need, level: number): number {
  return Math.max(smallest, Math.min(size, level));
}

/** The most that can be given to each. */
function levelOf(needs: readonly Need[], bytes: number): number {
  let [low, high] = [0, bytes];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (sum(needs, (need) => shareOf(need, middle)) <= bytes) low = middle;
    else high = middle - 1;
  }
  return low;
}

function assembled(part: Part, kept: readonly Part[], fitted: readonly Fitted[]): Fitted {
  const size = overheadOf(kept) + sum(fitted, (one) => one.size);
  const count = Array.isArray(part.value) ? part.value.length : part.names.length;
  const isSame = kept.length === count && kept.every(({ given }, at) => Object.is(given, fitted[at]?.value));
  if (isSame) return { value: part.given, size };
  if (Array.isArray(part.value)) return { value: fitted.map(({ value }) => value), size };
  const record: JsonRecord = {};
  kept.forEach(({ key }, at) => {
    setField(record, String(key), fitted[at]?.value);
  });
  return { value: record, size };
}

function sum<T>(list: readonly T[], of: (item: T) => number): number {
  let total = 0;
  for (const item of list) total += of(item);
  return total;
}
