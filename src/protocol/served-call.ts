import { CallError, type CallErrorInit } from "../envelope/call-error.js";
import type { CallRequestedEvent } from "./events.js";
import type { CallOptions, Progress } from "./executor.js";
import type { Expiring } from "./expiry-sweep.js";
import { abortedFor, notTaken, pastDeadline } from "./failure.js";
import type { Responder } from "./responder.js";

/** A request that a worker is busy with. */
export class ServedCall implements Expiring {
  readonly request: CallRequestedEvent;
  readonly responder: Responder;
  expiresAt: number;
  /** Gets the credit that the consumer of a subscription gives. */
  onCredit: ((credit: number) => void) | undefined;
  /** Called once, when the call is to end before its time. */
  onStop: (() => void) | undefined;
  #controller: AbortController | undefined;
  #stoppedFor: CallErrorInit | undefined;

  constructor(request: CallRequestedEvent, responder: Responder) {
    this.request = request;
    this.responder = responder;
    this.expiresAt = request.deadline ?? Number.POSITIVE_INFINITY;
  }

  /** Made when it is first looked at. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#stoppedFor !== undefined) this.#controller.abort(new CallError(this.#stoppedFor));
    }
    return this.#controller.signal;
  }

  /** The caller has given up: nobody is told. */
  abandon(reason?: string): void {
    this.responder.mute();
    this.#stop(abortedFor(reason));
  }

  /** The caller may still wait, and is told why nothing more comes. */
  stop(error: CallErrorInit): void {
    this.responder.refuse(error);
    this.#stop(error);
  }

  /** The time has come that `expiresAt` named: the deadline, or the end of a wait for credit. */
  expire(idleTimeout: number): void {
    const { deadline } = this.request;
    this.stop(deadline !== undefined && deadline <= Date.now() ? pastDeadline(deadline) : notTaken(idleTimeout));
  }

  #stop(error: CallErrorInit): void {
    if (this.#stoppedFor !== undefined) return;
    this.#stoppedFor = error;
    // It may run on for as long as its handler does not care.
    this.expiresAt = Number.POSITIVE_INFINITY;
    this.#controller?.abort(new CallError(error));
    this.onStop?.();
  }
}

/** What the executor is told of a call. Nothing in the request makes it trusted. */
export function optionsOf(call: ServedCall): CallOptions {
  const { requestId, deadline, parentRequestId, identity, metadata } = call.request;
  const options: LazyOptions & Draft = new LazyOptions(call);
  options.requestId = requestId;
  if (deadline !== undefined) options.deadline = deadline;
  if (parentRequestId !== undefined) options.parentRequestId = parentRequestId;
  if (identity !== undefined) options.identity = identity;
  if (metadata !== undefined) options.metadata = metadata;
  return options;
}

type Draft = Writable<Omit<CallOptions, keyof LazyOptions>>;
type Writable<T> = { -readonly [K in keyof T]: T[K] };

/** The two that most operations never look at. */
class LazyOptions {
  readonly #call: ServedCall;

  constructor(call: ServedCall) {
    this.#call = call;
  }

  get signal(): AbortSignal {
    return this.#call.signal;
  }

  get onProgress(): (progress: Progress) => void {
    return (progress) => this.#call.responder.progress(progress);
  }
}
