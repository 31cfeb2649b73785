import { constants } from "node:buffer";
import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import { DIALECTS, type DialectName } from "../../dialects/all.js";
import { CallError } from "../../envelope/call-error.js";
import { INPUT_WAYS, type InputWay } from "../../helper/description.js";
import {
  AMOUNT,
  type Demand,
  type Demands,
  FLAG,
  FUNCTION,
  oneOf,
  RECORD,
  SCHEMA,
  TEXT,
  TEXTS,
  unmetDemand,
} from "../../json/demands.js";
import { LONGEST_TIMER } from "../../json/longest-timer.js";
import { told } from "../../json/told.js";
import { compact, isRecord, isString, isStringArray, type JsonRecord } from "../../json/value.js";
import type { AccessControl } from "../../registry/access.js";
import type {
  ErrorDeclarations,
  InputPolicy,
  OperationAnnotations,
  OperationType,
  OutputPolicy,
} from "../../registry/operation.js";
import { RESERVED } from "../../registry/portable-name.js";
import { OPERATION_TYPES, POLICIES, VERSION } from "../../registry/registration.js";
import type { AnySchema } from "../../schema/standard-schema.js";
import { areTexts, COMMAND, SIGNAL, SOURCE_NAME } from "../source-demands.js";

/** Programs to run, as one `command`, one `file`, or all executables of a `directory`; and how. */
export interface ScriptSourceOptions extends ScriptOptions, Options<ScriptLimits> {
  /** The namespace of the operations. */
  readonly name: string;
  /** The program and its arguments. There is no shell between. */
  readonly command?: readonly string[] | undefined;
  /** A script. One that is not executable is run by the program that its extension stands for. */
  readonly file?: string | undefined;
  /** Each executable file in it becomes an operation. */
  readonly directory?: string | undefined;
  /** With `directory`: what is said of single files, by file name. */
  readonly scripts?: Readonly<Record<string, ScriptOptions>> | undefined;
  /**
   * Where the programs run.
   * @default the working directory of this process when the source is opened
   */
  readonly cwd?: string | undefined;
  /** Variables that the programs get beside those that are passed on. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Names of our own variables that the programs get beside the few basic ones; `AWS_*` stands for all that begin so. */
  readonly passEnv?: readonly string[] | undefined;
  /** Gets each line that a program writes to its standard error. */
  readonly onStderr?: ((line: string, operationId?: string) => void) | undefined;
  /** Gives up the opening; a source that is open is closed by `close`. */
  readonly signal?: AbortSignal | undefined;
}

/** What a script is as an operation. It counts before what the script says of itself by `--schema`. */
export interface ScriptOptions {
  /**
   * The name of the operation.
   * @default its file's name without the extension
   */
  readonly operation?: string | undefined;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  /** @default "subscription" for JSON lines, else "mutation" */
  readonly type?: OperationType | undefined;
  readonly version?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly inputSchema?: AnySchema | undefined;
  readonly outputSchema?: AnySchema | undefined;
  readonly errorSchemas?: ErrorDeclarations | undefined;
  readonly annotations?: OperationAnnotations | undefined;
  readonly accessControl?: AccessControl | undefined;
  readonly input?: InputPolicy | undefined;
  readonly output?: OutputPolicy | undefined;
  /**
   * How the script gets its input: `argument` is `--input JSON`, `stdin` the JSON on its standard input, `flags` one
   * flag a field.
   * @default "flags" where there are `flags`, "stdin" for a script that says that it reads it, else "argument"
   */
  readonly inputAs?: InputWay | undefined;
  /**
   * The flags of fields that do not have the usual one: text that ends in `=` is joined with the value, `""` makes it a
   * positional argument, `"--"` one after a `--` at the end.
   */
  readonly flags?: Readonly<Record<string, string>> | undefined;
  /**
   * What the script prints.
   * @default "helper-output" for a script that describes itself or has a `major`, "json-lines" for a subscription, else "auto"
   */
  readonly outputAs?: OutputForm | undefined;
  /**
   * The major of a helper's `schema_version` that its consumers were written for; another one is an error.
   * @default that of the version that the script says of itself, else any
   */
  readonly major?: number | undefined;
  /**
   * The exit codes that do not mean failure.
   * @default [0]
   */
  readonly exitCodes?: readonly number[] | undefined;
  /**
   * Whether the script is asked for its schemas by `--schema`.
   * @default where its text shows that it uses the kit, or knows both the flag and what is to be answered
   */
  readonly describe?: boolean | undefined;
}

