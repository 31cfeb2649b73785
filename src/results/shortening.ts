import { type JsonPointer, pointerTo } from "../json/pointer.js";
import { isRecord, type JsonRecord } from "../json/value.js";
import { lengthOf } from "../schema/measures.js";
import { ELLIPSIS } from "./cut-text.js";
import { asJson, writtenNames } from "./encoded-size.js";

/** A place of which a part was left out: items, characters or fields. */
export interface Shortening {
  readonly path: JsonPointer;
  readonly kind: "array" | "string" | "object";
  readonly kept: number;
  readonly total: number;
}

/** Where a preview shows less than the data, in the order in which it stands there. */
export function shorteningsOf(data: unknown, preview: unknown): Shortening[] {
  const found: Shortening[] = [];
  const add = (path: JsonPointer, kind: Shortening["kind"], kept: number, total: number): void => {
    if (kept < total) found.push({ path, kind, kept, total });
  };
  const compare = (given: unknown, shown: unknown, path: JsonPointer): void => {
    if (given === shown) return;
    const whole = asJson(given);
    if (typeof whole === "string" && typeof shown === "string") {
      if (whole !== shown) add(path, "string", lengthOf(shown) - ELLIPSIS.length, lengthOf(whole));
    } else if (Array.isArray(whole) && Array.isArray(shown)) {
      add(path, "array", shown.length, whole.length);
      shown.forEach((item, at) => {
        compare(whole[at], item, path + pointerTo(at));
      });
    } else if (isRecord(whole) && isRecord(shown)) {
      const names = Object.keys(shown);
      add(path, "object", names.length, writtenNames(whole as JsonRecord).length);
      for (const name of names) compare(whole[name], shown[name], path + pointerTo(name));
    }
  };
  compare(data, preview, "");
  return found;
}
