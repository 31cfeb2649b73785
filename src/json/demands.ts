import { told } from "./told.js";
import { isRecord, isString, isStringArray, type JsonRecord } from "./value.js";

/** What the value of an option must be. */
export interface Demand {
  /** In words: "a number from 0". */
  readonly what: string;
  readonly isMet: (value: unknown) => boolean;
  /** The value is not shown, because it may hold a secret. */
  readonly isSecret?: boolean;
}

export type Demands = Readonly<Record<string, Demand>>;

/** What is wrong with options: one that does not exist, or one whose value is not what it must be. */
export function unmetDemand(options: JsonRecord, demands: Demands): string | undefined {
  const unknown = Object.keys(options).find((option) => !Object.hasOwn(demands, option));
  if (unknown !== undefined) return `there is no option \`${unknown}\`; there are ${Object.keys(demands).join(", ")}`;
  return unmetValue(options, demands);
}

/** The same of the options that are known; there may be others. */
export function unmetValue(options: JsonRecord, demands: Demands): string | undefined {
  for (const [option, { what, isMet, isSecret = false }] of Object.entries(demands)) {
    const value = options[option];
    if (value !== undefined && !isMet(value))
      return `\`${option}\` must be ${what}${isSecret ? "" : `, not ${told(value)}`}`;
  }
  return undefined;
}

export const FUNCTION: Demand = { what: "a function", isMet: (value) => typeof value === "function" };
export const FLAG: Demand = { what: "true or false", isMet: (value) => typeof value === "boolean" };
export const TEXT: Demand = { what: "a text", isMet: isString };
export const TEXTS: Demand = { what: "a list of texts", isMet: isStringArray };
export const RECORD: Demand = { what: "an object", isMet: isRecord };
export const SCHEMA: Demand = {
  what: "a schema",
  isMet: (value) => typeof value === "boolean" || typeof value === "function" || isRecord(value),
};
export const AMOUNT: Demand = { what: "a number from 0", isMet: (value) => typeof value === "number" && value >= 0 };

export function oneOf(words: readonly string[]): Demand {
  return { what: words.join(" or "), isMet: (value) => words.includes(value as string) };
}
