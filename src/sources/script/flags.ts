import { CallError } from "../../envelope/call-error.js";
import { flagName, HELPER_OPTIONS } from "../../helper/flag-name.js";
import { pointerTo } from "../../json/pointer.js";
import { told } from "../../json/told.js";
import { isRecord, isString } from "../../json/value.js";

export interface FlagOptions {
  /** The flags of fields, where they are not the usual ones. */
  readonly flags?: Readonly<Record<string, string>>;
  /** The fields that may become flags; undefined lets all. */
  readonly fields?: readonly string[] | undefined;
  /** Whether it is a helper of Plico's kind, which has some options of its own. */
  readonly isHelper: boolean;
}

/** An input as arguments, one flag a field: those of the table in its order, then the others in theirs. */
export function flagsFor(input: unknown, options: FlagOptions): readonly string[] {
  if (input === undefined) return [];
  if (!isRecord(input)) throw refused("", `must be an object to become flags, not ${told(input)}`);
  const { flags = {} } = options;
  const others = Object.keys(input).filter((field) => !Object.hasOwn(flags, field));
  const args: string[] = [];
  const last: string[] = [];
  for (const field of [...Object.keys(flags), ...others]) {
    const value = Object.hasOwn(input, field) ? input[field] : undefined;
    if (value === undefined || value === null) continue;
    const flag = flags[field];
    const target = flag === "--" ? last : args;
    target.push(...(flag === undefined ? usualFlag(field, value, options) : givenFlag(field, flag, value)));
  }
  return last.length === 0 ? args : [...args, "--", ...last];
}

/** `--max-count=5`, `--verbose`, `--no-verbose`. */
function usualFlag(field: string, value: unknown, { fields, isHelper }: FlagOptions): readonly string[] {
  if (fields !== undefined && !fields.includes(field))
    throw refused(field, "has no flag: neither the input schema nor the option flags names it");
  if (!FIELD.test(field)) throw refused(field, "has a name that cannot be a flag; name one by the option flags");
  const name = flagName(field);
  if (isHelper && HELPER_OPTIONS.includes(name))
    throw refused(field, `cannot be a flag, because --${name} means something else; use another inputAs`);
  if (typeof value === "boolean") return [value ? `--${name}` : `--no-${name}`];
  return textsOf(field, value).map((text) => `--${name}=${text}`);
}

/** What else a name has might make another flag of it. */
const FIELD = /^[\p{L}\p{N}_][\p{L}\p{N}_.-]*$/u;

function givenFlag(field: string, flag: string, value: unknown): readonly string[] {
  if (flag === "" || flag === "--") return textsOf(field, value).map((text) => positional(field, flag, text));
  if (flag.endsWith("=")) return textsOf(field, value).map((text) => flag + text);
  if (typeof value === "boolean") return value ? [flag] : [];
  return textsOf(field, value).flatMap((text) => [flag, text]);
}

function positional(field: string, flag: string, text: string): string {
  if (flag === "" && text.startsWith("-"))
    throw refused(field, `must not begin with a dash, because the program would read ${told(text)} as an option`);
  return text;
}

/** One for each item of a list; what is neither text nor number is JSON. */
function textsOf(field: string, value: unknown): readonly string[] {
  const items = Array.isArray(value) ? value.filter((item) => item !== null && item !== undefined) : [value];
  return items.map((item) => {
    const text = isString(item) ? item : (JSON.stringify(item) as string | undefined);
    if (text === undefined) throw refused(field, `cannot be written as an argument: it is ${told(item)}`);
    if (text.includes("\0")) throw refused(field, "has a NUL character, which no argument can have");
    return text;
  });
}

function refused(field: string, what: string): CallError {
  return new CallError({
    category: "validation",
    message: `The input cannot be given to the program: ${field === "" ? "it" : told(field)} ${what}.`,
    issues: [{ path: field === "" ? "" : pointerTo(field), message: what }],
  });
}
