import type { Warning } from "../../../envelope/warning.js";
import { orElse } from "../../../json/attempt.js";
import type { OperationSpec } from "../../../registry/operation.js";
import { NEWS } from "../addresses.js";
import { isNoResponders } from "../bus/no-responders.js";
import { hear } from "../hear.js";
import type { NatsClient, NatsMessage, NatsSubscription } from "../nats-client.js";
import { type Sighting, sightingFrom } from "../sighting.js";
import { CatalogReader } from "./catalog-reader.js";
import { Fleet, type NatsWorkerInfo } from "./fleet.js";
import { Look } from "./look.js";

export interface DiscoveryOptions {
  readonly connection: NatsClient;
  readonly prefix: string;
  /** The subject below which answers to pings come, which nobody else uses. */
  readonly inbox: string;
  readonly discoverMs: number;
  readonly refreshMs: number;
  readonly isConnected: () => boolean;
  /** Asks one worker what it offers. */
  readonly fetchCatalog: (worker: string) => Promise<unknown>;
  /** Told of the operations that went with their last worker. */
  readonly onDeparted: (specs: readonly OperationSpec[]) => void;
  /** Called when what is offered may be another. */
  readonly onChange: () => void;
  readonly onError: (thrown: unknown) => void;
}

/** Knows who is there: it asks now and then, by NATS's service protocol, and hears the news. */
export class Discovery {
  readonly fleet: Fleet = new Fleet();
  readonly #options: DiscoveryOptions;
  readonly #reader: CatalogReader;
  readonly #subscriptions: NatsSubscription[] = [];
  #last: Promise<void> = Promise.resolve();
  #waiting: Promise<void> | undefined;
  #look: Look | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #dueAt = Number.POSITIVE_INFINITY;
  #lookedAt = 0;
  /** A look is due because of trouble: more of it changes nothing. */
  #isTroubled = false;
  #isClosed = false;

  constructor(options: DiscoveryOptions) {
    this.#options = options;
    this.#reader = new CatalogReader(this.fleet, options.fetchCatalog, options.onChange);
  }

  /** What could not be learnt. */
  get warnings(): readonly Warning[] {
    return this.#reader.warnings;
  }

  open(): void {
    const { connection, prefix, inbox, onError } = this.#options;
    this.#subscriptions.push(
      hear(connection, `${inbox}.>`, (message) => this.#onAnswer(message), { onError }),
      hear(connection, `${prefix}.${NEWS}`, (message) => this.#onNews(message), { onError }),
    );
  }

  /** Looks who is there, once what was begun before has ended. Many who ask at once share one look. */
  refresh(): Promise<void> {
    if (this.#waiting !== undefined) return this.#waiting;
    const next = this.#last.then(() => {
      this.#waiting = undefined;
      return this.#run();
    });
    this.#waiting = next;
    // One that fails is no reason never to look again.
    this.#last = next.catch(() => {});
    return next;
  }

