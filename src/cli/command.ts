import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { messageOf } from "../json/attempt.js";
import { nearestOf } from "../registry/refusals.js";
import { Complaint, type ExitCode, type Io } from "./io.js";

export interface Command {
  readonly name: string;
  /** What follows the command's name. */
  readonly usage: string;
  readonly summary: string;
  readonly flags: Readonly<Record<string, Flag>>;
  /**
   * What stands beside the flags: one FILE with documents, or any words.
   * @default "file"
   */
  readonly takes?: "file" | "words";
  /** With this flag, what follows `--` is a command to run, and not a FILE. */
  readonly runsWith?: string;
  /** Lines that follow the flags in the help. */
  readonly notes?: readonly string[];
  run(call: Call, io: Io): Promise<ExitCode>;
}

export interface Flag {
  readonly type: "boolean" | "string";
  /**
   * The name of the value in the help. Where `FILE` is one of its words, shells complete names of files.
   * @default what there is to choose from
   */
  readonly value?: string;
  /** All values that it takes. */
  readonly choices?: readonly string[];
  readonly help: string;
  /** Whether it may be given more than once. */
  readonly multiple?: boolean;
  /** Whether the help of another command tells of it. */
  readonly isToldElsewhere?: boolean;
}

export interface Call {
  readonly file: string | undefined;
  /** What stands beside the flags of a command that takes words; else the command to run, and empty where there is none. */
  readonly words: readonly string[];
  flag(name: string): boolean;
  value(name: string): string | undefined;
  /** Of a flag that may be given more than once. */
  values(name: string): readonly string[];
  /** A whole number of at least `least`. */
  count(name: string, least?: number): number | undefined;
}

const HELP: Flag = { type: "boolean", help: "show this help" };

/** Flags that every command has which reads documents. */
const OF_DOCUMENTS: Readonly<Record<string, Flag>> = {
  "max-bytes": { type: "string", value: "N", help: "refuse input larger than this (default 67108864, 64 MB)" },
};

/** All flags of a command. */
export function flagsOf({ flags, takes = "file" }: Command): Readonly<Record<string, Flag>> {
  return { ...flags, ...(takes === "file" && OF_DOCUMENTS), help: HELP };
}

export function parseCall(command: Command, argv: readonly string[]): Call {
  const end = argv.includes("--") ? argv.indexOf("--") : argv.length;
  const { values, positionals } = parse(command, argv.slice(0, end));
  const valuesOf = (name: string): readonly string[] =>
    [values[name] ?? []].flat().filter((one) => typeof one === "string");
  demandChoices(command, valuesOf);
  const value = (name: string): string | undefined => {
    const given = values[name];
    return typeof given === "string" ? given : undefined;
  };
  return {
    ...placesOf(command, values, positionals, argv.slice(end + 1)),
    flag: (name) => values[name] === true,
    value,
    values: valuesOf,
    count(name, least = 0) {
      const given = value(name);
      if (given === undefined) return undefined;
      if (/^\d+$/.test(given) && Number(given) >= least) return Number(given);
      throw usageError(command, `--${name} takes a whole number of at least ${least}, not "${given}"`);
    },
  };
}

function demandChoices(command: Command, given: Call["values"]): void {
  for (const [name, { choices }] of Object.entries(flagsOf(command))) {
    const stray = given(name).find((value) => choices?.includes(value) === false);
    if (choices === undefined || stray === undefined) continue;
    const nearest = nearestOf(stray, choices);
    const advice = nearest === undefined ? "" : `; did you mean ${nearest}?`;
    throw usageError(command, `--${name} takes ${choices.join(", ")}, not "${stray}"${advice}`);
  }
}

