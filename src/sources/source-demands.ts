import type { Demand } from "../json/demands.js";
import { isRecord, isString, isStringArray } from "../json/value.js";
import { RESERVED } from "../registry/portable-name.js";
import { NAMESPACE } from "../registry/registration.js";

/** What options of several sources must be. A command is not shown where it is wrong, because it may hold a secret. */
export const SOURCE_NAME: Demand = {
  what: "letters, digits, _ and -, at most 64",
  isMet: (value) => isString(value) && NAMESPACE.test(value) && !RESERVED.includes(value),
};

export const COMMAND: Demand = {
  what: 'a list of texts, the program and its arguments, such as ["git", "log"]',
  isMet: (value) => isStringArray(value) && value[0] !== undefined && value[0] !== "",
  isSecret: true,
};

export const SIGNAL: Demand = { what: "an AbortSignal", isMet: (value) => value instanceof AbortSignal };

export function areTexts(value: unknown): boolean {
  return isRecord(value) && Object.values(value).every(isString);
}