const PLAIN_FORMS = ["auto", "json", "json-lines", "text"] as const;

export type OutputForm = (typeof PLAIN_FORMS)[number] | DialectName;

export interface ScriptLimits {
  /**
   * Milliseconds that a call may take from the start of its program.
   * @default 60_000, and none for a subscription
   */
  readonly timeout: number;
  /**
   * Milliseconds that a script may take to tell its schemas.
   * @default 10_000
   */
  readonly startTimeout: number;
  /**
   * Milliseconds between TERM and KILL.
   * @default 2_000
   */
  readonly graceMs: number;
  /**
   * Bytes that an answer may have, of a subscription one line.
   * @default 67_108_864
   */
  readonly maxOutputBytes: number;
  /**
   * How many of the last bytes of standard error are kept.
   * @default 8_192
   */
  readonly maxStderrBytes: number;
  /**
   * How many programs run at the same time.
   * @default the number of processors
   */
  readonly concurrency: number;
  /**
   * How many calls wait for their turn.
   * @default 1_000
   */
  readonly maxQueue: number;
}

/** What is left out, or said to be undefined, has its default. */
type Options<T> = { readonly [Name in keyof T]?: T[Name] | undefined };

/** The options with every default. What may be left out of a single script stays so. */
export type Settings = Present<Omit<ScriptSourceOptions, keyof ScriptLimits | "timeout" | "cwd">> &
  Omit<ScriptLimits, "timeout"> & { readonly cwd: string; readonly timeout?: number };

type Present<T> = { readonly [Name in keyof T]: Exclude<T[Name], undefined> };

export function settingsOf(options: ScriptSourceOptions): Settings {
  const problem = problemOf(options);
  if (problem !== undefined)
    throw new CallError({ category: "validation", message: `This is no script source: ${problem}.` });
  const given = compact(options);
  const cwd = resolve(given.cwd ?? "");
  const settings = { ...DEFAULTS, concurrency: availableParallelism(), ...given, cwd } as Settings;
  return {
    ...settings,
    startTimeout: Math.min(settings.startTimeout, LONGEST_TIMER),
    maxOutputBytes: Math.min(settings.maxOutputBytes, constants.MAX_STRING_LENGTH),
  };
}

/** What is said of one script: of all, and of this file of a directory. */
export function scriptOptionsIn(settings: Settings, fileName?: string): ScriptOptions {
  const { scripts = {} } = settings;
  const own = fileName !== undefined && Object.hasOwn(scripts, fileName) ? scripts[fileName] : {};
  const all = Object.entries(settings).filter(([option]) => Object.hasOwn(SCRIPT_DEMANDS, option));
  return { ...Object.fromEntries(all), ...compact(own ?? {}) };
}

const DEFAULTS = {
  startTimeout: 10_000,
  graceMs: 2_000,
  maxOutputBytes: 64 * 1024 * 1024,
  maxStderrBytes: 8_192,
  maxQueue: 1_000,
} as const;

const WHERE = ["command", "file", "directory"] as const;

function problemOf(options: unknown): string | undefined {
  if (!isRecord(options)) return `the options are ${told(options)}`;
  if (options["name"] === undefined) return "it has no `name`";
  const given = WHERE.filter((option) => options[option] !== undefined);
  if (given.length !== 1)
    return `it needs one of ${WHERE.join(", ")}, not ${given.length === 0 ? "none" : given.join(" and ")}`;
  const isMany = options["directory"] !== undefined;
  if (!isMany && options["scripts"] !== undefined) return "`scripts` goes with `directory` only";
  if (isMany && options["operation"] !== undefined) return "`operation` names one script; in a directory use `scripts`";
  return unmetDemand(options, DEMANDS) ?? contradiction(options) ?? problemOfScripts(options);
}

