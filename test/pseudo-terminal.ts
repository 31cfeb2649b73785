import { type ChildProcessByStdio, spawn } from "node:child_process";
import { EventEmitter, once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { stripVTControlCharacters } from "node:util";
import type { Missing } from "./describe-with.js";
import { programOnThisMachine } from "./program.js";
import { screenOf } from "./terminal-screen.js";

export const CONTROL_C = "\x03";

export interface TerminalOptions {
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** @default 80 */
  readonly columns?: number;
}

/** The program of util-linux that gives another one a terminal. Every Debian has it. */
export function findTerminal(): string | Missing {
  return programOnThisMachine("script", "bsdutils");
}

const PATIENCE_MS = 15_000;

/** A program that runs in a terminal. */
export class PseudoTerminal {
  /** All that was written, with what controls the terminal. */
  output = "";
  /** The exit code; 128 and more for a signal. */
  readonly ended: Promise<number>;
  readonly #columns: number;
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #events = new EventEmitter();
  #isOver = false;

  constructor(script: string, { command, cwd, env = {}, columns = 80 }: TerminalOptions) {
    this.#columns = columns;
    // The size is set before the program starts: it may ask for it only once.
    const line = `stty cols ${columns} rows 40; exec ${command.map(quoted).join(" ")}`;
    this.#child = spawn(script, ["--quiet", "--flush", "--return", "--command", line, "/dev/null"], {
      cwd,
      env: { ...personsEnvironment(), ...env },
      stdio: ["pipe", "pipe", "ignore"],
    });
    this.#child.stdout.setEncoding("utf8").on("data", (part: string) => {
      this.output += part;
      this.#events.emit("change");
    });
    // A program that has ended reads no more.
    this.#child.stdin.on("error", () => {});
    this.ended = once(this.#child, "close").then(([code]) => {
      this.#isOver = true;
      this.#events.emit("change");
      return typeof code === "number" ? code : -1;
    });
  }

  /** The lines that were written, as long as they were, without colours. */
  get lines(): string[] {
    return stripVTControlCharacters(this.output).split(/\r*\n/);
  }

  /** What a person sees now. */
  get screen(): string {
    return screenOf(this.output, this.#columns).join("\n").trimEnd();
  }

  /** As if they were typed. */
  write(keys: string): void {
    this.#child.stdin.write(keys);
  }

  /** Until it stands on the screen; fails with the screen when the program ends without it, or after a long while. */
  async waitFor(text: string | RegExp): Promise<void> {
    const signal = AbortSignal.timeout(PATIENCE_MS);
    while (!this.#shows(text)) {
      if (this.#isOver || signal.aborted)
        throw new Error(`${this.#isOver ? "It ended" : "Time went by"} without ${text}:\n${this.screen}`);
      await once(this.#events, "change", { signal }).catch(() => {});
    }
  }

  /** As by closing its window. */
  async close(): Promise<void> {
    if (!this.#isOver) this.#child.kill("SIGKILL");
    await this.ended;
  }

  #shows(text: string | RegExp): boolean {
    return typeof text === "string" ? this.screen.includes(text) : text.test(this.screen);
  }
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

/** That of a person, whatever runs the tests. */
function personsEnvironment(): Record<string, string> {
  const { PATH = "", HOME = "" } = process.env;
  return { PATH, HOME, LANG: "C.UTF-8", TERM: "xterm-256color", SHELL: "/bin/sh" };
}
