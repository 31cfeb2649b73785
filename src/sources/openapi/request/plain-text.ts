import { isJsonType } from "../media-type.js";
import { halfCharacter, Refusal } from "./refusal.js";

/** A value as the text that stands for it in a request. `null` is the text `null`: to leave a value out is something else. */
export function textOf(value: unknown): string {
  const plain = plainOf(value);
  switch (typeof plain) {
    case "string":
      return plain;
    case "number":
      return decimalOf(plain);
    case "boolean":
    case "bigint":
      return String(plain);
    default:
      return jsonOf(plain);
  }
}

/** Dates, addresses and the like say themselves what stands for them, as they do in JSON. */
export function plainOf(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const { toJSON } = value as { readonly toJSON?: unknown };
  return typeof toJSON === "function" ? toJSON.call(value, "") : value;
}

export function jsonOf(value: unknown): string {
  const text = stringified(value);
  if (text === undefined) throw new Refusal("type", `must be a value that JSON has, not a ${typeof value}`);
  return text;
}

function stringified(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return JSON.stringify(value, (_, member: unknown) => (typeof member === "bigint" ? String(member) : member));
  }
}

const EXPONENTIAL = /^(-?)(\d)(?:\.(\d+))?e([+-]\d+)$/;

/** Without an exponent, which few servers read where they expect an identifier or an amount. */
export function decimalOf(number: number): string {
  if (Number.isSafeInteger(number)) return String(number);
  if (!Number.isFinite(number)) throw new Refusal("type", "must be a finite number");
  const text = String(number);
  const found = EXPONENTIAL.exec(text);
  if (found === null) return text;
  const [, sign = "", first = "", rest = "", exponent = ""] = found;
  const digits = first + rest;
  const point = 1 + Number(exponent);
  return sign + (point > 0 ? digits.padEnd(point, "0") : `0.${"0".repeat(-point)}${digits}`);
}

const LONE_SURROGATE = /\p{Surrogate}/u;

/** The text itself, if UTF-8 can carry it. */
export function wellFormed(text: string): string {
  if (LONE_SURROGATE.test(text)) throw halfCharacter();
  return text;
}

/** A value as a document of a media type: JSON as JSON, and a text as it is where the type is any other. */
export function documentOf(value: unknown, mediaType: string): string {
  return isJsonType(mediaType) ? jsonOf(value) : textOf(value);
}
