import { isCallError } from "../../envelope/call-error.js";
import { compact } from "../../json/value.js";
import { type ProcessTree, startProcessTree } from "../../sources/process-tree.js";
import { type WholeOutput, wholeOutput } from "../../sources/whole-output.js";
import { Complaint, type Io } from "../io.js";
import { tell } from "../terminal/tell.js";

interface RunLimits {
  readonly seconds: number;
  readonly maxBytes: number;
}

/** What a command printed, and the exit code with which it ended. */
export interface HelperRun {
  readonly output: Buffer;
  readonly exitCode: number;
}

/** Runs a command with no input; what it tells on stderr is passed on. Nothing of it is left behind, however it ends. */
export async function runCommand(words: readonly string[], limits: RunLimits, io: Io): Promise<HelperRun> {
  const tree = await start(words, io);
  try {
    tree.stdin.end();
    const { seconds, maxBytes } = limits;
    return runFrom(await wholeOutput(tree, { maxBytes, timeout: seconds * 1_000 }), labelOf(words), limits);
  } finally {
    await tree.stop();
  }
}

/** A command as messages name it. */
export function labelOf(words: readonly string[]): string {
  const text = words.join(" ");
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}

async function start(words: readonly string[], io: Io): Promise<ProcessTree> {
  const onStderr = (line: string): void => tell(io.stderr, `${line}\n`);
  try {
    return await startProcessTree(words, { env: compact(io.env) as Record<string, string>, onStderr });
  } catch (thrown) {
    if (!isCallError(thrown)) throw thrown;
    const { category, message, suggestedAction } = thrown;
    const text = suggestedAction === undefined ? message : `${message} ${suggestedAction}`;
    throw new Complaint(text, category === "validation" ? 2 : 1);
  }
}

function runFrom(output: WholeOutput<never>, label: string, { seconds, maxBytes }: RunLimits): HelperRun {
  if (output.kind === "large")
    throw new Complaint(`${label} printed more than ${maxBytes} bytes; raise the limit with --max-bytes`, 1);
  if (output.kind !== "ended")
    throw new Complaint(`${label} did not end within ${seconds} s; raise the limit with --timeout`, 1);
  const { code, signal, stdout } = output;
  if (code === null) throw new Complaint(`${label} was ended by ${signal ?? "a signal"}`, 1);
  return { output: stdout, exitCode: code };
}
