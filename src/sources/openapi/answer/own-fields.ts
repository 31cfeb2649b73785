import { isRecord, type JsonRecord } from "../../../json/value.js";
import { ownValue } from "../own-value.js";

/** A whole number from zero up that is exact. */
export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** The first of the named fields that is such a number. */
export function countOf(record: JsonRecord, names: readonly string[]): number | undefined {
  return names.map((name) => ownValue(record, name)).find(isCount);
}

export function flagOf(record: JsonRecord, names: readonly string[]): boolean | undefined {
  const value = names.map((name) => ownValue(record, name)).find((field) => typeof field === "boolean");
  return typeof value === "boolean" ? value : undefined;
}

/** Those of the named fields that are objects. */
export function recordsIn(record: JsonRecord, names: readonly string[]): JsonRecord[] {
  return names.map((name) => ownValue(record, name)).filter(isRecord);
}
