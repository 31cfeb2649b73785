import { isRecord } from "../../../json/value.js";
import type { ParameterStyle, Serialisation } from "../description.js";
import { encodeReserved, encodeReservedMember, percentEncode } from "../percent-encode.js";
import { documentOf, plainOf, textOf } from "./plain-text.js";
import { ambiguous, Refusal } from "./refusal.js";

/** A name and its text, both written as their place wants them. */
type Pair = readonly [name: string, text: string];

/** How the names, the values and the members of lists are written in some place. */
export interface Coding {
  readonly name: (text: string) => string;
  readonly value: (text: string) => string;
  readonly member: (text: string) => string;
  /** Between the members of a list that is one value. */
  readonly delimiters: Readonly<Partial<Record<ParameterStyle, string>>>;
}

const ENCODED_DELIMITERS = { spaceDelimited: "%20", pipeDelimited: "%7C", tabDelimited: "%09" };

export const QUERY: Coding = {
  name: percentEncode,
  value: percentEncode,
  member: percentEncode,
  delimiters: ENCODED_DELIMITERS,
};

const RESERVED: Coding = { ...QUERY, value: encodeReserved, member: encodeReservedMember };

const asIs = (text: string): string => text;

/** Of the parts of a multipart body, where nothing is encoded. */
export const PLAIN: Coding = {
  name: asIs,
  value: asIs,
  member: asIs,
  delimiters: { spaceDelimited: " ", pipeDelimited: "|", tabDelimited: "\t" },
};

/** What a parameter adds to a query or a form; empty where it adds nothing. */
export function queryOf(name: string, value: unknown, how: Serialisation): string {
  const coding = how.allowReserved ? RESERVED : QUERY;
  // Most values are like this; the way round would make lists of them.
  if (typeof value !== "object" && value !== undefined && how.mediaType === undefined)
    return `${coding.name(name)}=${coding.value(textOf(value))}`;
  return pairsOf(name, value, how, coding)
    .map(([key, text]) => `${key}=${text}`)
    .join("&");
}

/** The styles of a query. Where the specification leaves one undefined for a value, the value is written as by `form`. */
export function pairsOf(name: string, value: unknown, how: Serialisation, coding: Coding): Pair[] {
  if (how.mediaType !== undefined) return [[coding.name(name), coding.value(documentOf(value, how.mediaType))]];
  const plain = plainOf(value);
  if (how.style === "deepObject") return deepPairs(name, plain, coding, []);
  if (Array.isArray(plain)) return listPairs(name, plain, how, coding);
  if (isRecord(plain)) return objectPairs(name, plain, how, coding);
  return plain === undefined ? [] : [[coding.name(name), coding.value(textOf(plain))]];
}

function listPairs(name: string, list: readonly unknown[], how: Serialisation, coding: Coding): Pair[] {
  const members = presentMembers(list);
  if (how.explode) return members.map((member) => [coding.name(name), coding.value(textOf(member))]);
  const texts = members.map((member) => coding.member(textOf(member)));
  return joined(name, texts, how, coding);
}

function objectPairs(name: string, record: object, how: Serialisation, coding: Coding): Pair[] {
  const entries = presentEntries(record);
  if (how.explode) return entries.map(([key, member]) => [coding.name(key), coding.value(textOf(member))]);
  const texts = entries.flatMap(([key, member]) => [coding.member(key), coding.member(textOf(member))]);
  return joined(name, texts, how, coding);
}

/** Nothing is left of an empty list, as RFC 6570 has it: its text would be read as a list of one empty text. */
function joined(name: string, texts: readonly string[], how: Serialisation, coding: Coding): Pair[] {
  const delimiter = coding.delimiters[how.style] ?? ",";
  if (how.style !== "form" && texts.some((text) => text.includes(delimiter))) throw ambiguous(how.style);
  return texts.length === 0 ? [] : [[coding.name(name), texts.join(delimiter)]];
}

const DEEPEST = 64;

/**
 * `deepObject`, which the specification has for flat objects only. Below them, and where the value is a list itself,
 * every step is a bracket, and lists have indices, `items[0][price]=1`: so do the clients of Stripe, by far the largest
 * API in this style, and PHP, `qs` and their like read it. `items[][price]` leaves open where an item ends.
 */
function deepPairs(name: string, value: unknown, coding: Coding, above: readonly object[]): Pair[] {
  const plain = plainOf(value);
  if (plain === undefined) return [];
  if (typeof plain !== "object" || plain === null) return [[coding.name(name), coding.value(textOf(plain))]];
  if (above.length === DEEPEST || above.includes(plain))
    throw new Refusal("depth", `must have at most ${DEEPEST} levels, and no cycle`);
  const members = Array.isArray(plain) ? Object.entries(presentMembers(plain)) : presentEntries(plain);
  return members.flatMap(([key, member]) => deepPairs(`${name}[${key}]`, member, coding, [...above, plain]));
}

interface Expansion {
  readonly style: ParameterStyle;
  readonly explode: boolean;
  readonly encode: (text: string) => string;
}

/** The styles of paths and headers, as RFC 6570 expands them; `undefined` where there is nothing to be written. */
export function expand(name: string, value: unknown, { style, explode, encode }: Expansion): string | undefined {
  const { first, separator, isNamed } = OPERATORS[style] ?? SIMPLE;
  const named = (key: string, text: string): string => (isNamed && text === "" ? key : `${key}=${text}`);
  const plain = plainOf(value);
  if (typeof plain !== "object" || plain === null) {
    const text = encode(textOf(plain));
    return first + (isNamed ? named(encode(name), text) : text);
  }
  const isList = Array.isArray(plain);
  const members = isList ? presentMembers(plain).map((member) => [name, member] as const) : presentEntries(plain);
  const pairs = members.map(([key, member]): Pair => [encode(key), encode(textOf(member))]);
  if (pairs.length === 0) return undefined;
  if (explode)
    return first + pairs.map(([key, text]) => (isList && !isNamed ? text : named(key, text))).join(separator);
  const texts = isList ? pairs.map(([, text]) => text) : pairs.flat();
  return `${first}${isNamed ? `${encode(name)}=` : ""}${texts.join(",")}`;
}

const SIMPLE = { first: "", separator: ",", isNamed: false };

const OPERATORS: Readonly<Partial<Record<ParameterStyle, typeof SIMPLE>>> = {
  label: { first: ".", separator: ".", isNamed: false },
  matrix: { first: ";", separator: ";", isNamed: true },
};

function presentMembers(list: readonly unknown[]): unknown[] {
  return list.filter((member) => member !== undefined);
}

function presentEntries(record: object): [string, unknown][] {
  return Object.entries(record).filter(([, member]) => member !== undefined);
}