/** What stands beside the flags. */
function placesOf(
  command: Command,
  values: Readonly<Record<string, unknown>>,
  positionals: readonly string[],
  rest: readonly string[],
): Pick<Call, "file" | "words"> {
  if (command.takes === "words") return { file: undefined, words: [...positionals, ...rest] };
  const runs = command.runsWith !== undefined && values[command.runsWith] !== undefined;
  const files = runs ? positionals : [...positionals, ...rest];
  if (files.length > (runs ? 0 : 1)) throw usageError(command, filesFault(files, runs, command.runsWith));
  return { file: files[0], words: runs ? rest : [] };
}

const ABOUT_FILES =
  "FILE is a document, JSON lines, or a bare __ENVELOPE_V1__: block; `-` or nothing reads standard input.";

export function helpOf(command: Command): string {
  const flags = Object.entries(flagsOf(command)).filter(([, { isToldElsewhere }]) => isToldElsewhere !== true);
  const names = flags.map(([name, { value, choices }]) => [`--${name}`, value ?? choices?.join("|")].join(" ").trim());
  const width = Math.max(...names.map((name) => name.length));
  return [
    `Usage: plico ${command.name} ${command.usage}`,
    "",
    command.summary,
    ...(command.takes === "words" ? [] : [ABOUT_FILES]),
    "",
    ...flags.map(([, { help, multiple }], at) => {
      const again = multiple === true ? "; may be given again" : "";
      return `  ${(names[at] ?? "").padEnd(width)}  ${help}${again}`;
    }),
    ...choiceLines(flags),
    ...(command.notes === undefined ? [] : ["", ...command.notes]),
    "",
  ].join("\n");
}

/** What to choose from, where the flag itself does not show it. */
function choiceLines(flags: readonly (readonly [name: string, flag: Flag])[]): string[] {
  const lines = flags.flatMap(([, { value, choices }]) =>
    value === undefined || choices === undefined ? [] : [`${value}: ${choices.join(", ")}`],
  );
  return lines.length === 0 ? [] : ["", ...lines];
}

/** The file that a flag names, from where the command runs. */
export function fileIn(call: Call, flag: string, io: Io): string | undefined {
  const given = call.value(flag);
  return given === undefined ? undefined : resolve(io.cwd(), given);
}

export function usageError(command: Command, message: string): Complaint {
  return new Complaint(`${message}\nUsage: plico ${command.name} ${command.usage}`, 2);
}

function parse(command: Command, argv: readonly string[]): { values: Record<string, unknown>; positionals: string[] } {
  const flags = Object.entries(flagsOf(command));
  const options = Object.fromEntries(flags.map(([name, { type, multiple = false }]) => [name, { type, multiple }]));
  try {
    const args = { args: [...argv], options, allowPositionals: true, strict: true, tokens: true } as const;
    const { values, positionals, tokens } = parseArgs(args);
    const given = tokens.filter((token) => token.kind === "option" && token.name === command.runsWith);
    if (given.length > 1) throw new Error(`--${command.runsWith} is given ${given.length} times`);
    return { values, positionals };
  } catch (thrown) {
    throw usageError(
      command,
      flagFault(
        thrown,
        flags.map(([name]) => name),
      ),
    );
  }
}

function filesFault(files: readonly string[], runs: boolean, runsWith: string | undefined): string {
  if (runs) return `"${files.join(" ")}" is one FILE too many beside --${runsWith}; a command to run follows \`--\``;
  const advice = runsWith === undefined ? "" : `; a command to run goes with --${runsWith}`;
  return `one FILE is expected, not ${files.length}: ${files.join(" ")}${advice}`;
}

/** Node's own words without the advice that follows them, which speaks of positional arguments. */
function flagFault(thrown: unknown, known: readonly string[]): string {
  const message = messageOf(thrown);
  const words = (message.split(/[.] To specify|\nDid you forget/)[0] ?? message).replace(/\.$/, "");
  const [, unknown] = /^Unknown option '--([\w-]+)/.exec(words) ?? [];
  const nearest = unknown === undefined ? undefined : nearestOf(unknown, known);
  return nearest === undefined ? words : `${words}; did you mean --${nearest}?`;
}
