import { type CallErrorInit, callErrorData } from "../envelope/call-error.js";
import type { ResponseEnvelope } from "../envelope/response-envelope.js";
import type { CallEvent } from "./events.js";
import { failure, noResponse, withWorker } from "./failure.js";
import type { Pending, PendingHolder, Terms } from "./pending.js";
import { progressOf } from "./progress.js";
import { expiryOf, judgeSilence, lostFromNow, noteLife, silentFromNow, type Timed } from "./silence.js";

type Answer = ResponseEnvelope | Promise<ResponseEnvelope>;

/** What becomes of a call that has failed, if not its failure. */
export type Recover = (error: unknown) => Promise<ResponseEnvelope>;

/** A call that ends with the first response. */
export class PendingCall implements Pending, Timed {
  readonly terms: Terms;
  silentAt: number;
  lostAt: number;
  misses = 0;
  expiresAt: number;
  readonly #holder: PendingHolder;
  readonly #resolve: (answer: Answer) => void;
  readonly #recover: Recover | undefined;
  #controlTo: string | undefined;

  constructor(terms: Terms, holder: PendingHolder, resolve: (answer: Answer) => void, recover: Recover | undefined) {
    this.terms = terms;
    this.silentAt = silentFromNow(terms);
    this.lostAt = lostFromNow(terms);
    this.expiresAt = expiryOf(this);
    this.#holder = holder;
    this.#resolve = resolve;
    this.#recover = recover;
  }

  receive(event: CallEvent): void {
    switch (event.type) {
      case "call.responded":
        this.#holder.release(this);
        this.#resolve(event.output);
        break;
      case "call.error":
        this.fail(callErrorData(event));
        break;
      case "call.completed":
        this.fail(noResponse());
        break;
      case "call.progress":
        this.silentAt = silentFromNow(this.terms);
        noteLife(this);
        this.terms.options.onProgress?.(progressOf(event));
        break;
      case "call.running":
        this.#controlTo = event.controlTo ?? this.#controlTo;
        noteLife(this);
        break;
      default:
        this.#holder.tally.unknown += 1;
    }
  }

  fail(error: CallErrorInit): void {
    this.#holder.release(this);
    this.#resolve(this.#recover === undefined ? failure(error) : failure(error).catch(this.#recover));
  }

  abort(error: CallErrorInit, reason?: string): void {
    this.fail(error);
    this.#holder.abortServer(this.terms.requestId, reason, this.#controlTo);
  }

  resume(): void {
    noteLife(this);
    this.#ask();
  }

  expire(): void {
    const verdict = judgeSilence(this, this.#holder.isSuspended);
    if (verdict === "ask") this.#ask();
    else if (verdict !== "wait") this.abort(withWorker(verdict, this.#controlTo), "timeout");
  }

  #ask(): void {
    const { inbox: replyTo } = this.#holder;
    this.#holder.tellServer({ type: "call.resumed", requestId: this.terms.requestId, replyTo }, this.#controlTo);
  }
}
