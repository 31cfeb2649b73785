import type { CallErrorInit } from "../envelope/call-error.js";
import { orElse } from "../json/attempt.js";
import type { Bus } from "./bus.js";
import { Continuation } from "./continuation.js";
import { createTally, type EventCounts, type EventTally } from "./event-counts.js";
import { type CallAbortedEvent, type CallRequestedEvent, isCallEvent } from "./events.js";
import type { Executor } from "./executor.js";
import { ExpirySweep } from "./expiry-sweep.js";
import { anothersId, interrupted, otherOperation, pastDeadline, refused } from "./failure.js";
import { RequestTable } from "./request-table.js";
import { Responder } from "./responder.js";
import { type CreditWait, serve } from "./serve.js";
import { ServedCall } from "./served-call.js";

export interface CallHandlerOptions {
  readonly registry: Executor;
  /** Who opened it closes it. */
  readonly bus: Bus;
  /** Where requests come; `null` for nowhere before `listen`. @default "calls" */
  readonly address?: string | null;
  /** Workers of one group share the requests. @default "workers" */
  readonly group?: string;
  /** Where every worker hears what callers say of their requests. @default the address and `.control`, where there is one */
  readonly control?: string;
  /** Where this worker alone hears it. Without it there are no signs of life, and nothing can be resumed. */
  readonly ownAddress?: string;
  readonly limits?: CallHandlerLimits;
}

export interface CallHandlerLimits {
  /** Requests beyond this many at a time are refused as `UNAVAILABLE`. @default 100000 */
  readonly maxRunning?: number;
  /**
   * How long, in milliseconds, a subscription waits for its consumer to take a value, where the request does not say.
   * @default 300000
   */
  readonly idleTimeout?: number;
}

export interface CallHandler {
  /** The events that were ignored. */
  readonly counts: EventCounts;
  getRunningCount(): number;
  /** Takes requests at one more address. Returns what ends it. */
  listen(address: string, options?: ListenOptions): () => void;
  /** The bus is disconnected for now: until `resume`, no consumer is taken for gone. */
  suspend(): void;
  /** The bus is connected again. */
  resume(): void;
  /**
   * Refuses new requests, waits for what runs and whose caller still waits, then stops listening. With `timeoutMs`, what
   * still runs after that time is aborted, and its callers are told `UNAVAILABLE`; a handler that ignores its signal is
   * not waited for.
   */
  close(options?: CloseOptions): Promise<void>;
}

export interface ListenOptions {
  /** The only operation that may be called there; others are refused with `ACCESS_DENIED`. @default any */
  readonly operationId?: string;
  /** Workers of one group share the requests; `null` for none. @default the group of the handler */
  readonly group?: string | null;
  /** Whether requests are taken there now; else they are refused as not begun. @default they are */
  readonly isOpen?: () => boolean;
}

export interface CloseOptions {
  readonly timeoutMs?: number;
}

/**
 * The serving side of the call protocol: takes requests from a bus, runs them and publishes the answers.
 *
 * An envelope whose `meta.isError` is set is an answer like any other; only what is thrown becomes `call.error`. After
 * `call.aborted` nothing is published for the request, because only its caller says so and waits no longer.
 *
 * The identity of a request is passed on as it came: to authenticate it is the business of the bus. Nothing in a
 * request, whatever its metadata says, makes a call trusted.
 */
export function buildCallHandler(options: CallHandlerOptions): CallHandler {
  return new BusWorker(options);
}

class BusWorker implements CallHandler {
  readonly #registry: Executor;
  readonly #bus: Bus;
  readonly #group: string;
  readonly #limits: Required<CallHandlerLimits>;
  readonly #running = new RequestTable<ServedCall>();
  readonly #tally: EventTally = createTally();
  readonly #sweep: ExpirySweep<ServedCall> = new ExpirySweep(this.#running, (call) => this.#expire(call));
  readonly #continuation: Continuation | undefined;
  readonly #unsubscribe = new Set<() => void>();
  readonly #onIdle: (() => void)[] = [];
  #draining = false;

