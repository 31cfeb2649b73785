import { CallError } from "../../envelope/call-error.js";
import { isRecord, type JsonRecord } from "../../json/value.js";
import type { JsonRpcRequest } from "../../mcp/json-rpc.js";
import { ExpirySweep } from "../../protocol/expiry-sweep.js";
import type { Progress } from "../../registry/call-options.js";
import { errorFromJsonRpc, timedOut } from "./errors.js";

export interface LaneRequest {
  readonly method: string;
  readonly params: JsonRecord;
  /** How long to wait for a sign of life, in milliseconds. */
  readonly timeout: number;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
  /** Of this request alone, where the transport has headers. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** What carries the messages of a lane. */
export interface Carrier {
  /** Sends a request. What goes wrong on the way is told by `lane.fail`. */
  send(message: JsonRpcRequest, request: LaneRequest): void;
  /** Nobody waits for the answer any more. */
  cancel(id: number, reason: string): void;
}

interface Pending {
  readonly id: number;
  readonly request: LaneRequest;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: CallError) => void;
  expiresAt: number;
  readonly unlisten: (() => void) | undefined;
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
  readonly #pending = new Map<number, Pending>();
  readonly #sweep: ExpirySweep<Pending>;
  #nextId = FIRST_ID;

  constructor(carrier: Carrier) {
    this.#carrier = carrier;
    const pending = this.#pending;
    const members = {
      get size() {
        return pending.size;
      },
      values: () => [...pending.values()],
    };
    this.#sweep = new ExpirySweep<Pending>(
      members,
      ({ id, request }) => this.#giveUp(id, timedOut(request.method, request.timeout)),
      true,
    );
  }

  request(request: LaneRequest): Promise<unknown> {
    const id = this.#nextId++;
    const { signal, timeout, method, params, onProgress } = request;
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(endOf(signal));
      const onAbort = signal === undefined ? undefined : (): void => this.#giveUp(id, endOf(signal));
      if (onAbort !== undefined) signal?.addEventListener("abort", onAbort, { once: true });
      const unlisten = onAbort && ((): void => signal?.removeEventListener("abort", onAbort));
      const expiresAt = Date.now() + timeout;
      this.#pending.set(id, { id, request, resolve, reject, expiresAt, unlisten });
      this.#sweep.watch(expiresAt);
      const sent = onProgress === undefined ? params : withToken(params, id);
      this.#carrier.send({ jsonrpc: "2.0", id, method, params: sent }, request);
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

  /** Ends all requests: the connection is gone. */
  failAll(error: CallError): void {
    for (const id of [...this.#pending.keys()]) this.fail(id, error);
    this.#sweep.stop();
  }

  /** The one request that is waiting, if it is one. */
  get onlyId(): number | undefined {
    return this.#pending.size === 1 ? this.#pending.keys().next().value : undefined;
  }

  isWaiting(id: number): boolean {
    return this.#pending.has(id);
  }

  get size(): number {
    return this.#pending.size;
  }

  #takeAnswer(message: JsonRecord): boolean {
    const id = idOf(message["id"]);
    if (id === undefined) return false;
    const pending = this.#remove(id);
    // One that was given up is ours all the same: the SDK knows nothing of it.
    if (pending === undefined) return id >= FIRST_ID && id < this.#nextId;
    const { error, result } = message;
    if (error !== undefined) pending.reject(errorFromJsonRpc(error, pending.request.method));
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
      pending.request.onProgress?.({
        progress,
        ...(typeof total === "number" && { total }),
        ...(typeof message === "string" && { message }),
      });
    return true;
  }

  #giveUp(id: number, error: CallError): void {
    const pending = this.#remove(id);
    if (pending === undefined) return;
    this.#carrier.cancel(id, error.message);
    pending.reject(error);
  }

  #remove(id: number): Pending | undefined {
    const pending = this.#pending.get(id);
    if (pending === undefined) return undefined;
    this.#pending.delete(id);
    pending.unlisten?.();
    if (this.#pending.size === 0) this.#sweep.rest();
    return pending;
  }
}

/** Some servers answer with the number as a text. */
function idOf(value: unknown): number | undefined {
  const id = typeof value === "string" && /^\d{1,15}$/.test(value) ? Number(value) : value;
  return typeof id === "number" ? id : undefined;
}

function withToken(params: JsonRecord, id: number): JsonRecord {
  const meta = isRecord(params["_meta"]) ? params["_meta"] : {};
  return { ...params, _meta: { ...meta, progressToken: id } };
}

/** The registry aborts with the error that the call ended with. */
function endOf(signal: AbortSignal): CallError {
  const { reason } = signal;
  return reason instanceof CallError
    ? reason
    : new CallError({ category: "aborted", message: "The call was aborted.", cause: reason });
}
