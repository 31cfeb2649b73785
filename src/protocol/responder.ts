import { type CallErrorInit, callErrorData, callErrorFrom } from "../envelope/call-error.js";
import type { ResponseEnvelope } from "../envelope/response-envelope.js";
import { orElse } from "../json/attempt.js";
import type { Progress } from "../registry/call-options.js";
import { assertEnvelope } from "./assert-envelope.js";
import type { Bus } from "./bus.js";
import type { CallEvent, CallRequestedEvent } from "./events.js";
import { progressEvent } from "./progress.js";

/** Answers one request where it wants its answer, and says nothing more once it is settled. */
export class Responder {
  readonly #bus: Bus;
  readonly #request: CallRequestedEvent;
  #settled = false;

  constructor(bus: Bus, request: CallRequestedEvent) {
    this.#bus = bus;
    this.#request = request;
  }

  get isSettled(): boolean {
    return this.#settled;
  }

  /** The one answer of a call. Throws where it is no envelope. */
  respond(envelope: ResponseEnvelope): void {
    if (this.#settled) return;
    assertEnvelope(envelope);
    this.#publish({ type: "call.responded", requestId: this.#request.requestId, output: carried(envelope) });
    this.#settled = true;
  }

  /** A value of a subscription, which goes on. */
  send(envelope: ResponseEnvelope, sequence: number): void {
    if (this.#settled) return;
    assertEnvelope(envelope);
    this.#publish({ type: "call.responded", requestId: this.#request.requestId, output: carried(envelope), sequence });
  }

  progress(progress: Progress): void {
    if (!this.#settled) this.#publish(progressEvent(this.#request.requestId, progress));
  }

  complete(count: number): void {
    if (this.#settled) return;
    this.#publish({ type: "call.completed", requestId: this.#request.requestId, count });
    this.#settled = true;
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
      this.#publish({ ...callErrorData(error), type: "call.error", requestId });
    } catch {
      // Its details cannot be carried. Should that fail too, the bus is gone and nobody waits for us.
      const { category, code, message, recoverable } = callErrorData(error);
      orElse(() => this.#publish({ type: "call.error", requestId, category, code, message, recoverable }), undefined);
    }
  }

  /** The caller no longer waits. */
  mute(): void {
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
