import type { CallErrorData } from "../envelope/call-error.js";
import type { Warning } from "../envelope/warning.js";
import { Listeners } from "../registry/listeners.js";
import { OperationRegistry } from "../registry/registry.js";
import type { ServedRegistry } from "../registry/served-registry.js";
import type { SourceStatus } from "../registry/source.js";
import { createResultStore, type ResultStore } from "../results/result-store.js";
import type { SourceConfig, SourceKind } from "./config/config.js";
import type { LoadedConfig } from "./config/loaded-config.js";
import { type Layer, layered } from "./layer.js";
import { type AuditLog, auditLog } from "./layers/audit-log.js";
import { failureLog } from "./layers/failure-log.js";
import { hiddenSecrets } from "./layers/hidden-secrets.js";
import { identityLimits } from "./layers/identity-limits.js";
import { notReady } from "./layers/not-ready.js";
import { telemetry } from "./layers/telemetry.js";
import { type Log, SILENT } from "./log.js";
import { needsRestart } from "./needs-restart.js";
import { createRedactor, type Redactor } from "./redact.js";
import { resultsOptions } from "./results-options.js";
import { SourceSet } from "./sources/source-set.js";
import { startWaitOf } from "./start-wait.js";

export interface GatewayOptions {
  readonly loaded: LoadedConfig;
  /** @default nobody */
  readonly log?: Log;
  /** The names of the sources that are opened. @default all that are not disabled */
  readonly only?: readonly string[];
  /**
   * Whether sources are kept up: opened again after a failure, modules loaded again when they change. A command that is
   * over in a moment does not want that.
   * @default false
   */
  readonly stays?: boolean;
  /** Go around all that is called through `served`, the first outermost, outside of the gateway's own. */
  readonly layers?: readonly Layer[];
}

/** All sources of a configuration in one registry. */
export interface Gateway {
  /** The operations that there are now. */
  readonly registry: OperationRegistry;
  /** The registry behind limits, audit log, telemetry and `layers`; for servers, and for the command line. */
  readonly served: ServedRegistry;
  readonly loaded: LoadedConfig;
  readonly results: ResultStore;
  readonly sources: readonly GatewaySource[];
  /** The source that brought an operation. */
  sourceOf(operationId: string): GatewaySource | undefined;
  /** Until each source is up or has failed, or so many milliseconds have gone by. */
  settled(milliseconds?: number): Promise<void>;
  health(): GatewayHealth;
  /** Calls back when the state of a source has changed. Returns what ends it. */
  onHealth(listener: () => void): () => void;
  /** Goes over to another configuration at once: only what changed is closed and opened. Resolves as `settled` does. */
  reload(loaded: LoadedConfig): Promise<void>;
  /** Closes every source. */
  close(): Promise<void>;
}

/** One source of a gateway, whether it is up or not. */
export interface GatewaySource {
  readonly name: string;
  readonly kind: SourceKind;
  readonly config: SourceConfig;
  /** The ids of its operations that are in the registry, in their order. */
  readonly operationIds: readonly string[];
  health(): GatewaySourceHealth;
}

export interface GatewaySourceHealth {
  readonly name: string;
  readonly kind: SourceKind;
  readonly status: SourceStatus;
  readonly operations: number;
  /** Why it is down. */
  readonly error?: CallErrorData;
  readonly warnings: readonly Warning[];
  /** Milliseconds that it took to open. */
  readonly openedInMs?: number;
  /** Of MCP servers. */
  readonly era?: "legacy" | "modern";
  readonly protocolVersion?: string;
  readonly server?: { readonly name: string; readonly version: string };
  readonly restarts?: number;
  /** Of the circuit breaker, where it is not closed. */
  readonly breaker?: "open" | "half-open";
  /** Calls that run, and that wait for their turn. */
  readonly running?: number;
  readonly waiting?: number;
}

export interface GatewayHealth {
  /** `degraded` where a source is not ready, or is left alone because it keeps failing. */
  readonly status: "ok" | "starting" | "degraded";
  readonly operations: number;
  readonly sources: readonly GatewaySourceHealth[];
}

/** Begins to open all sources, and waits for none: one that is slow or broken keeps no other one back. */
export function openGateway(options: GatewayOptions): Gateway {
  return new OpenGateway(options);
}

