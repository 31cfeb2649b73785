import {
  type CharacterRange,
  type CharacterSet,
  characterSet,
  invertRanges,
  namedRanges,
} from "./pattern-characters.js";
import { type Cursor, peek, readCode, readEscapedCode, readProperty, take } from "./pattern-cursor.js";

/** The set of `[…]`, or its source where only the engine knows the set. */
export function readClass(cursor: Cursor): CharacterSet | string {
  const start = cursor.position;
  take(cursor, "[");
  const inverted = take(cursor, "^");
  const members: Member[] = [];
  while (!take(cursor, "]")) members.push(readMember(cursor));
  if (members.includes("property")) return cursor.source.slice(start, cursor.position);
  const ranges = members.flatMap((member) => (member === "property" ? [] : member));
  return characterSet(inverted ? invertRanges(ranges) : ranges);
}

type Member = readonly CharacterRange[] | "property";

function readMember(cursor: Cursor): Member {
  const first = readClassAtom(cursor);
  const isRange = peek(cursor) === "-" && cursor.source.charAt(cursor.position + 1) !== "]";
  if (!isRange) return rangesOf(first);
  take(cursor, "-");
  const last = readClassAtom(cursor);
  if (typeof first === "number" && typeof last === "number") return [[first, last]];
  // Annex B: in `[a-\d]` the hyphen is a member of its own.
  return union(union(rangesOf(first), HYPHEN), rangesOf(last));
}

const HYPHEN: Member = [[45, 45]];

function union(one: Member, other: Member): Member {
  return one === "property" || other === "property" ? "property" : [...one, ...other];
}

function rangesOf(atom: number | Member): Member {
  return typeof atom === "number" ? [[atom, atom]] : atom;
}

function readClassAtom(cursor: Cursor): number | Member {
  if (!take(cursor, "\\")) return readCode(cursor);
  const letter = peek(cursor);
  const ranges = namedRanges(letter);
  if (ranges !== undefined && take(cursor, letter)) return ranges;
  return readProperty(cursor) === undefined ? readEscapedCode(cursor, true) : "property";
}
