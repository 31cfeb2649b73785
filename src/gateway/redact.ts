import { orElse } from "../json/attempt.js";
import { isRecord, type JsonRecord, setField } from "../json/value.js";
import { soundsSecret } from "./config/secret-words.js";

/** Takes secrets out of what is printed, logged or kept. */
export interface Redactor {
  text(text: string): string;
  /** Deep, and by the names of fields too. The same object where there is nothing to take out. */
  value(value: unknown): unknown;
  /** Deep, and only of texts that are known to be secret, whatever the names of fields. */
  known(value: unknown): unknown;
}

/** What stands where a secret was. */
export const REDACTED = "[redacted]";

/** Deeper values are not printed by anybody. */
const MOST_DEPTH = 200;

export function createRedactor(secrets: readonly string[]): Redactor {
  const pattern = patternOf(secrets);
  const text = (given: string): string => (pattern === undefined ? given : given.replace(pattern, REDACTED));
  return {
    text,
    value: (value) => redacted(value, { text, holdsSecret }, MOST_DEPTH),
    known: (value) => redacted(value, { text, holdsSecret: () => false }, MOST_DEPTH),
  };
}

interface Rules {
  readonly text: (given: string) => string;
  readonly holdsSecret: (name: string, value: unknown) => boolean;
}

/** All of them at once, the longest first, also as an address or a JSON text writes them. */
function patternOf(secrets: readonly string[]): RegExp | undefined {
  const forms = new Set(secrets.filter((secret) => secret !== "").flatMap(formsOf));
  if (forms.size === 0) return undefined;
  const longestFirst = [...forms].sort((a, b) => b.length - a.length);
  return new RegExp(longestFirst.map((form) => form.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&")).join("|"), "g");
}

function formsOf(secret: string): readonly string[] {
  // A lone half of a character pair has no form in an address.
  const inAddress = orElse(() => encodeURIComponent(secret), secret);
  return [secret, inAddress, inAddress.replaceAll("%20", "+"), JSON.stringify(secret).slice(1, -1)];
}

function redacted(value: unknown, rules: Rules, depth: number): unknown {
  if (typeof value === "string") return rules.text(value);
  if (typeof value !== "object" || value === null) return value;
  if (depth === 0) return REDACTED;
  if (Array.isArray(value)) return redactedList(value, rules, depth);
  return isPlainRecord(value) ? redactedRecord(value, rules, depth) : value;
}

function redactedList(list: readonly unknown[], rules: Rules, depth: number): unknown {
  const items = list.map((item) => redacted(item, rules, depth - 1));
  return items.every((item, at) => item === list[at]) ? list : items;
}

function redactedRecord(record: JsonRecord, rules: Rules, depth: number): unknown {
  const copy: JsonRecord = {};
  let isSame = true;
  for (const [name, value] of Object.entries(record)) {
    const key = rules.text(name);
    const kept = rules.holdsSecret(name, value) ? hidden(value) : redacted(value, rules, depth - 1);
    isSame &&= key === name && kept === value;
    setField(copy, key, kept);
  }
  return isSame ? record : copy;
}

/** A number is one where a text would be: nobody counts passwords. The object below such a name may be a schema. */
function holdsSecret(name: string, value: unknown): boolean {
  if (typeof value === "string") return value !== "" && soundsSecret(name);
  if (typeof value === "number") return !/tokens?$/i.test(name) && soundsSecret(name);
  return Array.isArray(value) && soundsSecret(name) && value.some((item) => typeof item === "string");
}

function hidden(value: unknown): unknown {
  return Array.isArray(value) ? value.map((item) => (typeof item === "string" ? REDACTED : item)) : REDACTED;
}

function isPlainRecord(value: object): value is JsonRecord {
  const prototype: unknown = Object.getPrototypeOf(value);
  return isRecord(value) && (prototype === Object.prototype || prototype === null);
}
