import type { JSONRPCMessage, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { CallError } from "../../envelope/call-error.js";
import { orElse } from "../../json/attempt.js";
import { isRecord } from "../../json/value.js";
import { type Era, MODERN_VERSION } from "../../mcp/keys.js";
import { headerValue } from "../../mcp/param-headers.js";
import { SseReader } from "../sse-reader.js";
import {
  errorFromJsonRpc,
  errorFromStatus,
  errorFromThrown,
  invalidAnswer,
  neverRan,
  tooLarge,
  unavailable,
} from "./errors.js";
import { type HttpAnswer, HttpPoster } from "./http-post.js";
import { Lane, type LaneRequest } from "./lane.js";
import type { Settings } from "./options.js";
import { givenToken, tokenOf } from "./token.js";

export interface HttpLaneOptions {
  readonly settings: Settings;
  readonly url: URL;
  readonly transport: StreamableHTTPClientTransport;
  readonly era: Era;
  readonly onSessionLost: (error: CallError) => void;
}

/**
 * Requests of Plico's own over HTTP. A clean answer is read here; where the server wants a sign-in or sends elsewhere,
 * the request is given to the SDK's transport, whose answers come back through `take`.
 */
export class HttpLane {
  readonly #options: HttpLaneOptions;
  readonly #lane: Lane;
  readonly #poster: HttpPoster;
  readonly #running = new Map<number, () => void>();
  #onIdle: (() => void) | undefined;

  constructor(options: HttpLaneOptions) {
    this.#options = options;
    this.#poster = new HttpPoster(options.url, options.settings.maxMessageLength);
    this.#lane = new Lane({
      send: (id, text, request) => void this.#send({ id, text, request }),
      cancel: (id, reason) => this.#cancel(id, reason),
      forget: (id) => this.#forget(id),
    });
  }

  request(request: LaneRequest): Promise<unknown> {
    return this.#lane.request(request);
  }

  take(message: unknown): boolean {
    return this.#lane.take(message);
  }

  /** When no request is under way. Each has its time-out. */
  idle(): Promise<void> {
    if (this.#lane.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#onIdle = resolve;
    });
  }

  close(): void {
    for (const end of this.#running.values()) end();
    this.#running.clear();
    this.#lane.failAll(unavailable("The source was closed"));
    this.#poster.close();
  }

  async #send(sent: Sent): Promise<void> {
    const { authProvider, token } = this.#options.settings;
    try {
      // A token that is bound to its request can only be made by the SDK.
      if (authProvider?.dpop !== undefined) await this.#sendBySdk(sent);
      else if (authProvider === undefined && typeof token !== "function") this.#post(sent, token);
      else this.#postIfAwaited(sent, await (authProvider === undefined ? givenToken(token) : tokenOf(authProvider)));
    } catch (thrown) {
      this.#lane.fail(sent.id, errorFromThrown(thrown));
    }
  }

  #postIfAwaited(sent: Sent, bearer: string | undefined): void {
    if (this.#lane.isWaiting(sent.id)) this.#post(sent, bearer);
  }

  #post(sent: Sent, bearer: string | undefined): void {
    const { id, text, request } = sent;
    let answer: HttpAnswer = { status: 0, headers: {} };
    const events = new EventReading(this.#options.settings.maxMessageLength, (data) => this.#deliver(data));
    const end = this.#poster.post(text, this.#headersOf(request, bearer), {
      onAnswer: (given) => {
        answer = given;
        return isStream(given) ? "stream" : "whole";
      },
      onText: (part) => {
        if (events.push(part)) return;
        this.#stop(id);
        this.#lane.fail(id, tooLarge(events.length, this.#options.settings.maxMessageLength));
      },
      onEnd: (body) => {
        if (isStream(answer)) this.#afterStream(id, events);
        else this.#afterWhole(sent, answer, body);
      },
      onError: (error) => {
        if (events.lastId === undefined) this.#lane.fail(id, error);
        else this.#afterStream(id, events);
      },
    });
    this.#running.set(id, end);
  }

  #afterWhole(sent: Sent, answer: HttpAnswer, body: string): void {
    const { id } = sent;
    const { status } = answer;
    const isElsewhere = status === 401 || status === 403 || (status >= 300 && status < 400);
    if (isElsewhere) void this.#sendBySdk(sent);
    else if (status === 404 && this.#options.transport.sessionId !== undefined) this.#sessionLost(id);
    else if (status < 200 || status >= 300) this.#lane.fail(id, refusal(answer, body, sent.request.method));
    else {
      this.#deliver(body);
      if (this.#lane.isWaiting(id))
        this.#lane.fail(id, invalidAnswer(`answered with the HTTP status ${status} and no result`, body));
    }
  }

  /** A stream that ends before its answer may go on elsewhere, where its events have ids. */
  #afterStream(id: number, { lastId, retryMs }: EventReading): void {
    if (!this.#lane.isWaiting(id)) return;
    if (lastId === undefined || this.#options.era === "modern") {
      this.#lane.fail(id, unavailable("The answer of the MCP server was cut"));
      return;
    }
    const resume = (): void => {
      this.#running.delete(id);
      this.#options.transport.resumeStream(lastId).catch((thrown) => this.#lane.fail(id, errorFromThrown(thrown)));
    };
    const timer = setTimeout(resume, Math.min(retryMs, LONGEST_RETRY));
    this.#running.set(id, () => clearTimeout(timer));
  }

  #sessionLost(id: number): void {
    const error = unavailable("The MCP server has forgotten the session");
    neverRan.add(error);
    this.#options.onSessionLost(error);
    this.#lane.fail(id, error);
  }

  async #sendBySdk({ id, text, request: { headers } }: Sent): Promise<void> {
    const controller = new AbortController();
    this.#running.set(id, () => controller.abort());
    const cut = (): void => this.#lane.fail(id, unavailable("The answer of the MCP server was cut"));
    try {
      await this.#options.transport.send(JSON.parse(text) as JSONRPCMessage, {
        ...(headers && { headers: { ...headers } }),
        requestSignal: controller.signal,
        onRequestStreamEnd: cut,
      });
    } catch (thrown) {
      const error = errorFromThrown(thrown);
      if (error.category === "not_found" && this.#options.transport.sessionId !== undefined) this.#sessionLost(id);
      else this.#lane.fail(id, error);
    }
  }

  #deliver(text: string): void {
    const message = orElse<unknown>(() => JSON.parse(text.replace(/^\uFEFF/, "")), undefined);
    for (const one of Array.isArray(message) ? message : [message]) {
      if (isRecord(one)) this.#options.transport.onmessage?.(one as unknown as JSONRPCMessage);
    }
  }

  /** In the modern era a call is given up by closing its stream, before by a message. */
  #cancel(id: number, reason: string): void {
    if (this.#options.era === "legacy") {
      const params = { requestId: id, reason };
      const message: JSONRPCMessage = { jsonrpc: "2.0", method: "notifications/cancelled", params };
      this.#options.transport.send(message).catch(() => {});
    }
    this.#stop(id);
  }

  #forget(id: number): void {
    this.#running.delete(id);
    if (this.#lane.size === 0) this.#onIdle?.();
  }

  #stop(id: number): void {
    this.#running.get(id)?.();
    this.#running.delete(id);
  }

  #headersOf({ method, name, headers }: LaneRequest, bearer: string | undefined): Record<string, string> {
    const { settings, transport, era } = this.#options;
    const isModern = era === "modern";
    return {
      ...settings.headers,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
      ...(transport.sessionId !== undefined && { "mcp-session-id": transport.sessionId }),
      "mcp-protocol-version": isModern ? MODERN_VERSION : (transport.protocolVersion ?? ""),
      ...(isModern && { "mcp-method": method }),
      ...(isModern && name !== undefined && { "mcp-name": headerValue(name) }),
      ...headers,
    };
  }
}

