import { CallError } from "../../../envelope/call-error.js";
import { orElse } from "../../../json/attempt.js";
import { told } from "../../../json/told.js";
import { buildCallHandler, type CallHandler, type CloseOptions } from "../../../protocol/call-handler.js";
import type { EventCounts } from "../../../protocol/event-counts.js";
import { isServedRegistry, type ServedRegistry } from "../../../registry/served-registry.js";
import { catalogAddress, controlAddress, EVERY_WORKER, NEWS } from "../addresses.js";
import { natsBus } from "../bus/nats-bus.js";
import type { NatsBus, NatsBusCounts } from "../bus/nats-bus-options.js";
import { CATALOG_OPERATION } from "../catalog.js";
import type { DurableCounts } from "../durable/durable.js";
import { flushed } from "../flushed.js";
import { type News, serviceMetadata } from "../sighting.js";
import type { OperationStats } from "./endpoint-stats.js";
import { Listening } from "./listening.js";
import { NOTHING, type Offer, offerOf } from "./offer.js";
import {
  answerServiceRequests,
  pingText,
  type Service,
  type ServiceAbout,
  type ServiceEndpoint,
} from "./service-protocol.js";
import { WorkerExecutor } from "./worker-executor.js";
import { type NatsWorkerOptions, type WorkerSettings, workerSettings } from "./worker-options.js";

/** A process that answers the calls of others. */
export interface NatsWorker {
  readonly id: string;
  /** The ids of those that are offered now. */
  operations(): readonly string[];
  getRunningCount(): number;
  /** By the id of the operation. */
  stats(): Readonly<Record<string, OperationStats>>;
  /** What was ignored, by reason. */
  readonly counts: NatsWorkerCounts;
  /**
   * Drains: nothing new is taken, what runs ends and is answered. With `timeoutMs`, what still runs after that time is
   * aborted, and its callers are told `UNAVAILABLE`. The connection stays open.
   */
  close(options?: CloseOptions): Promise<void>;
}

export interface NatsWorkerCounts {
  readonly calls: EventCounts;
  readonly bus: NatsBusCounts;
  /** Where there are durable operations. */
  readonly durable?: DurableCounts;
}

/**
 * Offers the operations of a registry to callers on NATS, and follows its changes. Resolves when callers can find them;
 * rejects with a `CallError` where an option is wrong, or a durable operation finds no JetStream.
 */
export async function serveOnNats(registry: ServedRegistry, options: NatsWorkerOptions): Promise<NatsWorker> {
  const settings = workerSettings(options);
  if (!isServedRegistry(registry))
    throw new CallError({ category: "validation", message: `A registry is wanted to serve, not ${told(registry)}.` });
  const worker = new Worker(registry, settings);
  try {
    await worker.open();
  } catch (thrown) {
    await worker.close({ timeoutMs: 0 });
    throw thrown;
  }
  return worker;
}

class Worker implements NatsWorker, Service {
  readonly id: string;
  readonly started: Date = new Date();
  readonly #registry: ServedRegistry;
  readonly #settings: WorkerSettings;
  readonly #bus: NatsBus;
  readonly #handler: CallHandler;
  /** What a worker offers is no call: it is told however busy the worker is. */
  readonly #catalogHandler: CallHandler;
  readonly #listening: Listening;
  readonly #ends: (() => void)[] = [];
  #offer: Offer = NOTHING;
  #isStale = false;
  #newsTimer: ReturnType<typeof setTimeout> | undefined;
  #closing: Promise<void> | undefined;

