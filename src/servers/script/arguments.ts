import { flagName, HELPER_OPTIONS } from "../../helper/flag-name.js";
import type { Issue } from "../../json/issue.js";
import { pointerTo } from "../../json/pointer.js";
import { isString, type JsonRecord, setField } from "../../json/value.js";
import { nearestOf } from "../../registry/refusals.js";
import { TYPE } from "../../schema/node.js";
import { typesOfNode } from "../../schema/possible-types.js";
import type { InputField } from "../input-fields.js";
import type { InputTexts } from "../input-texts.js";

/** What stands on the command line of a helper. */
export interface HelperArguments {
  /** Of `HELPER_OPTIONS`; those without a value are there with an empty one. */
  readonly options: ReadonlyMap<string, string>;
  /** The fields that are given as flags, each as its schema means it. */
  readonly fields: JsonRecord;
  readonly issues: readonly Issue[];
}

export function readArguments(argv: readonly string[], texts: InputTexts): HelperArguments {
  const reading: Reading = { rest: [...argv], flags: flagsOf(texts.fields), options: new Map(), given: new Map() };
  const issues: Issue[] = [];
  for (let argument = reading.rest.shift(); argument !== undefined; argument = reading.rest.shift()) {
    const issue = readArgument(argument, reading);
    if (issue !== undefined) issues.push(issue);
  }
  for (const [name, values] of reading.given) if (isTooMany(name, values, texts)) issues.push(severalTimes(name));
  const fields: JsonRecord = {};
  for (const [name, values] of reading.given) setField(fields, name, meant(name, values, texts));
  return { options: reading.options, fields, issues };
}

interface Reading {
  readonly rest: string[];
  readonly flags: ReadonlyMap<string, InputField>;
  readonly options: Map<string, string>;
  readonly given: Map<string, (string | boolean)[]>;
}

/** A field has its own name too, as it stands in the schema; the helper's options come first. */
function flagsOf(fields: readonly InputField[]): Map<string, InputField> {
  const flags = new Map<string, InputField>();
  for (const field of fields) if (!flags.has(flagName(field.name))) flags.set(flagName(field.name), field);
  for (const field of fields) flags.set(field.name, field);
  for (const option of HELPER_OPTIONS) flags.delete(option);
  return flags;
}

function readArgument(argument: string, reading: Reading): Issue | undefined {
  if (argument === "-h") return readOption("help", undefined, reading);
  if (!argument.startsWith("--") || argument === "--")
    return refusal(`${quoted(argument)} is not expected; a helper takes flags only`);
  const [, name = "", inline] = /^--([^=]*)(?:=(.*))?$/s.exec(argument) ?? [];
  if (HELPER_OPTIONS.includes(name)) return readOption(name, inline, reading);
  const field = reading.flags.get(name);
  if (field !== undefined) return readField(field, name, inline, reading);
  const negated = name.startsWith("no-") && inline === undefined ? reading.flags.get(name.slice(3)) : undefined;
  if (negated !== undefined && mayBe(negated, TYPE.boolean)) return give(negated, false, reading);
  // Its value is not complained of beside it.
  if (inline === undefined) nextValue(reading);
  return refusal(unknownFlag(name, reading));
}

const WITHOUT_VALUE: readonly string[] = ["help", "schema"];

function readOption(name: string, inline: string | undefined, reading: Reading): Issue | undefined {
  const isSwitch = WITHOUT_VALUE.includes(name);
  if (isSwitch && inline !== undefined) return refusal(`--${name} takes no value`);
  const value = isSwitch ? "" : (inline ?? nextValue(reading));
  if (value === undefined) return refusal(`--${name} needs a value`);
  if (reading.options.has(name)) return refusal(`--${name} is given twice`);
  reading.options.set(name, value);
  return undefined;
}

function readField(field: InputField, name: string, inline: string | undefined, reading: Reading): Issue | undefined {
  if (inline !== undefined) return give(field, inline, reading);
  const isSwitch = !mayBe(field, ~(TYPE.boolean | TYPE.null | TYPE.undefined));
  if (isSwitch) return give(field, nextVerdict(reading) ?? true, reading);
  const value = nextValue(reading) ?? (mayBe(field, TYPE.boolean) ? true : undefined);
  if (value !== undefined) return give(field, value, reading);
  const message = `--${name} needs a value; one that begins with -- is written --${name}=VALUE`;
  return { path: pointerTo(field.name), message };
}

function nextVerdict({ rest }: Reading): boolean | undefined {
  return rest[0] === "true" || rest[0] === "false" ? rest.shift() === "true" : undefined;
}

function nextValue({ rest }: Reading): string | undefined {
  return rest[0] === undefined || rest[0].startsWith("--") ? undefined : rest.shift();
}

function give({ name }: InputField, value: string | boolean, { given }: Reading): undefined {
  given.set(name, [...(given.get(name) ?? []), value]);
}

/** Of switches the last one counts; texts are taken together. */
function meant(name: string, values: readonly (string | boolean)[], texts: InputTexts): unknown {
  const last = values.at(-1);
  return typeof last === "boolean" ? last : texts.valueOf(name, values.filter(isString), true);
}

/** A list may be given piece by piece, and a switch be turned again. */
function isTooMany(name: string, values: readonly (string | boolean)[], { fields }: InputTexts): boolean {
  const field = fields.find((known) => known.name === name);
  return values.filter(isString).length > 1 && field !== undefined && !mayBe(field, TYPE.array);
}

function severalTimes(name: string): Issue {
  return { path: pointerTo(name), message: `--${flagName(name)} takes one value, and is given several times` };
}

function mayBe({ schemas }: InputField, types: number): boolean {
  return schemas.some((schema) => (typesOfNode(schema) & types) !== 0);
}

function unknownFlag(name: string, { flags }: Reading): string {
  const known = [...new Set([...flags.values()].map((field) => flagName(field.name))), ...HELPER_OPTIONS];
  const nearest = nearestOf(name, [...flags.keys(), ...HELPER_OPTIONS]);
  if (nearest !== undefined) return `there is no flag --${name}; did you mean --${nearest}?`;
  return `there is no flag --${name}; there are ${known.map((flag) => `--${flag}`).join(", ")}`;
}

function refusal(message: string): Issue {
  return { path: "", message };
}

function quoted(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 57)}…` : text);
}
