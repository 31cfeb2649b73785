import { CallError, type CallErrorData } from "../../envelope/call-error.js";
import type { Warning } from "../../envelope/warning.js";
import { isEqual } from "../../json/value.js";
import { Listeners } from "../../registry/listeners.js";
import type { AnyHandler } from "../../registry/operation.js";
import type { AnyOperation } from "../../registry/operation-map.js";
import type { ResultStore } from "../../results/result-store.js";
import type { McpHealth } from "../../sources/mcp/health.js";
import type { ScriptHealth } from "../../sources/script/script-source.js";
import type { SourceConfig, SourceKind } from "../config/config.js";
import { saysNamespaces, sourceKindOf } from "../config/source-kind.js";
import type { GatewaySource, GatewaySourceHealth } from "../gateway.js";
import { SourceGuards } from "../guards/source-guards.js";
import type { Log } from "../log.js";
import type { Redactor } from "../redact.js";
import { fitOperations } from "./fitted-operations.js";
import { ManagedSource, type Open } from "./managed-source.js";
import { openSource } from "./open-source.js";
import { chooseOperations } from "./operation-choice.js";
import { SourceLog } from "./source-log.js";
import { fittingOf, sourceOptionsOf } from "./source-options.js";

export interface RunningSourceOptions extends SourceOrigin {
  readonly name: string;
  readonly log: Log;
  readonly results: ResultStore;
  readonly stays: boolean;
  readonly redactor: () => Redactor;
}

/** What is said of a source, and where its paths start. */
export interface SourceOrigin {
  readonly config: SourceConfig;
  readonly folder: string;
  /** Why it cannot be opened. */
  readonly fault?: CallErrorData;
}

/** What of a source's operations is in the registry, and what is not and why. */
export interface Mounted {
  readonly operationIds: readonly string[];
  readonly warnings: readonly Warning[];
}

/** A source with all that its configuration says of it. */
export class RunningSource implements GatewaySource {
  readonly name: string;
  readonly kind: SourceKind;
  readonly #options: RunningSourceOptions;
  readonly #source: ManagedSource;
  readonly #changes = new Listeners();
  readonly #healthChanges = new Listeners();
  readonly #tale: SourceLog;
  readonly #guards: SourceGuards;
  #origin: SourceOrigin;
  #fit: (operation: AnyOperation) => AnyOperation;
  #operations: readonly AnyOperation[] = [];
  #warnings: readonly Warning[] = [];
  #mounted: Mounted = { operationIds: [], warnings: [] };

  constructor(options: RunningSourceOptions) {
    this.name = options.name;
    this.kind = sourceKindOf(options.config);
    this.#options = options;
    this.#tale = new SourceLog(options.log);
    this.#origin = options;
    this.#guards = new SourceGuards({ name: options.name, config: fittingOf(options.config), log: options.log });
    this.#guards.onChange(() => this.#healthChanged());
    this.#fit = this.#makeFit();
    this.#source = new ManagedSource({ name: options.name, open: this.#opener(), stays: options.stays });
    this.#source.onChange(() => this.#changed());
    this.#source.onHealth(() => this.#healthChanged());
  }

  get yields(): boolean {
    return this.kind === "nats";
  }

  get config(): SourceConfig {
    return this.#origin.config;
  }

  /** Those that it would have in the registry, were no other source there. */
  get operations(): readonly AnyOperation[] {
    return this.#operations;
  }

  get operationIds(): readonly string[] {
    return this.#mounted.operationIds;
  }

