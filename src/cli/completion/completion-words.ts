import { orElse } from "../../json/attempt.js";
import { type Command, type Flag, flagsOf } from "../command.js";
import type { Io } from "../io.js";
import { COMMANDS } from "../run.js";
import { type KnownOperation, type KnownSources, knownSources } from "./completion-cache.js";
import { originOf } from "./completion-origin.js";
import { SHELLS } from "./completion-scripts.js";

/** What may stand where the cursor is. */
export interface Suggestion {
  readonly word: string;
  readonly about?: string;
}

/** Names of files, which shells know best. */
export interface FileNames {
  /** What stands before the name in the same word. */
  readonly filesAfter: string;
}

type Suggestions = readonly Suggestion[] | FileNames;

const FILES: FileNames = { filesAfter: "" };

/** What may follow the words of a command line, of which the last is not finished. Starts nothing. */
export async function suggestionsFor(words: readonly string[], io: Io): Promise<Suggestions> {
  const current = words.at(-1) ?? "";
  const [name = "", ...rest] = words.slice(0, -1);
  if (words.length < 2) return beginningWith(current, commandSuggestions());
  if (!Object.hasOwn(COMMANDS, name)) return [];
  const command = await COMMANDS[name]?.load();
  if (command === undefined) return [];
  const line = readLine(command, rest);
  if (line.open !== undefined) return valuesOf(flagsOf(command)[line.open], current);
  const [before, flag] = /^--([^=]+)=/.exec(current) ?? [];
  if (flag !== undefined) return valuesOf(flagsOf(command)[flag], current, before);
  if (current.startsWith("-")) return beginningWith(current, flagSuggestions(command, line.flags));
  const suggestions = await placeSuggestions(name, line, current, io);
  return "filesAfter" in suggestions ? suggestions : beginningWith(current, suggestions);
}

interface Line {
  readonly positionals: readonly string[];
  readonly flags: ReadonlyMap<string, readonly string[]>;
  /** A flag whose value is the next word. */
  readonly open: string | undefined;
}

function readLine(command: Command, words: readonly string[]): Line {
  const known = flagsOf(command);
  const positionals: string[] = [];
  const flags = new Map<string, string[]>();
  let open: string | undefined;
  for (const word of words) {
    const [, name = "", value] = /^--([^=]+)(?:=(.*))?$/s.exec(word) ?? [];
    if (open !== undefined) {
      flags.get(open)?.push(word);
      open = undefined;
    } else if (name === "") positionals.push(word);
    else {
      flags.set(name, [...(flags.get(name) ?? []), ...(value === undefined ? [] : [value])]);
      if (known[name]?.type === "string" && value === undefined) open = name;
    }
  }
  return { positionals, flags, open };
}

function commandSuggestions(): Suggestion[] {
  return Object.entries(COMMANDS).map(([word, { summary }]) => ({ word, about: summary }));
}

function flagSuggestions(command: Command, given: Line["flags"]): Suggestion[] {
  const isLeft = ([name, { multiple }]: readonly [string, Flag]): boolean => multiple === true || !given.has(name);
  return Object.entries(flagsOf(command))
    .filter(isLeft)
    .map(([name, { help }]) => ({ word: `--${name}`, about: help }));
}

/** The values of a flag, each with what stands before it in the same word. */
function valuesOf(flag: Flag | undefined, current: string, before = ""): Suggestions {
  const { value = "", choices = [] } = flag ?? {};
  const forms = value.split("|");
  if (forms.includes("FILE")) return { filesAfter: before };
  if (forms.includes("@FILE") && current.startsWith(`${before}@`)) return { filesAfter: `${before}@` };
  return beginningWith(
    current,
    choices.map((choice) => ({ word: before + choice })),
  );
}

const OF_SOURCES = ["ls", "types"];
const OF_FILES = ["detect", "read", "convert", "check"];

async function placeSuggestions(command: string, line: Line, current: string, io: Io): Promise<Suggestions> {
  if (OF_FILES.includes(command)) return FILES;
  if (command === "completion") return SHELLS.map((word) => ({ word }));
  if (command === "record") return recordSuggestions(line, current, io);
  const origin = await originOf(line.flags, io);
  if (origin === undefined) return [];
  const names = Object.keys(origin.config.sources);
  if (OF_SOURCES.includes(command)) return names.map((word) => ({ word }));
  if (command !== "call" && command !== "describe") return [];
  const known = orElse(() => knownSources(origin, io), {});
  const [operation, ...inputs] = line.positionals;
  if (operation === undefined)
    return [...operationSuggestions(names, known), ...(current === "" ? [] : nameSuggestions(known))];
  return command === "call" ? inputSuggestions(operation, inputs, current, Object.values(known).flat()) : [];
}

async function recordSuggestions(line: Line, current: string, io: Io): Promise<Suggestions> {
  const [file, command, ...positionals] = line.positionals;
  if (file === undefined) return FILES;
  if (command === undefined) return [{ word: "call" }, { word: "serve" }];
  return command === "call" ? placeSuggestions(command, { ...line, positionals }, current, io) : [];
}

/** Of a source that nobody has listed yet only the name is known. */
function operationSuggestions(names: readonly string[], known: KnownSources["sources"]): Suggestion[] {
  return names.flatMap((name): Suggestion[] => {
    const operations = Object.hasOwn(known, name) ? known[name] : undefined;
    return operations?.map(({ id, about }) => ({ word: id, about })) ?? [{ word: `${name}.` }];
  });
}

/** Names without their namespace, where only one operation has them. */
function nameSuggestions(known: KnownSources["sources"]): Suggestion[] {
  const operations = Object.values(known)
    .flat()
    .map(({ id, about }) => ({ word: id.slice(id.indexOf(".") + 1), about }));
  return operations.filter(({ word }) => operations.filter((other) => other.word === word).length === 1);
}

function inputSuggestions(
  operation: string,
  given: readonly string[],
  current: string,
  known: readonly KnownOperation[],
): Suggestions {
  const [fileInput] = /^[^=]+@=/.exec(current) ?? [];
  if (fileInput !== undefined) return { filesAfter: fileInput };
  const named = known.filter(({ id }) => id === operation || id.endsWith(`.${operation}`));
  const fields = named.length === 1 ? (named[0]?.fields ?? []) : [];
  const taken = new Set(given.map((word) => word.replace(/[:@]?=.*$/s, "")));
  const key = current.includes("=") ? current.slice(0, current.indexOf("=")) : undefined;
  return fields.flatMap(({ name, type, values }): Suggestion[] => {
    if (name === key) return values.filter(isPlainWord).map((value) => ({ word: `${name}=${value}` }));
    return taken.has(name) && !type.endsWith("[]") ? [] : [{ word: `${name}=`, about: type }];
  });
}

/** Nothing that a shell would have to quote. */
function isPlainWord(text: string): boolean {
  return /^[\w.:/@%+,-]+$/.test(text);
}

function beginningWith(start: string, suggestions: readonly Suggestion[]): Suggestion[] {
  return suggestions.filter(({ word }) => word.startsWith(start));
}
