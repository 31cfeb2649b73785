import { setTimeout as delay } from "node:timers/promises";
import { CallError, type CallErrorData, callErrorData, isCallError } from "../../envelope/call-error.js";
import type { Era } from "../../mcp/keys.js";
import type { SourceStatus } from "../../registry/source.js";
import { Backoff } from "./backoff.js";
import { openChild } from "./child-connection.js";
import type { Connection } from "./connection.js";
import { closed, errorFromThrown, neverRan } from "./errors.js";
import type { McpHealth } from "./health.js";
import { openHttp } from "./http-connection.js";
import type { Settings } from "./options.js";
import { unlessAborted } from "./unless-aborted.js";

export interface LinkHooks {
  readonly onToolsChanged: () => void;
  /** Another server answers now than the one before. */
  readonly onReconnected: () => void;
  /** It is up, or down, and was not before. */
  readonly onHealth: () => void;
}

/** A call waits this long for a server that is to be started again later; one that takes longer is told at once. */
const PATIENCE = 2_000;

/** The connection to a server, which is made anew for the next call when it was lost. */
export class Link {
  readonly #settings: Settings;
  readonly #hooks: LinkHooks;
  readonly #backoff = new Backoff();
  #opening: Promise<Connection> | undefined;
  #current: Connection | undefined;
  #era: Era | undefined;
  #connects = 0;
  #error: CallErrorData | undefined;
  #isFailing = false;
  readonly #closing = new AbortController();
  /** Connections that were lost, until they are ended. */
  readonly #retiring = new Set<Connection>();

  constructor(settings: Settings, hooks: LinkHooks) {
    this.#settings = settings;
    this.#hooks = hooks;
  }

  /** The connection that is there, or a new one. */
  connection(signal?: AbortSignal): Connection | Promise<Connection> {
    if (this.#current !== undefined) return this.#current;
    if (this.#closing.signal.aborted) return Promise.reject(closed(this.#settings.name));
    if (signal?.aborted === true) return Promise.reject(signal.reason);
    this.#opening ??= this.#open().finally(() => {
      this.#opening = undefined;
      this.#hooks.onHealth();
    });
    return signal === undefined ? this.#opening : unlessAborted(this.#opening, signal);
  }

  get isUp(): boolean {
    return this.#current !== undefined;
  }

  /** Uses the connection; where the server has surely not begun the work, once more on a new one. */
  async use<T>(work: (connection: Connection) => Promise<T>, context?: { readonly signal: AbortSignal }): Promise<T> {
    try {
      const result = await work(this.#current ?? (await this.connection(context?.signal)));
      this.#recovered();
      return result;
    } catch (thrown) {
      if (!isCallError(thrown)) throw thrown;
      if (thrown.category === "unavailable") this.#noteFailure(thrown);
      if (!neverRan.has(thrown)) throw thrown;
      return work(await this.connection(context?.signal));
    }
  }

  health(): Omit<McpHealth, "tools" | "warnings"> {
    const current = this.#current;
    return {
      status: this.#status(),
      ...(this.#error !== undefined && { error: this.#error }),
      ...(current !== undefined && { era: current.era, protocolVersion: current.protocolVersion }),
      ...(current?.server !== undefined && { server: current.server }),
      restarts: Math.max(0, this.#connects - 1),
    };
  }

  async close(): Promise<void> {
    this.#closing.abort();
    const opened = this.#current ?? (await this.#opening?.catch(() => undefined));
    this.#current = undefined;
    await Promise.all([opened, ...this.#retiring].map((connection) => connection?.close()));
  }

  #status(): SourceStatus {
    if (this.#closing.signal.aborted) return "closed";
    if (this.#current !== undefined) return this.#isFailing ? "down" : "ready";
    return this.#opening === undefined ? "down" : "connecting";
  }

  async #open(): Promise<Connection> {
    const { signal } = this.#closing;
    try {
      await this.#waitForTurn();
    } catch (thrown) {
      throw signal.aborted ? closed(this.#settings.name) : thrown;
    }
    try {
      const connection = await this.#connect();
      this.#adopt(connection);
      return connection;
    } catch (thrown) {
      // What comes back may be another server than before.
      this.#era = undefined;
      this.#failed(errorFromThrown(thrown));
      throw signal.aborted ? closed(this.#settings.name) : thrown;
    }
  }

  #connect(): Promise<Connection> {
    const hooks = { onToolsChanged: this.#hooks.onToolsChanged, signal: this.#closing.signal };
    return this.#settings.url === undefined
      ? openChild(this.#settings, hooks, this.#era)
      : openHttp(this.#settings, hooks);
  }

  #adopt(connection: Connection): void {
    this.#current = connection;
    this.#era = connection.era;
    this.#connects += 1;
    this.#backoff.started();
    this.#error = undefined;
    this.#isFailing = false;
    void connection.lost.then((error) => {
      if (this.#current !== connection) return;
      this.#current = undefined;
      this.#failed(error);
      this.#hooks.onHealth();
      this.#retiring.add(connection);
      void connection.retire().finally(() => this.#retiring.delete(connection));
    });
    if (this.#connects > 1) this.#hooks.onReconnected();
  }

  #recovered(): void {
    if (!this.#isFailing) return;
    this.#isFailing = false;
    this.#hooks.onHealth();
  }

  /** A server over HTTP that cannot be reached is down until a call succeeds. */
  #noteFailure(error: CallError): void {
    if (this.#current === undefined) return;
    this.#error = callErrorData(error);
    if (this.#isFailing) return;
    this.#isFailing = true;
    this.#hooks.onHealth();
  }

  #failed(error: CallError): void {
    this.#error = callErrorData(error);
    this.#backoff.failed();
  }

  async #waitForTurn(): Promise<void> {
    const wait = this.#backoff.wait();
    if (wait > PATIENCE) {
      throw new CallError({
        category: "unavailable",
        message: `The source ${this.#settings.name} has failed ${this.#backoff.failures} times and is started again later. ${this.#error?.message ?? ""}`,
        retryAfterMs: wait,
      });
    }
    if (wait > 0) await delay(wait, undefined, { signal: this.#closing.signal });
  }
}
