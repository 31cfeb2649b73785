import type { Readable, Writable } from "node:stream";
import { isRequestId, type RequestId } from "./json-rpc.js";

/** A line that was longer than allowed: what it began and ended with, to tell what it was about. */
export interface LongLine {
  readonly head: string;
  readonly tail: string;
  readonly length: number;
}

export interface LineReaderOptions {
  readonly maxLength: number;
  readonly onLine: (line: string) => void;
  /** A line over the limit is passed over; what follows it is read as ever. */
  readonly onLongLine: (line: LongLine) => void;
}

const KEPT = 2_000;

/** Splits a stream of text into lines. Only what is new is searched, so that a long line costs its length once. */
export class LineReader {
  readonly #options: LineReaderOptions;
  #parts: string[] = [];
  #length = 0;
  #head: string | undefined;

  constructor(options: LineReaderOptions) {
    this.#options = options;
  }

  /** Reads until the stream ends. */
  follow(stream: Readable): void {
    stream.setEncoding("utf8");
    stream.on("data", (chunk: string) => this.push(chunk));
    // Some end without ending their last line.
    stream.on("end", () => this.push("\n"));
  }

  push(chunk: string): void {
    let from = 0;
    for (let at = chunk.indexOf("\n"); at >= 0; at = chunk.indexOf("\n", from)) {
      this.#end(chunk.slice(from, at));
      from = at + 1;
    }
    if (from < chunk.length) this.#keep(from === 0 ? chunk : chunk.slice(from));
  }

  #end(last: string): void {
    if (this.#head === undefined && this.#length + last.length <= this.#options.maxLength) {
      const line = this.#parts.length === 0 ? last : this.#parts.join("") + last;
      this.#reset();
      if (line !== "" && line !== "\r") this.#options.onLine(line);
      return;
    }
    this.#keep(last);
    const head = this.#head ?? "";
    const long = { head, tail: this.#parts.join("").slice(-KEPT), length: this.#length };
    this.#reset();
    this.#options.onLongLine(long);
  }

  #keep(part: string): void {
    this.#parts.push(part);
    this.#length += part.length;
    if (this.#length <= this.#options.maxLength) return;
    const kept = this.#parts.join("");
    this.#head ??= kept.slice(0, KEPT);
    this.#parts = [kept.slice(-KEPT)];
  }

  #reset(): void {
    this.#parts = [];
    this.#length = 0;
    this.#head = undefined;
  }
}

const ID = String.raw`"id"\s*:\s*(-?\d+|"[^"\\]*")\s*`;
const WORD = String.raw`"(?:jsonrpc|method)"\s*:\s*"[^"\\]*"\s*`;
const ID_AT_START = new RegExp(String.raw`^\s*\{\s*(?:${WORD},\s*)*${ID}[,}]`);
const ID_AT_END = new RegExp(String.raw`,\s*${ID}(?:,\s*${WORD})*\}\s*$`);

/** The id of the message that the line is, where it stands near either end. One that is deeper inside is somebody else's. */
export function idIn({ head, tail }: LongLine): RequestId | undefined {
  // Of two, the last one counts in JSON.
  const found = ID_AT_END.exec(tail)?.[1] ?? ID_AT_START.exec(head)?.[1];
  const id = found?.startsWith('"') ? found.slice(1, -1) : Number(found);
  return isRequestId(id) ? id : undefined;
}

/**
 * Writes lines: the first of a turn of the event loop at once, so that one that is alone need not wait, and all others
 * together, because a write costs more than what it writes.
 */
export class LineWriter {
  readonly #stream: Writable;
  #waiting = "";
  #isBusy = false;

  constructor(stream: Writable) {
    this.#stream = stream;
  }

  write(line: string): void {
    this.#waiting += `${line}\n`;
    if (this.#isBusy) return;
    this.#isBusy = true;
    setImmediate(this.#endTurn);
    this.flush();
  }

  flush(): void {
    const text = this.#waiting;
    this.#waiting = "";
    if (text !== "" && this.#stream.writable) this.#stream.write(text);
  }

  readonly #endTurn = (): void => {
    this.#isBusy = false;
    this.flush();
  };
}
