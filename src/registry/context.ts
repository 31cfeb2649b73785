import { type CallError, callErrorFrom } from "../envelope/call-error.js";
import type { MCPResourceLink } from "../envelope/content-block.js";
import type { Pagination, ResponseHints } from "../envelope/hints.js";
import { createRequestId } from "../envelope/request-id.js";
import type { Warning } from "../envelope/warning.js";
import { orElse } from "../json/attempt.js";
import type { Identity } from "./access.js";
import type { ExecuteOptions } from "./call-options.js";
import type { Entry } from "./entry.js";
import type { OperationEnv } from "./env.js";
import type { OperationSpec } from "./operation.js";

/** What a handler may know and say about its call. */
export interface HandlerContext {
  readonly operationId: string;
  readonly spec: OperationSpec;
  /** Checked, and as its schema makes it. */
  readonly input: unknown;
  /** Aborted when the caller gives up or the deadline passes. */
  readonly signal: AbortSignal;
  /** Unix epoch milliseconds. */
  readonly deadline: number | undefined;
  readonly requestId: string;
  readonly parentRequestId: string | undefined;
  readonly identity: Identity | undefined;
  readonly metadata: Readonly<Record<string, unknown>> | undefined;
  /** The same for each attempt at the same thing, so that it can be done once. */
  readonly idempotencyKey: string | undefined;
  /** The other operations. A call through it is trusted, and ends with this one. */
  readonly env: OperationEnv;
  /** Tells the consumer something that does not change the data. A text has the code `SOURCE_WARNING`. */
  readonly warn: (warning: Warning | string) => void;
  /** Says where the data stands in a longer list. */
  readonly page: (pagination: Pagination) => void;
  readonly progress: (progress: number, total?: number, message?: string) => void;
  readonly link: (link: Omit<MCPResourceLink, "type">) => void;
  /** One line for people. */
  readonly summary: (text: string) => void;
}

type MutableHints = { -readonly [Name in keyof ResponseHints]: ResponseHints[Name] };

/** One call. What handlers seldom ask for is made when they do. */
export class CallContext implements HandlerContext {
  readonly input: unknown;
  readonly #entry: Entry;
  readonly #options: ExecuteOptions | undefined;
  readonly #makeEnv: (context: CallContext) => OperationEnv;
  #requestId: string | undefined;
  #controller: AbortController | undefined;
  #env: OperationEnv | undefined;
  #hints: MutableHints | undefined;
  #listener: ((error: CallError) => void) | undefined;
  #moreListeners: Set<(error: CallError) => void> | undefined;
  /** Why the call has ended before its handler did. */
  ended: CallError | undefined;

  constructor(
    entry: Entry,
    input: unknown,
    options: ExecuteOptions | undefined,
    makeEnv: (context: CallContext) => OperationEnv,
  ) {
    this.input = input;
    this.#entry = entry;
    this.#options = options;
    this.#makeEnv = makeEnv;
    this.#requestId = options?.requestId;
    options?.onStart?.((error) => this.end(error));
  }

  get operationId(): string {
    return this.#entry.id;
  }

  get spec(): OperationSpec {
    return this.#entry.spec;
  }

  get deadline(): number | undefined {
    return this.#options?.deadline;
  }

  get parentRequestId(): string | undefined {
    return this.#options?.parentRequestId;
  }

  get identity(): Identity | undefined {
    return this.#options?.identity;
  }

  get metadata(): Readonly<Record<string, unknown>> | undefined {
    return this.#options?.metadata;
  }

  get idempotencyKey(): string | undefined {
    return this.#options?.idempotencyKey;
  }

  get requestId(): string {
    this.#requestId ??= createRequestId();
    return this.#requestId;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.ended !== undefined) this.#controller.abort(this.ended);
    }
    return this.#controller.signal;
  }

  get env(): OperationEnv {
    this.#env ??= this.#makeEnv(this);
    return this.#env;
  }

  /** Ends the call: a handler that listens to its signal stops. */
  end(error: CallError): void {
    if (this.ended !== undefined) return;
    this.ended = error;
    this.#controller?.abort(error);
    const listeners = [...(this.#listener === undefined ? [] : [this.#listener]), ...(this.#moreListeners ?? [])];
    for (const listener of listeners) listener(error);
  }

  /** Tells of the end, which costs less than a signal; there is seldom more than one who asks. */
  watch(listener: (error: CallError) => void): void {
    if (this.ended !== undefined) listener(this.ended);
    else if (this.#listener === undefined) this.#listener = listener;
    else this.#moreListeners = (this.#moreListeners ?? new Set()).add(listener);
  }

  unwatch(listener: (error: CallError) => void): void {
    if (this.#listener === listener) this.#listener = undefined;
    else this.#moreListeners?.delete(listener);
  }

  // These are getters, so that a handler may take them out of the context, and none is made that is not used.

  get warn(): HandlerContext["warn"] {
    return (warning) => {
      const given = typeof warning === "string" ? { code: "SOURCE_WARNING", message: warning } : warning;
      const hints = this.#said();
      hints.warnings = [...(hints.warnings ?? []), given];
    };
  }

  get page(): HandlerContext["page"] {
    return (pagination) => {
      this.#said().pagination = pagination;
    };
  }

  get progress(): HandlerContext["progress"] {
    return (progress, total, message) => {
      const report = { progress, ...(total !== undefined && { total }), ...(message !== undefined && { message }) };
      // What the caller does with it is no concern of the handler.
      orElse(() => this.#options?.onProgress?.(report), undefined);
    };
  }

  get link(): HandlerContext["link"] {
    return (link) => {
      const hints = this.#said();
      hints.links = [...(hints.links ?? []), { ...link, type: "resource_link" }];
    };
  }

  get summary(): HandlerContext["summary"] {
    return (text) => {
      this.#said().summary = text;
    };
  }

  /** Whether anybody hears of progress. */
  get wantsProgress(): boolean {
    return this.#options?.onProgress !== undefined;
  }

  /** The id of the call, if it has one: none is made that nobody asks for. */
  get givenRequestId(): string | undefined {
    return this.#requestId;
  }

  /** What was said since this was last asked. */
  takeHints(): ResponseHints | undefined {
    const hints = this.#hints;
    this.#hints = undefined;
    return hints;
  }

  #said(): MutableHints {
    this.#hints ??= {};
    return this.#hints;
  }
}

/** Calls back once, when the call ends before its handler does. Returns what ends the watch. For handlers of this package. */
export function whenEnded(context: HandlerContext, listener: (error: CallError) => void): () => void {
  if (context instanceof CallContext) {
    context.watch(listener);
    return () => context.unwatch(listener);
  }
  const { signal } = context;
  const onAbort = (): void => listener(callErrorFrom(signal.reason));
  if (signal.aborted) onAbort();
  signal.addEventListener("abort", onAbort, { once: true });
  return () => signal.removeEventListener("abort", onAbort);
}

/** Whether the caller listens to progress: to tell of it may cost more than the call. For handlers of this package. */
export function wantsProgress(context: HandlerContext): boolean {
  return context instanceof CallContext && context.wantsProgress;
}
