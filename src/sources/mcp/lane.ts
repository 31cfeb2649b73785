import type { CallError } from "../../envelope/call-error.js";
import { isRecord, type JsonRecord } from "../../json/value.js";
import { ExpirySweep } from "../../protocol/expiry-sweep.js";
import type { HandlerContext } from "../../registry/context.js";
import { errorFromJsonRpc, errorFromThrown, notBegun, timedOut } from "./errors.js";
import { Slots } from "./slots.js";

export interface LaneRequest {
  readonly method: string;
  /** The whole message, with the id that the lane has given it. */
  readonly encode: (id: number) => string;
  /** How long to wait for a sign of life, in milliseconds. */
  readonly timeout: number;
  /** Calls back when the request is to be given up; returns what ends the watch. */
  readonly watchEnd?: (listener: (error: CallError) => void) => () => void;
  /** Its token is the id of the message. */
  readonly onProgress?: HandlerContext["progress"];
  /** The tool that is called, and headers of this request alone, where the transport has headers. */
  readonly name?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What carries the messages of a lane. */
export interface Carrier {
  /** Sends a request. What goes wrong on the way is told by `lane.fail`. */
  send(id: number, text: string, request: LaneRequest): void;
  /** Nobody waits for the answer any more. */
  cancel(id: number, reason: string): void;
  /** The request is over, however it ended. */
  forget?(id: number): void;
}

interface Pending {
  readonly id: number;
  readonly request: LaneRequest;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: CallError) => void;
  expiresAt: number;
  unwatch: (() => void) | undefined;
  isSent: boolean;
}

/** Far from the ids of the SDK, which counts from 0 on the same connection. */
const FIRST_ID = 1_000_000;

/**
 * The requests that Plico makes itself, beside those of the SDK on the same connection. The SDK checks the shape of each
 * result and throws away what it does not know, takes every message apart several times to tell what it is, and makes a
 * timer and a controller for each call; here the result arrives as it was sent, and one timer serves all calls.
 */
export class Lane {
  readonly #carrier: Carrier;
  readonly #pending = new Slots<Pending>(FIRST_ID);
  readonly #sweep: ExpirySweep<Pending>;
  #failure: CallError | undefined;

  constructor(carrier: Carrier) {
    this.#carrier = carrier;
    this.#sweep = new ExpirySweep<Pending>(
      this.#pending,
      ({ id, request }) => this.#giveUp(id, timedOut(request.method, request.timeout)),
      true,
    );
  }

  request(request: LaneRequest): Promise<unknown> {
    if (this.#failure !== undefined) return Promise.reject(notBegun(this.#failure));
    return new Promise((resolve, reject) => {
      const expiresAt = Date.now() + request.timeout;
      const pending = this.#pending.add((id) => ({
        id,
        request,
        resolve,
        reject,
        expiresAt,
        unwatch: undefined,
        isSent: false,
      }));
      this.#watch(pending);
      if (this.isWaiting(pending.id)) this.#send(pending);
    });
  }

  /** Takes a message if it belongs to a request of this lane; else it is the SDK's. */
  take(message: unknown): boolean {
    if (!isRecord(message)) return false;
    if (message["method"] === undefined) return this.#takeAnswer(message);
    return message["method"] === "notifications/progress" && this.#takeProgress(message["params"]);
  }

  /** Ends one request with an error. */
  fail(id: number, error: CallError): void {
    const pending = this.#remove(id);
    pending?.reject(error);
  }

  /** Ends all requests, and takes no others: the connection is gone. */
  failAll(error: CallError): void {
    this.#failure = error;
    for (const { id } of this.#pending.values()) this.fail(id, error);
    this.#sweep.stop();
  }

  /** The one request that is waiting, if it is one. */
  get onlyId(): number | undefined {
    return this.#pending.size === 1 ? this.#pending.values()[0]?.id : undefined;
  }

  isWaiting(id: number): boolean {
    return this.#pending.get(id) !== undefined;
  }

  get size(): number {
    return this.#pending.size;
  }

  /** Nobody may wait any more, already before anything is sent. */
  #watch(pending: Pending): void {
    const unwatch = pending.request.watchEnd?.((error) => this.#giveUp(pending.id, error));
    if (this.isWaiting(pending.id)) pending.unwatch = unwatch;
    else unwatch?.();
  }

  #send(pending: Pending): void {
    const { id, request, expiresAt } = pending;
    try {
      const text = request.encode(id);
      pending.isSent = true;
      this.#sweep.watch(expiresAt);
      this.#carrier.send(id, text, request);
    } catch (thrown) {
      this.fail(id, errorFromThrown(thrown));
    }
  }

  #takeAnswer(message: JsonRecord): boolean {
    const id = idOf(message["id"]);
    if (id === undefined) return false;
    const pending = this.#remove(id);
    // One that was given up is ours all the same: the SDK knows nothing of it.
    if (pending === undefined) return id >= FIRST_ID;
    const { error, result } = message;
    // Some write `"error": null` beside a result.
    if (error !== undefined && (error !== null || result === undefined))
      pending.reject(errorFromJsonRpc(error, pending.request.method));
    else pending.resolve(result);
    return true;
  }

  #takeProgress(params: unknown): boolean {
    if (!isRecord(params)) return false;
    const id = idOf(params["progressToken"]);
    if (id === undefined || id < FIRST_ID) return false;
    const pending = this.#pending.get(id);
    if (pending === undefined) return true;
    pending.expiresAt = Date.now() + pending.request.timeout;
    const { progress, total, message } = params;
    if (typeof progress === "number")
      pending.request.onProgress?.(
        progress,
        typeof total === "number" ? total : undefined,
        typeof message === "string" ? message : undefined,
      );
    return true;
  }

  #giveUp(id: number, error: CallError): void {
    const pending = this.#pending.get(id);
    if (pending === undefined) return;
    if (pending.isSent) this.#carrier.cancel(id, error.message);
    this.#remove(id);
    pending.reject(error);
  }

  #remove(id: number): Pending | undefined {
    const pending = this.#pending.delete(id);
    if (pending === undefined) return undefined;
    pending.unwatch?.();
    this.#carrier.forget?.(id);
    if (this.#pending.size === 0) this.#sweep.rest();
    return pending;
  }
}

/** Some servers answer with the number as a text. */
function idOf(value: unknown): number | undefined {
  const id = typeof value === "string" && /^\d{1,15}$/.test(value) ? Number(value) : value;
  return typeof id === "number" ? id : undefined;
}
