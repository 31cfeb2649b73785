import { orElse } from "../json/attempt.js";
import { isString, type JsonRecord } from "../json/value.js";
import { type PatternNode, readPattern } from "./pattern-syntax.js";

/** A text that fits a schema of texts, as far as that is easy to say. */
export function exampleText({ format, pattern, minLength, maxLength }: JsonRecord): string {
  const least = typeof minLength === "number" ? Math.min(minLength, MOST_CHARACTERS) : 0;
  const most = typeof maxLength === "number" ? maxLength : Number.POSITIVE_INFINITY;
  const ofFormat = isString(format) && Object.hasOwn(FORMATS, format) ? FORMATS[format] : undefined;
  if (!isString(pattern)) return ofFormat ?? fitted("text", least, most);
  const expression = orElse(() => new RegExp(pattern, "u"), undefined);
  if (expression === undefined) return fitted("text", least, most);
  const tree = readPattern(pattern, true);
  const made = isString(tree) ? [] : [0, least].map((count) => leastText(tree, count));
  const candidates = [ofFormat, fitted("text", least, most), ...made].filter(isString);
  const fits = (text: string): boolean => text.length >= least && text.length <= most && expression.test(text);
  return candidates.find(fits) ?? "text";
}

const MOST_CHARACTERS = 200;

function fitted(text: string, least: number, most: number): string {
  return text
    .repeat(Math.max(1, Math.ceil(least / text.length)))
    .slice(0, Math.max(Math.min(most, text.length), least));
}

const FORMATS: Readonly<Record<string, string>> = {
  "date-time": "2026-01-01T12:00:00Z",
  date: "2026-01-01",
  time: "12:00:00Z",
  duration: "PT1H",
  email: "someone@example.com",
  "idn-email": "someone@example.com",
  hostname: "example.com",
  "idn-hostname": "example.com",
  ipv4: "192.0.2.1",
  ipv6: "2001:db8::1",
  uri: "https://example.com/",
  url: "https://example.com/",
  "uri-reference": "/path",
  iri: "https://example.com/",
  "iri-reference": "/path",
  "uri-template": "/path/{name}",
  uuid: "123e4567-e89b-42d3-a456-426614174000",
  "json-pointer": "/name",
  "relative-json-pointer": "0/name",
  regex: "^a",
  byte: "dGV4dA==",
  base64: "dGV4dA==",
};

const PLEASANT = Array.from("a1A-", (character) => character.charCodeAt(0));

/** A text that a pattern takes, where what can be repeated is so at least `count` times. What looks around is too hard. */
function leastText(node: PatternNode, count: number): string | undefined {
  switch (node.kind) {
    case "characters":
      return characterOf(node.set);
    case "anchor":
      return "";
    case "sequence":
      return joined(node.items, count);
    case "choice":
      return leastText(node.options[0] as PatternNode, count);
    case "repeat": {
      const times = Math.min(Math.max(node.least, count), node.most, MOST_CHARACTERS);
      const body = times === 0 ? "" : leastText(node.body, 0);
      return body !== undefined && body.length * times <= MOST_CHARACTERS ? body.repeat(times) : undefined;
    }
    default:
      return undefined;
  }
}

function characterOf({ ranges, has }: Extract<PatternNode, { kind: "characters" }>["set"]): string | undefined {
  const code = [...PLEASANT, ...ranges.map(([first]) => first)].find(has);
  return code === undefined ? undefined : String.fromCodePoint(code);
}

function joined(items: readonly PatternNode[], count: number): string | undefined {
  const texts = items.map((item) => leastText(item, count));
  return texts.every(isString) ? texts.join("") : undefined;
}
