import { CallError, type CallErrorInit } from "../envelope/call-error.js";
import type { ExecuteOptions } from "../registry/call-options.js";
import type { Listed } from "./call-list.js";
import type { CallRequestedEvent } from "./events.js";
import type { Expiring } from "./expiry-sweep.js";
import { abortedFor, notTaken, pastDeadline } from "./failure.js";
import type { KeptRoom } from "./kept-room.js";
import type { Responder } from "./responder.js";
import { ServedValues } from "./served-values.js";

/** A request that a worker is busy with. */
export class ServedCall implements Expiring, Listed<ServedCall> {
  readonly request: CallRequestedEvent;
  readonly responder: Responder;
  expiresAt: number;
  before: ServedCall | undefined;
  after: ServedCall | undefined;
  turn = 0;
  /** How many signs of life were sent since its caller was last heard of. */
  unanswered = 0;
  /** Of a subscription. */
  readonly values: ServedValues | undefined;
  /** Called once, when the call is to end before its time. */
  onStop: (() => void) | undefined;
  #end: ((error: CallError) => void) | undefined;
  #stoppedFor: CallErrorInit | undefined;

  /** With a room for its values a subscription can be resumed. */
  constructor(request: CallRequestedEvent, responder: Responder, room: KeptRoom | undefined) {
    const { deadline, credit } = request;
    this.request = request;
    this.responder = responder;
    this.expiresAt = deadline ?? Number.POSITIVE_INFINITY;
    this.values = credit === undefined ? undefined : new ServedValues(credit, room);
  }

  /** What the registry is told of the call. Nothing in the request makes it trusted. */
  options(): ExecuteOptions {
    const { requestId, deadline, parentRequestId, identity, metadata, idempotencyKey } = this.request;
    return {
      requestId,
      isRemote: true,
      onStart: (end) => this.#begin(end),
      onProgress: (progress) => this.responder.progress(progress),
      ...(deadline !== undefined && { deadline }),
      ...(parentRequestId !== undefined && { parentRequestId }),
      ...(identity !== undefined && { identity }),
      ...(metadata !== undefined && { metadata }),
      ...(idempotencyKey !== undefined && { idempotencyKey }),
    };
  }

  /** Whether it is to end before its time; its handler may not care. */
  get isStopped(): boolean {
    return this.#stoppedFor !== undefined;
  }

  /** The caller has given up: nobody is told. */
  abandon(reason?: string): void {
    this.responder.mute();
    this.values?.forget();
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
    this.#end?.(new CallError(error));
    this.onStop?.();
  }

  #begin(end: (error: CallError) => void): void {
    this.#end = end;
    if (this.#stoppedFor !== undefined) end(new CallError(this.#stoppedFor));
  }
}
