import { orElse } from "../../json/attempt.js";
import { type Command, type Flag, flagsOf } from "../command.js";
import type { Io } from "../io.js";
import { COMMANDS } from "../run.js";
import { type KnownOperation, knownSources } from "./completion-cache.js";
import { originOf } from "./completion-origin.js";

/** What may stand where the cursor is. */
export interface Suggestion {
  readonly word: string;
  readonly about?: string;
}

/** Names of files, which shells know best. */
export const FILES = "files";

/** What may follow the words of a command line, of which the last is not finished. Starts nothing. */
export async function suggestionsFor(words: readonly string[], io: Io): Promise<readonly Suggestion[] | typeof FILES> {
  const current = words.at(-1) ?? "";
  const [name = "", ...rest] = words.slice(0, -1);
  if (words.length < 2) return beginningWith(current, commandSuggestions());
  if (!Object.hasOwn(COMMANDS, name)) return [];
  const command = await COMMANDS[name]?.load();
  if (command === undefined) return [];
  const line = readLine(command, rest);
  if (line.open !== undefined) return valuesOf(line.open, current);
  if (current.startsWith("-")) return beginningWith(current, flagSuggestions(command, line.flags));
  const suggestions = await placeSuggestions(name, line, current, io);
  return suggestions === FILES ? FILES : beginningWith(current, suggestions);
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

const FILE_FLAGS = ["config", "openapi", "script", "module", "record", "replay", "report", "fixture", "out"];

async function valuesOf(flag: string, current: string): Promise<readonly Suggestion[] | typeof FILES> {
  if (FILE_FLAGS.includes(flag)) return FILES;
  if (flag !== "as" && flag !== "to") return [];
  const { DIALECTS } = await import("../../dialects/all.js");
  return beginningWith(
    current,
    DIALECTS.map(({ name }) => ({ word: name })),
  );
}

const OF_SOURCES = ["ls", "types"];
const OF_FILES = ["detect", "read", "convert", "check"];

async function placeSuggestions(
  command: string,
  { positionals, flags }: Line,
  current: string,
  io: Io,
): Promise<readonly Suggestion[] | typeof FILES> {
  if (OF_FILES.includes(command)) return FILES;
  if (command === "completion") return ["bash", "zsh", "fish"].map((word) => ({ word }));
  if (command === "record") return positionals.length === 0 ? FILES : [{ word: "call" }, { word: "serve" }];
  const origin = await originOf(flags, io);
  if (origin === undefined) return [];
  const names = Object.keys(origin.config.sources);
  if (OF_SOURCES.includes(command)) return names.map((word) => ({ word }));
  if (command !== "call" && command !== "describe") return [];
  const known = orElse(() => knownSources(origin, io), {});
  const [operation, ...inputs] = positionals;
  if (operation === undefined) return operationSuggestions(names, known);
  return command === "call" ? inputSuggestions(operation, inputs, current, Object.values(known).flat()) : [];
}

/** Of a source that nobody has listed yet only the name is known. */
function operationSuggestions(
  names: readonly string[],
  known: Readonly<Record<string, readonly KnownOperation[]>>,
): Suggestion[] {
  return names.flatMap((name): Suggestion[] => {
    const operations = Object.hasOwn(known, name) ? known[name] : undefined;
    return operations?.map(({ id, about }) => ({ word: id, about })) ?? [{ word: `${name}.` }];
  });
}

function inputSuggestions(
  operation: string,
  given: readonly string[],
  current: string,
  known: readonly KnownOperation[],
): Suggestion[] {
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
