import { isRecord, presentKeys } from "./value.js";

/** The same text for the same JSON value, whatever the order of its keys. Throws a `RangeError` for one that is too deep. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join()}]`;
  if (!isRecord(value)) return JSON.stringify(value) ?? "null";
  const fields = presentKeys(value).sort();
  return `{${fields.map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key])}`).join()}}`;
}
