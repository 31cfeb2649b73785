import { Agent, type ClientRequest, type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps, Agent as TlsAgent } from "node:https";
import type { CallError } from "../../envelope/call-error.js";
import { errorFromThrown, tooLarge } from "./errors.js";

export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
}

export interface PostHandlers {
  /** Says what is to be done with the body: read to the end, or taken as it comes. */
  readonly onAnswer: (answer: HttpAnswer) => "whole" | "stream";
  readonly onText: (text: string) => void;
  readonly onEnd: (text: string) => void;
  readonly onError: (error: CallError) => void;
}

/** Posts to one address over connections that are kept. Node's `fetch` takes several times as long for the same. */
export class HttpPoster {
  readonly #url: URL;
  readonly #agent: Agent;
  readonly #limit: number;

  constructor(url: URL, limit: number) {
    this.#url = url;
    this.#limit = limit;
    // One that was idle for longer may be gone without a word, or be closed by the server at this moment.
    const options = { keepAlive: true, maxSockets: 256, timeout: 4_000 };
    this.#agent = url.protocol === "https:" ? new TlsAgent(options) : new Agent(options);
  }

  /** Returns what ends the request. */
  post(body: string, headers: Record<string, string>, handlers: PostHandlers): () => void {
    const send = this.#url.protocol === "https:" ? requestHttps : requestHttp;
    const sent: ClientRequest = send(this.#url, {
      method: "POST",
      agent: this.#agent,
      headers: { ...headers, "content-length": Buffer.byteLength(body) },
    });
    let isOver = false;
    const over = (tell: () => void): void => {
      if (isOver) return;
      isOver = true;
      tell();
    };
    sent.on("error", (error) => over(() => handlers.onError(errorFromThrown(error))));
    sent.on("response", (response) => this.#read(response, handlers, over));
    sent.end(body);
    return () => {
      isOver = true;
      sent.destroy();
    };
  }

  close(): void {
    this.#agent.destroy();
  }

  #read(response: IncomingMessage, handlers: PostHandlers, over: (tell: () => void) => void): void {
    const { onText, onEnd, onError } = handlers;
    const isStream = handlers.onAnswer({ status: response.statusCode ?? 0, headers: response.headers }) === "stream";
    let parts = "";
    let length = 0;
    response.setEncoding("utf8");
    response.on("data", (text: string) => {
      length += text.length;
      if (isStream) onText(text);
      else if (length <= this.#limit) parts += text;
      else {
        over(() => onError(tooLarge(length, this.#limit)));
        response.destroy();
      }
    });
    response.on("end", () => over(() => onEnd(parts)));
    response.on("error", (error) => over(() => onError(errorFromThrown(error))));
    response.on("close", () => over(() => onError(errorFromThrown(new Error("the answer was cut")))));
  }
}
