import { isRecord } from "./value.js";

/** A value as a message shows it: short, and without the contents of what is large. */
export function told(value: unknown): string {
  if (value === undefined) return "absent";
  if (Array.isArray(value)) return "a list";
  if (isRecord(value)) return "an object";
  if (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean" && value !== null)
    return `a ${typeof value}`;
  const text = JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}
