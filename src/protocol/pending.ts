import type { CallErrorInit } from "../envelope/call-error.js";
import type { CallOptions } from "../registry/call-options.js";
import type { EventTally } from "./event-counts.js";
import type { CallAbortedEvent, CallCreditedEvent, CallEvent } from "./events.js";

/** What a caller may ask for with one call. */
export interface PendingOptions extends CallOptions {
  /** The longest silence of the serving side, in milliseconds; progress breaks it. */
  readonly idleTimeout?: number;
}

/** A call that waits for the serving side. */
export interface Pending {
  readonly terms: Terms;
  /** Unix epoch milliseconds; `Infinity` where the call may take for ever. */
  readonly expiresAt: number;
  receive(event: CallEvent): void;
  fail(error: CallErrorInit): void;
  /** Fails, and tells the serving side, which would otherwise go on. */
  abort(error: CallErrorInit, reason?: string): void;
  /** The time has come that `expiresAt` named. */
  expire(): void;
}

/** What was agreed for one call. */
export interface Terms {
  readonly requestId: string;
  /** Unix epoch milliseconds, or `Infinity`. */
  readonly deadline: number;
  /** Milliseconds, or `Infinity`. */
  readonly idleTimeout: number;
  readonly options: PendingOptions;
}

/** What a pending call needs of the map that holds it. */
export interface PendingHolder {
  readonly tally: EventTally;
  /** Forgets the call; events for it are late from now on. */
  release(pending: Pending): void;
  /** To be called when `expiresAt` was brought forward. */
  watch(expiresAt: number): void;
  tellServer(event: CallAbortedEvent | CallCreditedEvent): void;
}

/** Whatever comes first, the deadline or the end of a silence that begins now. */
export function nextExpiry({ deadline, idleTimeout }: Terms): number {
  return idleTimeout === Number.POSITIVE_INFINITY ? deadline : Math.min(deadline, Date.now() + idleTimeout);
}

export function abortedEvent(requestId: string, reason?: string): CallAbortedEvent {
  return reason === undefined ? { type: "call.aborted", requestId } : { type: "call.aborted", requestId, reason };
}
