import { randomUUID } from "node:crypto";
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
import type { RequestId } from "../../mcp/json-rpc.js";
import { ExpirySweep } from "../../protocol/expiry-sweep.js";
import type { ClientCall } from "../client-call.js";
import { cancelled } from "../refusals.js";
import type { HttpReply } from "./http-reply.js";
import type { ToolServer } from "./sdk-server.js";

export interface SessionOptions {
  /** @default 1000 */
  readonly max?: number | undefined;
  /**
   * Milliseconds after which a session that nobody uses ends.
   * @default 10 minutes
   */
  readonly idleMs?: number | undefined;
}

/** A client of the old era, from its greeting on. */
export class Session {
  readonly owner: string | undefined;
  readonly server: ToolServer;
  readonly transport: WebStandardStreamableHTTPServerTransport;
  /** The calls beside the SDK, by their ids. */
  readonly calls: Map<RequestId, { readonly call: ClientCall; readonly reply: HttpReply }> = new Map();
  expiresAt: number = Number.POSITIVE_INFINITY;
  #uses = 0;
  readonly #idleMs: number;

  constructor(owner: string | undefined, server: ToolServer, idleMs: number, onId: (session: Session) => void) {
    this.owner = owner;
    this.server = server;
    this.#idleMs = idleMs;
    this.transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: () => onId(this),
    });
  }

  get id(): string | undefined {
    return this.transport.sessionId;
  }

  get isBusy(): boolean {
    return this.#uses > 0;
  }

  /** While something is under way, a session does not expire. */
  begin(): void {
    this.#uses += 1;
    this.expiresAt = Number.POSITIVE_INFINITY;
  }

  end(): void {
    this.#uses -= 1;
    if (this.#uses === 0) this.expiresAt = Date.now() + this.#idleMs;
  }
}

/** The sessions of a server, bounded in number and in time. */
export class Sessions {
  readonly #max: number;
  readonly #idleMs: number;
  /** The one that was used longest ago first. */
  readonly #byId = new Map<string, Session>();
  /** Those whose client is being greeted. */
  readonly #nameless = new Set<Session>();
  readonly #sweep: ExpirySweep<Session>;

  constructor({ max = 1000, idleMs = 10 * 60_000 }: SessionOptions = {}) {
    this.#max = max;
    this.#idleMs = idleMs;
    const byId = this.#byId;
    const members = {
      get size() {
        return byId.size;
      },
      values: () => [...byId.values()],
    };
    this.#sweep = new ExpirySweep<Session>(members, (session) => void this.remove(session).catch(() => {}));
  }

  /** A session that is known once its client has been greeted; `undefined` where there is no room for another. */
  async open(owner: string | undefined, server: ToolServer): Promise<Session | undefined> {
    if (this.#byId.size + this.#nameless.size >= this.#max && !this.#dropOldest()) return undefined;
    const session = new Session(owner, server, this.#idleMs, (known) => {
      this.#nameless.delete(known);
      if (known.id !== undefined) this.#byId.set(known.id, known);
    });
    this.#nameless.add(session);
    await server.connect(session.transport);
    return session;
  }

  /** The session of this owner; another's is none. */
  find(id: string, owner: string | undefined): Session | undefined {
    const session = this.#byId.get(id);
    return session !== undefined && session.owner === owner ? session : undefined;
  }

  begin(session: Session): void {
    session.begin();
    if (session.id === undefined || !this.#byId.delete(session.id)) return;
    this.#byId.set(session.id, session);
  }

  end(session: Session): void {
    session.end();
    if (Number.isFinite(session.expiresAt)) this.#sweep.watch(session.expiresAt);
  }

  async remove(session: Session): Promise<void> {
    this.#nameless.delete(session);
    if (session.id !== undefined) this.#byId.delete(session.id);
    for (const { call, reply } of [...session.calls.values()]) {
      call.stop(cancelled("its session has ended"));
      reply.drop();
    }
    await session.server.close();
  }

  all(): readonly Session[] {
    return [...this.#byId.values()];
  }

  async close(): Promise<void> {
    this.#sweep.stop();
    await Promise.allSettled([...this.#nameless, ...this.all()].map((session) => this.remove(session)));
  }

  #dropOldest(): boolean {
    for (const session of this.#byId.values()) {
      if (session.isBusy) continue;
      void this.remove(session).catch(() => {});
      return true;
    }
    return false;
  }
}
