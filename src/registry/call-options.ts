import type { CallError } from "../envelope/call-error.js";
import type { Identity } from "./access.js";

/** What a caller may say about a call. */
export interface CallOptions {
  /** Ends the call with `ABORTED`, whether its handler listens or not. */
  readonly signal?: AbortSignal;
  /** Unix epoch milliseconds at which the call ends with `TIMEOUT`, whether its handler listens or not. */
  readonly deadline?: number;
  readonly requestId?: string;
  /** The call within which this one is made. */
  readonly parentRequestId?: string;
  readonly identity?: Identity;
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** Calls with the same key are one call, where the operation keeps its answers. */
  readonly idempotencyKey?: string;
  readonly onProgress?: (progress: Progress) => void;
}

/** What a server or a worker says beside it, which calls for someone else. */
export interface ExecuteOptions extends CallOptions {
  /** Of the call within which this one is made; it ends this one too. */
  readonly parentSignal?: AbortSignal;
  /** The input came from outside the process: then all of it is measured, not only what its schema leaves open. */
  readonly isRemote?: boolean;
  /**
   * For those who watch the deadline and their caller themselves, which is cheaper than a signal and a timer for each
   * call: gets the function that ends the call. The registry then watches neither `signal` nor `deadline`.
   */
  readonly onStart?: (end: (error: CallError) => void) => void;
}

export interface Progress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

/** The same call with other options. Those of a server may be an object with methods, which copies would lose. */
export function withOptions(
  options: ExecuteOptions | undefined,
  changes: Pick<ExecuteOptions, "metadata" | "requestId">,
): ExecuteOptions {
  if (options?.onStart === undefined) return { ...options, ...changes };
  return { ...options, ...changes, onStart: (end) => options.onStart?.(end) };
}
