import type { ResponseEnvelope } from "../envelope/response-envelope.js";

/** Who calls. Whether that is true is for whoever accepts the call to find out. */
export interface Identity {
  readonly id: string;
  readonly scopes: readonly string[];
  /** Actions by resource, such as `{ "project:7": ["read"] }`. */
  readonly resources?: Readonly<Record<string, readonly string[]>>;
}

export interface Progress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  /** Unix epoch milliseconds. */
  readonly deadline?: number;
  readonly requestId?: string;
  readonly parentRequestId?: string;
  readonly identity?: Identity;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly onProgress?: (progress: Progress) => void;
}

/**
 * What runs the operations behind a call handler. Its options are to be read field by field, not spread: `signal` and
 * `onProgress` are getters of a class, because an `AbortSignal` that nobody looks at would cost more than the call.
 */
export interface Executor {
  getSpec(operationId: string): { readonly type: "query" | "mutation" | "subscription" } | undefined;
  /** Throws a `CallError`. */
  execute(operationId: string, input: unknown, options?: CallOptions): Promise<ResponseEnvelope>;
  /** `return()` stops the handler's own generator. */
  subscribe(operationId: string, input: unknown, options?: CallOptions): AsyncGenerator<ResponseEnvelope>;
}
