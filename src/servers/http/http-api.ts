import { CallError, callErrorFrom, isCallError } from "../../envelope/call-error.js";
import { createRequestId } from "../../envelope/request-id.js";
import { childOf, parseTraceparent, traceIn } from "../../envelope/trace-context.js";
import { orElse } from "../../json/attempt.js";
import { compact } from "../../json/value.js";
import type { Identity } from "../../registry/access.js";
import { operationNotFound } from "../../registry/refusals.js";
import { HttpGuard } from "../http-guard.js";
import { type BodyText, NOT_TEXT, TOO_LARGE } from "../read-body.js";
import { cancelled, closing } from "../refusals.js";
import { Calls } from "./calls.js";
import { type Cors, corsFor } from "./cors.js";
import { Documents } from "./documents.js";
import { EventStreams } from "./event-streams.js";
import { IdempotencyStore } from "./idempotency.js";
import { isJsonType } from "./media-type.js";
import { PLAIN, type Wanted, wantedBy } from "./negotiate.js";
import { OWN_PATHS } from "./operation-path.js";
import { OperationRequests, type RequestTrace, refusalReply } from "./operation-requests.js";
import { checkOptions, type HttpServerOptions, type RequestHead } from "./options.js";
import { parseBody } from "./parse-body.js";
import * as refusals from "./refusals.js";
import type { HttpReply, Reply } from "./reply.js";
import { inputFromRequest } from "./request-input.js";
import { type ServedOperation, ServedOperations } from "./served-operations.js";
import { STREAM_HEADERS } from "./streaming.js";

/** A request, whatever brings it. */
export interface Exchange {
  readonly head: RequestHead;
  /** Rejects where the client has gone. */
  readBody(limit: number): Promise<BodyText>;
  /** The listener is called once, when the client has gone before it was answered. */
  onGone(listener: () => void): void;
}

const BODY_BYTES = 4 * 1024 * 1024;
const TIMEOUT = 60_000;
const DRAIN_MS = 2_000;
const STREAMS = { resumeMs: 10_000, maxHeld: 100, bufferEvents: 10_000, bufferBytes: 1024 * 1024, keepAliveMs: 15_000 };
const IDEMPOTENCY = { ttlMs: 24 * 60 * 60 * 1000, maxEntries: 10_000, maxBytes: 64 * 1024 * 1024 };

/** A registry as an HTTP API, without the sockets. */
export class HttpApi {
  readonly calls: Calls;
  readonly maxBodyBytes: number;
  readonly #options: HttpServerOptions;
  readonly #prefix: string;
  readonly #operations: ServedOperations;
  readonly #guard: HttpGuard;
  readonly #cors: Cors | undefined;
  readonly #documents: Documents;
  readonly #streams: EventStreams;
  readonly #requests: OperationRequests;
  #closing: Promise<void> | undefined;

  constructor(options: HttpServerOptions) {
    checkOptions(options);
    const { registry, basePath = "", filter, timeout = TIMEOUT, maxBodyBytes = BODY_BYTES } = options;
    this.#options = options;
    this.maxBodyBytes = maxBodyBytes;
    this.#cors = options.cors === undefined ? undefined : corsFor(options.cors);
    this.calls = new Calls(registry, timeout, (error) => this.report(error));
    this.#operations = new ServedOperations(registry, basePath, filter);
    this.#prefix = basePath;
    this.#guard = new HttpGuard({ ...options, allowedOrigins: options.allowedOrigins ?? options.cors?.origins });
    this.#documents = new Documents(this.#operations, options);
    this.#streams = new EventStreams({ ...STREAMS, ...compact(options.streams ?? {}) });
    const idempotency = new IdempotencyStore({ ...IDEMPOTENCY, ...compact(options.idempotency ?? {}) });
    this.#requests = new OperationRequests({ registry, calls: this.calls, streams: this.#streams, idempotency });
  }

