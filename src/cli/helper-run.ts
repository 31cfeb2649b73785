import { isCallError } from "../envelope/call-error.js";
import { LONGEST_TIMER } from "../json/longest-timer.js";
import { compact } from "../json/value.js";
import { type ProcessEnd, type ProcessTree, startProcessTree } from "../sources/process-tree.js";
import { Complaint, type Io } from "./io.js";
import { tell } from "./tell.js";

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
    const { output, end } = await finished(tree, labelOf(words), limits);
    if (end.code === null) throw new Complaint(`${labelOf(words)} was ended by ${end.signal ?? "a signal"}`, 1);
    return { output, exitCode: end.code };
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

function finished(
  tree: ProcessTree,
  label: string,
  { seconds, maxBytes }: RunLimits,
): Promise<{ output: Buffer; end: ProcessEnd }> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const ended = new Promise<{ output: Buffer; end: ProcessEnd }>((resolve, reject) => {
    const parts: Buffer[] = [];
    let size = 0;
    tree.stdout.on("data", (part: Buffer) => {
      size += part.length;
      if (size <= maxBytes) return parts.push(part);
      tree.stdout.destroy();
      return reject(new Complaint(`${label} printed more than ${maxBytes} bytes; raise the limit with --max-bytes`, 1));
    });
    const late = new Complaint(`${label} did not end within ${seconds} s; raise the limit with --timeout`, 1);
    timer = setTimeout(() => reject(late), Math.min(seconds * 1_000, LONGEST_TIMER));
    void tree.exited.then((end) => resolve({ output: Buffer.concat(parts), end }));
  });
  return ended.finally(() => clearTimeout(timer));
}
