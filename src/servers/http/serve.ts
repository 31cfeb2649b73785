import type { ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { orElse } from "../../json/attempt.js";
import { type Demand, type Demands, TEXT } from "../../json/demands.js";
import { checkReach, type ListenOptions, listen } from "../listen.js";
import { PLAIN } from "./negotiate.js";
import { httpListener } from "./node-listener.js";
import { refusalReply } from "./operation-requests.js";
import { checkOptions, DEMANDS, type HttpServerOptions } from "./options.js";
import { brokenRequest } from "./refusals.js";

export interface ServeHttpOptions extends HttpServerOptions, ListenOptions {
  /**
   * Bytes that the head of a request may have.
   * @default 16 KiB
   */
  readonly maxHeaderBytes?: number | undefined;
  /**
   * Milliseconds within which a request must have come.
   * @default 30_000
   */
  readonly requestTimeout?: number | undefined;
}

export interface HttpServer {
  /** Where it is served, with the `basePath`. */
  readonly url: string;
  /** Gives running calls a short time to finish, then closes every connection. */
  close(): Promise<void>;
}

function wholeNumber(from: number, to: number): Demand {
  return {
    what: `a whole number from ${from} to ${to}`,
    isMet: (value) => Number.isInteger(value) && Number(value) >= from && Number(value) <= to,
  };
}

/** Node counts with 31 bits. */
const MOST = 2 ** 31 - 1;
const SERVE_DEMANDS: Demands = {
  ...DEMANDS,
  port: wholeNumber(0, 65_535),
  host: TEXT,
  maxHeaderBytes: wholeNumber(1, MOST),
  requestTimeout: wholeNumber(1, MOST),
};

/** Longer than clients keep a connection in their pool, so that they close it and not we, in the middle of a request. */
const KEEP_ALIVE_MS = 65_000;
const HEADER_BYTES = 16 * 1024;
const REQUEST_MS = 30_000;
/** How often Node looks for requests that have not come in time. */
const LOOK_MS = 2_000;

/** Serves a registry over HTTP with Node's own server. */
export async function serveHttp(options: ServeHttpOptions): Promise<HttpServer> {
  checkOptions(options, SERVE_DEMANDS);
  checkReach(options);
  const { port, host, maxHeaderBytes = HEADER_BYTES, requestTimeout = REQUEST_MS, ...served } = options;
  // Not at the top: the rest of this module runs where there is no Node.
  const { createServer } = await import("node:http");
  const listener = httpListener(served);
  const limits = { maxHeaderSize: maxHeaderBytes, requestTimeout, headersTimeout: requestTimeout };
  const server = createServer(
    { ...limits, keepAliveTimeout: KEEP_ALIVE_MS, connectionsCheckingInterval: Math.min(LOOK_MS, requestTimeout) },
    (request, response) => listener.handle(request, response),
  );
  server.on("clientError", (error: Error & { code?: string }, socket) => refuseSocket(error.code, socket));
  try {
    const listening = await listen(server, { port, host });
    server.on("error", (error) => orElse(() => served.onError?.(error), undefined));
    const url = listening.origin + (options.basePath ?? "");
    return { url, close: () => listening.close(() => listener.close()) };
  } catch (thrown) {
    await listener.close();
    throw thrown;
  }
}

const TOO_SLOW = "ERR_HTTP_REQUEST_TIMEOUT";
const STATUS_OF_FAULT: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: "431 Request Header Fields Too Large",
  [TOO_SLOW]: "408 Request Timeout",
};

/** For so long a client may go on sending what is not read, so that it does not miss the answer. */
const LINGER_MS = 1_000;
const REFUSED = new WeakSet<Duplex>();

/** What is no request of HTTP is answered all the same, in the words of all other answers. */
function refuseSocket(code: string | undefined, socket: Duplex): void {
  if (REFUSED.has(socket)) return;
  if (code === "ECONNRESET" || !socket.writable || isAnswering(socket)) return void socket.destroy();
  REFUSED.add(socket);
  const status = STATUS_OF_FAULT[code ?? ""] ?? "400 Bad Request";
  const { body } = refusalReply(brokenRequest(status), PLAIN);
  const head = ["content-type: application/json", `content-length: ${body.length}`, "connection: close"];
  const answer = `HTTP/1.1 ${status}\r\n${head.join("\r\n")}\r\n\r\n${body}`;
  // The rest of a request that was too slow must not be taken for one that is whole after all.
  if (code === TOO_SLOW) return void socket.end(answer, () => socket.destroy());
  socket.end(answer);
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

/** Whether the answer to an earlier request is due, or has begun: it would be spoilt. */
function isAnswering(socket: Duplex & { readonly _httpMessage?: ServerResponse | null }): boolean {
  const { _httpMessage: answer } = socket;
  return answer !== undefined && answer !== null && (answer.headersSent || answer.req.complete);
}