  /**
   * A look in about so many milliseconds, unless one is due before. Callers with the same reason do not look together; and
   * the more workers will answer, the longer it waits: news comes without it.
   */
  soon(ms: number): void {
    const wait = Math.max(ms, Math.min(this.fleet.size * MS_A_WORKER, this.#options.refreshMs));
    const dueAt = Date.now() + wait * (0.75 + Math.random() / 2);
    if (this.#isClosed || dueAt >= this.#dueAt) return;
    clearTimeout(this.#timer);
    this.#dueAt = dueAt;
    this.#timer = setTimeout(() => {
      this.#dueAt = Number.POSITIVE_INFINITY;
      this.refresh().catch(this.#options.onError);
    }, dueAt - Date.now()).unref();
  }

  /** Who finds nobody looks around; trouble that lasts is no reason to do so all the time. */
  soonAfterTrouble(): void {
    if (this.#isTroubled) return;
    this.#isTroubled = true;
    this.soon(Math.max(TROUBLE_MS, this.#lookedAt + REST_MS - Date.now()));
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#reader.stop();
    this.#look?.end();
    for (const subscription of this.#subscriptions.splice(0)) orElse(() => subscription.unsubscribe(), undefined);
  }

  async #run(): Promise<void> {
    const { refreshMs, isConnected } = this.#options;
    this.#isTroubled = false;
    if (!this.#isClosed && isConnected()) {
      await this.#lookAround();
      this.#lookedAt = Date.now();
      await this.#reader.read();
      // Of what was not seen because the connection was lost, nothing is known.
      if (isConnected()) this.#options.onDeparted(this.fleet.prune());
      if (!this.#isClosed) this.#options.onChange();
    }
    this.soon(this.fleet.size === 0 ? Math.min(refreshMs, LONELY_MS) : refreshMs);
  }

  async #lookAround(): Promise<void> {
    const { inbox, discoverMs, isConnected } = this.#options;
    const known = this.fleet.workers;
    const everybody = new Look(idsOf(known), discoverMs);
    const { heard, gone } = await this.#ask([["$SRV.PING", `${inbox}.${ALL}`]], everybody);
    if (!isConnected()) return;
    const silent = known.filter(({ id }) => !heard.has(id));
    const offered = new Set(this.fleet.workers.filter(({ id }) => heard.has(id)).map(({ digest }) => digest));
    // One that others stand in for is not missed, whatever became of it.
    const missed = silent.filter(({ digest }) => !gone.has(ALL) && !offered.has(digest));
    for (const worker of silent) if (!missed.includes(worker)) this.fleet.remove(worker.id);
    if (missed.length > 0) await this.#probe(missed.slice(0, MOST_PROBED));
  }

  /** A worker may be too busy to answer: only the server knows that one is gone. */
  async #probe(workers: readonly NatsWorkerInfo[]): Promise<void> {
    const { inbox, discoverMs } = this.#options;
    const pings = workers.map(({ id, service }) => [`$SRV.PING.${service}.${id}`, `${inbox}.${ONE}.${id}`] as const);
    const { gone } = await this.#ask(pings, new Look(idsOf(workers), discoverMs, 0));
    for (const id of gone) this.fleet.remove(id);
  }

  async #ask(pings: readonly (readonly [subject: string, reply: string])[], look: Look): Promise<Look> {
    this.#look = look;
    for (const [subject, reply] of pings)
      orElse(() => this.#options.connection.publish(subject, "", { reply }), undefined);
    await look.ended;
    this.#look = undefined;
    return look;
  }

  #onAnswer(message: NatsMessage): void {
    if (isNoResponders(message)) {
      this.#onNobody(message.subject.slice(this.#options.inbox.length + 1));
      return;
    }
    const sighting = sightingFrom(message.string(), this.#options.prefix);
    if (sighting !== undefined) this.#see(sighting);
    this.#look?.hear(sighting?.id);
  }

  /** The server says that nobody hears a ping: that to all, or that to one. */
  #onNobody(whom: string): void {
    if (whom !== ALL) this.#look?.miss(whom.slice(ONE.length + 1));
    else {
      this.#look?.gone.add(ALL);
      this.#look?.end();
    }
  }

  #onNews(message: NatsMessage): void {
    const sighting = sightingFrom(message.string(), this.#options.prefix);
    if (sighting?.isLeaving === false) this.#see(sighting);
    // One that goes may be about to come back.
    else if (sighting !== undefined && this.fleet.remove(sighting.id)) this.soon(GRACE_MS);
  }

  #see(sighting: Sighting): void {
    if (!this.fleet.see(sighting)) return;
    this.#reader.soon();
    this.soon(CHANGED_MS);
  }
}

function idsOf(workers: readonly NatsWorkerInfo[]): readonly string[] {
  return workers.map(({ id }) => id);
}

const ALL = "all";
const ONE = "one";
const MOST_PROBED = 100;
/** How often one looks around who sees nobody, in milliseconds. */
const LONELY_MS = 5_000;
const TROUBLE_MS = 500;
const REST_MS = 5_000;
/** 10,000 callers that look at 1,000 workers get ten million answers: this spreads them over a minute. */
const MS_A_WORKER = 50;
const GRACE_MS = 2_000;
const CHANGED_MS = 500;
