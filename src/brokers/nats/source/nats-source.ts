import { CallError, type CallErrorData, type CallErrorInit, callErrorData } from "../../../envelope/call-error.js";
import type { Outcome } from "../../../envelope/outcome.js";
import type { Warning } from "../../../envelope/warning.js";
import { attempt } from "../../../json/attempt.js";
import { randomHex } from "../../../json/random-hex.js";
import { told } from "../../../json/told.js";
import { PendingRequestMap } from "../../../protocol/pending-request-map.js";
import { RequestIds } from "../../../protocol/request-ids.js";
import { Listeners } from "../../../registry/listeners.js";
import { opened } from "../../../registry/opened.js";
import type { AnyHandler, OperationSpec } from "../../../registry/operation.js";
import { operationIdOf } from "../../../registry/operation-id.js";
import type { AnyOperation } from "../../../registry/operation-map.js";
import { keepUnchanged, type OperationSource, type SourceHealth } from "../../../registry/source.js";
import { catalogAddress, EVERY_WORKER, majorOf, replyAddress } from "../addresses.js";
import { natsBus } from "../bus/nats-bus.js";
import type { NatsBus, NatsBusState } from "../bus/nats-bus-options.js";
import { onRefusedSubject } from "../bus/refused-subjects.js";
import { CATALOG_OPERATION } from "../catalog.js";
import { choiceOf } from "../demands.js";
import { type DurableCaller, durableCaller } from "../durable/durable.js";
import { flushed } from "../flushed.js";
import { markImported } from "../imported-mark.js";
import type { Caller } from "./call-target.js";
import { Departed, unofferedOf } from "./departed.js";
import { Discovery } from "./discovery.js";
import type { NatsWorkerInfo } from "./fleet.js";
import { importedHandler } from "./imported-call.js";
import { type NatsSourceOptions, type SourceSettings, sourceSettings } from "./source-options.js";
import { chooseVersions, type VersionChoice } from "./version-choice.js";

export interface NatsSource extends OperationSource {
  health(): NatsHealth;
  /** Looks who is there, and what they offer. */
  refresh(): Promise<void>;
  /** Calls back when the connection may be up, or down, that was not before. Returns what ends it. */
  onHealth(listener: () => void): () => void;
  /** Those that were seen. */
  workers(): readonly NatsWorkerInfo[];
  /** What a durable call has come to, also one of an earlier process with the same `caller`. */
  result(requestId: string): Promise<Outcome | undefined>;
}

export interface NatsHealth extends SourceHealth {
  readonly workers: number;
  readonly operations: number;
  /** What workers offer that cannot be used, and why. */
  readonly warnings: readonly Warning[];
}

/**
 * Imports the operations that workers on NATS offer, under their own ids. That there is no worker yet is no failure:
 * what comes later is told by `onChange`. Rejects with a `CallError` where an option is wrong, or the server does not let
 * this caller hear answers.
 */
export async function natsSource(options: NatsSourceOptions): Promise<NatsSource> {
  const settings = sourceSettings(options);
  const source: Source = new Source(settings);
  return opened(source, () => source.open(), settings.signal);
}

class Source implements NatsSource {
  readonly name: string;
  readonly #settings: SourceSettings;
  readonly #isChosen: (id: string) => boolean;
  readonly #bus: NatsBus;
  readonly #map: PendingRequestMap;
  readonly #discovery: Discovery;
  readonly #caller: Caller;
  readonly #stopRefusals: readonly (() => void)[];
  readonly #listeners = new Listeners();
  readonly #healthListeners = new Listeners();
  /** The last word of the addresses at which answers come; others follow after a dash. */
  readonly #box = randomHex(8);
  readonly #deaf: Promise<void>;
  #turnDeaf: () => void = () => {};
  /** Why no answer is heard, where that is so. */
  #deafness: CallError | undefined;
  /** An operation is made once of each spec that came. */
  readonly #made = new WeakMap<OperationSpec, AnyOperation>();
  readonly #departed: Departed;
  #operations: readonly AnyOperation[] = [];
  #choice: VersionChoice = { specs: [], warnings: [] };
  #durable: DurableCaller | undefined;
  #closing: Promise<void> | undefined;

