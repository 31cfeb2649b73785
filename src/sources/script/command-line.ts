import { CallError } from "../../envelope/call-error.js";
import type { InputWay } from "../../helper/description.js";
import { messageOf } from "../../json/attempt.js";
import { isRecord } from "../../json/value.js";
import { type FlagOptions, flagsFor } from "./flags.js";

export interface CommandLineOptions extends FlagOptions {
  readonly inputAs: InputWay;
  /** Whether the script says of itself that it reads its input from standard input at `--input -`. */
  readonly readsStdin: boolean;
}

/** What a program is given for one input. */
export interface CommandLine {
  /** After those of the command itself. */
  readonly args: readonly string[];
  readonly stdin?: string;
}

/** The system takes no longer argument than 128 KiB, on Windows all together not more than 32 KiB. */
const LONGEST_ARGUMENT = process.platform === "win32" ? 24_000 : 100_000;

/** Gives an input to a program in its way. Throws a `CallError` for one that cannot be given so. */
export function commandLineFor(input: unknown, options: CommandLineOptions): CommandLine {
  if (options.inputAs === "flags") return { args: flagsFor(input, options).map(checkedLength) };
  const json = jsonOf(input);
  if (json === undefined) return NOTHING;
  if (options.inputAs === "stdin") return onStdin(json, options);
  if (isRecord(input) && json === "{}") return NOTHING;
  const isLong = Buffer.byteLength(json) > LONGEST_ARGUMENT;
  return isLong && options.readsStdin ? onStdin(json, options) : { args: ["--input", checkedLength(json)] };
}

const NOTHING: CommandLine = { args: [] };

function onStdin(json: string, { readsStdin }: CommandLineOptions): CommandLine {
  return { args: readsStdin ? ["--input", "-"] : [], stdin: `${json}\n` };
}

/** Undefined for what JSON does not write. */
function jsonOf(input: unknown): string | undefined {
  try {
    return JSON.stringify(input) as string | undefined;
  } catch (thrown) {
    throw new CallError({
      category: "validation",
      message: `The input cannot be written as JSON: ${messageOf(thrown)}`,
      issues: [{ path: "", message: "must be a JSON value" }],
      cause: thrown,
    });
  }
}

function checkedLength(argument: string): string {
  const size = Buffer.byteLength(argument);
  if (size <= LONGEST_ARGUMENT) return argument;
  throw new CallError({
    category: "validation",
    code: "PAYLOAD_TOO_LARGE",
    message: `The input is an argument of ${size} bytes; programs are given no longer ones than ${LONGEST_ARGUMENT}.`,
    suggestedAction: 'Make the script read its input from standard input, and give the source inputAs: "stdin".',
    details: { size, limit: LONGEST_ARGUMENT },
  });
}
