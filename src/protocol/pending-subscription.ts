import { type CallErrorInit, callErrorData } from "../envelope/call-error.js";
import type { ResponseEnvelope } from "../envelope/response-envelope.js";
import type { CallCompletedEvent, CallErrorEvent, CallEvent, CallRespondedEvent, CallRunningEvent } from "./events.js";
import { failure, gap } from "./failure.js";
import { MissedValues } from "./missed-values.js";
import type { Pending, PendingHolder, Terms } from "./pending.js";
import { progressOf } from "./progress.js";
import { expiryOf, judgeSilence, noteLife, silentFromNow, type Timed } from "./silence.js";
import { ValueWindow } from "./value-window.js";

/** How often a worker hears that we are here: it waits for ten heartbeats, and for ten seconds. */
const ANSWERED_HEARTBEATS = 3;
const ANSWERED_MS = 3_000;

type Step = IteratorResult<ResponseEnvelope, void>;

/** Requests the subscription, or says why it cannot. */
type Opening = (subscription: PendingSubscription) => CallErrorInit | undefined;

/**
 * The values of a subscription, requested with the first `next()`. What arrived before an error is given before it.
 * Not an async generator function: there a `return()` would have to wait for the `next()` before it.
 */
export class PendingSubscription implements Pending, Timed, AsyncGenerator<ResponseEnvelope, void, undefined> {
  readonly terms: Terms;
  silentAt: number = Number.POSITIVE_INFINITY;
  lostAt: number = Number.POSITIVE_INFINITY;
  misses = 0;
  expiresAt: number;
  readonly #holder: PendingHolder;
  readonly #opening: Opening;
  readonly #window: ValueWindow;
  readonly #waiting: ((step: Step | Promise<never>) => void)[] = [];
  #state: "new" | "open" | "ended" = "new";
  #error: CallErrorInit | undefined;
  #creditedAt = 0;
  #answeredAt = 0;
  readonly #missed: MissedValues;
  #controlTo: string | undefined;

  constructor(terms: Terms, credit: number, holder: PendingHolder, opening: Opening) {
    this.terms = terms;
    this.expiresAt = terms.deadline;
    this.#holder = holder;
    this.#opening = opening;
    this.#window = new ValueWindow(credit);
    this.#missed = new MissedValues(this.#window, terms.heartbeat);
  }

