import { CallError, type CallErrorInit, callErrorData } from "../../../envelope/call-error.js";
import { isRecord } from "../../../json/value.js";
import type { PendingOptions } from "../../../protocol/pending.js";
import type { PendingRequestMap } from "../../../protocol/pending-request-map.js";
import type { RequestIds } from "../../../protocol/request-ids.js";
import { CallContext, type HandlerContext, wantsProgress } from "../../../registry/context.js";
import type { OperationSpec } from "../../../registry/operation.js";
import { operationIdOf } from "../../../registry/operation-id.js";
import { callAddress, majorOf, workerCallAddress } from "../addresses.js";

/** What all calls of a source have in common. */
export interface Caller {
  readonly name: string;
  readonly retries: number;
  readonly map: PendingRequestMap;
  readonly ids: RequestIds;
  /** Some worker that offers the operation and was not tried. */
  another(operationId: string, major: number, tried: ReadonlySet<string>): string | undefined;
  /** Why no call can be made any more. */
  gone(): CallErrorInit | undefined;
  /** Nobody took a call, or a worker was lost. */
  onTrouble(): void;
}

/** Where an operation is called. */
export class Target {
  readonly id: string;
  readonly spec: OperationSpec;
  readonly caller: Caller;
  /** Of the group of all workers. */
  readonly address: string;
  readonly #major: number;

  constructor(spec: OperationSpec, caller: Caller) {
    this.id = operationIdOf(spec);
    this.spec = spec;
    this.caller = caller;
    this.#major = majorOf(spec.version);
    this.address = callAddress(this.id, this.#major, caller.name);
  }

  /** Throws where no call can be made any more: it would wait for a sign of life. */
  check(): void {
    const gone = this.caller.gone();
    if (gone !== undefined) throw new CallError(gone);
  }

  /** Of a worker that was not tried; it is tried then. */
  another(tried: Set<string>): string | undefined {
    const worker = this.caller.another(this.id, this.#major, tried);
    if (worker === undefined) return undefined;
    tried.add(worker);
    return workerCallAddress(this.id, this.#major, this.caller.name, worker);
  }
}

/** The options of a request, as long as they may change. */
export type Draft = { -readonly [K in keyof PendingOptions]: PendingOptions[K] };

/** What a request says of its call. */
export function requestOptions(context: HandlerContext, requestId: string, address: string): Draft {
  const { deadline, parentRequestId, identity, metadata, idempotencyKey } = context;
  const options: Draft = { requestId, address };
  if (deadline !== undefined) options.deadline = deadline;
  if (parentRequestId !== undefined) options.parentRequestId = parentRequestId;
  if (identity !== undefined) options.identity = identity;
  if (metadata !== undefined) options.metadata = metadata;
  if (idempotencyKey !== undefined) options.idempotencyKey = idempotencyKey;
  if (wantsProgress(context))
    options.onProgress = ({ progress, total, message }) => context.progress(progress, total, message);
  return options;
}

/** The id of the call, if it has one: one of our own costs less than a new one. */
export function requestIdOf(context: HandlerContext, ids: RequestIds): string {
  return (context instanceof CallContext ? context.givenRequestId : context.requestId) ?? ids.next();
}

/**
 * The error as callers see it, without the words that only attempts need. That a call was not taken is said of this call
 * alone: were it passed on as it is, a handler that made the call would seem not to have begun.
 */
export function shownError(error: CallError): CallError {
  if (!isRecord(error.details) || error.category !== "unavailable") return error;
  const { taken, controlTo, ...details } = error.details;
  if (taken !== false && controlTo === undefined) return error;
  const said = taken === false ? { ...details, mayHaveRun: false } : details;
  const shown = new CallError({ ...callErrorData(error), details: said, cause: error.cause });
  if (error.stack !== undefined) shown.stack = error.stack;
  return shown;
}
