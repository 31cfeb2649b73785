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
  readonly onProgress?: (progress: Progress) => void;
}

export interface Progress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}
