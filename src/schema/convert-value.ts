import { isEqual } from "../json/value.js";
import { type Node, TYPE, typeOf } from "./node.js";
import { fromToJson } from "./plain-object.js";

/**
 * The value in a type or among the values that the schema allows, where nothing is lost by it: `"12"` is 12, but
 * `"012"`, `"12.50"` and `"abc"` are no numbers. `undefined` where there is no such value.
 */
export function convertValue({ types, values }: Node, value: unknown): unknown {
  for (const candidate of candidates(value, types ?? ANY)) {
    if (values === undefined || values.some((allowed) => isEqual(allowed, candidate))) return candidate;
  }
  return undefined;
}

const ANY = TYPE.null + TYPE.boolean + TYPE.number + TYPE.string;

function candidates(value: unknown, types: number): unknown[] {
  switch (typeof value) {
    case "string":
      return fromText(value, types);
    case "number":
      return (types & TYPE.string) !== 0 && Number.isFinite(value) ? [String(value)] : [];
    case "boolean":
      return (types & TYPE.string) !== 0 ? [String(value)] : [];
    case "bigint":
      return fromBigInt(value, types);
    default:
      return typeof value === "object" && value !== null ? fromObject(value, types) : [];
  }
}

/** What JSON would write of it anyway, such as the text of a date. An invalid date is `null` there, which says less. */
function fromObject(value: object, types: number): unknown[] {
  const written = fromToJson(value)?.value;
  const isScalar = typeof written === "string" || typeof written === "number" || typeof written === "boolean";
  return isScalar && (types & typeOf(written)) !== 0 ? [written] : [];
}

function fromText(text: string, types: number): unknown[] {
  const found: unknown[] = [];
  if ((types & TYPE.number) !== 0) {
    const number = decimalFromText(text);
    if (number !== undefined && ((types & TYPE.number) === TYPE.number || Number.isInteger(number))) found.push(number);
  }
  if ((types & TYPE.boolean) !== 0 && (text === "true" || text === "false")) found.push(text === "true");
  return found;
}

function fromBigInt(value: bigint, types: number): unknown[] {
  const number = Number(value);
  if ((types & TYPE.integer) !== 0 && Number.isSafeInteger(number)) return [number];
  return (types & TYPE.string) !== 0 ? [String(value)] : [];
}

const POWERS = Array.from({ length: 16 }, (_, exponent) => 10 ** exponent);

/** The number that a text writes in the one usual way: no sign but minus, no zeros that could be left out. */
export function decimalFromText(text: string): number | undefined {
  const { length } = text;
  const start = text.charCodeAt(0) === 45 ? 1 : 0;
  if (length === start || length - start > 16) return longDecimal(text);
  let digits = 0;
  let point = -1;
  for (let at = start; at < length; at++) {
    const digit = text.charCodeAt(at) - 48;
    if (digit >= 0 && digit <= 9) digits = digits * 10 + digit;
    else if (digit === -2 && point < 0 && at > start) point = at;
    else return undefined;
  }
  const last = text.charCodeAt(length - 1);
  const leadingZero = text.charCodeAt(start) === 48 && length - start > 1 && point !== start + 1;
  if (leadingZero || (point >= 0 && (last === 48 || last === 46)) || (start === 1 && digits === 0)) return undefined;
  // Up to 15 digits both numbers are exact, so that the quotient is the nearest one to the text.
  if (digits > 999_999_999_999_999) return longDecimal(text);
  const size = point < 0 ? digits : digits / (POWERS[length - point - 1] ?? Number.NaN);
  return start === 1 ? -size : size;
}

export function integerFromText(text: string): number | undefined {
  const { length } = text;
  if (length > 9 || (length !== 1 && !(text.charCodeAt(0) > 48))) return integerFromAny(text);
  let digits = 0;
  for (let at = 0; at < length; at++) {
    const digit = text.charCodeAt(at) - 48;
    if (digit < 0 || digit > 9) return integerFromAny(text);
    digits = digits * 10 + digit;
  }
  return digits;
}

function integerFromAny(text: string): number | undefined {
  const number = decimalFromText(text);
  return Number.isInteger(number) ? number : undefined;
}

function longDecimal(text: string): number | undefined {
  const number = Number(text);
  return Number.isFinite(number) && String(number) === text ? number : undefined;
}
