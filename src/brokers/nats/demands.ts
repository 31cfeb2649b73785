import { AMOUNT, type Demand, FUNCTION } from "../../json/demands.js";
import { isRecord, isString } from "../../json/value.js";
import { nameTest } from "../../registry/name-pattern.js";
import { isAddress, isToken } from "./subjects.js";

/** Which operations are meant: texts are whole ids, with `*` for anything. */
export type IdPatterns = readonly (string | RegExp)[];

/** What options of workers and sources must be. */
export const CONNECTION: Demand = {
  what: "a connected client of NATS, such as `connect` of @nats-io/transport-node gives",
  isMet: (value) =>
    isRecord(value) && ["publish", "subscribe", "flush", "status"].every((name) => FUNCTION.isMet(value[name])),
  isSecret: true,
};

export const PREFIX: Demand = {
  what: "words with points between them, such as plico or team.plico",
  isMet: (value) => isString(value) && isAddress(value),
};

export const TOKEN: Demand = { what: "letters, digits, _ and -, at most 64", isMet: isToken };

export const PATTERNS: Demand = {
  what: 'a list of patterns, such as ["math.*"]',
  isMet: (value) => Array.isArray(value) && value.every((one) => isString(one) || one instanceof RegExp),
};

export const POSITIVE: Demand = {
  what: "a number above 0",
  isMet: (value) => AMOUNT.isMet(value) && value !== 0,
};

/** Whether an operation is chosen: by `include`, where there is one, and not by `exclude`. */
export function choiceOf(include: IdPatterns | undefined, exclude: IdPatterns | undefined): (id: string) => boolean {
  const isIncluded = include === undefined ? () => true : anyOf(include);
  const isExcluded = anyOf(exclude ?? []);
  return (id) => isIncluded(id) && !isExcluded(id);
}

export function anyOf(patterns: IdPatterns): (id: string) => boolean {
  const tests = patterns.map(nameTest);
  return (id) => tests.some((fits) => fits(id));
}
