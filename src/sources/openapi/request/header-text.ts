import { isJsonType } from "../media-type.js";
import { isToken } from "../percent-encode.js";
import type { PlannedParameter } from "../plan.js";
import { jsonOf, textOf, wellFormed } from "./plain-text.js";
import { Refusal } from "./refusal.js";
import { expand } from "./serialise-parameter.js";

const CONTROL = /(?!\t)\p{Cc}/u;
const BEYOND_ASCII = /[^ -~\t]/;
const EACH_BEYOND_ASCII = /[^ -~]/g;

/** What a header parameter says; `undefined` where it says nothing. */
export function headerTextOf({ name, explode, mediaType }: PlannedParameter, value: unknown): string | undefined {
  if (!isToken(name)) throw new Refusal("name", "cannot be sent: its name is none that a header may have");
  if (mediaType !== undefined) return isJsonType(mediaType) ? asciiJson(value) : asHeader(textOf(value));
  const text = expand(name, value, { style: "simple", explode, encode: (part) => part });
  return text === undefined ? undefined : asHeader(text);
}

/** JSON can escape what headers cannot carry. */
function asciiJson(value: unknown): string {
  return jsonOf(value).replace(EACH_BEYOND_ASCII, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/**
 * A text as Node takes it for a header. OpenAPI 3.2 forbids to percent-encode it, so that what is not ASCII goes as UTF-8:
 * one character for each byte, which Node writes as that byte.
 */
export function asHeader(text: string): string {
  return BEYOND_ASCII.test(oneLine(text)) ? Buffer.from(wellFormed(text), "utf8").toString("latin1") : text;
}

/** The text itself, if it cannot end the header that it stands in. */
export function oneLine(text: string): string {
  if (CONTROL.test(text))
    throw new Refusal("pattern", "must have no line breaks or control characters: it is a header");
  return text;
}

/** Node writes a body that is a text together with the headers, as UTF-8; these would be encoded twice. */
export function bodyBeside(
  headers: Readonly<Record<string, string>>,
  body: string | Uint8Array | undefined,
): string | Uint8Array | undefined {
  if (typeof body !== "string") return body;
  return Object.values(headers).some((text) => BEYOND_ASCII.test(text)) ? Buffer.from(body) : body;
}
