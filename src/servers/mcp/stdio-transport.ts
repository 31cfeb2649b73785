import type { Readable, Writable } from "node:stream";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/server";
import { isRecord, type JsonRecord } from "../../json/value.js";
import { idIn, LineReader, LineWriter, type LongLine } from "../../mcp/lines.js";
import { errorFrame } from "./frames.js";

export interface StdioTransportOptions {
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly maxLength: number;
  /** Takes the messages that are not for the SDK. */
  readonly take: (message: JsonRecord) => boolean;
  /** The client says nothing more, and may still listen. */
  readonly onEnded: () => void;
  /** The client is gone, or we are. */
  readonly onClosed: () => void;
}

/** Above this, reports of progress are left out and no more calls are read, until the client has read on. */
const MOST_UNREAD = 1024 * 1024;

/** Lines of JSON on two streams, for the SDK and for what is answered beside it. */
export class StdioTransport implements Transport {
  declare onclose?: () => void;
  declare onerror?: (error: Error) => void;
  declare onmessage?: (message: JSONRPCMessage) => void;
  readonly #options: StdioTransportOptions;
  readonly #reader: LineReader;
  readonly #writer: LineWriter;
  #isClosed = false;

  constructor(options: StdioTransportOptions) {
    this.#options = options;
    this.#writer = new LineWriter(options.stdout);
    this.#reader = new LineReader({
      maxLength: options.maxLength,
      onLine: (line) => this.#read(line),
      onLongLine: (line) => this.#refuse(line),
    });
  }

  async start(): Promise<void> {
    const { stdin, stdout } = this.#options;
    stdin.setEncoding("utf8");
    stdin.on("data", this.#onData);
    stdin.on("error", this.#onGone);
    stdin.on("end", this.#onEnd);
    stdin.on("close", this.#onGone);
    stdout.on("error", this.#onGone);
    stdout.on("drain", this.#onDrain);
    if (stdin.readableEnded || stdin.destroyed) setImmediate(this.#onGone);
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const frame = JSON.stringify(message);
    if ("id" in message) this.write(frame);
    else this.tell(frame);
  }

  write(frame: string): void {
    if (this.#isClosed) return;
    this.#writer.write(frame);
    const { stdin, stdout } = this.#options;
    if (stdout.writableNeedDrain && stdout.writableLength > MOST_UNREAD) stdin.pause();
  }

  /** At once: a client that reads it together with the answer to the same call may take the call for finished. */
  tell(frame: string): void {
    this.write(frame);
    this.#writer.flush();
  }

  /** The same for what a client can do without, if it does not read. */
  tellIfRead(frame: string): void {
    if (this.#options.stdout.writableLength < MOST_UNREAD) this.tell(frame);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#writer.flush();
    this.#isClosed = true;
    const { stdin, stdout, onClosed } = this.#options;
    stdin.off("data", this.#onData);
    stdin.off("end", this.#onEnd);
    stdin.off("close", this.#onGone);
    stdout.off("drain", this.#onDrain);
    for (const stream of [stdin, stdout]) {
      stream.off("error", this.#onGone);
      if (!stream.listeners("error").includes(ignore)) stream.on("error", ignore);
    }
    if (stdin.listenerCount("data") === 0) stdin.pause();
    if (stdout.writable) await written(stdout);
    onClosed();
    this.onclose?.();
  }

  readonly #onData = (chunk: string): void => this.#reader.push(chunk);

  readonly #onDrain = (): void => void this.#options.stdin.resume();

  readonly #onEnd = (): void => {
    const { stdin, stdout, onEnded } = this.#options;
    stdin.off("close", this.#onGone);
    // Some end without ending their last line.
    this.#reader.push("\n");
    if (stdout.writable) onEnded();
    else this.#onGone();
  };

  readonly #onGone = (): void => void this.close();

  #read(line: string): void {
    let message: unknown;
    try {
      message = JSON.parse(line);
    } catch (thrown) {
      this.onerror?.(thrown as Error);
      return;
    }
    if (isRecord(message) && this.#options.take(message)) return;
    this.onmessage?.(message as JSONRPCMessage);
  }

  /** Who sent it waits for an answer. */
  #refuse(line: LongLine): void {
    const id = idIn(line);
    const message = `The message has ${line.length} characters; at most ${this.#options.maxLength} are read.`;
    if (id !== undefined) this.write(errorFrame(id, { code: -32600, message }));
    this.onerror?.(new RangeError(message));
  }
}

/** Until all is written, or never will be; a client that does not read is not waited for. */
function written(stdout: Writable): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, 1_000);
    stdout.write("", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/** What is still being written may fail, and no one is left to care. */
function ignore(): void {}
