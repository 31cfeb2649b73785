import type { JSONRPCMessage, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { CallError } from "../../envelope/call-error.js";
import { orElse } from "../../json/attempt.js";
import { isRecord, isString } from "../../json/value.js";
import type { JsonRpcRequest } from "../../mcp/json-rpc.js";
import { type Era, MODERN_VERSION } from "../../mcp/keys.js";
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
import { headerValue } from "./param-headers.js";

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

  constructor(options: HttpLaneOptions) {
    this.#options = options;
    this.#poster = new HttpPoster(options.url, options.settings.maxMessageBytes);
    this.#lane = new Lane({
      send: (message, request) => void this.#send(message, request),
      cancel: (id, reason) => this.#cancel(id, reason),
    });
  }

  request(request: LaneRequest): Promise<unknown> {
    return this.#lane.request(request);
  }

  take(message: unknown): boolean {
    return this.#lane.take(message);
  }

  close(): void {
    for (const end of this.#running.values()) end();
    this.#running.clear();
    this.#lane.failAll(unavailable("The source was closed"));
    this.#poster.close();
  }

  async #send(message: JsonRpcRequest, request: LaneRequest): Promise<void> {
    // With a provider each answer may be the start of a sign-in.
    if (this.#options.settings.authProvider !== undefined) return this.#sendBySdk(message, request);
    try {
      const headers = await this.#headersOf(message, request);
      if (this.#lane.isWaiting(message.id as number)) this.#post(message, request, headers);
    } catch (thrown) {
      this.#lane.fail(message.id as number, errorFromThrown(thrown));
    }
  }

  #post(message: JsonRpcRequest, request: LaneRequest, headers: Record<string, string>): void {
    const id = message.id as number;
    let answer: HttpAnswer = { status: 0, headers: {} };
    const events = new EventReading(this.#options.settings.maxMessageBytes, (data) => this.#deliver(data));
    const end = this.#poster.post(JSON.stringify(message), headers, {
      onAnswer: (given) => {
        answer = given;
        return given.status === 200 && typeOf(given) === "text/event-stream" ? "stream" : "whole";
      },
      onText: (text) => {
        if (events.push(text)) return;
        this.#stop(id);
        this.#lane.fail(id, tooLarge(events.length, this.#options.settings.maxMessageBytes));
      },
      onEnd: (text) => {
        this.#running.delete(id);
        if (typeOf(answer) === "text/event-stream") this.#afterStream(id, events);
        else this.#afterWhole(message, request, answer, text);
      },
      onError: (error) => {
        this.#running.delete(id);
        if (events.canResume) this.#afterStream(id, events);
        else this.#lane.fail(id, error);
      },
    });
    this.#running.set(id, end);
  }

  #afterWhole(message: JsonRpcRequest, request: LaneRequest, answer: HttpAnswer, text: string): void {
    const id = message.id as number;
    const { status } = answer;
    const isElsewhere = status === 401 || status === 403 || (status >= 300 && status < 400);
    if (isElsewhere) void this.#sendBySdk(message, request);
    else if (status === 404 && this.#options.transport.sessionId !== undefined) this.#sessionLost(id);
    else if (status !== 200 && status !== 202) this.#lane.fail(id, refusal(answer, text, message.method));
    else {
      this.#deliver(text);
      this.#lane.fail(id, invalidAnswer(`answered with the HTTP status ${status} and no result`, text));
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
    const timer = setTimeout(resume, retryMs);
    this.#running.set(id, () => clearTimeout(timer));
  }

  #sessionLost(id: number): void {
    const error = unavailable("The MCP server has forgotten the session");
    neverRan.add(error);
    this.#options.onSessionLost(error);
    this.#lane.fail(id, error);
  }

  async #sendBySdk(message: JsonRpcRequest, { headers }: LaneRequest): Promise<void> {
    const id = message.id as number;
    const controller = new AbortController();
    this.#running.set(id, () => controller.abort());
    const options = { ...(headers && { headers: { ...headers } }), requestSignal: controller.signal };
    try {
      await this.#options.transport.send(message as JSONRPCMessage, {
        ...options,
        onRequestStreamEnd: () => this.#lane.fail(id, unavailable("The answer of the MCP server was cut")),
      });
    } catch (thrown) {
      this.#lane.fail(id, errorFromThrown(thrown));
    }
  }

  #deliver(text: string): void {
    const message = orElse<unknown>(() => JSON.parse(text), undefined);
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

  #stop(id: number): void {
    this.#running.get(id)?.();
    this.#running.delete(id);
  }

  async #headersOf(message: JsonRpcRequest, request: LaneRequest): Promise<Record<string, string>> {
    const { settings, transport, era } = this.#options;
    const { token } = settings;
    const bearer = typeof token === "function" ? await token() : token;
    const name = message.params?.["name"];
    const isModern = era === "modern";
    return {
      ...settings.headers,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
      ...(transport.sessionId !== undefined && { "mcp-session-id": transport.sessionId }),
      "mcp-protocol-version": isModern ? MODERN_VERSION : (transport.protocolVersion ?? ""),
      ...(isModern && { "mcp-method": message.method }),
      ...(isModern && isString(name) && { "mcp-name": headerValue(name) }),
      ...request.headers,
    };
  }
}

/** The events of one answer, bounded. */
class EventReading {
  readonly #limit: number;
  readonly #reader: SseReader;
  retryMs = 1_000;
  length = 0;

  constructor(limit: number, onData: (data: string) => void) {
    this.#limit = limit;
    this.#reader = new SseReader({
      onEvent: ({ event, data }) => {
        this.length = 0;
        if (event === "message" && data !== "") onData(data);
      },
      onRetry: (milliseconds) => {
        this.retryMs = milliseconds;
      },
    });
  }

  /** Whether the event is not too long yet. */
  push(text: string): boolean {
    this.length += text.length;
    if (this.length > this.#limit) return false;
    this.#reader.push(text);
    return true;
  }

  get lastId(): string | undefined {
    return this.#reader.lastId;
  }

  get canResume(): boolean {
    return this.lastId !== undefined;
  }
}

/** Servers of the modern era say by a JSON-RPC error what was wrong with a request. */
function refusal({ status, headers }: HttpAnswer, text: string, method: string): CallError {
  const body = orElse<unknown>(() => JSON.parse(text), undefined);
  const isTold = isRecord(body) && isRecord(body["error"]) && status < 429;
  return isTold ? errorFromJsonRpc(body["error"], method) : errorFromStatus(status, text, headers["retry-after"]);
}

function typeOf({ headers }: HttpAnswer): string {
  return (headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
}
