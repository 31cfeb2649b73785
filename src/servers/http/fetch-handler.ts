import { orElse } from "../../json/attempt.js";
import { type BodyText, NOT_TEXT, TOO_LARGE } from "../read-body.js";
import { type Exchange, HttpApi } from "./http-api.js";
import type { HttpServerOptions } from "./options.js";
import type { EventSink, Reply, StreamReply } from "./reply.js";

export interface HttpHandler {
  /** Never rejects. */
  fetch(request: Request): Promise<Response>;
  /** Gives running calls a short time to finish. */
  close(): Promise<void>;
}

/** A registry as an HTTP API for runtimes whose servers speak the web's `Request` and `Response`. */
export function httpHandler(options: HttpServerOptions): HttpHandler {
  const api = new HttpApi(options);
  return {
    fetch: async (request) => responseOf(await api.answer(exchangeOf(request)), request),
    close: () => api.close(),
  };
}

function exchangeOf(request: Request): Exchange {
  const { pathname, search, host } = new URL(request.url);
  const headers: Record<string, string> = { host };
  request.headers.forEach((value, name) => {
    headers[name] = value;
  });
  return {
    head: { method: request.method, url: pathname + search, headers },
    readBody: (limit) => readText(request, limit),
    onGone: (listener) => {
      if (request.signal.aborted) listener();
      else request.signal.addEventListener("abort", listener, { once: true });
    },
  };
}

async function readText(request: Request, limit: number): Promise<BodyText> {
  if (request.body === null) return "";
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let text = "";
  let size = 0;
  for await (const chunk of request.body as unknown as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    if (size > limit) return TOO_LARGE;
    const more = orElse(() => decoder.decode(chunk, { stream: true }), undefined);
    if (more === undefined) return NOT_TEXT;
    text += more;
  }
  const last = orElse(() => decoder.decode(), undefined);
  return last === undefined ? NOT_TEXT : text + last;
}

function responseOf(reply: Reply, { method, signal }: Request): Response {
  const { status, headers } = reply;
  if ("start" in reply) return new Response(streamOf(reply, signal), { status, headers });
  const hasBody = method !== "HEAD" && status !== 204;
  return new Response(hasBody ? reply.body : null, { status, headers });
}

/** How much text may wait for a reader. */
const HIGH_WATER = 64 * 1024;

function streamOf({ start }: StreamReply, signal: AbortSignal): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const onDrain: (() => void)[] = [];
  const onClose: (() => void)[] = [];
  let isFull = false;
  let isGone = false;
  const leave = (): void => {
    isGone = true;
    for (const listener of onClose.splice(0)) listener();
  };
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const sink: EventSink = {
          write(text) {
            if (isGone) return false;
            controller.enqueue(encoder.encode(text));
            isFull = (controller.desiredSize ?? 0) <= 0;
            return !isFull;
          },
          end() {
            onClose.length = 0;
            if (!isGone) controller.close();
          },
          onDrain: (listener) => void onDrain.push(listener),
          onClose: (listener) => void onClose.push(listener),
        };
        // A runtime tells that the client has gone by this, or by `cancel`, or by both.
        const abort = (): void => {
          controller.error(signal.reason);
          leave();
        };
        start(sink);
        if (signal.aborted) abort();
        else signal.addEventListener("abort", abort, { once: true });
      },
      pull() {
        if (!isFull) return;
        isFull = false;
        for (const listener of onDrain) listener();
      },
      cancel: leave,
    },
    { highWaterMark: HIGH_WATER, size: (chunk) => chunk?.byteLength ?? 1 },
  );
}
