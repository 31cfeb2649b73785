import type { IncomingMessage, ServerResponse } from "node:http";
import { callErrorFrom } from "../../envelope/call-error.js";
import { NOT_TEXT, readBody, TOO_LARGE, takeBody } from "../read-body.js";
import { closing } from "../refusals.js";
import { type Exchange, HttpApi } from "./http-api.js";
import { PLAIN, wantedBy } from "./negotiate.js";
import { printReply, refusalReply } from "./operation-requests.js";
import type { HttpServerOptions } from "./options.js";
import { parseBody } from "./parse-body.js";
import { quickSuccess, standard } from "./printing.js";
import * as refusals from "./refusals.js";
import type { EventSink, Reply, ReplyHeaders } from "./reply.js";
import type { ServedOperation } from "./served-operations.js";

export interface HttpListener {
  /** Answers one request of `node:http`. */
  handle(request: IncomingMessage, response: ServerResponse): void;
  /** Gives running calls a short time to finish. */
  close(): Promise<void>;
}

/** A registry as an HTTP API, to be put into a server of `node:http`. */
export function httpListener(options: HttpServerOptions): HttpListener {
  const listener = new Listener(new HttpApi(options));
  return { handle: (request, response) => listener.handle(request, response), close: () => listener.close() };
}

class Listener {
  readonly #api: HttpApi;

  constructor(api: HttpApi) {
    this.#api = api;
  }

  handle(request: IncomingMessage, response: ServerResponse): void {
    const { method, url = "/", headers } = request;
    const operation = method === "POST" ? this.#api.plainCall(url, headers) : undefined;
    if (operation === undefined) void this.#answer(request, response);
    else this.#call(operation, request, response);
  }

  close(): Promise<void> {
    return this.#api.close();
  }

  /** Nothing is made on this way that most calls do not need. */
  #call(operation: ServedOperation, request: IncomingMessage, response: ServerResponse): void {
    const { calls, maxBodyBytes } = this.#api;
    const wanted = wantedBy(request.headers.accept) ?? PLAIN;
    takeBody(request, maxBodyBytes, (text) => {
      try {
        if (text === TOO_LARGE) throw refusals.bodyTooLarge(maxBodyBytes);
        if (text === NOT_TEXT) throw refusals.noText();
        if (this.#api.isClosing) throw closing();
        const call = calls.run(operation.id, text === "" ? undefined : parseBody(text), (outcome) => {
          const quick = outcome.ok && wanted.format === standard ? quickSuccess(outcome) : undefined;
          if (quick === undefined) send(response, printReply(outcome, { ...PLAIN_REQUEST, operation, wanted }));
          else sendQuick(response, quick);
        });
        response.on("close", () => calls.leave(call));
      } catch (thrown) {
        send(response, refusalReply(callErrorFrom(thrown), wanted));
      }
    });
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "GET", url = "/", headers } = request;
    const exchange: Exchange = {
      head: { method, url, headers },
      readBody: (limit) => readBody(request, limit),
      onGone: (listener) => whenClosed(response, listener),
    };
    send(response, await this.#api.answer(exchange));
  }
}

const PLAIN_REQUEST = { trace: undefined, url: undefined };

function send(response: ServerResponse, reply: Reply): void {
  if ("body" in reply) sendText(response, reply.status, reply.headers, reply.body);
  else if (!response.headersSent && !response.destroyed) {
    response.writeHead(reply.status, reply.headers).flushHeaders();
    reply.start(sinkOf(response));
  }
}

/** In one write: a text goes out together with the head. */
function sendText(response: ServerResponse, status: number, headers: ReplyHeaders, body: string): void {
  if (response.headersSent || response.destroyed) return;
  if (status === 204) response.writeHead(status, headers).end();
  else response.writeHead(status, { ...headers, "content-length": Buffer.byteLength(body) }).end(body);
}

/** A literal of headers costs less than a copy of some. */
function sendQuick(response: ServerResponse, body: string): void {
  if (response.destroyed) return;
  response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(body) });
  response.end(body);
}

function sinkOf(response: ServerResponse): EventSink {
  let isEnded = false;
  return {
    write: (text) => response.write(text),
    end: () => {
      isEnded = true;
      response.end();
    },
    onDrain: (listener) => void response.on("drain", listener),
    onClose: (listener) =>
      whenClosed(response, () => {
        if (!isEnded) listener();
      }),
  };
}

/** A connection is closed only once, which may have been before anybody listened. */
function whenClosed(response: ServerResponse, listener: () => void): void {
  if (response.destroyed) listener();
  else response.once("close", listener);
}