  constructor(registry: ServedRegistry, settings: WorkerSettings) {
    const { connection, prefix, id, trust, maxSkewMs, maxEventBytes, maxRunning, onError } = settings;
    this.id = id;
    this.#registry = registry;
    this.#settings = settings;
    const executor = new WorkerExecutor(
      registry,
      (operationId) => this.#offer.operations.get(operationId),
      () => this.#offer.catalog,
    );
    this.#bus = natsBus({
      ...{ connection, prefix, onError },
      ...(trust !== undefined && { trust }),
      ...(maxSkewMs !== undefined && { maxSkewMs }),
      ...(maxEventBytes !== undefined && { maxEventBytes }),
    });
    this.#handler = buildCallHandler({
      ...{ registry: executor, bus: this.#bus, address: null, control: EVERY_WORKER, ownAddress: controlAddress(id) },
      limits: { maxRunning },
    });
    this.#catalogHandler = buildCallHandler({ registry: executor, bus: this.#bus, address: null });
    this.#listening = new Listening(this.#handler, executor, settings);
  }

  get counts(): NatsWorkerCounts {
    const durable = this.#listening.durableCounts;
    return { calls: this.#handler.counts, bus: this.#bus.counts, ...(durable !== undefined && { durable }) };
  }

  async open(): Promise<void> {
    this.#catalogHandler.listen(catalogAddress(this.id), { operationId: CATALOG_OPERATION, group: null });
    await this.#read();
    this.#ends.push(
      answerServiceRequests(this, this.#settings),
      this.#registry.onChange(() => this.#readSoon()),
      this.#bus.onState((state) => {
        if (state === "connected") this.#tellLater();
        if (state === "connected") this.#handler.resume();
        else this.#handler.suspend();
      }),
      () => clearTimeout(this.#newsTimer),
    );
    await this.#bus.flush();
    this.#tell("come");
  }

  operations(): readonly string[] {
    return [...this.#offer.operations.keys()];
  }

  getRunningCount(): number {
    return this.#handler.getRunningCount() + this.#listening.getRunningCount();
  }

  stats(): Readonly<Record<string, OperationStats>> {
    const counts = [...this.#offer.operations.values()].map(({ id, stats }) => [id, stats.read()] as const);
    return Object.fromEntries(counts);
  }

  about(): ServiceAbout {
    const { id, name, version, description, prefix } = this.#settings;
    const { catalog } = this.#offer;
    return {
      id,
      name,
      version,
      description,
      metadata: serviceMetadata(prefix, catalog.digest, catalog.operations.length),
    };
  }

  endpoints(): readonly ServiceEndpoint[] {
    return this.#offer.endpoints;
  }

  close(options: CloseOptions = {}): Promise<void> {
    this.#closing ??= this.#close(options);
    return this.#closing;
  }

  async #close(options: CloseOptions): Promise<void> {
    for (const end of this.#ends.splice(0)) end();
    this.#tell("go");
    // Once the server knows, what it had for us before that has come.
    const durable = this.#listening.close(options);
    await this.#catalogHandler.close();
    await flushed(this.#bus);
    await Promise.all([this.#handler.close(options), durable]);
    await flushed(this.#bus);
    await this.#bus.close();
  }

  /** Many changes in one turn are one. */
  #readSoon(): void {
    if (this.#isStale) return;
    this.#isStale = true;
    setImmediate(() => {
      if (this.#closing !== undefined) return;
      this.#read().catch((thrown) => orElse(() => this.#settings.onError(thrown), undefined));
    });
  }

  async #read(): Promise<void> {
    this.#isStale = false;
    const before = this.#offer;
    this.#offer = offerOf(this.#registry, this.#settings, before);
    this.#complain(before);
    const followed = this.#listening.follow(this.#offer.operations);
    if (before !== NOTHING && before.catalog.digest !== this.#offer.catalog.digest) this.#tell("change");
    await followed;
  }

  #complain(before: Offer): void {
    const circular = this.#offer.circular.filter((id) => !before.circular.includes(id));
    if (circular.length > 0)
      orElse(() => this.#settings.onError(wouldCircle(circular, this.#settings.prefix)), undefined);
  }

  /** Callers may have missed this worker while it was away. Workers that lost one server do not all speak at once. */
  #tellLater(): void {
    clearTimeout(this.#newsTimer);
    this.#newsTimer = setTimeout(() => this.#tell("come"), Math.random() * LONGEST_NEWS_WAIT).unref();
  }

  #tell(news: News): void {
    const { connection, prefix } = this.#settings;
    orElse(() => connection.publish(`${prefix}.${NEWS}`, pingText(this, { news })), undefined);
  }
}

const LONGEST_NEWS_WAIT = 1_000;

function wouldCircle(ids: readonly string[], prefix: string): CallError {
  const some = ids.slice(0, 3).join(", ");
  return new CallError({
    category: "conflict",
    message: `Operations that were imported from ${prefix} are not offered there again: ${some}${ids.length > 3 ? ", …" : ""}.`,
    suggestedAction: "Leave them out with `exclude`, or serve them with another `prefix`.",
    details: { operations: ids },
  });
}