  /** Said by whoever puts its operations into the registry. */
  mounted(mounted: Mounted): void {
    const isSame = isEqual(mounted, this.#mounted);
    this.#mounted = mounted;
    if (!isSame) this.#healthChanged();
  }

  health(): GatewaySourceHealth {
    const { status, error, warnings = [], ...own } = this.#source.health() as OwnHealth;
    const { text, value } = this.#options.redactor();
    const { breaker, waiting } = this.#guards.state();
    const all = [...warnings, ...this.#warnings, ...this.#mounted.warnings];
    const { openedInMs, calls } = this.#source;
    return {
      name: this.name,
      kind: this.kind,
      status,
      operations: this.operationIds.length,
      ...(error !== undefined && { error: value(error) as CallErrorData }),
      warnings: all.map((warning) => ({ ...warning, message: text(warning.message) })),
      ...(openedInMs !== undefined && { openedInMs }),
      ...(own.era !== undefined && { era: own.era }),
      ...(own.protocolVersion !== undefined && { protocolVersion: own.protocolVersion }),
      ...(own.server !== undefined && { server: own.server }),
      ...(own.restarts !== undefined && { restarts: own.restarts }),
      ...(breaker !== undefined && { breaker }),
      running: own.running ?? Math.max(0, (calls?.running ?? 0) - waiting),
      waiting: own.waiting ?? waiting,
    };
  }

  /** Calls back when `operations` has changed. */
  onChange(listener: () => void): () => void {
    return this.#changes.add(listener);
  }

  onHealth(listener: () => void): () => void {
    return this.#healthChanges.add(listener);
  }

  settled(): Promise<void> {
    return this.#source.settled();
  }

  /** Somebody wants an operation that may come with it: one that could not be opened does not rest any longer. */
  wake(operationId: string): void {
    const { namespace = this.name } = this.config;
    if (saysNamespaces(this.config) || operationId.startsWith(`${namespace}.`)) this.#source.wake();
  }

  /**
   * Goes over to another configuration of the same kind. What is done around the operations changes at once; the source
   * is opened anew only where it must be, and what was open goes on until then.
   */
  configure(origin: SourceOrigin): void {
    const before = this.#origin;
    this.#origin = origin;
    if (!isEqual(fittingOf(before.config), fittingOf(origin.config))) this.#refit();
    if (!isEqual(this.#optionsOf(before), this.#optionsOf(origin))) this.#source.reopen(this.#opener());
  }

  /** Ends calls that wait, and closes when those that run have ended. It has no operations from now on. */
  retire(): Promise<void> {
    this.#leave(`The source ${this.name} was taken out of the configuration.`);
    return this.#source.retire();
  }

  close(): Promise<void> {
    this.#leave(`The source ${this.name} is closed.`);
    return this.#source.close();
  }

  #leave(message: string): void {
    this.#guards.close(new CallError({ category: "unavailable", message, recoverable: false }));
    this.#changes.clear();
    this.#healthChanges.clear();
  }

  #optionsOf({ fault, ...origin }: SourceOrigin): unknown {
    return fault ?? sourceOptionsOf({ ...origin, name: this.name, stays: this.#options.stays });
  }

  #opener(): Open {
    const { name, log, results, stays } = this.#options;
    const { config, folder, fault } = this.#origin;
    if (fault !== undefined) return () => Promise.reject(new CallError(fault));
    return (signal) => openSource({ name, config, folder, log, results, stays, signal });
  }

  #makeFit(): (operation: AnyOperation) => AnyOperation {
    return fitOperations({
      fitting: fittingOf(this.config),
      handlerOf: (operation) => this.#counted(this.#guards.handlerOf(operation)),
    });
  }

  /** A call that waits for its turn counts too: the source must still be there when it has it. */
  #counted(handler: AnyHandler): AnyHandler {
    return (input, context) => {
      const { calls } = this.#source;
      return calls === undefined ? handler(input, context) : calls.run(handler, input, context);
    };
  }

  #refit(): void {
    this.#guards.configure(fittingOf(this.config));
    this.#fit = this.#makeFit();
    this.#changed();
  }

  #changed(): void {
    const { include, exclude } = this.config;
    const choice = { ...(include !== undefined && { include }), ...(exclude !== undefined && { exclude }) };
    const isOpen = this.#source.openedInMs !== undefined;
    const { operations, warnings } = chooseOperations(this.#source.operations, isOpen ? choice : {});
    this.#operations = operations.map(this.#fit);
    this.#warnings = warnings;
    this.#changes.tell();
    this.#healthChanged();
  }

  #healthChanged(): void {
    this.#tale.look(this.health());
    this.#healthChanges.tell();
  }
}

/** What sources of several kinds say of themselves. */
type OwnHealth = Pick<McpHealth, "status"> &
  Partial<Omit<McpHealth, "status"> & Pick<ScriptHealth, "running" | "waiting">>;
