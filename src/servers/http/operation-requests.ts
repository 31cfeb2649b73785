import { type CallError, callErrorData, callErrorFrom } from "../../envelope/call-error.js";
import type { Outcome, OutcomeMeta } from "../../envelope/outcome.js";
import { outcomeFromEnvelope } from "../../envelope/outcome.js";
import { parseTraceparent, type TraceCarrier, type TraceSpan } from "../../envelope/trace-context.js";
import type { Identity } from "../../registry/access.js";
import type { Progress } from "../../registry/call-options.js";
import { hintsOfFailure } from "../../registry/failure-hints.js";
import type { ServedRegistry } from "../../registry/served-registry.js";
import { ClientCall } from "../client-call.js";
import { cancelled } from "../refusals.js";
import type { CallAbout, Calls } from "./calls.js";
import type { EventStreams } from "./event-streams.js";
import { fingerprintOf } from "./fingerprint.js";
import type { IdempotencyStore } from "./idempotency.js";
import { parseIdempotencyKey } from "./idempotency-key.js";
import type { Wanted } from "./negotiate.js";
import { nextPageOf } from "./next-page.js";
import type { Printed } from "./printing.js";
import * as refusals from "./refusals.js";
import type { HttpReply, Reply, StreamReply } from "./reply.js";
import { replyHeaders } from "./reply-headers.js";
import type { ServedOperation } from "./served-operations.js";
import { refused, statusOf } from "./status.js";
import { failsAtOnce, goOn, type LastWord, progressStream, STREAM_HEADERS } from "./streaming.js";

/** Where the answer stands in the trace of its request. Who records spans of its own must go on from the client's. */
export interface RequestTrace extends TraceSpan {
  readonly received: TraceCarrier;
}

/** A request for an operation, of which all is known. */
export interface OperationRequest {
  readonly operation: ServedOperation;
  readonly input: unknown;
  readonly identity: Identity | undefined;
  readonly wanted: Wanted;
  readonly trace: RequestTrace | undefined;
  /** As the client sent them. */
  readonly idempotencyKey: string | undefined;
  readonly lastEventId: string | undefined;
  /** Where a next page could be found, for requests that can be made again as a link. */
  readonly url: string | undefined;
  readonly onGone: (listener: () => void) => void;
}

export interface OperationRequestsParts {
  readonly registry: ServedRegistry;
  readonly calls: Calls;
  readonly streams: EventStreams;
  readonly idempotency: IdempotencyStore;
}

/** Runs what is asked for, and says it in the words of HTTP. */
export class OperationRequests {
  readonly #parts: OperationRequestsParts;

  constructor(parts: OperationRequestsParts) {
    this.#parts = parts;
  }

  async reply(request: OperationRequest): Promise<Reply> {
    const { operation, wanted } = request;
    if (operation.spec.type === "subscription") return this.#subscribe(request);
    const key = keyOf(request);
    if (wanted.stream === "first") return streamReply(request, this.#streamCall(request, key));
    if (!wanted.takesDocument) throw refusals.notAcceptable(undefined);
    if (key !== undefined) return this.#callOnce(request, key);
    return printReply(await this.#call(request), request);
  }

  /** A client that goes takes its call with it. */
  #call(request: OperationRequest): Promise<Outcome> {
    return new Promise((resolve) => {
      const { calls } = this.#parts;
      const call = calls.run(request.operation.id, request.input, resolve, aboutOf(request));
      request.onGone(() => calls.leave(call));
    });
  }

  /** With a key the answer is kept for the client that comes back for it, so that the call goes on without it. */
  async #callOnce(request: OperationRequest, key: string, onProgress?: CallAbout["onProgress"]): Promise<HttpReply> {
    const { operation, identity, input } = request;
    const entry = { owner: identity?.id, operationId: operation.id, key, fingerprint: await fingerprintOf(input) };
    return this.#parts.idempotency.run(entry, async () => {
      const about = { ...aboutOf(request), idempotencyKey: keyFor(identity, key), onProgress };
      const outcome = await new Promise<Outcome>((done) => this.#parts.calls.run(operation.id, input, done, about));
      return { reply: printReply(outcome, request), isFinal: outcome.ok || !outcome.error.recoverable };
    });
  }

  #streamCall(request: OperationRequest, key: string | undefined): StreamReply["start"] {
    const { calls } = this.#parts;
    const word = (outcome: Outcome): LastWord => ({ ok: outcome.ok, json: print(outcome, request).body });
    return progressStream((done, onProgress) => {
      if (key === undefined) {
        const about = { ...aboutOf(request), onProgress };
        const call = calls.run(request.operation.id, request.input, (outcome) => done(word(outcome)), about);
        return () => calls.leave(call);
      }
      this.#callOnce(request, key, onProgress).then(
        ({ status, body }) => done({ ok: status === 200, json: body }),
        (thrown) => done(word(refused(callErrorFrom(thrown)))),
      );
      return () => {};
    });
  }

  async #subscribe(request: OperationRequest): Promise<Reply> {
    const { operation, wanted, lastEventId, identity } = request;
    if (wanted.stream === "no") throw refusals.onlyAsStream(operation.id);
    if (lastEventId !== undefined) {
      const start = this.#parts.streams.resume(lastEventId, identity?.id, operation.id);
      if (start === "complete") return COMPLETE;
      if (typeof start !== "function") throw start;
      return streamReply(request, start);
    }
    let tell: ((json: string) => void) | undefined;
    const onProgress = (progress: Progress): void => tell?.(JSON.stringify(progress));
    const call = new ClientCall(aboutOf(request));
    const values = this.#parts.registry.subscribe(operation.id, request.input, { ...call.options(), onProgress });
    // Until the answer has begun, nobody else would end what a client has left.
    let hasBegun = false;
    request.onGone(() => {
      if (!hasBegun) call.stop(cancelled("its connection was closed"));
    });
    const first = values.next();
    try {
      await failsAtOnce(first);
    } catch (thrown) {
      return printReply(failureOf(callErrorFrom(thrown)), request);
    }
    const start = this.#parts.streams.open({
      operationId: operation.id,
      owner: identity?.id,
      begin: (listener) => {
        hasBegun = true;
        tell = listener;
        return { values: goOn(first, values) };
      },
      stop: (why) => call.stop(why),
      printValue: (envelope) => print(outcomeFromEnvelope(envelope), request).body,
      printError: (error) => print(failureOf(error), request).body,
    });
    return streamReply(request, start);
  }
}

