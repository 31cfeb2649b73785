import type { IncomingMessage, ServerResponse } from "node:http";
import { orElse } from "../../json/attempt.js";
import { type Demand, type Demands, TEXT } from "../../json/demands.js";
import { checkReach, type ListenOptions, listen } from "../listen.js";
import { httpListener } from "./node-listener.js";
import { createNodeServer, type NodeServerOptions } from "./node-server.js";
import { checkOptions, DEMANDS, type HttpServerOptions } from "./options.js";

export interface ServeHttpOptions extends HttpServerOptions, ListenOptions, NodeServerOptions {}

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

/** Serves a registry over HTTP with Node's own server. */
export async function serveHttp(options: ServeHttpOptions): Promise<HttpServer> {
  checkOptions(options, SERVE_DEMANDS);
  checkReach(options);
  const { port, host, maxHeaderBytes, requestTimeout, ...served } = options;
  const listener = httpListener(served);
  const handle = (request: IncomingMessage, response: ServerResponse): void => listener.handle(request, response);
  const server = await createNodeServer(handle, { maxHeaderBytes, requestTimeout });
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
