/** First and last code point, both inside. */
export type CharacterRange = readonly [first: number, last: number];

/** Characters of which a pattern takes one. The ranges are sorted and apart, and may promise more than `has` holds. */
export interface CharacterSet {
  readonly ranges: readonly CharacterRange[];
  /** Not so for -1, the end of a text. */
  has(code: number): boolean;
}

const LAST_CODE = 0x10ffff;

/** The set of all characters in the ranges, which may overlap and come in any order. */
export function characterSet(ranges: readonly CharacterRange[]): CharacterSet {
  const merged = mergeRanges(ranges);
  return { ranges: merged, has: (code) => isInRanges(merged, code) };
}

/** The set that the engine decides about, for what only its Unicode tables know. */
export function nativeSet(source: string): CharacterSet {
  const native = new RegExp(`^${source}$`, "u");
  // Copies of a counted repetition ask for the same character one after the other.
  let asked = -1;
  let answer = false;
  return {
    ranges: [[0, LAST_CODE]],
    has(code) {
      if (code !== asked) answer = code >= 0 && native.test(String.fromCodePoint(code));
      asked = code;
      return answer;
    },
  };
}

/** All ranges that are outside of these. */
export function invertRanges(ranges: readonly CharacterRange[]): CharacterRange[] {
  const outside: CharacterRange[] = [];
  let next = 0;
  for (const [first, last] of mergeRanges(ranges)) {
    if (first > next) outside.push([next, first - 1]);
    next = last + 1;
  }
  if (next <= LAST_CODE) outside.push([next, LAST_CODE]);
  return outside;
}

/** Whether a character may be in both sets. */
export function setsOverlap(one: CharacterSet, other: CharacterSet): boolean {
  let [i, j] = [0, 0];
  for (;;) {
    const [a, b] = [one.ranges[i], other.ranges[j]];
    if (a === undefined || b === undefined) return false;
    if (a[0] <= b[1] && b[0] <= a[1]) return true;
    if (a[1] < b[1]) i += 1;
    else j += 1;
  }
}

/** The ranges of `\d`, `\w` and `\s`; a capital letter stands for the rest. */
export function namedRanges(letter: string): readonly CharacterRange[] | undefined {
  return NAMED_RANGES.get(letter);
}

/** What a dot does not take. */
export const LINE_ENDS: readonly CharacterRange[] = ["\n", "\r", "\u2028", "\u2029"].map(rangeOf);

const DIGITS: readonly CharacterRange[] = [[48, 57]];
const WORD: readonly CharacterRange[] = [...DIGITS, [65, 90], [95, 95], [97, 122]];
const SPACES: readonly CharacterRange[] = [
  [9, 13],
  ..." \u00a0\u1680\u202f\u205f\u3000\ufeff".split("").map(rangeOf),
  [0x2000, 0x200a],
  [0x2028, 0x2029],
];

const NAMED_RANGES = new Map<string, readonly CharacterRange[]>([
  ["d", DIGITS],
  ["D", invertRanges(DIGITS)],
  ["w", WORD],
  ["W", invertRanges(WORD)],
  ["s", SPACES],
  ["S", invertRanges(SPACES)],
]);

function rangeOf(character: string): CharacterRange {
  return [character.charCodeAt(0), character.charCodeAt(0)];
}

function mergeRanges(ranges: readonly CharacterRange[]): CharacterRange[] {
  const merged: [number, number][] = [];
  for (const [first, last] of [...ranges].sort((one, other) => one[0] - other[0])) {
    const previous = merged.at(-1);
    if (previous !== undefined && first <= previous[1] + 1) previous[1] = Math.max(previous[1], last);
    else merged.push([first, last]);
  }
  return merged;
}

function isInRanges(ranges: readonly CharacterRange[], code: number): boolean {
  let [low, high] = [0, ranges.length - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    const [first, last] = ranges[middle] as CharacterRange;
    if (code < first) high = middle - 1;
    else if (code > last) low = middle + 1;
    else return true;
  }
  return false;
}
