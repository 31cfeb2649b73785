import { type CallError, type CallErrorData, callErrorFrom } from "../../envelope/call-error.js";
import type { Outcome } from "../../envelope/outcome.js";
import { createRequestId } from "../../envelope/request-id.js";
import { isUnexpectedFailure } from "../../envelope/unexpected-failure.js";
import { ExpirySweep } from "../../protocol/expiry-sweep.js";
import type { Identity } from "../../registry/access.js";
import type { Progress } from "../../registry/call-options.js";
import type { ServedRegistry } from "../../registry/served-registry.js";
import { ClientCall } from "../client-call.js";
import { cancelled } from "../refusals.js";
import { type Farewell, RunningCalls } from "../running-calls.js";
import { outOfTime } from "./refusals.js";

/** What is known of a call beside its input. */
export interface CallAbout {
  readonly identity: Identity | undefined;
  readonly metadata: Readonly<Record<string, unknown>> | undefined;
  readonly idempotencyKey?: string | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

const ANYBODY: CallAbout = { identity: undefined, metadata: undefined };

/** The calls that a server is busy with, each of which ends in time. */
export class Calls {
  readonly #registry: ServedRegistry;
  readonly #timeout: number;
  readonly #running = new RunningCalls();
  readonly #sweep: ExpirySweep<ClientCall>;

  readonly #report: (error: unknown) => void;

  /** `report` hears of what a handler threw that no client is told. */
  constructor(registry: ServedRegistry, timeout: number, report: (error: unknown) => void) {
    this.#registry = registry;
    this.#report = report;
    this.#timeout = timeout;
    this.#sweep = new ExpirySweep(this.#running, (call) => this.#running.stop(call, outOfTime(timeout)));
  }

  /** Runs an operation. `done` is called once: with what came of it, or with why it was ended. */
  run(id: string, input: unknown, done: (outcome: Outcome) => void, about: CallAbout = ANYBODY): ClientCall {
    const deadline = Date.now() + this.#timeout;
    const call = new HttpCall(about, deadline, done);
    this.#running.add(call, FAREWELL);
    this.#sweep.watch(deadline);
    const fail = (thrown: unknown): void => this.#finish(call, call.failure(callErrorFrom(thrown)));
    try {
      this.#registry.attempt(id, input, call).then((outcome) => this.#finish(call, outcome), fail);
    } catch (thrown) {
      // A registry of somebody else may throw where ours rejects.
      fail(thrown);
    }
    return call;
  }

  #finish(call: HttpCall, outcome: Outcome): void {
    if (!outcome.ok && isUnexpectedFailure(outcome.error)) this.#report(outcome.error);
    if (call.isOver) return;
    call.isOver = true;
    this.#running.delete(call);
    try {
      call.done(outcome);
    } catch (thrown) {
      // It cannot be said: there are no longer texts than half a gigabyte. Nobody waits here who could be told.
      this.#report(thrown);
      call.done(call.failure(callErrorFrom(thrown)));
    }
  }

  /** Its client has gone, and takes a call that still runs with it. */
  leave(call: ClientCall): void {
    if (!call.isOver) this.#running.stop(call, cancelled("its connection was closed"));
  }

  /** Gives running calls some time to finish, then ends them. */
  async close(milliseconds: number, error: CallError): Promise<void> {
    await this.#running.idle(milliseconds);
    this.#running.stopAll(error);
    this.#sweep.stop();
  }
}

/** Whoever waits for a call that is ended is told why. */
const FAREWELL: Farewell = (error, call) => {
  if (call instanceof HttpCall) call.done(call.failure(error));
};

class HttpCall extends ClientCall {
  readonly done: (outcome: Outcome) => void;

  constructor(about: CallAbout, deadline: number, done: (outcome: Outcome) => void) {
    const { identity, metadata, idempotencyKey, onProgress } = about;
    super({ identity, metadata, idempotencyKey, onProgress, requestId: createRequestId(), deadline });
    this.done = done;
  }

  failure(error: CallErrorData): Outcome {
    return { ok: false, error, meta: this.requestId === undefined ? {} : { requestId: this.requestId } };
  }
}