  /** The operation that a request calls in the plainest way, so that there is nothing to be thought about. */
  plainCall(url: string, headers: RequestHead["headers"]): ServedOperation | undefined {
    const operation = this.#operations.findByPath(url);
    if (operation === undefined || operation.spec.type === "subscription" || this.#closing !== undefined)
      return undefined;
    const { authorize, cors } = this.#options;
    if (authorize !== undefined || cors !== undefined || wantedBy(textOf(headers["accept"]))?.isPlain !== true)
      return undefined;
    const isPlain =
      isJsonType(textOf(headers["content-type"]) ?? "") &&
      headers["traceparent"] === undefined &&
      headers["idempotency-key"] === undefined &&
      headers["content-encoding"] === undefined;
    return isPlain && this.#guard.problemOf(headers) === undefined ? operation : undefined;
  }

  /** Never rejects. */
  async answer(exchange: Exchange): Promise<Reply> {
    const { head } = exchange;
    const reply = await this.#answer(exchange).catch((thrown) => this.#refuse(thrown, head));
    if (this.#cors === undefined) return reply;
    return { ...reply, headers: { ...reply.headers, ...this.#cors.headersFor(textOf(head.headers["origin"])) } };
  }

  get isClosing(): boolean {
    return this.#closing !== undefined;
  }

  report(error: unknown): void {
    orElse(() => this.#options.onError?.(error), undefined);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const streams = this.#streams.close();
    await this.calls.close(DRAIN_MS, closing());
    await streams;
    this.#operations.close();
  }

  async #answer(exchange: Exchange): Promise<Reply> {
    const { head } = exchange;
    const problem = this.#guard.problemOf(head.headers);
    if (problem !== undefined) throw refusals.badHost(problem);
    if (this.#closing !== undefined) throw closing();
    const preflight = this.#cors?.preflight(head);
    if (preflight !== undefined) return preflight;
    const [path = "", query = ""] = split(head.url);
    if (path === `${this.#prefix}/healthz` && isReading(head)) return json(this.#documents.health());
    const identity = await this.#options.authorize?.(head);
    return this.#document(head, path, identity) ?? this.#operate(exchange, path, query, identity);
  }

  #document(head: RequestHead, path: string, identity: Identity | undefined): Reply | undefined {
    if (!isReading(head)) return undefined;
    if (path === `${this.#prefix}/openapi.json`) return json(this.#documents.openApi(identity));
    if (path === `${this.#prefix}/operations`) return json(this.#documents.list(identity));
    return undefined;
  }

  async #operate(exchange: Exchange, path: string, query: string, identity: Identity | undefined): Promise<Reply> {
    const { head } = exchange;
    const called = head.method === "POST" ? this.#idIn(path) : undefined;
    if (called !== undefined && !this.#operations.isRegistered(called)) await this.#callUnknown(called, head, identity);
    const target = this.#target(head.method, path, identity);
    const wanted = wantedBy(textOf(head.headers["accept"]));
    if (wanted === undefined) throw refusals.notAcceptable(textOf(head.headers["accept"]));
    const { operation } = target;
    const isAsked = target.isDescribed && (operation.spec.type !== "subscription" || wanted.stream !== "first");
    if (isAsked) return this.#describe(operation, identity);
    const isStream = operation.spec.type === "subscription" || wanted.stream === "first";
    // Nobody would hear of what is sent.
    if (head.method === "HEAD" && isStream) return { status: 200, headers: STREAM_HEADERS, body: "" };
    const body = await this.#body(exchange);
    if (this.#closing !== undefined) throw closing();
    const input = target.places === undefined ? body : inputFromRequest(operation.spec, target.places, query, body);
    return this.#requests.reply({
      operation,
      input,
      identity,
      wanted,
      trace: traceOf(head),
      idempotencyKey: textOf(head.headers["idempotency-key"]),
      lastEventId: textOf(head.headers["last-event-id"]),
      url: isReading(head) ? head.url : undefined,
      onGone: (listener) => exchange.onGone(listener),
    });
  }

  #describe(operation: ServedOperation, identity: Identity | undefined): Reply {
    const { id, spec } = operation;
    const isShown = this.#operations.shownTo(identity).includes(spec);
    if (!isShown) throw operationNotFound(id, []);
    return json(this.#documents.describe(operation));
  }

  /** The registry hears of the call, and may know why it cannot be made. Whose names it may tell, it does not know. */
  async #callUnknown(id: string, head: RequestHead, identity: Identity | undefined): Promise<void> {
    const metadata = traceOf(head)?.received;
    const options = { isRemote: true, requestId: createRequestId(), ...compact({ identity, metadata }) };
    const outcome = await this.#options.registry.attempt(id, undefined, options);
    if (outcome.ok || outcome.error.code === "OPERATION_NOT_FOUND") return;
    throw isCallError(outcome.error) ? outcome.error : new CallError(outcome.error);
  }

  #idIn(path: string): string | undefined {
    const start = `${this.#prefix}/operations/`;
    if (!path.startsWith(start)) return undefined;
    return orElse(() => decodeURIComponent(path.slice(start.length)), path.slice(start.length));
  }

  #target(method: string, path: string, identity: Identity | undefined): Target {
    const reading = method === "HEAD" ? "GET" : method;
    const id = this.#idIn(path);
    if (id !== undefined) {
      const operation = this.#operations.find(id);
      // The names of the others are not for everybody.
      if (operation === undefined) throw operationNotFound(id, this.#operations.idsShownTo(identity));
      if (reading === "GET") return { operation, places: {}, isDescribed: true };
      if (method !== "POST") throw refusals.noSuchMethod(method, path, ["GET", "POST"]);
      return { operation, places: undefined, isDescribed: false };
    }
    const { routes } = this.#operations;
    const found = routes.find(reading, path);
    if (found !== undefined) return { ...found, isDescribed: false };
    const methods = OWN_PATHS.some((own) => path === this.#prefix + own) ? ["GET"] : routes.methodsOf(path);
    throw methods.length > 0 ? refusals.noSuchMethod(method, path, methods) : refusals.noSuchPath(path, this.#prefix);
  }

  /** `undefined` where there is none. */
  async #body(exchange: Exchange): Promise<unknown> {
    const { "content-type": type, "content-encoding": encoding, "content-length": length } = exchange.head.headers;
    if (isReading(exchange.head)) return undefined;
    const text = await exchange.readBody(this.maxBodyBytes).catch(() => {
      throw cancelled("its body did not come to its end");
    });
    if (text === TOO_LARGE) throw refusals.bodyTooLarge(this.maxBodyBytes);
    if (text === NOT_TEXT) throw refusals.noText();
    if (text === "" && (length === undefined || length === "0")) return undefined;
    if (encoding !== undefined && encoding !== "identity") throw refusals.encodedBody(textOf(encoding) ?? "");
    if (!isJsonType(textOf(type) ?? "")) throw refusals.noJson(textOf(type));
    return parseBody(text);
  }

  #refuse(thrown: unknown, head: RequestHead): HttpReply {
    const error: CallError = callErrorFrom(thrown);
    if (!isCallError(thrown)) this.report(thrown);
    const wanted: Wanted = wantedBy(textOf(head.headers["accept"])) ?? PLAIN;
    return refusalReply(error, wanted);
  }
}

/** Where a request leads. */
interface Target {
  readonly operation: ServedOperation;
  /** `undefined` where the body is the whole input. */
  readonly places: Readonly<Record<string, string>> | undefined;
  /** The request asks what the operation is, or to listen to it. */
  readonly isDescribed: boolean;
}

function isReading({ method }: RequestHead): boolean {
  return method === "GET" || method === "HEAD";
}

/** A client may name the server too, as it would for a proxy. */
function split(url: string): [path: string, query: string] {
  const target = url.startsWith("/") ? url : url.replace(/^https?:\/\/[^/?]*/i, "");
  const at = target.indexOf("?");
  return at < 0 ? [target, ""] : [target.slice(0, at), target.slice(at + 1)];
}

function json(body: string): HttpReply {
  return { status: 200, headers: { "content-type": "application/json" }, body };
}

/** Node gives a list only where a header must not be repeated, and was. */
function textOf(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header.join(", ") : header;
}

function traceOf({ headers }: RequestHead): RequestTrace | undefined {
  if (headers["traceparent"] === undefined) return undefined;
  const received = traceIn({ traceparent: textOf(headers["traceparent"]), tracestate: textOf(headers["tracestate"]) });
  return received && { ...childOf(parseTraceparent(received.traceparent)), received };
}
