import type { IncomingMessage, ServerResponse } from "node:http";
import { setImmediate as turn } from "node:timers/promises";
import { isJsonContentType } from "@modelcontextprotocol/server";
import { isCallError } from "../../envelope/call-error.js";
import { isRecord } from "../../json/value.js";
import type { Identity } from "../../registry/access.js";
import { type GuardOptions, HttpGuard } from "../http-guard.js";
import { NOT_TEXT, readBody, TOO_LARGE } from "../read-body.js";
import { closing } from "../refusals.js";
import { RunningCalls } from "../running-calls.js";
import { Core } from "./core.js";
import { HttpLane } from "./http-lane.js";
import { sendError, sendRefusal } from "./http-messages.js";
import { type AnyHttpMessage, HttpSdk } from "./http-sdk.js";
import type { McpServerOptions } from "./options.js";
import { type SessionOptions, Sessions } from "./sessions.js";

type Authorize = (request: IncomingMessage) => Identity | undefined | Promise<Identity | undefined>;

export interface McpHttpOptions extends McpServerOptions, GuardOptions {
  /**
   * Who makes a request. A `CallError` of the category `authentication` or `authorization` is answered with 401 or 403;
   * without an identity, operations that ask for anything are neither shown nor run.
   */
  readonly authorize?: Authorize | undefined;
  /** @default 4 MiB */
  readonly maxBodyBytes?: number | undefined;
  /** Of clients before 2026-07-28, which are greeted first. */
  readonly sessions?: SessionOptions | undefined;
}

export interface McpHttpHandler {
  /** Answers one request. Never rejects. */
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** Gives running calls a short time to finish. */
  close(): Promise<void>;
}

const BODY_BYTES = 4 * 1024 * 1024;
const DRAIN_MS = 2_000;

/** One endpoint of streamable HTTP for clients of both eras, to be put into a server of `node:http`. */
export function mcpHttpHandler(options: McpHttpOptions): McpHttpHandler {
  const endpoint = new HttpEndpoint(options);
  return { handle: (request, response) => endpoint.handle(request, response), close: () => endpoint.close() };
}

class HttpEndpoint {
  readonly #options: McpHttpOptions;
  readonly #core: Core;
  readonly #guard: HttpGuard;
  readonly #running = new RunningCalls();
  readonly #sessions: Sessions;
  readonly #lane: HttpLane;
  readonly #sdk: HttpSdk;
  #closing: Promise<void> | undefined;

  constructor(options: McpHttpOptions) {
    this.#options = options;
    this.#core = new Core(options);
    this.#guard = new HttpGuard(options);
    this.#sessions = new Sessions(options.sessions);
    const shared = { core: this.#core, running: this.#running, sessions: this.#sessions };
    this.#sdk = new HttpSdk(shared);
    this.#lane = new HttpLane(shared, (request, response, message) => void this.#hand(request, response, message));
    this.#core.toolbox.onChange(() => this.#sdk.tellChange());
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const problem = this.#guard.problemOf(request.headers);
      if (problem !== undefined) return sendError(response, 403, { code: -32000, message: problem });
      if (this.#closing !== undefined) return sendRefusal(response, closing());
      const { authorize } = this.#options;
      const identity = authorize === undefined ? undefined : await this.#admit(authorize, request, response);
      // Whoever has left meanwhile would seem to stay for ever: a connection is closed only once.
      if (identity === REFUSED || response.destroyed) return;
      if (request.method === "POST") await this.#post(request, response, identity);
      else await this.#sdk.serve(request, response, { body: undefined, identity });
    } catch (thrown) {
      this.#fail(request, response, thrown);
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #hand(request: IncomingMessage, response: ServerResponse, message: AnyHttpMessage): Promise<void> {
    try {
      await this.#sdk.serve(request, response, message);
    } catch (thrown) {
      this.#fail(request, response, thrown);
    }
  }

  #fail(request: IncomingMessage, response: ServerResponse, thrown: unknown): void {
    // A client that has gone needs no answer, and is no fault of ours.
    if (response.destroyed || request.errored !== null) return;
    this.#core.report(thrown);
    if (response.headersSent) response.destroy();
    else sendError(response, 500, { code: -32603, message: "Internal server error" });
  }

  async #close(): Promise<void> {
    await this.#running.idle(DRAIN_MS);
    // What the SDK has in hand is sent within a turn.
    await turn();
    this.#running.stopAll(closing());
    this.#lane.close();
    await this.#sessions.close();
    await this.#sdk.close();
    await this.#core.close();
  }

  async #admit(
    authorize: Authorize,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<Identity | undefined | typeof REFUSED> {
    try {
      return await authorize(request);
    } catch (thrown) {
      sendRefusal(response, thrown);
      if (!isCallError(thrown)) this.#core.report(thrown);
      return REFUSED;
    }
  }

  async #post(request: IncomingMessage, response: ServerResponse, identity: Identity | undefined): Promise<void> {
    const { maxBodyBytes = BODY_BYTES } = this.#options;
    if (!isJsonContentType(request.headers["content-type"])) {
      const message = "Unsupported Media Type: Content-Type must be application/json";
      return sendError(response, 415, { code: -32000, message });
    }
    const text = await readBody(request, maxBodyBytes);
    if (text === TOO_LARGE) {
      const message = `Payload Too Large: the body must not have more than ${maxBodyBytes} bytes`;
      return sendError(response, 413, { code: -32000, message }, { headers: { connection: "close" } });
    }
    let body: unknown;
    try {
      body = JSON.parse(text === NOT_TEXT ? "" : text);
    } catch {
      return sendError(response, 400, { code: -32700, message: "Parse error: the body is not valid JSON" });
    }
    if (isRecord(body) && this.#lane.take(request, response, { body, identity })) return;
    await this.#sdk.serve(request, response, { body, identity });
  }
}

const REFUSED: unique symbol = Symbol("refused");
