import { CallError, type CallErrorInit, callErrorData, callErrorFrom } from "../envelope/call-error.js";
import type { ResponseEnvelope } from "../envelope/response-envelope.js";
import { told } from "../json/told.js";
import { AbortWatch } from "../registry/abort-watch.js";
import { abortedBy } from "../registry/ending.js";
import { assertEnvelope } from "./assert-envelope.js";
import type { Bus } from "./bus.js";
import { ControlLine } from "./control-line.js";
import { createTally, type PendingCounts, type PendingTally } from "./event-counts.js";
import { type CallEvent, isCallEvent } from "./events.js";
import { ExpirySweep } from "./expiry-sweep.js";
import { abortedFor, pastDeadline, unavailable } from "./failure.js";
import type { Pending, PendingHolder, PendingOptions, Terms } from "./pending.js";
import { PendingCall, type Recover } from "./pending-call.js";
import { PendingSubscription } from "./pending-subscription.js";
import { type CallRequest, requestEvent } from "./request-event.js";
import { RequestIds } from "./request-ids.js";
import { RequestTable } from "./request-table.js";

export interface PendingRequestMapOptions {
  /** Who opened it closes it. */
  readonly bus: Bus;
  /** Where the workers listen, for all operations or for each. @default "calls" */
  readonly address?: string | ((operationId: string) => string);
  /** Where every worker hears what callers say of their requests. @default the address and `.control` */
  readonly control?: string;
  /** Where the answers are to come, an address that nobody else uses. @default one that is made up */
  readonly inbox?: string;
  /**
   * How often, in milliseconds, workers are to tell that they are busy with a call; one of which nothing is heard for
   * three times as long is lost. Workers need an `ownAddress` for it. @default never
   */
  readonly heartbeat?: number;
  /** The longest silence of the serving side, in milliseconds, where a call does not say. @default none */
  readonly idleTimeout?: number;
  /** How long a call without a deadline may take, in milliseconds. Subscriptions may take for ever. @default none */
  readonly defaultTimeout?: number;
}

export interface PendingSubscribeOptions extends PendingOptions {
  /** How many values may wait for the consumer. @default 16 */
  readonly credit?: number;
}

/**
 * The caller's side of the call protocol: it sends requests to a bus and keeps those that wait for an answer.
 *
 * An answer normally comes over the bus. `respond`, `emitError` and `complete` bring one that came another way, such as
 * the news that a worker died, to a request that waits here, and are treated as the event would be. A worker answers
 * requests of others through `buildCallHandler`, which knows where each wants its answer.
 */
export class PendingRequestMap {
  readonly #bus: Bus;
  readonly #address: string | ((operationId: string) => string);
  readonly #idleTimeout: number;
  readonly #defaultTimeout: number;
  readonly #heartbeat: number;
  readonly #ids = new RequestIds();
  readonly #inbox: string;
  readonly #pending = new RequestTable<Pending>();
  readonly #sweep: ExpirySweep<Pending> = new ExpirySweep(this.#pending, (pending) => pending.expire(), true);
  readonly #aborts = new AbortWatch<Pending>((pending, signal) => abortBySignal(pending, signal));
  readonly #tally: PendingTally = { ...createTally(), unconfirmed: 0 };
  readonly #control: ControlLine;
  readonly #holder: PendingHolder & { isSuspended: boolean };
  #unsubscribe: (() => void) | undefined;
  #closed = false;

