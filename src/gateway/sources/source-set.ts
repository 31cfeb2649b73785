import { startTimer } from "../../json/longest-timer.js";
import type { OperationRegistry } from "../../registry/registry.js";
import type { ResultStore } from "../../results/result-store.js";
import type { SourceConfig } from "../config/config.js";
import type { LoadedConfig } from "../config/loaded-config.js";
import { sourceKindOf } from "../config/source-kind.js";
import type { Log } from "../log.js";
import type { Redactor } from "../redact.js";
import { RunningSource, type SourceOrigin } from "./running-source.js";
import { SourceTable } from "./source-table.js";

export interface SourceSetOptions {
  readonly registry: OperationRegistry;
  readonly log: Log;
  readonly results: ResultStore;
  readonly stays: boolean;
  /** @default all that are not disabled */
  readonly only?: readonly string[] | undefined;
  readonly redactor: () => Redactor;
  /** Called when the state of a source has changed. */
  readonly onHealth: () => void;
}

/** A source that does not close within this time is left to itself. */
const CLOSE_MS = 15_000;

/** The sources that a configuration names, in its order, and their operations in a registry. */
export class SourceSet {
  readonly table: SourceTable<RunningSource>;
  readonly #options: SourceSetOptions;
  /** Those that were taken out and have calls to end. */
  readonly #leaving = new Set<RunningSource>();

  constructor(options: SourceSetOptions) {
    this.#options = options;
    this.table = new SourceTable(options.registry);
  }

  get sources(): readonly RunningSource[] {
    return this.table.sources;
  }

  /** Goes over to a configuration. A source of which the same is said as before is left as it is. */
  follow({ config, folder, unusable = {} }: LoadedConfig): void {
    const before = new Map(this.sources.map((source) => [source.name, source]));
    const wanted = Object.entries(config.sources).filter(([name, source]) => this.#isWanted(name, source));
    const originOf = (name: string, said: SourceConfig): SourceOrigin => {
      const fault = unusable[name];
      return { config: said, folder, ...(fault !== undefined && { fault }) };
    };
    const now = wanted.map(([name, source]) => {
      const known = before.get(name);
      return known?.kind === sourceKindOf(source) ? known : this.#open(name, originOf(name, source));
    });
    this.table.set(now);
    for (const source of this.sources) {
      const said = config.sources[source.name];
      if (said !== undefined) source.configure(originOf(source.name, said));
    }
    for (const source of before.values()) if (!now.includes(source)) this.#retire(source);
    this.#options.onHealth();
  }

  /** Until each, or the one that is named, is up or has failed, or so many milliseconds have gone by. */
  settled(milliseconds?: number, name?: string): Promise<void> {
    const meant = this.sources.filter((source) => name === undefined || source.name === name);
    return within(
      milliseconds,
      meant.map((source) => source.settled()),
    );
  }

  async close(): Promise<void> {
    const all = [...this.sources, ...this.#leaving];
    this.table.set([]);
    await within(
      CLOSE_MS,
      all.map((source) => source.close()),
    );
  }

  #isWanted(name: string, { disabled = false }: SourceConfig): boolean {
    const { only } = this.#options;
    return !disabled && (only === undefined || only.includes(name));
  }

  #open(name: string, origin: SourceOrigin): RunningSource {
    const { log, results, stays, redactor, onHealth } = this.#options;
    const source = new RunningSource({ name, ...origin, log, results, stays, redactor });
    source.onChange(() => this.table.update());
    source.onHealth(onHealth);
    return source;
  }

  #retire(source: RunningSource): void {
    this.#leaving.add(source);
    void source.retire().finally(() => this.#leaving.delete(source));
  }
}

/** Until all is done, or so many milliseconds have gone by. */
function within(milliseconds: number | undefined, work: readonly Promise<void>[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = startTimer(milliseconds, resolve);
    const done = (): void => {
      clearTimeout(timer);
      resolve();
    };
    Promise.all(work).then(done, reject);
  });
}
