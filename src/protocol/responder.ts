import { type CallErrorInit, callErrorData, callErrorFrom } from "../envelope/call-error.js";
import type { ResponseEnvelope } from "../envelope/response-envelope.js";
import { orElse } from "../json/attempt.js";
import type { Progress } from "../registry/call-options.js";
import { assertEnvelope } from "./assert-envelope.js";
import type { Bus } from "./bus.js";
import type { CallEvent, CallRequestedEvent, CallRespondedEvent } from "./events.js";
import { progressEvent } from "./progress.js";

/** Answers one request where it wants its answer, and says nothing more once it is settled. */
export class Responder {
  readonly #bus: Bus;
  readonly #request: CallRequestedEvent;
  #settled = false;
  #lastWord: CallEvent | undefined;

  constructor(bus: Bus, request: CallRequestedEvent) {
    this.#bus = bus;
    this.#request = request;
  }

  get isSettled(): boolean {
    return this.#settled;
  }

  /** What settled it; nothing where its caller no longer waits. */
  get lastWord(): CallEvent | undefined {
    return this.#lastWord;
  }

  /** The one answer of a call. Throws where it is no envelope. */
  respond(envelope: ResponseEnvelope): void {
    if (this.#settled) return;
    assertEnvelope(envelope);
    this.#settle({ type: "call.responded", requestId: this.#request.requestId, output: carried(envelope) });
  }

  /** A value of a subscription, which goes on; gives back what was sent. */
  send(envelope: ResponseEnvelope, sequence: number): CallRespondedEvent | undefined {
    if (this.#settled) return undefined;
    assertEnvelope(envelope);
    const { requestId } = this.#request;
    const event: CallRespondedEvent = { type: "call.responded", requestId, output: carried(envelope), sequence };
    this.#publish(event);
    return event;
  }

  /** Something that may as well get lost. */
  tell(event: CallEvent): void {
    if (!this.#settled) orElse(() => this.#publish(event), undefined);
  }

  progress(progress: Progress): void {
    if (!this.#settled) this.#publish(progressEvent(this.#request.requestId, progress));
  }

  complete(count: number): void {
    if (this.#settled) return;
    this.#settle({ type: "call.completed", requestId: this.#request.requestId, count });
  }

  /** Whatever was thrown; the words of an unknown exception stay here. */
  fail(thrown: unknown): void {
    if (!this.#settled) this.refuse(callErrorFrom(thrown));
  }

  refuse(error: CallErrorInit): void {
    if (this.#settled) return;
    this.#settled = true;
    const { requestId } = this.#request;
    try {
      this.#settle({ ...callErrorData(error), type: "call.error", requestId });
    } catch {
      // Its details cannot be carried. Should that fail too, the bus is gone and nobody waits for us.
      const { category, code, message, recoverable } = callErrorData(error);
      orElse(() => this.#settle({ type: "call.error", requestId, category, code, message, recoverable }), undefined);
    }
  }

  /** The caller no longer waits. */
  mute(): void {
    this.#settled = true;
  }

  /** Where it cannot be carried, another word may be said in its place. */
  #settle(event: CallEvent): void {
    this.#publish(event);
    this.#lastWord = event;
    this.#settled = true;
  }

  #publish(event: CallEvent): void {
    this.#bus.publish(this.#request.replyTo, event);
  }
}

/** JSON would lose the key of `undefined` data, and the rest would be no envelope; so it is `null` on every bus. */
function carried(envelope: ResponseEnvelope): ResponseEnvelope {
  return envelope.data === undefined ? { data: null, meta: envelope.meta } : envelope;
}
