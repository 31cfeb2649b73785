import type { IncomingMessage, ServerResponse } from "node:http";
import {
  classifyInboundRequest,
  createMcpHandler,
  type LegacyHttpHandler,
  legacyStatelessFallback,
  type McpHttpHandler,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { isRecord } from "../../json/value.js";
import type { Era } from "../../mcp/keys.js";
import type { Identity } from "../../registry/access.js";
import { sendError, sendWebResponse, webRequest } from "./http-messages.js";
import type { HttpShared } from "./http-shared.js";
import { ToolServer } from "./sdk-server.js";
import type { Session } from "./sessions.js";

export interface AnyHttpMessage {
  readonly body: unknown;
  readonly identity: Identity | undefined;
}

/** All that is left to the SDK: the era is decided by the request, as the SDK does it. */
export class HttpSdk {
  readonly #shared: HttpShared;
  readonly #identities = new WeakMap<Request, Identity>();
  readonly #modern: McpHttpHandler;
  readonly #stateless: LegacyHttpHandler;

  constructor(shared: HttpShared) {
    this.#shared = shared;
    const report = (error: Error): void => shared.core.report(error);
    const make = ({ era, requestInfo }: { era: Era; requestInfo?: Request }): ToolServer =>
      this.#makeServer(era, requestInfo && this.#identities.get(requestInfo));
    this.#modern = createMcpHandler(make, { legacy: "reject", onerror: report });
    this.#stateless = legacyStatelessFallback(make, report);
  }

  async serve(request: IncomingMessage, response: ServerResponse, message: AnyHttpMessage): Promise<void> {
    const { body, identity } = message;
    const controller = new AbortController();
    response.once("close", () => controller.abort());
    const web = webRequest(request, controller.signal);
    if (identity !== undefined) this.#identities.set(web, identity);
    if (eraOf(request, body) === "legacy") return this.#serveLegacy(request, response, web, message);
    await sendWebResponse(response, await this.#modern.fetch(web, { parsedBody: body }));
  }

  /** Tells every client that listens that there are other tools. */
  tellChange(): void {
    this.#modern.notify.toolsChanged();
    for (const { server } of this.#shared.sessions.all())
      if (server.isGreeted) server.sendToolListChanged().catch((error) => this.#shared.core.report(error));
  }

  close(): Promise<void> {
    return this.#modern.close();
  }

  async #serveLegacy(
    request: IncomingMessage,
    response: ServerResponse,
    web: Request,
    { body, identity }: AnyHttpMessage,
  ): Promise<void> {
    const { sessions } = this.#shared;
    const id = request.headers["mcp-session-id"];
    if (id !== undefined) {
      const session = typeof id === "string" ? sessions.find(id, identity?.id) : undefined;
      if (session !== undefined) return this.#serveSession(session, response, web, body);
      return sendError(response, 404, { code: -32001, message: "Session not found" });
    }
    if (request.method !== "POST") {
      const error = { code: -32000, message: "Method not allowed without a session." };
      return sendError(response, 405, error, { headers: { allow: "POST" } });
    }
    if (!isRecord(body) || body["method"] !== "initialize")
      return sendWebResponse(response, await this.#stateless(web, { parsedBody: body }));
    const session = await sessions.open(identity?.id, this.#makeServer("legacy", identity));
    if (session !== undefined) return this.#serveSession(session, response, web, body);
    const error = { code: -31503, message: "There are too many sessions. Try again later." };
    sendError(response, 503, error, { headers: { "retry-after": "10" } });
  }

  async #serveSession(session: Session, response: ServerResponse, web: Request, body: unknown): Promise<void> {
    const { sessions } = this.#shared;
    sessions.begin(session);
    response.once("close", () => sessions.end(session));
    try {
      const answer = await session.transport.handleRequest(web, { parsedBody: body });
      if (web.method === "DELETE" && answer.ok) await sessions.remove(session);
      await sendWebResponse(response, answer);
    } finally {
      // It was no greeting at all.
      if (session.id === undefined) await sessions.remove(session);
    }
  }

  #makeServer(era: Era, identity: Identity | undefined): ToolServer {
    const { core, running } = this.#shared;
    return new ToolServer({
      core,
      running,
      about: { era, ...(identity !== undefined && { identity }) },
      identityOf: (context) => this.#identityOf(context),
    });
  }

  #identityOf({ http }: ServerContext): Identity | undefined {
    return http?.req && this.#identities.get(http.req);
  }
}

function eraOf(request: IncomingMessage, body: unknown): Era {
  const { "mcp-protocol-version": version, "mcp-method": method, "mcp-name": name } = request.headers;
  const outcome = classifyInboundRequest({
    httpMethod: request.method ?? "GET",
    ...(typeof version === "string" && { protocolVersionHeader: version }),
    ...(typeof method === "string" && { mcpMethodHeader: method }),
    ...(typeof name === "string" && { mcpNameHeader: name }),
    ...(body !== undefined && { body }),
  });
  return outcome.kind === "legacy" ? "legacy" : "modern";
}
