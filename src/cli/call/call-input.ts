import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { messageOf } from "../../json/attempt.js";
import { isRecord, type JsonRecord, setField } from "../../json/value.js";
import type { OperationSpec } from "../../registry/operation.js";
import { operationIdOf } from "../../registry/operation-id.js";
import { nearestOf } from "../../registry/refusals.js";
import { type InputTexts, inputTextsOf } from "../../servers/input-texts.js";
import { documentOf } from "../documents/input.js";
import { fieldType } from "../input-summary.js";
import { Complaint } from "../io.js";

export interface GivenInput {
  readonly spec: OperationSpec;
  /** As they were typed: `key=value`, `key:=JSON`, `key@=FILE`. */
  readonly words: readonly string[];
  /** Where relative files start. */
  readonly cwd: string;
}

/** The input that words on a command line say, each value as its schema wants it. */
export function inputFromWords({ spec, words, cwd }: GivenInput): unknown {
  const texts = inputTextsOf(spec);
  // An empty object lets the check name the fields that are missing.
  if (words.length === 0) return texts.fields.length === 0 ? undefined : {};
  const input: JsonRecord = {};
  for (const [key, values] of grouped(words.map((word) => readWord(word, cwd)))) {
    const place = placeOf(key, texts);
    if (place === undefined) throw unknownKey(key, spec, texts);
    setAt(input, place, key, valueAt(place, values));
  }
  return input;
}

interface Assignment {
  readonly key: string;
  readonly value: GivenValue;
}

/** A text that the schema gives its meaning, or a value that has its own. */
type GivenValue = { readonly text: string } | { readonly json: unknown };

const ASSIGNMENT = /^([^=]*?)([:@]?)=(.*)$/s;

function readWord(word: string, cwd: string): Assignment {
  const [, key = "", sign, rest = ""] = ASSIGNMENT.exec(word) ?? [];
  if (key === "") throw refusal(`"${word}" is no input: write key=value, key:=JSON or key@=FILE`);
  if (sign === ":") return { key, value: { json: jsonOf(rest, `${key}:=`) } };
  return { key, value: { text: sign === "@" ? textOfFile(resolve(cwd, rest), key) : rest } };
}

function jsonOf(text: string, label: string): unknown {
  const document = documentOf(Buffer.from(text), label);
  if ("fault" in document) throw refusal(`${label} ${document.fault}`);
  return document.value;
}

function textOfFile(file: string, key: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (thrown) {
    throw refusal(`${key}@= cannot be read: ${messageOf(thrown)}`);
  }
}

/** A key that is given again makes a list. */
function grouped(assignments: readonly Assignment[]): Map<string, GivenValue[]> {
  const groups = new Map<string, GivenValue[]>();
  for (const { key, value } of assignments) groups.set(key, [...(groups.get(key) ?? []), value]);
  return groups;
}

/** A field, by the fields that lead to it. */
interface Place {
  readonly above: readonly string[];
  readonly name: string;
  readonly texts: InputTexts;
}

/** The whole key is a field, or its first parts are one and the rest a field of that. */
function placeOf(key: string, texts: InputTexts): Place | undefined {
  const isKnown = (name: string): boolean => texts.fields.some((field) => field.name === name);
  if (isKnown(key)) return { above: [], name: key, texts };
  for (let at = key.indexOf("."); at > 0; at = key.indexOf(".", at + 1)) {
    const name = key.slice(0, at);
    if (!isKnown(name)) continue;
    const inner = placeOf(key.slice(at + 1), texts.inside(name));
    return inner && { ...inner, above: [name, ...inner.above] };
  }
  const parts = key.split(".");
  if (!texts.takesOthers || parts.includes("")) return undefined;
  return { above: parts.slice(0, -1), name: parts.at(-1) ?? "", texts };
}

function valueAt({ name, texts }: Place, values: readonly GivenValue[]): unknown {
  const asTexts = values.flatMap((value) => ("text" in value ? [value.text] : []));
  // Who writes a whole list as JSON does not mean a list of one text.
  const isList = asTexts.length === 1 && asTexts[0]?.startsWith("[") === true;
  if (asTexts.length === values.length) return texts.valueOf(name, asTexts, !isList);
  const each = values.map((value) => ("json" in value ? value.json : texts.valueOf(name, [value.text], false)));
  return each.length === 1 ? each[0] : each;
}

function setAt(input: JsonRecord, { above, name }: Place, key: string, value: unknown): void {
  let holder = input;
  for (const part of above) {
    if (!Object.hasOwn(holder, part)) setField(holder, part, {});
    const next = holder[part];
    if (!isRecord(next)) throw refusal(`${key} is a part of ${part}, which was given a value of its own`);
    holder = next;
  }
  if (Object.hasOwn(holder, name)) throw refusal(`${key} was given a value of its own, and so was a part of it`);
  setField(holder, name, value);
}

function unknownKey(key: string, spec: OperationSpec, { fields }: InputTexts): Complaint {
  const nearest = nearestOf(
    key,
    fields.map((field) => field.name),
  );
  const rows = fields.map((field) => `  ${field.name}: ${fieldType(field)}${field.isRequired ? " (required)" : ""}`);
  const guess = nearest === undefined ? "" : `; did you mean ${nearest}?`;
  return refusal([`${operationIdOf(spec)} has no input "${key}"${guess}`, "It takes:", ...rows].join("\n"));
}

function refusal(message: string): Complaint {
  return new Complaint(message, 2);
}