class OpenGateway implements Gateway {
  readonly registry: OperationRegistry = new OperationRegistry();
  readonly served: ServedRegistry;
  readonly results: ResultStore;
  readonly #log: Log;
  readonly #set: SourceSet;
  readonly #audit: AuditLog;
  readonly #healthChanges = new Listeners();
  /** Of each configuration that there was: what runs on still knows the old ones. */
  readonly #secrets: Set<string>;
  #loaded: LoadedConfig;
  #redactor: Redactor;
  #closed: Promise<void> | undefined;

  constructor({ loaded, log = SILENT, only, stays = false, layers = [] }: GatewayOptions) {
    this.#log = log;
    this.#loaded = loaded;
    this.#secrets = new Set(loaded.secrets);
    this.#redactor = createRedactor(loaded.secrets);
    this.results = createResultStore(resultsOptions(loaded));
    this.#set = new SourceSet({
      registry: this.registry,
      log,
      results: this.results,
      stays,
      only,
      redactor: () => this.#redactor,
      onHealth: () => this.#healthChanges.tell(),
    });
    this.#audit = this.#auditLog();
    this.served = layered(this.#served(), [...layers, ...this.#layers()]);
    this.#follow(loaded);
  }

  get loaded(): LoadedConfig {
    return this.#loaded;
  }

  get sources(): readonly GatewaySource[] {
    return this.#set.sources;
  }

  sourceOf(operationId: string): GatewaySource | undefined {
    return this.#set.table.sourceOf(operationId);
  }

  settled(milliseconds?: number): Promise<void> {
    return this.#set.settled(milliseconds);
  }

  health(): GatewayHealth {
    const sources = this.sources.map((source) => source.health());
    const operations = sources.reduce((sum, source) => sum + source.operations, 0);
    return { status: statusOf(sources), operations, sources };
  }

  onHealth(listener: () => void): () => void {
    return this.#healthChanges.add(listener);
  }

  /** What is said last holds, also where sources of an earlier reload are still opening. */
  async reload(loaded: LoadedConfig): Promise<void> {
    if (this.#closed !== undefined) return;
    for (const name of needsRestart(this.#loaded, loaded))
      this.#log.warn(`\`${name}\` has changed, which takes effect when the gateway is started again`);
    for (const secret of loaded.secrets) this.#secrets.add(secret);
    this.#redactor = createRedactor([...this.#secrets]);
    this.#loaded = loaded;
    this.#follow(loaded);
    await this.settled();
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#healthChanges.clear();
    await this.#set.close();
    await Promise.all([this.results.close(), this.#audit.close()]);
  }

  #follow(loaded: LoadedConfig): void {
    for (const note of loaded.notes) this.#log.warn(note, { file: loaded.file });
    this.#set.follow(loaded);
  }

  /** The registry in the order of the configuration. A call that nothing answers to wakes the source that may. */
  #served(): ServedRegistry {
    const { registry } = this;
    const wake = (id: string): void => {
      if (registry.getSpec(id) === undefined) for (const source of this.#set.sources) source.wake(id);
    };
    return {
      list: () => this.#set.table.list(),
      onChange: (listener) => registry.onChange(listener),
      attempt(id, input, options) {
        wake(id);
        return registry.attempt(id, input, options);
      },
      subscribe(id, input, options) {
        wake(id);
        return registry.subscribe(id, input, options);
      },
    };
  }

  #layers(): readonly Layer[] {
    const { folder } = this.#loaded;
    const sourceOf = (id: string): GatewaySource | undefined => this.sourceOf(id);
    return [
      telemetry({ folder, log: this.#log, sourceOf }),
      this.#audit.layer,
      identityLimits({ limits: () => this.#loaded.config.limits }),
      hiddenSecrets({ redactor: () => this.#redactor }),
      failureLog({ log: this.#log, redactor: () => this.#redactor }),
      notReady({
        sources: () => this.sources,
        started: ({ name }) => this.#set.settled(startWaitOf(this.#loaded), name),
      }),
    ];
  }

  #auditLog(): AuditLog {
    return auditLog({
      log: this.#log,
      sourceOf: (id) => this.sourceOf(id),
      settings: () => this.#loaded.config.log,
      redactor: () => this.#redactor,
      folder: this.#loaded.folder,
    });
  }
}

function statusOf(sources: readonly GatewaySourceHealth[]): GatewayHealth["status"] {
  const missing = sources.filter(({ status }) => status !== "ready");
  if (sources.some(({ breaker }) => breaker !== undefined)) return "degraded";
  if (missing.length === 0) return "ok";
  return missing.every(({ status, error }) => status === "connecting" && error === undefined) ? "starting" : "degraded";
}
