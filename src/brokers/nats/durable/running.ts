import { CallError, type CallErrorInit } from "../../../envelope/call-error.js";
import type { Delivery } from "./delivery.js";
import { ageOf } from "./stored-time.js";

/** Why a call is to end before its time: its caller gave up, another worker may have it, or this worker closes. */
export type StopReason = "aborted" | "lost" | "released";

/** A durable call that this worker has. */
export class RunningDurable {
  readonly operationId: string;
  readonly ackWaitMs: number;
  /** Known when the request was read. */
  requestId: string | undefined;
  /** Which run of the call it is, once it is begun. */
  attempt: number | undefined;
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

  /**
   * Whether no worker can have been lost with it yet. The server's count alone does not tell: nats-server 2.9 counts
   * from 1 again what it wanted to deliver while nobody asked. Clocks may differ by half of what a worker is given.
   */
  get isNew(): boolean {
    const { count, storedAt, movedFrom } = this.#delivery;
    return count === 1 && movedFrom === undefined && ageOf(storedAt) < this.ackWaitMs / 2;
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
    // A server that nobody had asked for a while may deliver twice, and count the second from 1.
    this.#delivery = { ...delivery, count: Math.max(delivery.count, this.#delivery.count) };
    this.renew(performance.now());
  }

  stop(reason: StopReason, error: CallErrorInit): void {
    if (this.#stopped !== undefined) return;
    this.#stopped = { reason, error: new CallError(error) };
    this.#controller.abort(this.#stopped.error);
  }
}
