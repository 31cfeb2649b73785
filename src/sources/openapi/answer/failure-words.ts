import { STATUS_CODES } from "node:http";
import { isRecord, isString, type JsonRecord } from "../../../json/value.js";
import type { MediaType } from "../media-type.js";
import { ownValue } from "../own-value.js";

const MOST_WORDS = 500;

/** `404 Not Found`. */
export function statusLine(status: number): string {
  const reason = STATUS_CODES[status];
  return reason === undefined ? String(status) : `${status} ${reason}`;
}

/** What a refusal says of itself in one line; `undefined` where it says no more than its status. */
export function wordsFrom(body: unknown, { essence }: MediaType, status: number): string | undefined {
  const said = isString(body) ? wordsInText(body, essence) : wordsInJson(body, essence);
  const words = said === undefined ? "" : shortened(said);
  return words === "" || isStatus(words, status) ? undefined : words;
}

function isStatus(words: string, status: number): boolean {
  const known = [String(status), STATUS_CODES[status] ?? "", statusLine(status)].map((text) => text.toLowerCase());
  return known.includes(
    words
      .toLowerCase()
      .replace(/^http\s+/, "")
      .replace(/[.:!]$/, ""),
  );
}

function wordsInJson(body: unknown, essence: string): string | undefined {
  if (Array.isArray(body)) return wordsInJson(body[0], essence);
  if (!isRecord(body)) return undefined;
  const isProblem =
    essence === "application/problem+json" || (isString(body["title"]) && ("status" in body || "type" in body));
  const places = isProblem ? [["detail"], ["title"], ...PLACES] : PLACES;
  return places
    .map((place) => at(body, place))
    .find((value): value is string => isString(value) && value.trim() !== "");
}

/** Where APIs put the words for people, the plainest first. */
const PLACES: readonly (readonly (string | number)[])[] = [
  ["message"],
  ["error", "message"],
  ["error_description"],
  ["error", "reason"],
  ["error", "description"],
  ["error", "detail"],
  ["detail"],
  ["errors", 0, "message"],
  ["errors", 0, "detail"],
  ["errors", 0, "title"],
  ["errors", 0],
  ["error"],
  ["title"],
  ["fault", "faultstring"],
  ["fault", "message"],
  ["Message"],
  ["error_message"],
  ["errorMessage"],
  ["error", "msg"],
  ["msg"],
  ["description"],
  ["reason"],
];

function at(body: JsonRecord, place: readonly (string | number)[]): unknown {
  let value: unknown = body;
  for (const key of place) {
    if (typeof key === "number") value = Array.isArray(value) ? value[key] : undefined;
    else value = isRecord(value) ? ownValue(value, key) : undefined;
  }
  return value;
}

/** Where APIs put a word for programs. */
const CODE_PLACES: readonly (readonly (string | number)[])[] = [
  ["code"],
  ["error", "code"],
  ["error", "status"],
  ["error_code"],
  ["errorCode"],
  ["__type"],
  ["errors", 0, "code"],
  ["errors", 0, "extensions", "code"],
  ["fault", "detail", "errorcode"],
  ["error", "type"],
];

export interface CodeOptions {
  readonly headers: Readonly<Record<string, string>>;
  readonly status: number;
  /** The errors that it lists are about fields; their codes are not its own. */
  readonly isAboutFields: boolean;
}

/** The code that a refusal has, if it is a word that programs can tell failures by. */
export function codeFrom(body: unknown, { headers, status, isAboutFields }: CodeOptions): string | undefined {
  const said = isRecord(body) ? codesIn(body, isAboutFields) : isString(body) ? [elementIn(body, "Code")] : [];
  const ofHeader = headers["x-amzn-errortype"]?.split(":", 1)[0];
  return [...said, ofHeader]
    .filter(isString)
    .map((value) => value.replace(/^.*#/, ""))
    .find((value) => isWord(value) && !isStatus(value, status));
}

function codesIn(body: JsonRecord, isAboutFields: boolean): unknown[] {
  const places = isAboutFields ? CODE_PLACES.filter(([first]) => first !== "errors") : CODE_PLACES;
  const bare = body["error"];
  // A bare `error` is mostly a sentence, or one word of it.
  const isCode = isString(bare) && /_|[A-Z]{3}/.test(bare);
  const ofKubernetes = body["kind"] === "Status" ? [body["reason"]] : [];
  return [...ofKubernetes, ...places.map((place) => at(body, place)), ...(isCode ? [bare] : [])];
}

function isWord(text: string): boolean {
  return /^[A-Za-z][A-Za-z0-9_.:-]{1,63}$/.test(text);
}

function wordsInText(text: string, essence: string): string | undefined {
  const isMarked = /[/+](x?html|xml)/.test(essence) || /^\s*<(\?xml|!doctype|html|[A-Za-z]+[\s>])/i.test(text);
  if (!isMarked) return text.split("\n").find((line) => line.trim() !== "");
  const head = text.slice(0, MOST_MARKUP);
  return ELEMENTS.map((name) => elementIn(head, name)).find((words) => words !== undefined) ?? withoutTags(head);
}

/** As much as is looked at, so that no text makes the search long. */
const MOST_MARKUP = 8192;

const ELEMENTS = ["Message", "message", "faultstring", "detail", "title"];

function elementIn(text: string, name: string): string | undefined {
  const match = new RegExp(`<(?:\\w+:)?${name}(?:\\s[^<>]*)?>([^<]+)<`).exec(text.slice(0, MOST_MARKUP));
  const words = unescaped(match?.[1] ?? "").trim();
  return words === "" ? undefined : words;
}

function withoutTags(markup: string): string {
  const visible = markup.replaceAll(/<(script|style)\b[\s\S]*?<\/\1\s*>/gi, " ").replaceAll(/<[^<>]*>/g, " ");
  return unescaped(visible);
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
  "#39": "'",
};

function unescaped(text: string): string {
  return text.replaceAll(/&(amp|lt|gt|quot|apos|nbsp|#39);/g, (_, name: string) => ENTITIES[name] ?? "");
}

/** One line of at most so many characters. */
function shortened(text: string): string {
  const line = text
    .slice(0, MOST_WORDS * 8)
    .replaceAll(/\s+/g, " ")
    .trim();
  const characters = [...line];
  return characters.length > MOST_WORDS ? `${characters.slice(0, MOST_WORDS - 1).join("")}…` : line;
}
