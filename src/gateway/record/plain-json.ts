import { printJson } from "../../json/printable.js";

/** A value as it is in JSON, and as it is read again. */
export function plainJson(value: unknown): unknown {
  return JSON.parse(printJson(value));
}
