import { setField } from "../../json/value.js";

/** One part of an `Accept` header: type, subtype and the names of parameters in lower case. */
export interface AcceptedType {
  readonly type: string;
  readonly subtype: string;
  /** Without `q`. */
  readonly parameters: Readonly<Record<string, string>>;
  /** From 0, which refuses, to 1. */
  readonly q: number;
}

/** What follows is not looked at: nobody means so many. */
const MOST_PARTS = 50;

/** The media types of an `Accept` header by RFC 9110, the most wanted first; malformed parts are left out. */
export function parseAccept(header: string): readonly AcceptedType[] {
  const ranges: AcceptedType[] = [];
  for (const part of splitUnquoted(header, ",", MOST_PARTS)) {
    const range = parseRange(part);
    if (range !== undefined) ranges.push(range);
  }
  return ranges.sort((a, b) => b.q - a.q || specificity(b) - specificity(a));
}

/** Splits at the separators that stand outside of quotes. */
function splitUnquoted(text: string, separator: string, most: number = Number.POSITIVE_INFINITY): string[] {
  const parts: string[] = [];
  let from = 0;
  let isQuoted = false;
  for (let at = 0; at < text.length && parts.length < most; at++) {
    const character = text[at];
    if (isQuoted && character === "\\") at += 1;
    else if (character === '"') isQuoted = !isQuoted;
    else if (character === separator && !isQuoted) {
      parts.push(text.slice(from, at));
      from = at + 1;
    }
  }
  if (parts.length < most) parts.push(text.slice(from));
  return parts;
}

function parseRange(part: string): AcceptedType | undefined {
  const [name = "", ...fields] = splitUnquoted(part, ";").map((field) => field.trim());
  const [, type = "", subtype = ""] = MEDIA_TYPE.exec(name.toLowerCase()) ?? [];
  if (type === "" || (type === "*" && subtype !== "*")) return undefined;
  const parameters: Record<string, string> = {};
  let q = 1;
  for (const field of fields) {
    if (field === "") continue;
    const [, key = "", bare, quoted] = PARAMETER.exec(field) ?? [];
    const value = bare ?? quoted?.replaceAll(/\\(.)/g, "$1");
    if (value === undefined) return undefined;
    const lower = key.toLowerCase();
    if (lower !== "q") setField(parameters, lower, value);
    else if (QUALITY.test(value)) q = Number(value);
    else return undefined;
  }
  return { type, subtype, parameters, q };
}

const MEDIA_TYPE = /^([\w!#$%&'*+.^`|~-]+)\/([\w!#$%&'*+.^`|~-]+)$/;

const PARAMETER = /^([\w!#$%&'*+.^`|~-]+)=(?:([\w!#$%&'*+.^`|~-]+)|"((?:[^"\\]|\\.)*)")$/;

const QUALITY = /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/;

function specificity({ type, subtype, parameters }: AcceptedType): number {
  if (type === "*") return 0;
  return subtype === "*" ? 1 : 2 + Object.keys(parameters).length;
}
