import { isEqual, isRecord } from "../json/value.js";

/** The characters of a text, as JSON Schema counts them: a pair of surrogates is one. */
export function lengthOf(text: string): number {
  let length = text.length;
  for (let at = 0; at < text.length - 1; at++) {
    const unit = text.charCodeAt(at);
    if (unit < 0xd800 || unit > 0xdbff) continue;
    const next = text.charCodeAt(at + 1);
    if (next >= 0xdc00 && next <= 0xdfff) {
      length--;
      at++;
    }
  }
  return length;
}

/** Whether a number is a multiple of another, as people read both in decimal: 0.3 is a multiple of 0.1. */
export function isMultipleOf(value: number, of: number): boolean {
  if (Number.isInteger(value) && Number.isInteger(of)) return value % of === 0;
  const quotient = value / of;
  if (!Number.isFinite(quotient)) return false;
  return Math.abs(quotient - Math.round(quotient)) <= Number.EPSILON * Math.abs(quotient);
}

/** Whether no two items are equal. Items of one kind that are equal look equal, so only those are compared. */
export function isUnique(list: readonly unknown[]): boolean {
  const byLook = new Map<unknown, unknown[]>();
  for (const item of list) {
    const look = lookOf(item);
    const alike = byLook.get(look);
    if (alike === undefined) byLook.set(look, [item]);
    else if (typeof item !== "object" || alike.some((other) => isEqual(other, item))) return false;
    else alike.push(item);
  }
  return true;
}

function lookOf(item: unknown): unknown {
  if (Array.isArray(item)) return `a list of ${item.length} ${typeof item[0] === "object" ? "" : String(item[0])}`;
  if (!isRecord(item)) return item;
  const keys = Object.keys(item)
    .filter((key) => item[key] !== undefined)
    .sort();
  const scalars = keys.map((key) => (typeof item[key] === "object" ? key : `${key}=${String(item[key])}`));
  return `an object of ${scalars.join(" ")}`;
}
