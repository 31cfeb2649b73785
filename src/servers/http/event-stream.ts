import { type CallError, callErrorFrom } from "../../envelope/call-error.js";
import type { ResponseEnvelope } from "../../envelope/response-envelope.js";
import { orElse } from "../../json/attempt.js";
import { randomHex } from "../../json/random-hex.js";
import type { Expiring } from "../../protocol/expiry-sweep.js";
import { EventLog, type EventLogLimits } from "./event-log.js";
import type { EventSink } from "./reply.js";
import { printEvent } from "./streaming.js";

/** A subscription that is to become a stream of events. */
export interface StreamStart {
  readonly operationId: string;
  /** Only the same caller may come back for what it has missed. */
  readonly owner: string | undefined;
  /** Begins the subscription. What `onProgress` gets, as JSON, is told to a client that listens, once. */
  readonly begin: (onProgress: (json: string) => void) => { readonly values: AsyncGenerator<ResponseEnvelope> };
  /** Ends the handler. */
  readonly stop: (why: CallError) => void;
  readonly printValue: (envelope: ResponseEnvelope) => string;
  readonly printError: (error: CallError) => string;
}

export interface EventStreamOptions extends EventLogLimits {
  /** Called when nobody listens any more: the client has gone, or has everything. */
  readonly onAlone: (stream: EventStream) => void;
}

const END = printEvent("end", "{}");

/** One subscription, whoever listens to it at the moment. */
export class EventStream implements Expiring {
  readonly id: string = randomHex(8);
  readonly start: StreamStart;
  expiresAt: number = Number.POSITIVE_INFINITY;
  readonly #onAlone: (stream: EventStream) => void;
  readonly #log: EventLog;
  #values: AsyncGenerator<ResponseEnvelope> | undefined;
  #isTaking = false;
  #sink: EventSink | undefined;
  /** Whether the sink takes more. */
  #isReady = false;
  #isIdle = true;
  /** The last event, which has no number. */
  #ending: string | undefined;
  #isStopped = false;

  constructor(start: StreamStart, { onAlone, ...limits }: EventStreamOptions) {
    this.start = start;
    this.#onAlone = onAlone;
    this.#log = new EventLog(limits);
  }

  /** Whether the last event was written, though it may not have arrived. */
  get isSent(): boolean {
    return this.#ending !== undefined && this.#log.isRead && this.#sink === undefined;
  }

  /** Whether nothing more comes. */
  get hasEnded(): boolean {
    return this.#ending !== undefined;
  }

  /** Whether a client that has all up to this number has everything: it need not come back again. */
  isComplete(received: number): boolean {
    return this.#ending === END && received === this.#log.last;
  }

  /** What a client can get that has all up to this number. */
  judge(received: number): "whole" | "gap" | "unknown" {
    return this.#log.judge(received);
  }

  /** Sends what follows the number, instead of to whom it was sent until now. */
  attach(sink: EventSink, received: number): void {
    this.#values ??= this.#begin();
    this.#release()?.end();
    this.#log.rewind(received);
    this.#sink = sink;
    this.#isIdle = true;
    sink.onDrain(() => {
      if (this.#sink !== sink) return;
      this.#isReady = true;
      this.#advance();
    });
    sink.onClose(() => this.#lose(sink));
    this.#write(opening(`${this.id}:${received}`));
    this.#advance();
  }

  /** Tells a client that it gets nothing, or nothing more. */
  refuse(sink: EventSink, error: CallError): void {
    last(sink, this.#printError(error));
  }

  /** A sign of life, for what stands between and closes connections that are silent. */
  keepAlive(): void {
    if (this.#isIdle && this.#isReady) this.#write(": keep-alive\n\n");
    this.#isIdle = true;
  }

  /** Ends it before its time; whoever listens is told the second error. Never rejects. */
  async stop(why: CallError, told: CallError = why): Promise<void> {
    if (this.#isStopped) return;
    this.#isStopped = true;
    this.#log.clear();
    const sink = this.#release();
    if (sink !== undefined) this.refuse(sink, told);
    if (this.#ending !== undefined) return;
    orElse(() => this.start.stop(why), undefined);
    const ended = this.#endValues();
    // A generator that is busy ends when it comes back from where it is, if ever.
    if (!this.#isTaking) await ended;
  }

  /** Writes what the client has not got, then asks for more: a value is not asked for before there is room for it. */
  #advance(): void {
    while (this.#sink !== undefined && this.#isReady) {
      const text = this.#log.take();
      if (text === undefined) break;
      this.#isIdle = false;
      this.#write(text);
    }
    if (this.#ending !== undefined) this.#finish(this.#ending);
    else if (!this.#isTaking && !this.#isStopped && this.#hasRoom()) void this.#take();
  }

  #hasRoom(): boolean {
    return this.#sink === undefined ? this.#log.hasRoom : this.#isReady && this.#log.isRead;
  }

  async #take(): Promise<void> {
    this.#isTaking = true;
    try {
      const taken = await this.#values?.next();
      if (taken === undefined || taken.done === true) this.#ending = END;
      else if (!this.#isStopped) this.#add(this.start.printValue(taken.value));
    } catch (thrown) {
      this.#ending = this.#printError(callErrorFrom(thrown));
      // It may be a value that cannot be printed, of a handler that goes on.
      void this.#endValues();
    }
    this.#isTaking = false;
    this.#advance();
  }

  #add(json: string): void {
    this.#log.add(`id: ${this.id}:${this.#log.last + 1}\n${printEvent("value", json)}`);
  }

  #begin(): AsyncGenerator<ResponseEnvelope> {
    const tell = (json: string): void => {
      if (this.#isReady && this.#log.isRead) this.#write(printEvent("progress", json));
    };
    try {
      return this.start.begin(tell).values;
    } catch (thrown) {
      return failing(thrown);
    }
  }

  async #endValues(): Promise<void> {
    try {
      await this.#values?.return(undefined);
    } catch {
      // It has ended with an error of its own, which no one waits for.
    }
  }

  #write(text: string): void {
    const sink = this.#sink;
    if (sink === undefined) return;
    this.#isReady = false;
    // A sink that throws has no client any more.
    const isReady = orElse(() => sink.write(text), undefined);
    if (isReady === undefined) this.#lose(sink);
    else if (isReady && this.#sink === sink) this.#isReady = true;
  }

  #finish(ending: string): void {
    const sink = this.#log.isRead ? this.#release() : undefined;
    if (sink === undefined) return;
    last(sink, ending);
    this.#onAlone(this);
  }

  #lose(sink: EventSink): void {
    if (this.#sink !== sink) return;
    this.#release();
    this.#onAlone(this);
    this.#advance();
  }

  /** Nobody listens from now on. */
  #release(): EventSink | undefined {
    const sink = this.#sink;
    this.#sink = undefined;
    this.#isReady = false;
    return sink;
  }

  #printError(error: CallError): string {
    // Not `error`, which is what a browser calls a lost connection.
    return printEvent(
      "failure",
      orElse(() => this.start.printError(error), "{}"),
    );
  }
}

function last(sink: EventSink, event: string): void {
  // It may have lost its client meanwhile.
  orElse(() => sink.write(event), false);
  orElse(() => sink.end(), undefined);
}

/** The id counts although no event has it: a client can come back before it has got a value. The rest makes proxies flush. */
function opening(id: string): string {
  return `retry: 1000\nid: ${id}\n\n: open\n\n`;
}

// biome-ignore lint/correctness/useYield: it fails before it could
async function* failing(thrown: unknown): AsyncGenerator<never> {
  throw thrown;
}
