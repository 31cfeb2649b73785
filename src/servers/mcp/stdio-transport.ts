import type { Readable, Writable } from "node:stream";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/server";
import { isRecord, type JsonRecord } from "../../json/value.js";
import { LineReader, LineWriter, type LongLine } from "../../mcp/lines.js";
import { errorFrame } from "./frames.js";

export interface StdioTransportOptions {
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly maxLength: number;
  /** Takes the messages that are not for the SDK. */
  readonly take: (message: JsonRecord) => boolean;
  /** The client is gone, or we are. */
  readonly onClosed: () => void;
}

/** Above this, reports of progress are left out until the client has read on. */
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
    stdin.on("end", this.#onGone);
    stdin.on("close", this.#onGone);
    stdout.on("error", this.#onGone);
    if (stdin.readableEnded || stdin.destroyed) setImmediate(this.#onGone);
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const frame = JSON.stringify(message);
    if ("id" in message) this.write(frame);
    else this.tell(frame);
  }

  write(frame: string): void {
    if (!this.#isClosed) this.#writer.write(frame);
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
    stdin.off("end", this.#onGone);
    stdin.off("close", this.#onGone);
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

  /** Who sent it waits for an answer. Its id is where clients write it: near the beginning or at the end. */
  #refuse({ head, tail, length }: LongLine): void {
    const found = /^\{"jsonrpc":"2\.0","id":(\d+|"[^"\\]*"),/.exec(head) ?? /,"id":(\d+|"[^"\\]*")\}\r?$/.exec(tail);
    const message = `The message has ${length} characters; at most ${this.#options.maxLength} are read.`;
    if (found?.[1] !== undefined) this.write(errorFrame(JSON.parse(found[1]), { code: -32600, message }));
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
