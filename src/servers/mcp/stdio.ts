import type { Readable, Writable } from "node:stream";
import { setImmediate as turn } from "node:timers/promises";
import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { categoryFacts } from "../../envelope/category.js";
import { isRecord, type JsonRecord } from "../../json/value.js";
import { isRequestId, type RequestId } from "../../mcp/json-rpc.js";
import type { Era } from "../../mcp/keys.js";
import type { Identity } from "../../registry/access.js";
import type { ClientCall } from "../client-call.js";
import { cancelled, closing } from "../refusals.js";
import { RunningCalls } from "../running-calls.js";
import { type CleanCall, cleanCall } from "./clean-call.js";
import { Core } from "./core.js";
import { errorFrame } from "./frames.js";
import { Lane, type Reply } from "./lane.js";
import type { McpServerOptions } from "./options.js";
import { quietConsole } from "./quiet-console.js";
import { ToolServer } from "./sdk-server.js";
import { StdioTransport } from "./stdio-transport.js";

export interface McpStdioOptions extends McpServerOptions {
  /** @default process.stdin */
  readonly stdin?: Readable | undefined;
  /** @default process.stdout */
  readonly stdout?: Writable | undefined;
  /** Whoever started the process, for access control. */
  readonly identity?: Identity | undefined;
}

export interface McpStdioServer {
  /** Settles when the client has gone, or `close` is done. */
  readonly closed: Promise<void>;
  /** Gives running calls a short time to finish. */
  close(): Promise<void>;
}

const MAX_LENGTH = 32 * 1024 * 1024;
const DRAIN_MS = 2_000;
/** For a client that says nothing more: less than the two seconds after which most end a server by force. */
const LAST_CALLS_MS = 1_500;

/**
 * Serves a registry over standard input and output, to clients of both eras. While it does, `console.log` and the like
 * write to standard error, because standard output belongs to the protocol.
 */
export function serveMcpStdio(options: McpStdioOptions): McpStdioServer {
  const connection = new StdioConnection(options);
  return { closed: connection.closed, close: () => connection.close() };
}

class StdioConnection {
  readonly closed: Promise<void>;
  readonly #options: McpStdioOptions;
  readonly #core: Core;
  readonly #running = new RunningCalls();
  readonly #lane: Lane;
  readonly #calls = new Map<RequestId, ClientCall>();
  readonly #transport: StdioTransport;
  readonly #handle: { close(): Promise<void> };
  readonly #restoreConsole: () => void;
  #server: { readonly era: Era; readonly instance: ToolServer } | undefined;
  #isClosing = false;
  #settle: () => void = () => {};

  constructor(options: McpStdioOptions) {
    const { stdin = process.stdin, stdout = process.stdout } = options;
    this.#options = options;
    this.#core = new Core(options);
    this.#lane = new Lane(this.#core, this.#running);
    this.closed = new Promise((resolve) => {
      this.#settle = resolve;
    });
    this.#restoreConsole = stdout === process.stdout ? quietConsole() : () => {};
    this.#transport = new StdioTransport({
      stdin,
      stdout,
      maxLength: MAX_LENGTH,
      take: (message) => this.#take(message),
      onEnded: () => void this.#drain(LAST_CALLS_MS),
      onClosed: () => void this.#end(),
    });
    this.#handle = serveStdio(({ era }) => this.#makeServer(era), {
      transport: this.#transport,
      onerror: (error) => this.#core.report(error),
    });
    this.#core.toolbox.onChange(() => this.#tellChange());
  }

  async close(): Promise<void> {
    await this.#drain(DRAIN_MS);
    await this.closed;
  }

  async #drain(milliseconds: number): Promise<void> {
    if (this.#isClosing) return;
    this.#isClosing = true;
    await this.#running.idle(milliseconds);
    // What the SDK has in hand is sent within a turn.
    await turn();
    this.#running.stopAll(closing());
    await this.#handle.close();
    // Where no client ever said anything, the SDK has nothing to close.
    await this.#transport.close();
  }

  #makeServer(era: Era): ToolServer {
    const { identity } = this.#options;
    const instance = new ToolServer({
      core: this.#core,
      running: this.#running,
      about: { era, ...(identity !== undefined && { identity }) },
      identityOf: () => identity,
    });
    this.#server = { era, instance };
    return instance;
  }

  /** Takes the calls that need no SDK, and what ends them. */
  #take(message: JsonRecord): boolean {
    if (message["method"] === "notifications/cancelled") return this.#cancel(message["params"]);
    if (this.#isClosing) return this.#refuse(message);
    if (message["method"] !== "tools/call") return false;
    const clean = cleanCall(message);
    if (clean === undefined || !this.#isOurs(clean)) return false;
    const instance = this.#server?.instance;
    const capabilities = clean.capabilities ?? instance?.getClientCapabilities();
    const handOver = instance?.canAsk === true ? this.#handsOver(instance, clean, message) : undefined;
    const reply = this.#reply(clean, handOver);
    const call = this.#lane.start(clean, { identity: this.#options.identity, capabilities }, reply);
    if (call !== undefined) this.#calls.set(clean.id, call);
    return true;
  }

  #reply({ id }: CleanCall, handOver: Reply["handOver"]): Reply {
    return {
      progress: (frame) => this.#transport.tellIfRead(frame),
      answer: (frame) => {
        this.#calls.delete(id);
        this.#transport.write(frame);
      },
      handOver,
    };
  }

  #handsOver(instance: ToolServer, { id }: CleanCall, message: JsonRecord): Reply["handOver"] {
    return (questions) => {
      this.#calls.delete(id);
      this.#transport.onmessage?.(instance.withOutcome(message, questions) as unknown as JSONRPCMessage);
    };
  }

  /** A client of the old era must have been greeted. */
  #isOurs({ era }: CleanCall): boolean {
    if (this.#options.capabilities?.logging !== undefined) return false;
    if (era === "modern") return this.#server?.era !== "legacy";
    return this.#server?.era === "legacy" && this.#server.instance.isGreeted;
  }

  #refuse({ id, method }: JsonRecord): boolean {
    if (method === undefined || !isRequestId(id)) return false;
    const { category, message } = closing();
    this.#transport.write(errorFrame(id, { code: categoryFacts(category).jsonRpc, message }));
    return true;
  }

  #cancel(params: unknown): boolean {
    const { requestId, reason } = isRecord(params) ? params : {};
    const call = isRequestId(requestId) ? this.#calls.get(requestId) : undefined;
    if (!isRequestId(requestId) || call === undefined) return false;
    this.#calls.delete(requestId);
    call.stop(cancelled(reason));
    return true;
  }

  #tellChange(): void {
    const instance = this.#server?.instance;
    if (instance?.transport === undefined) return;
    if (this.#server?.era === "legacy" && !instance.isGreeted) return;
    instance.sendToolListChanged().catch((error) => this.#core.report(error));
  }

  async #end(): Promise<void> {
    this.#isClosing = true;
    this.#running.stopAll(cancelled("the client has gone"));
    this.#restoreConsole();
    await this.#core.close().catch((error) => this.#core.report(error));
    this.#settle();
  }
}
