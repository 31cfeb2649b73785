import { type CallErrorInit, callErrorData } from "../envelope/call-error.js";
import type { ResponseEnvelope } from "../envelope/response-envelope.js";
import type { CallEvent } from "./events.js";
import { failure, noResponse, pastDeadline, silent } from "./failure.js";
import { abortedEvent, nextExpiry, type Pending, type PendingHolder, type Terms } from "./pending.js";
import { progressOf } from "./progress.js";

type Answer = ResponseEnvelope | Promise<never>;

/** A call that ends with the first response. */
export class PendingCall implements Pending {
  readonly terms: Terms;
  expiresAt: number;
  readonly #holder: PendingHolder;
  readonly #resolve: (answer: Answer) => void;

  constructor(terms: Terms, holder: PendingHolder, resolve: (answer: Answer) => void) {
    this.terms = terms;
    this.expiresAt = nextExpiry(terms);
    this.#holder = holder;
    this.#resolve = resolve;
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
        this.expiresAt = nextExpiry(this.terms);
        this.terms.options.onProgress?.(progressOf(event));
        break;
      default:
        this.#holder.tally.unknown += 1;
    }
  }

  fail(error: CallErrorInit): void {
    this.#holder.release(this);
    this.#resolve(failure(error));
  }

  abort(error: CallErrorInit, reason?: string): void {
    this.fail(error);
    this.#holder.tellServer(abortedEvent(this.terms.requestId, reason));
  }

  expire(): void {
    const { deadline, idleTimeout } = this.terms;
    this.abort(deadline <= Date.now() ? pastDeadline(deadline) : silent(idleTimeout), "timeout");
  }
}