  constructor(options: CallHandlerOptions) {
    const { registry, bus, address = "calls", group = "workers", ownAddress, limits = {} } = options;
    const { control = address === null ? undefined : `${address}.control` } = options;
    this.#registry = registry;
    this.#bus = bus;
    this.#group = group;
    const { maxRunning = 100_000, idleTimeout = 300_000 } = limits;
    this.#limits = { maxRunning, idleTimeout };
    const onGone = (call: ServedCall): void => this.#giveUp(call);
    if (ownAddress !== undefined) this.#continuation = new Continuation({ bus, registry, ownAddress, onGone });
    // What is said of a request may follow it at once.
    if (control !== undefined) this.#unsubscribe.add(bus.subscribe(control, this.#onBroadcast));
    if (ownAddress !== undefined) this.#unsubscribe.add(bus.subscribe(ownAddress, this.#onDirected));
    if (address !== null) this.listen(address);
  }

  get counts(): EventCounts {
    return this.#tally;
  }

  getRunningCount(): number {
    return this.#running.size;
  }

  listen(address: string, { operationId, group = this.#group, isOpen = ALWAYS }: ListenOptions = {}): () => void {
    if (this.#draining) return () => {};
    const listener = (event: unknown): void => this.#onRequest(event, operationId, isOpen);
    const unsubscribe = this.#bus.subscribe(address, listener, group === null ? undefined : { group });
    this.#unsubscribe.add(unsubscribe);
    return () => {
      this.#unsubscribe.delete(unsubscribe);
      unsubscribe();
    };
  }

  suspend(): void {
    if (this.#continuation !== undefined) this.#continuation.isSuspended = true;
  }

  resume(): void {
    if (this.#continuation !== undefined) this.#continuation.isSuspended = false;
  }

  async close({ timeoutMs }: CloseOptions = {}): Promise<void> {
    this.#draining = true;
    await this.#idle(timeoutMs);
    for (const call of this.#running.values()) call.stop(interrupted("The worker was closed before the call ended."));
    // Requests that are under way in this process are still refused.
    await undefined;
    await undefined;
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    this.#sweep.stop();
    this.#continuation?.stop();
  }

  #onRequest(event: unknown, expected: string | undefined, isOpen: () => boolean): void {
    if (!isCallEvent(event)) this.#tally.malformed += 1;
    else if (event.type !== "call.requested") this.#tally.unknown += 1;
    else if (expected !== undefined && event.operationId !== expected) this.#refuseOther(event, expected);
    else if (!this.#isRepeated(event)) this.#accept(event, isOpen());
  }

  /** Whoever may publish to an address must not reach other operations through it. */
  #refuseOther(request: CallRequestedEvent, expected: string): void {
    this.#tally.unknown += 1;
    this.#refuse(request, otherOperation(request.operationId, expected));
  }

  /** Every worker hears of every call: those that run elsewhere are passed over, not counted. */
  readonly #onBroadcast = (event: unknown): void => this.#hear(event, false);

  readonly #onDirected = (event: unknown): void => this.#hear(event, true);

  #hear(event: unknown, isDirected: boolean): void {
    if (!isCallEvent(event)) this.#tally.malformed += 1;
    else if (event.type === "call.aborted") this.#abandon(event, isDirected);
    else if (event.type === "call.credited") this.#hearOf(event.requestId)?.values?.grant(event.credit);
    else if (event.type === "call.resumed")
      this.#continuation?.resume(event, this.#hearOf(event.requestId), isDirected);
    else this.#tally.unknown += 1;
  }

  /** The call, whose caller is there. */
  #hearOf(requestId: string): ServedCall | undefined {
    const call = this.#running.get(requestId);
    if (call !== undefined) call.unanswered = 0;
    return call;
  }

  #giveUp(call: ServedCall): void {
    call.abandon("lost");
    this.#lookForIdle();
  }

  /** Whether the request came before and need not be run; its caller hears how it stands. */
  #isRepeated(request: CallRequestedEvent): boolean {
    const call = this.#running.get(request.requestId);
    if (call === undefined && this.#continuation?.answersAgain(request) !== true) return false;
    this.#tally.duplicate += 1;
    if (call === undefined) return true;
    if (call.request.replyTo !== request.replyTo) this.#refuse(request, anothersId(request.requestId));
    else if (this.#continuation === undefined) return true;
    // The caller gave it up and wants it after all, while its handler does not end.
    else if (call.isStopped) this.#refuse(request, refused("An earlier attempt at the call has not ended."));
    else this.#continuation.reassure(call);
    return true;
  }

  #refuse(request: CallRequestedEvent, error: CallErrorInit): void {
    new Responder(this.#bus, request).refuse(error);
  }

  #expire(call: ServedCall): void {
    call.expire(this.#idleTimeout(call));
    this.#lookForIdle();
  }

  #abandon({ requestId, reason, replyTo }: CallAbortedEvent, isDirected: boolean): void {
    const call = this.#running.get(requestId);
    call?.abandon(reason);
    const isKnown = this.#continuation?.forget(requestId) === true || call !== undefined;
    // If the confirmation gets lost, the caller asks again.
    if (replyTo !== undefined && (isDirected || isKnown))
      orElse(() => this.#bus.publish(replyTo, { type: "call.aborted", requestId }), undefined);
    this.#lookForIdle();
  }

  /** Calls whose callers wait no longer hold nobody up. */
  #lookForIdle(): void {
    if (this.#onIdle.length > 0 && this.#isIdle()) for (const resolve of this.#onIdle.splice(0)) resolve();
  }

  #isIdle(): boolean {
    return this.#running.values().every(({ isStopped }) => isStopped);
  }

  #accept(request: CallRequestedEvent, isOpen: boolean): void {
    const refusal = isOpen ? this.#refusal(request) : refused("The worker no longer offers this here. Try again.");
    if (refusal !== undefined) {
      this.#refuse(request, refusal);
      return;
    }
    const responder = new Responder(this.#bus, request);
    this.#run(new ServedCall(request, responder, this.#continuation?.roomFor(request)));
  }

  #refusal({ deadline }: CallRequestedEvent): CallErrorInit | undefined {
    if (this.#draining) return refused("The worker is being closed and takes no more calls. Try again.");
    if (this.#running.size >= this.#limits.maxRunning) {
      return refused(`The worker is busy with ${this.#running.size} calls. Try again later.`);
    }
    if (deadline === undefined || deadline > Date.now()) return undefined;
    this.#tally.late += 1;
    return pastDeadline(deadline);
  }

  #run(call: ServedCall): void {
    const { requestId, deadline } = call.request;
    this.#running.add(requestId, call);
    if (deadline !== undefined) this.#sweep.watch(deadline);
    this.#continuation?.begin(call);
    const fail = (thrown: unknown): void => {
      call.responder.fail(thrown);
      this.#end(call);
    };
    try {
      serve(this.#registry, call, this.#creditWait).then(() => this.#end(call), fail);
    } catch (thrown) {
      fail(thrown);
    }
  }

  #end(call: ServedCall): void {
    this.#running.delete(call.request.requestId);
    this.#continuation?.end(call);
    this.#lookForIdle();
  }

  readonly #creditWait: CreditWait = {
    begin: (call) => {
      const until = Date.now() + this.#idleTimeout(call);
      if (until >= call.expiresAt) return;
      call.expiresAt = until;
      this.#sweep.watch(until);
    },
    end: (call) => {
      call.expiresAt = call.request.deadline ?? Number.POSITIVE_INFINITY;
    },
  };

  #idleTimeout({ request }: ServedCall): number {
    return request.idleTimeout ?? this.#limits.idleTimeout;
  }

  /** Until nothing runs any more, but no longer than it may take. */
  async #idle(timeoutMs: number | undefined): Promise<void> {
    if (this.#isIdle()) return;
    // Unlike that of a deadline this timer keeps Node alive: someone awaits it.
    let timer: ReturnType<typeof setTimeout> | undefined;
    await new Promise<void>((resolve) => {
      this.#onIdle.push(resolve);
      if (timeoutMs !== undefined) timer = setTimeout(resolve, timeoutMs);
    });
    clearTimeout(timer);
  }
}

const ALWAYS = (): boolean => true;
