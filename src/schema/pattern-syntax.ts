import {
  type CharacterSet,
  characterSet,
  invertRanges,
  LINE_ENDS,
  namedRanges,
  nativeSet,
} from "./pattern-characters.js";
import { readClass } from "./pattern-class.js";
import { type Cursor, peek, readCode, readEscapedCode, readProperty, take } from "./pattern-cursor.js";

/** A part of a regular expression. Captures are not told from other groups: a test has no use for them. */
export type PatternNode =
  | { readonly kind: "characters"; readonly set: CharacterSet }
  | { readonly kind: "anchor"; readonly anchor: PatternAnchor }
  /** The items in the order in which a matcher visits them: inside a look-behind that is from right to left. */
  | { readonly kind: "sequence"; readonly items: readonly PatternNode[] }
  | { readonly kind: "choice"; readonly options: readonly PatternNode[] }
  | { readonly kind: "repeat"; readonly body: PatternNode; readonly least: number; readonly most: number }
  | { readonly kind: "look"; readonly body: PatternNode; readonly behind: boolean; readonly negative: boolean }
  | { readonly kind: "backreference" };

export type PatternAnchor = "start" | "end" | "boundary" | "inside";

/** Reads a source that the engine has accepted; a string says why it cannot be read. */
export function readPattern(source: string, unicode: boolean): PatternNode | string {
  const outline = source.replace(/\\[\s\S]|\[(?:\\[\s\S]|[^\]\\])*\]/g, "");
  const cursor: Reader = {
    source,
    unicode,
    position: 0,
    depth: 0,
    backward: false,
    groups: outline.match(/\((?!\?)|\(\?<(?![=!])/g)?.length ?? 0,
    named: /\(\?<(?![=!])/.test(outline),
    sets: new Map(),
  };
  try {
    return readChoice(cursor);
  } catch (thrown) {
    if (thrown instanceof Unreadable) return thrown.message;
    throw thrown;
  }
}

interface Reader extends Cursor {
  depth: number;
  backward: boolean;
  readonly groups: number;
  readonly named: boolean;
  /** The sets of the engine by their source, so that equal ones share an answer. */
  readonly sets: Map<string, CharacterSet>;
}

class Unreadable extends Error {}

const MOST_NESTED = 100;

const EMPTY: PatternNode = { kind: "sequence", items: [] };

function readChoice(cursor: Reader): PatternNode {
  cursor.depth += 1;
  if (cursor.depth > MOST_NESTED) throw new Unreadable(`its groups are nested more than ${MOST_NESTED} deep`);
  const options = [readSequence(cursor)];
  while (take(cursor, "|")) options.push(readSequence(cursor));
  cursor.depth -= 1;
  return options.length === 1 ? (options[0] as PatternNode) : { kind: "choice", options };
}

function readSequence(cursor: Reader): PatternNode {
  const items: PatternNode[] = [];
  while (cursor.position < cursor.source.length && peek(cursor) !== "|" && peek(cursor) !== ")") {
    const item = readQuantified(cursor, readAtom(cursor));
    if (!isEmpty(item)) items.push(item);
  }
  if (cursor.backward) items.reverse();
  return items.length === 1 ? (items[0] as PatternNode) : { kind: "sequence", items };
}

function isEmpty(node: PatternNode): boolean {
  return node.kind === "sequence" && node.items.length === 0;
}

const QUANTIFIER = /(?:([*+?])|\{(\d+)(?:(,)(\d*))?\})\??/y;

function readQuantified(cursor: Reader, body: PatternNode): PatternNode {
  QUANTIFIER.lastIndex = cursor.position;
  const found = QUANTIFIER.exec(cursor.source);
  if (found === null) return body;
  cursor.position = QUANTIFIER.lastIndex;
  const [, sign, least = "0", comma, most] = found;
  const [from, to] = SIGNS.get(sign ?? "") ?? [Number(least), Number((comma && (most || "Infinity")) || least)];
  // To look twice is to look once, and a look that need not be is none.
  if (body.kind === "look") return from === 0 ? EMPTY : body;
  return isEmpty(body) || to === 0 ? EMPTY : { kind: "repeat", body, least: from, most: to };
}

const SIGNS = new Map<string, readonly [least: number, most: number]>([
  ["*", [0, Number.POSITIVE_INFINITY]],
  ["+", [1, Number.POSITIVE_INFINITY]],
  ["?", [0, 1]],
]);

function readAtom(cursor: Reader): PatternNode {
  if (take(cursor, "^")) return { kind: "anchor", anchor: "start" };
  if (take(cursor, "$")) return { kind: "anchor", anchor: "end" };
  if (take(cursor, "(")) return readGroup(cursor);
  if (take(cursor, ".")) return { kind: "characters", set: characterSet(invertRanges(LINE_ENDS)) };
  if (peek(cursor) === "[") return { kind: "characters", set: sharedSet(cursor, readClass(cursor)) };
  if (take(cursor, "\\")) return readEscape(cursor);
  return single(readCode(cursor));
}

function sharedSet(cursor: Reader, set: CharacterSet | string): CharacterSet {
  if (typeof set !== "string") return set;
  const shared = cursor.sets.get(set) ?? nativeSet(set);
  cursor.sets.set(set, shared);
  return shared;
}

function single(code: number): PatternNode {
  return { kind: "characters", set: characterSet([[code, code]]) };
}

const GROUP = /\?(?:(:)|(<?)([=!])|<[^>]*>)/y;

function readGroup(cursor: Reader): PatternNode {
  if (peek(cursor) !== "?") return readBody(cursor, cursor.backward);
  GROUP.lastIndex = cursor.position;
  const found = GROUP.exec(cursor.source);
  if (found === null) throw new Unreadable(`it has a group of an unknown kind at ${cursor.position}`);
  cursor.position = GROUP.lastIndex;
  const [, , behind, look] = found;
  if (look === undefined) return readBody(cursor, cursor.backward);
  const isBehind = behind === "<";
  return { kind: "look", body: readBody(cursor, isBehind), behind: isBehind, negative: look === "!" };
}

function readBody(cursor: Reader, backward: boolean): PatternNode {
  const outer = cursor.backward;
  cursor.backward = backward;
  const body = readChoice(cursor);
  cursor.backward = outer;
  cursor.position += 1;
  return body;
}

function readEscape(cursor: Reader): PatternNode {
  const letter = peek(cursor);
  if (take(cursor, "b")) return { kind: "anchor", anchor: "boundary" };
  if (take(cursor, "B")) return { kind: "anchor", anchor: "inside" };
  const ranges = namedRanges(letter);
  if (ranges !== undefined && take(cursor, letter)) return { kind: "characters", set: characterSet(ranges) };
  const property = readProperty(cursor);
  if (property !== undefined) return { kind: "characters", set: sharedSet(cursor, property) };
  if (takeBackreference(cursor)) return { kind: "backreference" };
  return single(readEscapedCode(cursor, false));
}

const REFERENCE = /([1-9]\d*)|k<[^>]*>/y;

function takeBackreference(cursor: Reader): boolean {
  REFERENCE.lastIndex = cursor.position;
  const [found, number] = REFERENCE.exec(cursor.source) ?? [];
  const holds =
    number === undefined ? cursor.unicode || cursor.named : cursor.unicode || Number(number) <= cursor.groups;
  if (found === undefined || !holds) return false;
  cursor.position += found.length;
  return true;
}