  constructor(settings: SourceSettings) {
    const { connection, prefix, caller, signer, heartbeat, onError, discoverMs, refreshMs } = settings;
    this.name = settings.name;
    this.#settings = settings;
    this.#isChosen = choiceOf(settings.include, settings.exclude);
    this.#departed = new Departed(settings.keepMs);
    const box = this.#box;
    const partsAddress = replyAddress(caller, `${box}-parts`);
    this.#bus = natsBus({
      ...{ connection, prefix, partsAddress, onError },
      ...(signer !== undefined && { signer }),
      ...(settings.maxEventBytes !== undefined && { maxEventBytes: settings.maxEventBytes }),
    });
    this.#map = new PendingRequestMap({
      ...{ bus: this.#bus, heartbeat, control: EVERY_WORKER, inbox: replyAddress(caller, box) },
      address: UNUSED,
    });
    this.#discovery = new Discovery({
      ...{ connection, prefix, discoverMs, refreshMs, inbox: `${prefix}.${replyAddress(caller, `${box}-pings`)}` },
      isConnected: () => this.#bus.state === "connected",
      fetchCatalog: (worker) => this.#fetchCatalog(worker),
      onDeparted: (specs) => this.#departed.add(specs),
      onChange: () => attempt(() => this.#update(), onError),
      onError,
    });
    this.#caller = this.#makeCaller();
    this.#deaf = new Promise((resolve) => {
      this.#turnDeaf = resolve;
    });
    this.#discovery.open();
    this.#bus.onState((state) => this.#onState(state));
    if (this.#bus.state === "disconnected") this.#map.suspend();
    this.#stopRefusals = this.#followRefusals();
  }

  /** Looks who is there. Rejects where it would hear no answer. */
  async open(): Promise<void> {
    await Promise.race([this.refresh(), this.#deaf]);
    if (this.#deafness !== undefined) throw this.#deafness;
  }

  get operations(): readonly AnyOperation[] {
    return this.#operations;
  }

  health(): NatsHealth {
    const { fleet, warnings } = this.#discovery;
    const skipped = fleet.catalogs.flatMap((catalog) => catalog.warnings);
    const { status, error } = this.#condition;
    return {
      status,
      workers: fleet.size,
      operations: this.#operations.length,
      warnings: [...warnings, ...skipped, ...this.#choice.warnings, ...unofferedOf(this.#operations, fleet.offered())],
      ...(error !== undefined && { error }),
    };
  }

  get #condition(): SourceHealth {
    if (this.#closing !== undefined) return { status: "closed" };
    const { state } = this.#bus;
    if (state === "connected" && this.#deafness !== undefined)
      return { status: "down", error: callErrorData(this.#deafness) };
    const error = HEALTH_ERRORS[state];
    return { status: STATUSES[state], ...(error !== undefined && { error }) };
  }

  refresh(): Promise<void> {
    return this.#discovery.refresh();
  }

  workers(): readonly NatsWorkerInfo[] {
    return this.#discovery.fleet.workers;
  }

  async result(requestId: string): Promise<Outcome | undefined> {
    return this.#openDurable().result(requestId);
  }

  onChange(listener: () => void): () => void {
    return this.#listeners.add(listener);
  }

  onHealth(listener: () => void): () => void {
    return this.#healthListeners.add(listener);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#listeners.clear();
    this.#healthListeners.clear();
    for (const stop of this.#stopRefusals) stop();
    this.#discovery.close();
    await Promise.all([this.#map.close(), this.#durable?.close()]);
    // Workers are to hear of what was given up.
    await flushed(this.#bus);
    await this.#bus.close();
  }

  #followRefusals(): readonly (() => void)[] {
    const { connection, prefix, caller } = this.#settings;
    const onPublish = (subject: string): void => {
      if (subject.startsWith(`${prefix}.`))
        this.#map.failAt(subject.slice(prefix.length + 1), notPermitted(subject, caller));
    };
    const onSubscribe = (subject: string): void => {
      if (!subject.startsWith(`${prefix}.${replyAddress(caller, this.#box)}`)) return;
      this.#deafness = mayNotHear(`${prefix}.${replyAddress(caller, ">")}`, caller);
      this.#turnDeaf();
      this.#map.failAll(this.#deafness);
      this.#healthListeners.tell();
    };
    return [onRefusedSubject(connection, onPublish), onRefusedSubject(connection, onSubscribe, "subscription")];
  }

  #makeCaller(): Caller {
    const { caller, retries } = this.#settings;
    const { fleet } = this.#discovery;
    return {
      ...{ name: caller, retries, map: this.#map, ids: new RequestIds() },
      gone: () => (this.#bus.state === "closed" ? GONE : this.#deafness),
      another: (operationId, major, tried) => fleet.another(operationId, major, tried),
      onTrouble: () => this.#discovery.soonAfterTrouble(),
    };
  }

  #onState(state: NatsBusState): void {
    if (state === "disconnected") this.#map.suspend();
    else if (state === "closed") this.#map.failAll(GONE);
    else {
      this.#map.resume();
      this.#discovery.soon(RECONNECTED_MS);
    }
    this.#healthListeners.tell();
  }

  async #fetchCatalog(worker: string): Promise<unknown> {
    const deadline = Date.now() + CATALOG_MS;
    const { data } = await this.#map.call(CATALOG_OPERATION, undefined, { address: catalogAddress(worker), deadline });
    return data;
  }

  #update(): void {
    const { majors } = this.#settings;
    const before = this.#operations;
    const { fleet } = this.#discovery;
    const choosing = { isChosen: this.#isChosen, majors };
    this.#choice = chooseVersions(fleet.catalogs, choosing);
    const offered = new Set(this.#choice.specs.map(operationIdOf));
    const departed = chooseVersions([{ specs: this.#departed.beside(fleet.offered()) }], choosing).specs;
    const specs = [...this.#choice.specs, ...departed.filter((spec) => !offered.has(operationIdOf(spec)))];
    const now = specs.map((spec) => this.#operation(spec));
    this.#operations = keepUnchanged(before, now);
    const isSame = before.length === now.length && this.#operations.every((operation, at) => operation === before[at]);
    if (!isSame) this.#listeners.tell();
  }

  #operation(given: OperationSpec): AnyOperation {
    const known = this.#made.get(given);
    if (known !== undefined) return known;
    // The worker checks both, and knows its schemas better.
    const spec = markImported({ ...given, input: "off", output: "off" }, this.#settings.prefix);
    const handler = spec.delivery === "durable" ? this.#durableHandler(spec) : importedHandler(spec, this.#caller);
    const operation: AnyOperation = { id: operationIdOf(spec), spec, handler };
    this.#made.set(given, operation);
    return operation;
  }

  #durableHandler({ namespace, name, version }: OperationSpec): AnyHandler {
    const operationId = operationIdOf({ namespace, name });
    const major = majorOf(version);
    return (input, context) => {
      const { signal, deadline, requestId, parentRequestId, identity, metadata, idempotencyKey } = context;
      return this.#openDurable().call({
        ...{ operationId, major, input, signal, requestId },
        ...(deadline !== undefined && { deadline }),
        ...(parentRequestId !== undefined && { parentRequestId }),
        ...(identity !== undefined && { identity }),
        ...(metadata !== undefined && { metadata }),
        ...(idempotencyKey !== undefined && { idempotencyKey }),
      });
    };
  }

  #openDurable(): DurableCaller {
    if (this.#closing !== undefined) throw new CallError(CLOSED);
    const { connection, prefix, caller, signer, durability } = this.#settings;
    this.#durable ??= durableCaller({
      ...durability,
      ...{ connection, prefix, caller, ...(signer !== undefined && { signer }) },
    });
    return this.#durable;
  }
}

/** Every call says where it goes. */
const UNUSED = "call";

/** How long a worker has to tell what it offers, in milliseconds. */
const CATALOG_MS = 10_000;
const RECONNECTED_MS = 500;

/** What was sent has reached nobody. */
function notPermitted(subject: string, caller: string): CallErrorInit {
  return {
    category: "authorization",
    message: `The NATS server does not let ${told(caller)} publish to ${subject}.`,
    suggestedAction: "Ask whoever runs the server for the permission, or call in the name that has it.",
  };
}

function mayNotHear(subject: string, caller: string): CallError {
  return new CallError({
    category: "authorization",
    message: `The NATS server does not let ${told(caller)} subscribe to ${subject}, so that no answer would be heard.`,
    suggestedAction:
      "Give as `caller` the name that this user may use, or allow the subject on the server; see examples/nats.",
  });
}

const STATUSES = { connected: "ready", disconnected: "connecting", closed: "down" } as const;

const GONE = { category: "unavailable", message: "The connection to NATS is closed." } as const;
const CLOSED = { category: "unavailable", message: "The source is closed." } as const;

const HEALTH_ERRORS: Readonly<Record<NatsBusState, CallErrorData | undefined>> = {
  connected: undefined,
  disconnected: callErrorData({ category: "unavailable", message: "The connection to NATS is lost for now." }),
  closed: callErrorData(GONE),
};
