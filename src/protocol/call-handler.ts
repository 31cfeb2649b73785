import type { CallErrorInit } from "../envelope/call-error.js";
import type { Bus } from "./bus.js";
import { createTally, type EventCounts, type EventTally } from "./event-counts.js";
import { type CallAbortedEvent, type CallRequestedEvent, isCallEvent } from "./events.js";
import type { Executor } from "./executor.js";
import { ExpirySweep } from "./expiry-sweep.js";
import { pastDeadline, unavailable } from "./failure.js";
import { RequestTable } from "./request-table.js";
import { Responder } from "./responder.js";
import { type CreditWait, serve } from "./serve.js";
import { ServedCall } from "./served-call.js";

export interface CallHandlerOptions {
  readonly registry: Executor;
  /** Who opened it closes it. */
  readonly bus: Bus;
  /** @default "calls" */
  readonly address?: string;
  /** Workers of one group share the requests. @default "workers" */
  readonly group?: string;
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
  /**
   * Refuses new requests, waits for what runs and whose caller still waits, then stops listening. With `timeoutMs`, what still runs after that time
   * is aborted, and its callers are told `UNAVAILABLE`; a handler that ignores its signal is not waited for.
   */
  close(options?: CloseOptions): Promise<void>;
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
  readonly #limits: Required<CallHandlerLimits>;
  readonly #running = new RequestTable<ServedCall>();
  readonly #tally: EventTally = createTally();
  readonly #sweep: ExpirySweep<ServedCall> = new ExpirySweep(this.#running, (call) => this.#expire(call));
  readonly #unsubscribe: readonly (() => void)[];
  readonly #onIdle: (() => void)[] = [];
  #draining = false;

  constructor({ registry, bus, address = "calls", group = "workers", limits = {} }: CallHandlerOptions) {
    this.#registry = registry;
    this.#bus = bus;
    const { maxRunning = 100_000, idleTimeout = 300_000 } = limits;
    this.#limits = { maxRunning, idleTimeout };
    this.#unsubscribe = [
      bus.subscribe(`${address}.control`, this.#onControl),
      bus.subscribe(address, this.#onRequest, { group }),
    ];
  }

  get counts(): EventCounts {
    return this.#tally;
  }

  getRunningCount(): number {
    return this.#running.size;
  }

  async close({ timeoutMs }: CloseOptions = {}): Promise<void> {
    this.#draining = true;
    await this.#idle(timeoutMs);
    for (const call of this.#running.values()) call.stop(unavailable("The worker was closed before the call ended."));
    // Requests that are under way in this process are still refused.
    await undefined;
    await undefined;
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    this.#sweep.stop();
  }

  readonly #onRequest = (event: unknown): void => {
    if (!isCallEvent(event)) this.#tally.malformed += 1;
    else if (event.type !== "call.requested") this.#tally.unknown += 1;
    else if (this.#running.get(event.requestId) !== undefined) this.#tally.duplicate += 1;
    else this.#accept(event);
  };

  /** Every worker hears of every call: those that run elsewhere are passed over, not counted. */
  readonly #onControl = (event: unknown): void => {
    if (!isCallEvent(event)) this.#tally.malformed += 1;
    else if (event.type === "call.aborted") this.#abandon(event);
    else if (event.type === "call.credited") this.#running.get(event.requestId)?.onCredit?.(event.credit);
    else this.#tally.unknown += 1;
  };

  #expire(call: ServedCall): void {
    call.expire(this.#idleTimeout(call));
    this.#lookForIdle();
  }

  #abandon({ requestId, reason }: CallAbortedEvent): void {
    this.#running.get(requestId)?.abandon(reason);
    this.#lookForIdle();
  }

  /** Calls whose callers wait no longer hold nobody up. */
  #lookForIdle(): void {
    if (this.#onIdle.length > 0 && this.#isIdle()) for (const resolve of this.#onIdle.splice(0)) resolve();
  }

  #isIdle(): boolean {
    return this.#running.values().every(({ isStopped }) => isStopped);
  }

  #accept(request: CallRequestedEvent): void {
    const responder = new Responder(this.#bus, request);
    const refusal = this.#refusal(request);
    if (refusal !== undefined) responder.refuse(refusal);
    else void this.#run(new ServedCall(request, responder));
  }

  #refusal({ deadline }: CallRequestedEvent): CallErrorInit | undefined {
    if (this.#draining) return unavailable("The worker is being closed and takes no more calls. Try again.");
    if (this.#running.size >= this.#limits.maxRunning) {
      return unavailable(`The worker is busy with ${this.#running.size} calls. Try again later.`);
    }
    if (deadline === undefined || deadline > Date.now()) return undefined;
    this.#tally.late += 1;
    return pastDeadline(deadline);
  }

  async #run(call: ServedCall): Promise<void> {
    const { requestId, deadline } = call.request;
    this.#running.add(requestId, call);
    if (deadline !== undefined) this.#sweep.watch(deadline);
    try {
      await serve(this.#registry, call, this.#creditWait);
    } catch (thrown) {
      call.responder.fail(thrown);
    }
    this.#running.delete(requestId);
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
