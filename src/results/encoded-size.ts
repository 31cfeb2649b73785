import type { JsonRecord } from "../json/value.js";

/** Deeper values are not looked at, so that no input exhausts the stack. */
export const MAX_DEPTH = 500;

/**
 * How many bytes the compact JSON of a value has in UTF-8. Once it is more than the limit, nothing further is looked at,
 * and what is returned is only known to be more. Throws a `RangeError` for what is nested too deep, such as a cycle.
 */
export function encodedSize(
  value: unknown,
  limit: number = Number.POSITIVE_INFINITY,
  depth: number = MAX_DEPTH,
): number {
  switch (typeof value) {
    case "string":
      return textSize(value, limit);
    case "number":
      return Number.isFinite(value) ? String(value).length : 4;
    case "boolean":
      return value ? 4 : 5;
    case "bigint":
      return String(value).length + 2;
    case "object":
      return value === null ? 4 : objectSize(value, limit, depth);
    default:
      return 4;
  }
}

/**
 * Whether a value has at most so many bytes for certain: a bound that is much cheaper than the size. Where it is false,
 * nothing is known.
 */
export function isSurelyWithin(value: unknown, bytes: number): boolean {
  return leftAtLeast(value, bytes, MAX_DEPTH) >= 0;
}

function leftAtLeast(value: unknown, left: number, depth: number): number {
  if (typeof value === "string") return left - 2 - value.length * LONGEST_ESCAPE;
  if (typeof value !== "object" || value === null) return typeof value === "bigint" ? -1 : left - LONGEST_NUMBER;
  if (depth === 0 || (value as { readonly toJSON?: unknown }).toJSON !== undefined) return -1;
  let rest = left - 2;
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length && rest >= 0; at++) rest = leftAtLeast(value[at], rest - 1, depth - 1);
    return rest;
  }
  for (const key in value) {
    rest = leftAtLeast((value as JsonRecord)[key], rest - 4 - key.length * LONGEST_ESCAPE, depth - 1);
    if (rest < 0) return rest;
  }
  return rest;
}

/** The bytes of a control character. */
const LONGEST_ESCAPE = 6;

/** Those of `-1.2345678901234567e-100`. */
const LONGEST_NUMBER = 24;

/** What JSON writes of a value: that of its `toJSON`, where it has one. */
export function asJson(value: unknown, key = ""): unknown {
  if (typeof value !== "object" || value === null) return value;
  const { toJSON } = value as { readonly toJSON?: unknown };
  if (typeof toJSON === "function") return toJSON.call(value, key);
  return value instanceof String || value instanceof Number || value instanceof Boolean ? value.valueOf() : value;
}

/** The names of the fields that JSON writes. */
export function writtenNames(record: JsonRecord): string[] {
  return Object.keys(record).filter((name) => !isSilent(asJson(record[name], name)));
}

function isSilent(json: unknown): boolean {
  return json === undefined || typeof json === "function" || typeof json === "symbol";
}

function objectSize(value: object, limit: number, depth: number): number {
  if (depth === 0) throw new RangeError(`The value is nested more than ${MAX_DEPTH} deep.`);
  const json = asJson(value);
  if (typeof json !== "object" || json === null) return encodedSize(json, limit, depth);
  return Array.isArray(json) ? listSize(json, limit, depth - 1) : recordSize(json as JsonRecord, limit, depth - 1);
}

function listSize(list: readonly unknown[], limit: number, depth: number): number {
  if (list.length === 0) return 2;
  // Each item has a comma or the closing bracket behind it.
  let size = 1;
  for (let at = 0; at < list.length && size <= limit; at++) size += encodedSize(list[at], limit - size, depth) + 1;
  return size;
}

function recordSize(record: JsonRecord, limit: number, depth: number): number {
  let size = 1;
  for (const key of Object.keys(record)) {
    const member = asJson(record[key], key);
    if (isSilent(member)) continue;
    size += textSize(key, limit) + 2;
    if (size <= limit) size += encodedSize(member, limit - size, depth);
    if (size > limit) return size;
  }
  return size === 1 ? 2 : size;
}

function textSize(text: string, limit: number): number {
  let size = text.length + 2;
  for (let at = 0; at < text.length && size <= limit; at++) {
    const unit = text.charCodeAt(at);
    if (isPlain(unit)) continue;
    const more = bytesOf(text, at);
    size += more - 1;
    // A pair was counted as two.
    if (more === 4) {
      size--;
      at++;
    }
  }
  return size;
}

/** Whether a unit is one byte in JSON. */
function isPlain(unit: number): boolean {
  return unit >= 0x20 && unit < 0x80 && unit !== QUOTE && unit !== BACKSLASH;
}

/** The bytes that JSON has for the character at a place of a text; 4 is always a pair of surrogates. */
export function bytesOf(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  if (isPlain(unit)) return 1;
  if (unit < 0x80) return unit >= 0x20 || SHORT_ESCAPES.has(unit) ? 2 : 6;
  if (unit < 0x800) return 2;
  if (unit < 0xd800 || unit > 0xdfff) return 3;
  // One that stands alone is written as an escape.
  return isPair(text, at) ? 4 : 6;
}

/** Whether a character of two units begins here. */
function isPair(text: string, at: number): boolean {
  const next = text.charCodeAt(at + 1);
  return text.charCodeAt(at) < 0xdc00 && next >= 0xdc00 && next <= 0xdfff;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SHORT_ESCAPES: ReadonlySet<number> = new Set([..."\b\t\n\f\r"].map((character) => character.charCodeAt(0)));
