import type { RequestListener, Server, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { PLAIN } from "./negotiate.js";
import { refusalReply } from "./operation-requests.js";
import { brokenRequest } from "./refusals.js";

export interface NodeServerOptions {
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

/** Longer than clients keep a connection in their pool, so that they close it and not we, in the middle of a request. */
const KEEP_ALIVE_MS = 65_000;
const HEADER_BYTES = 16 * 1024;
const REQUEST_MS = 30_000;
/** How often Node looks for requests that have not come in time. */
const LOOK_MS = 2_000;

/** A server of `node:http` that slow, endless and broken requests do not wear out. */
export async function createNodeServer(
  handle: RequestListener,
  { maxHeaderBytes = HEADER_BYTES, requestTimeout = REQUEST_MS }: NodeServerOptions = {},
): Promise<Server> {
  // Not at the top: the rest of what serves over HTTP runs where there is no Node.
  const { createServer } = await import("node:http");
  const limits = { maxHeaderSize: maxHeaderBytes, requestTimeout, headersTimeout: requestTimeout };
  const server = createServer(
    { ...limits, keepAliveTimeout: KEEP_ALIVE_MS, connectionsCheckingInterval: Math.min(LOOK_MS, requestTimeout) },
    handle,
  );
  server.on("clientError", (error: Error & { code?: string }, socket) => refuseSocket(error.code, socket));
  return server;
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
