import type { LoadOptions, YAMLException } from "js-yaml";
import type { CallError } from "../../../envelope/call-error.js";
import { messageOf } from "../../../json/attempt.js";
import { isRecord } from "../../../json/value.js";
import { invalidDocument, type TextPlace } from "./document-errors.js";
import { foundInText } from "./recognise.js";

/** A text as JSON, where it begins like it, or as YAML 1.2. Throws a `CallError` that says where it is neither. */
export async function parseText(text: string, address: string): Promise<unknown> {
  const plain = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  if (plain.charCodeAt(firstMark(plain)) === OPENING_BRACE) return parseJson(plain, address);
  const found = foundInText(plain);
  if (found !== undefined) throw invalidDocument(address, `is no OpenAPI document but ${found}. ${WANTED}`);
  return parseYaml(plain, address);
}

export const WANTED = "Give the source a document of OpenAPI 2.0 or 3.x, as JSON or YAML.";

const OPENING_BRACE = 0x7b;

function firstMark(text: string): number {
  let at = 0;
  while (text.charCodeAt(at) <= 0x20) at++;
  return at;
}

function parseJson(text: string, address: string): unknown {
  try {
    return JSON.parse(text);
  } catch (thrown) {
    const [position, words] = faultOf(messageOf(thrown), text);
    const details = position === undefined ? undefined : placeOf(text, position);
    throw notParsed(address, `JSON: ${words}`, { details, cause: thrown });
  }
}

/** Node says the position of most faults, and of the others what stands around them. */
function faultOf(message: string, text: string): readonly [number | undefined, string] {
  const [, before, said] = /^(.*?)(?: in JSON)? at position (\d+)/s.exec(message) ?? [];
  if (before !== undefined) return [Number(said), before];
  const [, words = message, around] = /^(Unexpected token .*?), (?:\.\.\."(.*)"(?:\.\.\.)? )?/s.exec(message) ?? [];
  if (around !== undefined) return [text.indexOf(around) + SHOWN_BEFORE, words];
  return [/end of JSON/.test(message) ? text.trimEnd().length : undefined, words];
}

const SHOWN_BEFORE = 10;

function placeOf(text: string, position: number): TextPlace {
  // An end that comes too early is found after the last character, not on the empty line below it.
  const at = Math.min(position, text.trimEnd().length);
  const before = text.slice(0, at);
  return { line: before.split("\n").length, column: at - before.lastIndexOf("\n") };
}

async function parseYaml(text: string, address: string): Promise<unknown> {
  const yaml = await import("js-yaml");
  YAML_OPTIONS ??= {
    // Without timestamps: a date in a document is a text.
    schema: yaml.CORE_SCHEMA.withTags(yaml.mergeTag),
    // The last of equal keys counts, as in JSON.
    json: true,
    maxDepth: 250,
    maxTotalMergeKeys: 200_000,
    maxAliases: 100_000,
  };
  try {
    return yaml.load(text, YAML_OPTIONS);
  } catch (thrown) {
    const { reason, mark } = isRecord(thrown) ? (thrown as Partial<YAMLException>) : {};
    const details = mark === undefined ? undefined : { line: mark.line + 1, column: mark.column + 1 };
    throw notParsed(address, `YAML: ${reason ?? messageOf(thrown)}`, { details, cause: thrown });
  }
}

let YAML_OPTIONS: LoadOptions | undefined;

function notParsed(
  address: string,
  what: string,
  { details, cause }: { readonly details: TextPlace | undefined; readonly cause: unknown },
): CallError {
  const where = details === undefined ? "" : ` (line ${details.line}, column ${details.column})`;
  return invalidDocument(address, `is no valid ${what}${where}. Correct it there.`, { details, cause });
}
