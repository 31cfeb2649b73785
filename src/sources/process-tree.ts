import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { CallError } from "../envelope/call-error.js";
import { told } from "../json/told.js";
import { drained } from "./drained.js";
import { ProcessFamily } from "./process-family.js";
import { lookNow } from "./process-look.js";
import { watchOver } from "./process-watch.js";
import { startFailure } from "./start-failure.js";
import { followStderr } from "./stderr-tail.js";

/** How long the end of a tree waits for a slow reader of its output. */
const SLOWEST_READER_MS = 1_000;

export interface ProcessTreeOptions {
  readonly cwd?: string;
  /**
   * All variables that the process gets.
   * @default those of this process
   */
  readonly env?: Readonly<Record<string, string>>;
  /**
   * How long it has to end after its stdin was closed, and again after TERM.
   * @default 2_000
   */
  readonly graceMs?: number;
  /**
   * How many of the last bytes of stderr are kept.
   * @default 8_192
   */
  readonly stderrTail?: number;
  /** Told each line of stderr, a very long one in pieces. */
  readonly onStderr?: (line: string) => void;
}

export interface ProcessTree {
  readonly pid: number;
  readonly stdin: Writable;
  /** To be listened to at once: what nobody reads is let go when the process ends. */
  readonly stdout: Readable;
  /**
   * Settles when the process itself has ended and its output is read to the end, or shortly after, when another process
   * holds the pipe. Never rejects.
   */
  readonly exited: Promise<ProcessEnd>;
  /** The last of what it wrote to stderr. */
  readonly stderrTail: string;
  /** Settles when nobody is left: neither the process nor whoever it started. */
  readonly gone: Promise<void>;
  /** Closes stdin, sends TERM to all who are left in time, then KILL. Resolves when nobody is left. Idempotent. */
  end(): Promise<void>;
  /** The same without the first step: for who is not to come to an end in peace. */
  stop(): Promise<void>;
}

export interface ProcessEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** Starts a command, without a shell; whatever it starts itself ends with it, and with this process. */
export async function startProcessTree(
  argv: readonly string[],
  options: ProcessTreeOptions = {},
): Promise<ProcessTree> {
  const [command, ...rest] = argv;
  if (typeof command !== "string" || command === "")
    throw new CallError({
      category: "validation",
      message: `A command is a list that begins with the name of a program, not with ${told(command)}.`,
    });
  try {
    const child = spawn(command, rest, spawnOptions(options));
    if (child.pid !== undefined) return new StartedTree(child, child.pid, options);
    const [error] = await once(child, "error");
    throw error;
  } catch (thrown) {
    throw await startFailure(thrown, command, options.cwd);
  }
}

function spawnOptions({ cwd, env }: ProcessTreeOptions): {
  cwd?: string;
  env?: Record<string, string>;
  stdio: "pipe";
  detached: boolean;
  windowsHide: true;
} {
  return {
    ...(cwd === undefined ? {} : { cwd }),
    ...(env === undefined ? {} : { env: { ...env } }),
    stdio: "pipe",
    // A session and a group of its own. On Windows it would be a window of its own.
    detached: process.platform !== "win32",
    windowsHide: true,
  };
}

class StartedTree implements ProcessTree {
  readonly pid: number;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly exited: Promise<ProcessEnd>;
  readonly gone: Promise<void>;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #graceMs: number;
  readonly #family: ProcessFamily;
  readonly #unwatch: () => void;
  readonly #stderrTail: () => string;
  #leftNobody: Promise<boolean> | undefined;
  #leaving: Promise<void> | undefined;
  #ending: Promise<void> | undefined;

  constructor(child: ChildProcessWithoutNullStreams, pid: number, options: ProcessTreeOptions) {
    const { graceMs = 2_000, stderrTail = 8_192, onStderr } = options;
    const { stdin, stdout, stderr } = child;
    // A pipe to a process that has gone breaks; `exited` tells it better.
    for (const emitter of [child, stdin, stdout, stderr]) emitter.on("error", () => {});
    const left = new Promise<ProcessEnd>((resolve) => {
      child.once("exit", (code, signal) => resolve({ code, signal }));
    });
    this.pid = pid;
    this.stdin = stdin;
    this.stdout = stdout;
    this.#child = child;
    this.#graceMs = graceMs;
    this.#family = new ProcessFamily(pid, { exited: left, graceMs });
    this.#unwatch = watchOver(this.#family);
    this.#stderrTail = followStderr(stderr, stderrTail, onStderr);
    this.exited = left.then((end) => drained([stdout, stderr]).then(() => end));
    this.gone = left.then(() => this.#tidy());
  }

  get stderrTail(): string {
    return this.#stderrTail();
  }

  end(): Promise<void> {
    this.#ending ??= this.#end();
    return this.#ending;
  }

  stop(): Promise<void> {
    if (this.#leftNobody === undefined) void this.#family.stop();
    else void this.#leftNobody.then((isAlone) => (isAlone ? undefined : this.#family.stop()));
    return this.end();
  }

  async #end(): Promise<void> {
    this.#leaving ??= this.#endFamily();
    lookNow();
    await this.#leaving;
    await drained([this.stdout, this.#child.stderr], SLOWEST_READER_MS);
    this.#release();
  }

  /** The first process has ended by itself: so do those whom it left behind. */
  async #tidy(): Promise<void> {
    this.#leaving ??= this.#endRest();
    await this.#leaving;
    await drained([this.stdout, this.#child.stderr]);
    this.#release();
  }

  async #endRest(): Promise<void> {
    this.#leftNobody = this.#family.leftNobody();
    if (await this.#leftNobody) this.#unwatch();
    else await this.#endFamily();
  }

  async #endFamily(): Promise<void> {
    // It looks before the first of them goes, and with it the trace of who started whom.
    const areGone = this.#family.goneWithin(this.#graceMs);
    this.stdin.end();
    if (!(await areGone)) await this.#family.stop();
    this.#unwatch();
  }

  /** Whoever got away and holds a pipe, or cannot be killed, must not keep this process from ending. */
  #release(): void {
    for (const stream of [this.stdin, this.stdout, this.#child.stderr]) stream.destroy();
    this.#child.unref();
  }
}
