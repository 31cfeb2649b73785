import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import type { CallError } from "../../envelope/call-error.js";
import { orElse } from "../../json/attempt.js";
import type { JsonRecord } from "../../json/value.js";
import { idIn, LineReader, LineWriter, type LongLine } from "../../mcp/lines.js";
import type { ProcessTree } from "../process-tree.js";
import { serverDied, tooLarge, unavailable } from "./errors.js";
import { Lane } from "./lane.js";

/** Messages as lines over the pipes of a process; what the lane does not take is the SDK's. */
export class ChildTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly lane: Lane;
  /** Settles when the process can no longer be talked to. */
  readonly lost: Promise<CallError>;
  readonly #tree: ProcessTree;
  readonly #writer: LineWriter;
  readonly #limit: number;
  #hasEnded = false;
  #lose: (error: CallError) => void = () => {};

  constructor(tree: ProcessTree, maxMessageLength: number, cancellation: (id: number, reason: string) => JsonRecord) {
    this.#tree = tree;
    this.#limit = maxMessageLength;
    this.#writer = new LineWriter(tree.stdin);
    this.lane = new Lane({
      send: (_id, text) => this.#writer.write(text),
      cancel: (id, reason) => this.#writer.write(JSON.stringify(cancellation(id, reason))),
    });
    this.lost = new Promise((resolve) => {
      this.#lose = resolve;
    });
    this.#listen();
  }

  get isLost(): boolean {
    return this.#hasEnded;
  }

  async start(): Promise<void> {}

  async send(message: JSONRPCMessage): Promise<void> {
    this.#writer.write(JSON.stringify(message));
  }

  async close(): Promise<void> {
    this.#writer.flush();
    await this.#tree.end();
  }

  #listen(): void {
    const { stdin, stdout, exited } = this.#tree;
    const reader = new LineReader({
      maxLength: this.#limit,
      onLine: (line) => this.#read(line),
      onLongLine: (line) => this.#passOver(line),
    });
    reader.follow(stdout);
    stdout.once("end", () => this.#waitForEnd());
    stdin.once("close", () => this.#waitForEnd());
    void exited.then((end) => this.#end(serverDied(end, this.#tree.stderrTail)));
  }

  /** A pipe closes a moment before its process ends. One that goes on can no longer be talked to. */
  #waitForEnd(): void {
    const stderr = this.#tree.stderrTail;
    const deaf = (): void => this.#end(unavailable("The MCP server has closed its input or output", { stderr }));
    const timer = setTimeout(deaf, 500);
    void this.#tree.exited.then(() => clearTimeout(timer));
  }

  #end(error: CallError): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    void this.#tree.end();
    this.#lose(error);
    this.lane.failAll(error);
    this.onclose?.();
  }

  /** Servers print other things too; what is no JSON is none of ours. */
  #read(line: string): void {
    const message = orElse<unknown>(() => JSON.parse(line.charCodeAt(0) === BOM ? line.slice(1) : line), undefined);
    if (Array.isArray(message)) for (const one of message) this.#deliver(one);
    else if (typeof message === "object" && message !== null) this.#deliver(message);
  }

  #deliver(message: unknown): void {
    if (!this.lane.take(message)) this.onmessage?.(message as JSONRPCMessage);
  }

  #passOver(line: LongLine): void {
    const named = idIn(line);
    const id = named ?? (NOTIFICATION.test(line.head) ? undefined : this.lane.onlyId);
    if (typeof id === "number" && this.lane.isWaiting(id)) this.lane.fail(id, tooLarge(line.length, this.#limit));
  }
}

const BOM = 0xfeff;

const NOTIFICATION = /^\s*\{\s*("jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"method"/;
