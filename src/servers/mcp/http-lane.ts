import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { SUPPORTED_PROTOCOL_VERSIONS } from "@modelcontextprotocol/server";
import type { Failure } from "../../envelope/outcome.js";
import { traceIn } from "../../envelope/trace-context.js";
import { isRecord, type JsonRecord } from "../../json/value.js";
import { isRequestId } from "../../mcp/json-rpc.js";
import { MODERN_VERSION, PROTOCOL_VERSION_KEY } from "../../mcp/keys.js";
import type { Identity } from "../../registry/access.js";
import { cancelled } from "../refusals.js";
import { type CleanCall, cleanCall } from "./clean-call.js";
import type { Core } from "./core.js";
import { sendError } from "./http-messages.js";
import { HttpReply } from "./http-reply.js";
import type { HttpShared } from "./http-shared.js";
import { Lane } from "./lane.js";
import { paramHeaderProblem } from "./param-headers.js";
import type { Session, Sessions } from "./sessions.js";

/** A request whose body has been read. */
export interface HttpMessage {
  readonly body: JsonRecord;
  readonly identity: Identity | undefined;
}

/** Gives a request to the SDK after all. */
export type HandOver = (request: IncomingMessage, response: ServerResponse, message: HttpMessage) => void;

const KEEP_ALIVE_MS = 15_000;

/** The calls over HTTP that need no SDK. */
export class HttpLane {
  readonly #core: Core;
  readonly #sessions: Sessions;
  readonly #lane: Lane;
  readonly #handOver: HandOver;
  readonly #replies = new Set<HttpReply>();
  readonly #timer: ReturnType<typeof setInterval>;

  constructor({ core, running, sessions }: HttpShared, handOver: HandOver) {
    this.#core = core;
    this.#handOver = handOver;
    this.#sessions = sessions;
    this.#lane = new Lane(core, running);
    this.#timer = setInterval(() => {
      for (const reply of this.#replies) reply.keepAlive();
    }, KEEP_ALIVE_MS).unref();
  }

  /** Whether the message is answered here. */
  take(request: IncomingMessage, response: ServerResponse, message: HttpMessage): boolean {
    const { body } = message;
    if (body["method"] === "notifications/cancelled") return this.#cancel(request, response, message);
    if (body["method"] !== "tools/call") return false;
    if (this.#refuses(request, response, body)) return true;
    const clean = cleanCall(body);
    if (clean === undefined || !acceptsBoth(request.headers.accept)) return false;
    if (this.#core.options.capabilities?.logging !== undefined) return false;
    if (clean.era === "modern") return isTold(request.headers, clean) && this.#start(request, response, clean, message);
    return this.#takeLegacy(request, response, clean, message);
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #takeLegacy(request: IncomingMessage, response: ServerResponse, clean: CleanCall, message: HttpMessage): boolean {
    const { "mcp-session-id": id, "mcp-protocol-version": version } = request.headers;
    if (version !== undefined && !isSupported(version)) return false;
    if (id === undefined) return this.#start(request, response, clean, message);
    const session = typeof id === "string" ? this.#sessions.find(id, message.identity?.id) : undefined;
    if (session === undefined || !session.server.isGreeted) return false;
    this.#startInSession(session, request, response, clean, message);
    return true;
  }

  #start({ headers }: IncomingMessage, response: ServerResponse, clean: CleanCall, { identity }: HttpMessage): boolean {
    const reply = new HttpReply(response, { onDone: () => this.#replies.delete(reply) });
    this.#replies.add(reply);
    const caller = { identity, capabilities: clean.capabilities, trace: traceIn(headers) };
    const call = this.#lane.start(clean, caller, reply);
    // Without a session this is how a call is cancelled; within one, a lost connection means nothing.
    response.once("close", () => {
      if (call === undefined || call.isOver) return;
      this.#replies.delete(reply);
      call.stop(cancelled("its connection was closed"));
    });
    return true;
  }

  #startInSession(
    session: Session,
    request: IncomingMessage,
    response: ServerResponse,
    clean: CleanCall,
    message: HttpMessage,
  ): void {
    const { server, calls } = session;
    const handOver = (questions: Failure): void => {
      // Whom could it ask? And a connection is closed only once, so that the session would be busy for ever.
      if (response.destroyed) return;
      this.#handOver(request, response, { ...message, body: server.withOutcome(message.body, questions) });
    };
    const reply = new HttpReply(response, {
      headers: { "mcp-session-id": session.id },
      onDone: () => {
        this.#replies.delete(reply);
        calls.delete(clean.id);
        this.#sessions.end(session);
      },
      handOver: server.canAsk ? handOver : undefined,
    });
    this.#replies.add(reply);
    this.#sessions.begin(session);
    const capabilities = server.getClientCapabilities();
    const caller = { identity: message.identity, capabilities, trace: traceIn(request.headers) };
    const call = this.#lane.start(clean, caller, reply);
    if (call !== undefined) calls.set(clean.id, { call, reply });
  }

  /** A call of the modern era whose arguments are not what its headers say. */
  #refuses(request: IncomingMessage, response: ServerResponse, { id, params }: JsonRecord): boolean {
    if (!isRecord(params) || !isRecord(params["_meta"]) || params["_meta"][PROTOCOL_VERSION_KEY] === undefined)
      return false;
    const { name, arguments: args } = params;
    const tool = typeof name === "string" ? this.#core.toolbox.find(name) : undefined;
    const problem = tool && paramHeaderProblem(tool, isRecord(args) ? args : undefined, request.headers);
    if (problem === undefined) return false;
    sendError(response, 400, problem, { id: isRequestId(id) ? id : null });
    return true;
  }

  #cancel(request: IncomingMessage, response: ServerResponse, { body, identity }: HttpMessage): boolean {
    const id = request.headers["mcp-session-id"];
    const session = typeof id === "string" ? this.#sessions.find(id, identity?.id) : undefined;
    const { requestId, reason } = isRecord(body["params"]) ? body["params"] : {};
    const found = isRequestId(requestId) ? session?.calls.get(requestId) : undefined;
    if (found === undefined) return false;
    found.call.stop(cancelled(reason));
    found.reply.drop();
    response.writeHead(202).end();
    return true;
  }
}

function isSupported(version: string | string[]): boolean {
  return typeof version === "string" && SUPPORTED_PROTOCOL_VERSIONS.includes(version);
}

function acceptsBoth(accept: string | undefined): boolean {
  return accept?.includes("application/json") === true && accept.includes("text/event-stream");
}

/** In the modern era the headers repeat what the body says. */
function isTold(headers: IncomingHttpHeaders, { name }: CleanCall): boolean {
  return (
    headers["mcp-protocol-version"] === MODERN_VERSION &&
    headers["mcp-method"] === "tools/call" &&
    headers["mcp-name"] === name
  );
}
