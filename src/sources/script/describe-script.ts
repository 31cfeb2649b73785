import { open } from "node:fs/promises";
import { resolve } from "node:path";
import type { Warning } from "../../envelope/warning.js";
import { type HelperDescription, readDescription } from "../../helper/description.js";
import { messageOf, orElse } from "../../json/attempt.js";
import { told } from "../../json/told.js";
import { type ProcessTree, startProcessTree } from "../process-tree.js";
import { type WholeOutput, wholeOutput } from "../whole-output.js";

export interface ScriptToDescribe {
  readonly command: readonly string[];
  /** The script itself, where it can be looked into. */
  readonly file: string | undefined;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Milliseconds that it may take. */
  readonly timeout: number;
  readonly graceMs: number;
  /** Nobody waits for the answer any more. */
  readonly signal: AbortSignal;
  /** Whether it is asked; undefined asks where its text shows that it knows the question. */
  readonly when: boolean | undefined;
}

/** Neither, where the script was not asked. */
export interface ScriptAccount {
  readonly description?: HelperDescription;
  readonly warning?: Warning;
}

/** What a script says of itself when it is called with `--schema`. Never throws. */
export async function describeScript(script: ScriptToDescribe): Promise<ScriptAccount> {
  if (!(script.when ?? (await knowsTheQuestion(script)))) return {};
  const answer = await ask(script).catch((thrown: unknown) => ({ fault: `this failed: ${messageOf(thrown)}` }));
  return "fault" in answer ? { warning: undescribed(script, answer.fault) } : { description: answer };
}

type Answer = HelperDescription | { readonly fault: string };

/** A script that ignores its arguments would do its work when it is asked: it may deploy something. */
async function knowsTheQuestion({ command, file, cwd }: ScriptToDescribe): Promise<boolean> {
  if (file === undefined) return false;
  const text = await beginningOf(file).catch(() => "");
  // Of a program nobody can tell what it is that its text belongs to.
  if (text.includes("\0")) return false;
  if (KIT.test(text)) return true;
  // After other arguments, as in `tool migrate`, the same flag can mean anything.
  const isLast = resolve(cwd, command.at(-1) ?? "") === file;
  return isLast && QUESTION.test(text) && ANSWER.test(text);
}

const KIT = /\brunHelper\b|\bservers\/script\b|\bhelper-kit\b/;

/** Many tools have a flag of this name, for the schema of a database; those who print one of ours also name its parts. */
const QUESTION = /--schema(?![\w-])/;
const ANSWER = /\b(inputSchema|outputSchema|schema_version)\b/;

const LOOKED_INTO = 1_048_576;

async function beginningOf(file: string): Promise<string> {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(LOOKED_INTO), 0, LOOKED_INTO, 0);
    return buffer.toString("latin1", 0, bytesRead);
  } finally {
    await handle.close();
  }
}

async function ask({ command, cwd, env, timeout, graceMs, signal }: ScriptToDescribe): Promise<Answer> {
  if (signal.aborted) return NOBODY_WAITS;
  const tree = await startProcessTree([...command, "--schema"], { cwd, env, graceMs });
  try {
    tree.stdin.end();
    return answerFrom(
      await wholeOutput(tree, { maxBytes: MOST_PRINTED, timeout, watchEnd: endOf(signal) }),
      tree,
      timeout,
    );
  } finally {
    await tree.stop();
  }
}

const NOBODY_WAITS = { fault: "the source was closed" };

const MOST_PRINTED = 16_777_216;

function endOf(signal: AbortSignal): (listener: (why: undefined) => void) => () => void {
  return (listener) => {
    const tell = (): void => listener(undefined);
    signal.addEventListener("abort", tell);
    return () => signal.removeEventListener("abort", tell);
  };
}

function answerFrom(output: WholeOutput<undefined>, { stderrTail }: ProcessTree, timeout: number): Answer {
  if (output.kind === "unwanted") return NOBODY_WAITS;
  if (output.kind === "late") return { fault: `it did not end within ${timeout} ms` };
  if (output.kind === "large") return { fault: `it printed more than ${MOST_PRINTED} bytes` };
  const { code, signal, stdout } = output;
  if (code !== 0) return { fault: `it ended with ${signal ?? `exit code ${code}`}${lastWords(stderrTail)}` };
  const printed = stdout.toString().trim();
  if (printed === "") return { fault: "it printed nothing" };
  const value = orElse<unknown>(() => JSON.parse(printed), NO_JSON);
  return value === NO_JSON ? { fault: `it printed ${told(printed)}, which is no JSON` } : readDescription(value);
}

const NO_JSON = Symbol("no JSON");

function lastWords(stderr: string): string {
  const last = stderr.trim().split("\n").at(-1);
  return last === undefined || last === "" ? "" : `, and its last words are ${told(last)}`;
}

function undescribed({ command, file }: ScriptToDescribe, fault: string): Warning {
  const name = told(file ?? command[0]);
  const advice = "Mend it, or say describe: false, and give the schemas as options.";
  return {
    code: "SCRIPT_UNDESCRIBED",
    message: `The script ${name} was asked for its schemas by --schema, but ${fault.replace(/\.$/, "")}. ${advice}`,
  };
}
