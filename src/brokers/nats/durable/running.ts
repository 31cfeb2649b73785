import { CallError, type CallErrorInit } from "../../../envelope/call-error.js";
import type { Delivery } from "./delivery.js";

/** Why a call is to end before its time: its caller gave up, another worker may have it, or this worker closes. */
export type StopReason = "aborted" | "lost" | "released";

/** A durable call that this worker has. */
export class RunningDurable {
  readonly operationId: string;
  readonly ackWaitMs: number;
  /** Known when the request was read. */
  requestId: string | undefined;
  #delivery: Delivery;
  #renewedAt = performance.now();
  #stopped: { readonly reason: StopReason; readonly error: CallError } | undefined;
  readonly #controller = new AbortController();

  constructor(operationId: string, delivery: Delivery, ackWaitMs: number) {
    this.operationId = operationId;
    this.#delivery = delivery;
    this.ackWaitMs = ackWaitMs;
  }

  get delivery(): Delivery {
    return this.#delivery;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get stopped(): { readonly reason: StopReason; readonly error: CallError } | undefined {
    return this.#stopped;
  }

  /** Until when no other worker gets the call, by `performance.now()`. */
  get heldUntil(): number {
    return this.#renewedAt + this.ackWaitMs;
  }

  get isHeld(): boolean {
    return performance.now() < this.heldUntil;
  }

  /** The server has heard what was said then. */
  renew(saidAt: number): void {
    this.#renewedAt = Math.max(this.#renewedAt, saidAt);
  }

  /** The same call was delivered again, to the worker that has it. */
  adopt(delivery: Delivery): void {
    this.#delivery = delivery;
    this.renew(performance.now());
  }

  stop(reason: StopReason, error: CallErrorInit): void {
    if (this.#stopped !== undefined) return;
    this.#stopped = { reason, error: new CallError(error) };
    this.#controller.abort(this.#stopped.error);
  }
}
