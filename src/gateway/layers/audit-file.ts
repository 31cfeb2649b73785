import { createWriteStream, mkdirSync, type WriteStream } from "node:fs";
import { dirname } from "node:path";
import { messageOf } from "../../json/attempt.js";
import type { Log } from "../log.js";

/** Lines at the end of a file, in the order in which they are written. What goes wrong is told once, and breaks no call. */
export class AuditFile {
  readonly path: string;
  readonly #log: Log;
  #stream: WriteStream | undefined;
  #hasFailed = false;

  constructor(path: string, log: Log) {
    this.path = path;
    this.#log = log;
  }

  write(line: string): void {
    try {
      this.#stream ??= this.#open();
      this.#stream.write(`${line}\n`);
    } catch (thrown) {
      this.#fail(thrown);
    }
  }

  /** Once all is in the file. */
  async close(): Promise<void> {
    const stream = this.#stream;
    this.#stream = undefined;
    if (stream === undefined || stream.closed) return;
    await new Promise<void>((resolve) => {
      stream.once("close", resolve);
      stream.end();
    });
  }

  #open(): WriteStream {
    mkdirSync(dirname(this.path), { recursive: true });
    // Who called what is for nobody else to read.
    const stream = createWriteStream(this.path, { flags: "a", mode: 0o600 });
    stream.once("error", (error) => {
      if (this.#stream === stream) this.#stream = undefined;
      this.#fail(error);
    });
    stream.once("open", () => {
      this.#hasFailed = false;
    });
    return stream;
  }

  /** The next line tries again: a disk that is full need not stay so. */
  #fail(thrown: unknown): void {
    if (!this.#hasFailed)
      this.#log.error(`The audit log ${this.path} cannot be written: calls go on without it.`, {
        error: messageOf(thrown),
      });
    this.#hasFailed = true;
  }
}
