import type { CallError } from "../envelope/call-error.js";
import type { Identity } from "../registry/access.js";
import type { ExecuteOptions, Progress } from "../registry/call-options.js";

export interface ClientCallInit {
  readonly identity: Identity | undefined;
  readonly metadata: Readonly<Record<string, unknown>> | undefined;
  readonly requestId?: string | undefined;
  readonly idempotencyKey?: string | undefined;
  /** Unix epoch milliseconds. */
  readonly deadline?: number | undefined;
  /** Absent where the client wants to hear of none. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/** A call that a client makes, and what the registry is told of it: there is no second object for that. */
export class ClientCall implements ExecuteOptions {
  readonly isRemote = true;
  declare readonly identity?: Identity;
  declare readonly metadata?: Readonly<Record<string, unknown>>;
  declare readonly requestId?: string;
  declare readonly idempotencyKey?: string;
  declare readonly deadline?: number;
  /** Absent where nobody listens. */
  declare readonly onProgress?: (progress: Progress) => void;
  #end: ((error: CallError) => void) | undefined;
  #stoppedFor: CallError | undefined;
  /** The client has its answer, or wants none. */
  isOver = false;
  onStop: ((call: ClientCall) => void) | undefined;

  constructor({ identity, metadata, requestId, idempotencyKey, deadline, onProgress }: ClientCallInit) {
    if (identity !== undefined) this.identity = identity;
    if (metadata !== undefined) this.metadata = metadata;
    if (requestId !== undefined) this.requestId = requestId;
    if (idempotencyKey !== undefined) this.idempotencyKey = idempotencyKey;
    if (deadline !== undefined) this.deadline = deadline;
    if (onProgress !== undefined) this.onProgress = this.#reporter(onProgress);
  }

  onStart(end: (error: CallError) => void): void {
    this.#end = end;
    if (this.#stoppedFor !== undefined) end(this.#stoppedFor);
  }

  get expiresAt(): number {
    return this.deadline ?? Number.POSITIVE_INFINITY;
  }

  /** Ends it before its time. Its handler may not care, so nothing more comes of it. */
  stop(error: CallError): void {
    this.isOver = true;
    if (this.#stoppedFor !== undefined) return;
    this.#stoppedFor = error;
    this.onStop?.(this);
    this.#end?.(error);
  }

  /** Who counts on it, as MCP does, wants it to grow with every report. */
  #reporter(report: (progress: Progress) => void): (progress: Progress) => void {
    let reported = Number.NEGATIVE_INFINITY;
    return (progress) => {
      if (this.isOver || !(progress.progress > reported)) return;
      reported = progress.progress;
      report(progress);
    };
  }

  /** As a plain object, for those who copy it. */
  options(): ExecuteOptions {
    return {
      isRemote: true,
      onStart: (end) => this.onStart(end),
      ...(this.identity !== undefined && { identity: this.identity }),
      ...(this.metadata !== undefined && { metadata: this.metadata }),
      ...(this.requestId !== undefined && { requestId: this.requestId }),
      ...(this.idempotencyKey !== undefined && { idempotencyKey: this.idempotencyKey }),
      ...(this.deadline !== undefined && { deadline: this.deadline }),
    };
  }
}