  constructor(options: PendingRequestMapOptions) {
    const { bus, address = "calls", idleTimeout = NEVER, defaultTimeout = NEVER, heartbeat = NEVER } = options;
    const place = typeof address === "string" ? `${address}.` : "";
    const { control = `${place}control`, inbox = `${place}replies.${this.#ids.prefix}` } = options;
    assertHeartbeat(heartbeat);
    this.#bus = bus;
    this.#address = address;
    this.#idleTimeout = idleTimeout;
    this.#defaultTimeout = defaultTimeout;
    this.#heartbeat = heartbeat;
    this.#inbox = inbox;
    const onUnconfirmed = () => {
      this.#tally.unconfirmed += 1;
    };
    this.#control = new ControlLine({ bus, control, inbox, heartbeat, onUnconfirmed });
    this.#holder = {
      tally: this.#tally,
      inbox,
      isSuspended: false,
      release: (pending) => this.#release(pending),
      watch: (expiresAt) => this.#sweep.watch(expiresAt),
      tellServer: (event, controlTo) => this.#control.tell(event, controlTo),
      abortServer: (requestId, reason, controlTo) => this.#control.abort(requestId, reason, controlTo),
    };
  }

  /** The events that were ignored. */
  get counts(): PendingCounts {
    return this.#tally;
  }

  getPendingCount(): number {
    return this.#pending.size;
  }

  /**
   * Resolves with the first response; of a subscription that is its first value. Rejects with a `CallError`, which
   * `recover` is given first.
   */
  call(
    operationId: string,
    input?: unknown,
    options: PendingOptions = {},
    recover?: Recover,
  ): Promise<ResponseEnvelope> {
    return new Promise((resolve) => {
      const terms = this.#terms(options, this.#defaultTimeout);
      const pending = new PendingCall(terms, this.#holder, resolve, recover);
      const refusal = this.#open(pending, { operationId, input, replyTo: this.#inbox });
      if (refusal !== undefined) pending.fail(refusal);
    });
  }

  /** The values of a subscription. Nothing is requested before the first `next()`; `break` stops the serving side. */
  subscribe(
    operationId: string,
    input?: unknown,
    options: PendingSubscribeOptions = {},
  ): AsyncGenerator<ResponseEnvelope, void, undefined> {
    const { credit = 16 } = options;
    const request = { operationId, input, replyTo: this.#inbox, credit };
    const open = (subscription: PendingSubscription) => this.#open(subscription, request);
    return new PendingSubscription(this.#terms(options, NEVER), credit, this.#holder, open);
  }

  /** Answers a request that waits here. Throws where the answer is no envelope. */
  respond(requestId: string, output: ResponseEnvelope): void {
    assertEnvelope(output);
    this.#receive({ type: "call.responded", requestId, output });
  }

  /** Fails a request that waits here. */
  emitError(requestId: string, error: unknown): void {
    this.#find(requestId)?.fail({ ...callErrorData(callErrorFrom(error)), cause: error });
  }

  /** Ends a subscription that waits here, after the values that have arrived. */
  complete(requestId: string): void {
    this.#receive({ type: "call.completed", requestId });
  }

  /** Gives up a request that waits here, and stops the serving side. */
  abort(requestId: string, reason?: string): void {
    this.#pending.get(requestId)?.abort(abortedFor(reason), reason);
  }

  /** The bus is disconnected for now: until `resume`, no worker is taken for lost. */
  suspend(): void {
    this.#holder.isSuspended = true;
    this.#control.suspend();
  }

  /** The bus is connected again: asks for what may have been missed meanwhile. Does nothing without a heartbeat. */
  resume(): void {
    this.#holder.isSuspended = false;
    if (this.#heartbeat === NEVER) return;
    for (const pending of this.#pending.values()) pending.resume();
    this.#control.resume();
  }

  /** Fails everything that waits, and tells no worker: the bus is gone for good. */
  failAll(error: CallErrorInit): void {
    for (const pending of this.#pending.values()) pending.fail(error);
    this.#control.stop();
  }

  /** Fails what was sent to an address of its own, and has reached nobody there. */
  failAt(address: string, error: CallErrorInit): void {
    for (const pending of this.#pending.values()) if (pending.terms.options.address === address) pending.fail(error);
  }

  /** Gives up everything that waits, and takes no more calls. The bus stays open. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const pending of this.#pending.values()) pending.abort(unavailable(CLOSED), "closed");
    this.#unsubscribe?.();
    this.#sweep.stop();
    this.#control.stop();
  }

  #terms(options: PendingOptions, timeout: number): Terms {
    return {
      requestId: options.requestId ?? this.#ids.next(),
      deadline: options.deadline ?? (timeout === NEVER ? NEVER : Date.now() + timeout),
      idleTimeout: options.idleTimeout ?? this.#idleTimeout,
      heartbeat: this.#heartbeat,
      options,
    };
  }

  /** Sends the request and keeps the call, or says why not. */
  #open(pending: Pending, request: CallRequest): CallErrorInit | undefined {
    const { terms } = pending;
    const event = requestEvent(terms, request);
    const refusal = this.#refusal(terms) ?? (isCallEvent(event) ? undefined : malformedRequest(request.operationId));
    if (refusal !== undefined) return refusal;
    this.#unsubscribe ??= this.#bus.subscribe(this.#inbox, this.#receive, { awaited: () => this.#pending.size });
    this.#pending.add(terms.requestId, pending);
    this.#control.forget(terms.requestId);
    if (terms.options.signal !== undefined) this.#aborts.add(terms.options.signal, pending);
    if (pending.expiresAt !== NEVER) this.#sweep.watch(pending.expiresAt);
    try {
      this.#bus.publish(terms.options.address ?? this.#addressOf(request.operationId), event);
    } catch (thrown) {
      this.emitError(terms.requestId, thrown);
    }
    return undefined;
  }

  #addressOf(operationId: string): string {
    return typeof this.#address === "string" ? this.#address : this.#address(operationId);
  }

  #refusal({ requestId, deadline, options: { signal } }: Terms): CallErrorInit | undefined {
    if (this.#closed) return unavailable(CLOSED);
    if (signal?.aborted === true) return abortedBy(signal);
    if (deadline !== NEVER && deadline <= Date.now()) return pastDeadline(deadline);
    return this.#pending.get(requestId) === undefined ? undefined : alreadyPending(requestId);
  }

  readonly #receive = (event: unknown): void => {
    if (!isCallEvent(event)) this.#tally.malformed += 1;
    else this.#find(event.requestId, event)?.receive(event);
  };

  #find(requestId: string, event?: CallEvent): Pending | undefined {
    const pending = this.#pending.get(requestId);
    if (pending === undefined && (event === undefined || !this.#control.hear(event)))
      this.#tally[this.#ids.isOwn(requestId) ? "late" : "unknown"] += 1;
    return pending;
  }

  #release(pending: Pending): void {
    const { requestId, options } = pending.terms;
    // A second request with the id of one that waits was refused, and must not take its place with it.
    if (this.#pending.get(requestId) !== pending) return;
    this.#pending.delete(requestId);
    if (this.#pending.size === 0) this.#sweep.rest();
    if (options.signal !== undefined) this.#aborts.delete(options.signal, pending);
  }
}

const NEVER = Number.POSITIVE_INFINITY;
/** Milliseconds: about how long it takes until the first sign. */
const SHORTEST_HEARTBEAT = 10;
const CLOSED = "The caller was closed.";

function assertHeartbeat(heartbeat: number): void {
  if (heartbeat >= SHORTEST_HEARTBEAT) return;
  throw new CallError({
    category: "validation",
    message: `The heartbeat must be at least ${SHORTEST_HEARTBEAT} milliseconds, not ${told(heartbeat)}.`,
  });
}

function abortBySignal(pending: Pending, signal: AbortSignal): void {
  pending.abort(abortedBy(signal), typeof signal.reason === "string" ? signal.reason : undefined);
}

function malformedRequest(operationId: string): CallErrorInit {
  const options = "requestId, parentRequestId, deadline, idleTimeout, identity, metadata, credit";
  return {
    category: "validation",
    message: `The call of ${told(operationId)} has an id or an option of the wrong type. Look at ${options}.`,
  };
}

function alreadyPending(requestId: string): CallErrorInit {
  return {
    category: "conflict",
    message: `A call with the requestId ${told(requestId)} is pending. Use another, or leave it out.`,
  };
}
