import type { Outcome } from "../../../envelope/outcome.js";
import type { ResponseEnvelope } from "../../../envelope/response-envelope.js";
import type { Identity } from "../../../registry/access.js";
import type { CallOptions, ExecuteOptions } from "../../../registry/call-options.js";
import type { IdentitySigner, IdentityTrust } from "../identity.js";
import type { NatsClient } from "../nats-client.js";
import { JetStreamCaller } from "./caller.js";
import type { DurableStreamOptions } from "./streams.js";
import { JetStreamWorker } from "./worker.js";

export interface DurableCallerOptions {
  readonly connection: NatsClient;
  /** Of all subjects; in capitals also of the streams. @default "plico" */
  readonly prefix?: string;
  /** The caller's name in subjects. Keys and results are those of one caller. @default "anyone" */
  readonly caller?: string;
  readonly signer?: IdentitySigner;
  /** How long, in milliseconds, a call without a deadline waits until JetStream has taken it. @default 30000 */
  readonly publishTimeoutMs?: number;
  readonly streams?: DurableStreamOptions;
}

export interface DurableCaller {
  /**
   * Resolves with the answer; rejects with a `CallError`. After `TIMEOUT` the call goes on and its result is kept; an
   * abort ends it, also before a worker has begun.
   */
  call(call: DurableCall): Promise<ResponseEnvelope>;
  /** What a call has come to, also one of another connection or process; `undefined` while it has not, or no longer. */
  result(requestId: string): Promise<Outcome | undefined>;
  getPendingCount(): number;
  /** Waits for no answer any more: what is pending fails as `UNAVAILABLE`, goes on, and keeps its result. */
  close(): Promise<void>;
}

export interface DurableCall extends CallOptions {
  readonly operationId: string;
  readonly major: number;
  readonly input?: unknown;
}

export interface DurableWorkerOptions {
  readonly connection: NatsClient;
  /** @default "plico" */
  readonly prefix?: string;
  /** The worker's name in subjects: it hears of aborts at `controlAddress(id)`. @default a random one */
  readonly id?: string;
  readonly trust?: IdentityTrust;
  /**
   * Runs a call, as an executor does: what it gives or throws is the answer, and is stored. What it throws with
   * `details: { taken: false }` gives the call back, for this or another worker to begin later.
   */
  readonly run: (run: DurableRun) => Promise<ResponseEnvelope>;
  /** Of one operation. @default 64 */
  readonly maxRunning?: number;
  /** After how many milliseconds without a sign of life another worker gets the call. @default 30000 */
  readonly ackWaitMs?: number;
  /** How many workers may be lost with a call before it fails with `DELIVERY_FAILED`. @default 5 */
  readonly maxDeliver?: number;
  readonly streams?: DurableStreamOptions;
  /** Hears of what goes wrong beside the calls, such as a server that does not answer. */
  readonly onError?: (error: unknown) => void;
}

export interface DurableRun {
  readonly operationId: string;
  readonly major: number;
  readonly input: unknown;
  /** What the registry is told of the call: with a signal and an idempotency key, without a deadline. */
  readonly options: ExecuteOptions;
  readonly identity: Identity | undefined;
  /** Which run of the call it is, counted from 1. Those that were given back do not count. */
  readonly attempt: number;
}

export interface DurableWorker {
  readonly id: string;
  /**
   * Takes the calls of one major version of an operation. Gives what stops it: nothing new is taken, what runs goes on.
   * Rejects with `UNAVAILABLE` where there is no JetStream.
   */
  offer(operationId: string, major: number): Promise<() => Promise<void>>;
  getRunningCount(): number;
  readonly counts: DurableCounts;
  /** Takes nothing new and waits for what runs. With `timeoutMs`, what still runs then is aborted and given back. */
  close(options?: { readonly timeoutMs?: number }): Promise<void>;
}

export interface DurableCounts {
  /** Results that were stored. */
  readonly stored: number;
  /** Calls that were answered from a result that was there already. */
  readonly repeated: number;
  /** Results that came too late: another worker had stored one, or the caller had aborted. */
  readonly late: number;
  /** Calls that another worker got, because this one gave no sign of life in time. */
  readonly lost: number;
  /** Calls with which too many workers were lost. */
  readonly failed: number;
  /** Messages that are no calls. */
  readonly malformed: number;
}

/** Calls that are kept by JetStream until a worker has answered them. */
export function durableCaller(options: DurableCallerOptions): DurableCaller {
  return new JetStreamCaller(options);
}

export function durableWorker(options: DurableWorkerOptions): DurableWorker {
  return new JetStreamWorker(options);
}
