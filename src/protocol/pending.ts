import type { CallErrorInit } from "../envelope/call-error.js";
import type { CallOptions } from "../registry/call-options.js";
import type { EventTally } from "./event-counts.js";
import type { CallCreditedEvent, CallEvent, CallResumedEvent } from "./events.js";

/** What a caller may ask for with one call. */
export interface PendingOptions extends CallOptions {
  /** The longest silence of the serving side, in milliseconds; progress breaks it, signs of life do not. */
  readonly idleTimeout?: number;
  /** Sends this one call elsewhere. @default the address of the map */
  readonly address?: string;
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
  /** Asks for what may have been missed. */
  resume(): void;
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
  /** Milliseconds between signs of life, or `Infinity` where none are asked for. */
  readonly heartbeat: number;
  readonly options: PendingOptions;
}

/** What a pending call needs of the map that holds it. */
export interface PendingHolder {
  readonly tally: EventTally;
  /** Where answers come. */
  readonly inbox: string;
  /** The bus is disconnected, so that silence tells nothing of a worker. */
  readonly isSuspended: boolean;
  /** Forgets the call; events for it are late from now on. */
  release(pending: Pending): void;
  /** To be called when `expiresAt` was brought forward. */
  watch(expiresAt: number): void;
  /** Tells the worker that has the call, or all of them where it is not known. */
  tellServer(event: CallCreditedEvent | CallResumedEvent, controlTo: string | undefined): void;
  /** The same with an abort, again and again until it is confirmed, where there are signs of life. */
  abortServer(requestId: string, reason: string | undefined, controlTo: string | undefined): void;
}
