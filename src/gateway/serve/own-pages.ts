import type { IncomingMessage, ServerResponse } from "node:http";
import { CallError, callErrorFrom } from "../../envelope/call-error.js";
import { compact } from "../../json/value.js";
import { ABOUT_PLICO } from "../../mcp/about-plico.js";
import { PLAIN } from "../../servers/http/negotiate.js";
import { refusalReply } from "../../servers/http/operation-requests.js";
import * as refusals from "../../servers/http/refusals.js";
import type { HttpGuard } from "../../servers/http-guard.js";
import type { GatewayHealth } from "../gateway.js";
import type { BearerRequest } from "./bearer-tokens.js";

export interface OwnPagesOptions {
  readonly guard: HttpGuard;
  readonly health: () => GatewayHealth;
  /** Throws where a request comes from nobody who may know more than whether all is well. */
  readonly authorize: ((request: BearerRequest) => unknown) | undefined;
  /** Where the rest is. */
  readonly places: Readonly<Record<string, string | undefined>>;
}

/** What a gateway says of itself as a whole. */
export class OwnPages {
  readonly #options: OwnPagesOptions;

  constructor(options: OwnPagesOptions) {
    this.#options = options;
  }

  has(path: string): boolean {
    return path === "/" || path === "/healthz" || path === "/readyz";
  }

  answer(request: IncomingMessage, response: ServerResponse, path: string): void {
    try {
      const problem = this.#options.guard.problemOf(request.headers);
      if (problem !== undefined) throw refusals.badHost(problem);
      if (!this.has(path)) throw notHere(path);
      if (request.method !== "GET" && request.method !== "HEAD")
        throw refusals.noSuchMethod(request.method ?? "", path, ["GET"]);
      const { status, page } = this.#pageOf(path, request);
      send(response, status, JSON_TYPE, `${JSON.stringify(page, null, 2)}\n`);
    } catch (thrown) {
      const { status, headers, body } = refusalReply(callErrorFrom(thrown), PLAIN);
      send(response, status, headers, body);
    }
  }

  #pageOf(path: string, request: BearerRequest): { readonly status: number; readonly page: object } {
    if (path === "/") return { status: 200, page: { ...ABOUT_PLICO, ...compact(this.#options.places) } };
    const health = this.#options.health();
    const status = path === "/readyz" && health.status === "starting" ? 503 : 200;
    return { status, page: this.#knows(request) ? health : { status: health.status } };
  }

  #knows(request: BearerRequest): boolean {
    try {
      this.#options.authorize?.(request);
      return true;
    } catch {
      return false;
    }
  }
}

/** The answer may be another in a moment. */
const JSON_TYPE = { "content-type": "application/json", "cache-control": "no-store" };

function notHere(path: string): CallError {
  return new CallError({ category: "not_found", message: `There is nothing at ${path}. See / for what there is.` });
}

function send(response: ServerResponse, status: number, headers: object, body: string): void {
  if (response.headersSent || response.destroyed) return;
  // To HEAD, Node sends no body.
  response.writeHead(status, { ...headers, "content-length": Buffer.byteLength(body) }).end(body);
}