/** Only what changes something must not be done twice. */
function keyOf({ operation, idempotencyKey }: OperationRequest): string | undefined {
  if (idempotencyKey === undefined || operation.spec.type !== "mutation") return undefined;
  const key = parseIdempotencyKey(idempotencyKey);
  if (typeof key !== "string") throw key;
  return key;
}

/** For those behind this server, to whom all its clients are one: the keys of one client are none of another. */
function keyFor(identity: Identity | undefined, key: string): string {
  return identity === undefined ? key : `${encodeURIComponent(identity.id)}/${key}`;
}

function streamReply({ trace }: OperationRequest, start: StreamReply["start"]): StreamReply {
  const headers = trace === undefined ? STREAM_HEADERS : { ...STREAM_HEADERS, traceparent: trace.traceparent };
  return { status: 200, headers, start };
}

/** By this a browser knows that it need not connect again. */
const COMPLETE: HttpReply = { status: 204, headers: {}, body: "" };

function aboutOf({ identity, trace }: OperationRequest): CallAbout {
  if (trace === undefined) return { identity, metadata: undefined };
  const { traceparent, received } = trace;
  return { identity, metadata: { ...received, traceparent, callerTraceparent: received.traceparent } };
}

function failureOf(error: CallError): Outcome {
  return { ok: false, error: callErrorData(error), meta: hintsOfFailure(error) ?? {} };
}

/** What the source itself says of its trace counts more. */
function print(outcome: Outcome, { trace, wanted }: Pick<OperationRequest, "trace" | "wanted">): Printed {
  if (trace === undefined) return wanted.format(outcome);
  const meta: OutcomeMeta = { traceId: trace.traceId, spanId: trace.spanId, ...outcome.meta };
  return wanted.format({ ...outcome, meta });
}

/** That of the body: whoever records spans says which one the call has. */
function traceparentFor({ traceparent, traceId }: RequestTrace, { traceId: told, spanId }: OutcomeMeta): string {
  const recorded = `00-${traceId}-${spanId}-${traceparent.slice(-2)}`;
  return told === traceId && parseTraceparent(recorded) !== undefined ? recorded : traceparent;
}

export function printReply(
  outcome: Outcome,
  request: Pick<OperationRequest, "operation" | "wanted" | "trace" | "url">,
): HttpReply {
  const { trace, url, operation } = request;
  const printed = print(outcome, request);
  const status = statusOf(outcome);
  const nextPage = url === undefined ? undefined : nextPageOf(operation.spec, outcome.meta, url);
  const traceparent = trace === undefined ? undefined : traceparentFor(trace, outcome.meta);
  const headers = replyHeaders(outcome, printed, { status, traceparent, nextPage });
  return { status, headers, body: printed.body };
}

/** A request that is refused before any operation was asked. */
export function refusalReply(error: CallError, wanted: Wanted): HttpReply {
  const outcome = refused(error);
  const printed = wanted.format(outcome);
  const status = statusOf(outcome);
  const headers = replyHeaders(outcome, printed, { status, traceparent: undefined, nextPage: undefined });
  return { status, headers: { ...headers, ...refusals.headersOf(error) }, body: printed.body };
}