const LONGEST_RETRY = 30_000;

interface Sent {
  readonly id: number;
  readonly text: string;
  readonly request: LaneRequest;
}

/** The events of one answer, bounded. */
class EventReading {
  readonly #limit: number;
  readonly #reader: SseReader;
  retryMs = 1_000;

  constructor(limit: number, onData: (data: string) => void) {
    this.#limit = limit;
    this.#reader = new SseReader({
      onEvent: ({ event, data }) => {
        if (event === "message" && data !== "") onData(data);
      },
      onRetry: (milliseconds) => {
        this.retryMs = milliseconds;
      },
    });
  }

  /** Whether the event is not too long yet. */
  push(text: string): boolean {
    this.#reader.push(text);
    return this.length <= this.#limit;
  }

  get length(): number {
    return this.#reader.unreadLength;
  }

  get lastId(): string | undefined {
    return this.#reader.lastId;
  }
}

/** Servers of the modern era say by a JSON-RPC error what was wrong with a request. */
function refusal({ status, headers }: HttpAnswer, text: string, method: string): CallError {
  const body = orElse<unknown>(() => JSON.parse(text), undefined);
  const isTold = isRecord(body) && isRecord(body["error"]) && status < 429;
  return isTold ? errorFromJsonRpc(body["error"], method) : errorFromStatus(status, text, headers["retry-after"]);
}

function isStream({ status, headers }: HttpAnswer): boolean {
  return status === 200 && /^\s*text\/event-stream\s*(;|$)/i.test(headers["content-type"] ?? "");
}