function problemOfScripts({ scripts, ...all }: JsonRecord): string | undefined {
  for (const [file, script] of Object.entries(isRecord(scripts) ? scripts : {})) {
    if (!isRecord(script)) return `the script ${told(file)} has no options, but ${told(script)}`;
    const problem = unmetDemand(script, SCRIPT_DEMANDS) ?? contradiction({ ...all, ...script });
    if (problem !== undefined) return `of the script ${told(file)}, ${problem}`;
  }
  return undefined;
}

function contradiction({ flags, inputAs, outputAs, type }: JsonRecord): string | undefined {
  if (flags !== undefined && inputAs !== undefined && inputAs !== "flags")
    return `it has \`flags\`, and \`inputAs\` is ${told(inputAs)}`;
  if (outputAs === "json-lines" && type !== undefined && type !== "subscription")
    return `JSON lines are a subscription, and \`type\` is ${told(type)}`;
  if (type === "subscription" && outputAs !== undefined && outputAs !== "json-lines")
    return `a subscription prints JSON lines, and \`outputAs\` is ${told(outputAs)}`;
  return undefined;
}

const isCount = (value: unknown): boolean => Number.isInteger(value) && (value as number) >= 0;
const PATH: Demand = { what: "a path", isMet: (value) => isString(value) && value !== "" && !value.includes("\0") };

/** Variables of an environment with a `=` in their name would be others. */
const areVariables = (value: unknown): boolean =>
  isRecord(value) &&
  Object.entries(value).every(([name, text]) => isString(text) && /^[^=\0]+$/.test(name) && !text.includes("\0"));

const SCRIPT_DEMANDS: Demands = {
  operation: { what: "letters, digits, _, -, . and /, at most 128", isMet: isName },
  title: TEXT,
  description: TEXT,
  type: oneOf(OPERATION_TYPES),
  version: { what: "a semantic version such as 1.0.0", isMet: (value) => isString(value) && VERSION.test(value) },
  tags: TEXTS,
  inputSchema: SCHEMA,
  outputSchema: SCHEMA,
  errorSchemas: RECORD,
  annotations: RECORD,
  accessControl: RECORD,
  input: oneOf(["check", "off"]),
  output: oneOf(POLICIES),
  inputAs: oneOf(INPUT_WAYS),
  flags: { what: 'an object with a flag for each field, such as { count: "-n" }', isMet: areTexts },
  outputAs: oneOf([...PLAIN_FORMS, ...DIALECTS.map(({ name }) => name)]),
  major: { what: "a whole number from 0", isMet: isCount },
  exitCodes: {
    what: "a list of whole numbers, one at least",
    isMet: (value) => Array.isArray(value) && value.length > 0 && value.every((code) => Number.isInteger(code)),
  },
  describe: FLAG,
};

/** Only what cannot hold a secret is shown where it is wrong. */
const DEMANDS: Demands = {
  name: SOURCE_NAME,
  command: COMMAND,
  file: PATH,
  directory: PATH,
  scripts: RECORD,
  cwd: PATH,
  env: { what: "an object of texts", isMet: areVariables, isSecret: true },
  passEnv: {
    what: "a list of names, which may end in *",
    isMet: (value) => isStringArray(value) && value.every((name) => /^[^=*\0]+\*?$/.test(name)),
  },
  timeout: AMOUNT,
  startTimeout: AMOUNT,
  graceMs: AMOUNT,
  maxOutputBytes: AMOUNT,
  maxStderrBytes: AMOUNT,
  concurrency: { what: "a whole number from 1", isMet: (value) => isCount(value) && value !== 0 },
  maxQueue: AMOUNT,
  onStderr: FUNCTION,
  signal: SIGNAL,
  ...SCRIPT_DEMANDS,
};

function isName(value: unknown): boolean {
  return isString(value) && /^[A-Za-z0-9_][A-Za-z0-9_./-]{0,127}$/.test(value) && !RESERVED.includes(value);
}