  next(): Promise<Step> {
    if (this.#state === "new") this.#open();
    if (!this.#window.isEmpty) return Promise.resolve(this.#take());
    if (this.#state === "ended") return this.#lastStep();
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#listenFromNow();
    });
  }

  return(): Promise<Step> {
    this.#cancel();
    return Promise.resolve({ done: true, value: undefined });
  }

  throw(error: unknown): Promise<Step> {
    this.#cancel();
    return Promise.reject(error);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  receive(event: CallEvent): void {
    noteLife(this);
    // A sign of life of the worker says nothing of the operation.
    if (this.#waiting.length > 0 && event.type !== "call.running") this.#listenFromNow();
    switch (event.type) {
      case "call.responded":
        this.#arrive(event);
        break;
      case "call.completed":
        this.#complete(event);
        break;
      case "call.error":
        this.fail(this.#errorOf(event));
        break;
      case "call.running":
        this.#goOn(event);
        break;
      case "call.progress":
        this.terms.options.onProgress?.(progressOf(event));
        break;
      default:
        this.#holder.tally.unknown += 1;
    }
  }

  fail(error: CallErrorInit): void {
    this.#error = error;
    this.#end();
  }

  /** The consumer's own will: it wants no more values, not even those that have arrived. */
  abort(error: CallErrorInit, reason?: string): void {
    this.#window.clear();
    this.#giveUp(error, reason);
  }

  resume(): void {
    noteLife(this);
    this.#ask();
  }

  expire(): void {
    const verdict = judgeSilence(this, this.#holder.isSuspended);
    if (verdict === "ask") this.#ask();
    else if (verdict !== "wait") this.#giveUp(verdict, "timeout");
  }

  #open(): void {
    this.#state = "open";
    this.#creditedAt = this.#answeredAt = Date.now();
    noteLife(this);
    const refusal = this.#opening(this);
    if (refusal !== undefined) this.fail(refusal);
  }

  #arrive({ output, sequence }: CallRespondedEvent): void {
    const arrival = this.#window.judge(sequence);
    const expected = this.#window.received;
    if (arrival === "next") {
      this.#window.put(output);
      const resolve = this.#waiting.shift();
      if (resolve !== undefined) resolve(this.#take());
    } else if (arrival === "duplicate") {
      this.#holder.tally.duplicate += 1;
    } else if (arrival === "excess") {
      this.#holder.tally.malformed += 1;
      this.#giveUp(gap(expected, "a value beyond the credit"), "gap");
    } else if (!this.#asksFor(gap(expected, sequence ?? expected))) {
      this.#giveUp(gap(expected, sequence ?? expected), "gap");
    }
  }

  #complete({ count }: CallCompletedEvent): void {
    const { received } = this.#window;
    if (count === undefined || count === received) {
      this.#end();
    } else {
      const error = gap(received, `the end after ${count}`);
      if (count < received || !this.#asksFor(error)) this.fail(error);
    }
  }

  #goOn({ controlTo, sent = 0, granted }: CallRunningEvent): void {
    this.#controlTo = controlTo ?? this.#controlTo;
    if (this.#missed.isTold(sent, granted)) this.#ask();
    const every = Math.max(ANSWERED_HEARTBEATS * this.terms.heartbeat, ANSWERED_MS);
    if (Date.now() - this.#answeredAt >= every) this.#answer();
  }

  /** The worker is to know that we are here, however long we take nothing. */
  #answer(): void {
    this.#answeredAt = Date.now();
    this.#holder.tellServer({ type: "call.credited", requestId: this.terms.requestId, credit: 0 }, this.#controlTo);
  }

  /**
   * Whether the worker can be asked for what is missing; what comes out of order is ignored until then. Its first sign of
   * life may be missing too: then all are asked.
   */
  #asksFor(missing: CallErrorInit): boolean {
    if (this.#controlTo === undefined && this.terms.heartbeat === Number.POSITIVE_INFINITY) return false;
    if (this.#missed.isNew(missing)) this.#ask();
    return true;
  }

  #ask(): void {
    const { requestId } = this.terms;
    const { received, granted } = this.#window;
    const { inbox: replyTo } = this.#holder;
    this.#missed.noteAsked();
    this.#holder.tellServer({ type: "call.resumed", requestId, replyTo, received, granted }, this.#controlTo);
  }

  #errorOf(event: CallErrorEvent): CallErrorInit {
    return (event.code === "ANSWER_LOST" ? this.#missed.gap : undefined) ?? callErrorData(event);
  }

  #take(): Step {
    const value = this.#window.take() as ResponseEnvelope;
    if (this.#waiting.length === 0) this.#listenNoMore();
    if (this.#state === "open") this.#giveCredit();
    return { done: false, value };
  }

  /** In batches; where the serving side watches for silence, also one by one, so that it does not take us for gone. */
  #giveCredit(): void {
    const { requestId, idleTimeout } = this.terms;
    const isWatched = idleTimeout !== Number.POSITIVE_INFINITY;
    const credit = this.#window.grant(isWatched && Date.now() - this.#creditedAt >= idleTimeout / 4);
    if (credit === 0) return;
    if (isWatched) this.#creditedAt = Date.now();
    this.#holder.tellServer({ type: "call.credited", requestId, credit }, this.#controlTo);
  }

  /** Silence counts only while the consumer waits: before that, the serving side may have no credit to speak. */
  #listenFromNow(): void {
    this.silentAt = silentFromNow(this.terms);
    this.expiresAt = expiryOf(this);
    this.#holder.watch(this.expiresAt);
  }

  #listenNoMore(): void {
    this.silentAt = Number.POSITIVE_INFINITY;
    this.expiresAt = expiryOf(this);
  }

  #giveUp(error: CallErrorInit, reason?: string): void {
    this.fail(error);
    this.#holder.abortServer(this.terms.requestId, reason, this.#controlTo);
  }

  #cancel(): void {
    const wasOpen = this.#state === "open";
    this.#error = undefined;
    this.#window.clear();
    this.#end();
    if (wasOpen) this.#holder.abortServer(this.terms.requestId, undefined, this.#controlTo);
  }

  #end(): void {
    this.#state = "ended";
    this.#holder.release(this);
    for (const resolve of this.#waiting.splice(0)) resolve(this.#stepNow());
  }

  #lastStep(): Promise<Step> {
    return Promise.resolve(this.#stepNow());
  }

  /** The error is told once; after it there is only the end. */
  #stepNow(): Step | Promise<never> {
    const error = this.#error;
    this.#error = undefined;
    return error === undefined ? { done: true, value: undefined } : failure(error);
  }
}
