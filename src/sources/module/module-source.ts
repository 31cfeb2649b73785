import { fileURLToPath } from "node:url";
import { type CallError, callErrorData, callErrorFrom } from "../../envelope/call-error.js";
import type { Warning } from "../../envelope/warning.js";
import { orElse } from "../../json/attempt.js";
import { randomHex } from "../../json/random-hex.js";
import { Listeners } from "../../registry/listeners.js";
import type { AnyOperation } from "../../registry/operation-map.js";
import type { OperationSource } from "../../registry/source.js";
import { type ExportedOperations, operationsFromExports } from "./exported-operations.js";
import { FollowedFiles } from "./followed-files.js";
import type { ModuleHealth } from "./health.js";
import { installHooks, onSighting } from "./install-hooks.js";
import { forgetRequired, loadModule, withRequired } from "./load-module.js";
import { locateModule } from "./locate-module.js";
import { type ModuleSourceOptions, type Settings, settingsOf } from "./options.js";
import { standsAlone } from "./stands-alone.js";

export interface ModuleSource extends OperationSource {
  health(): ModuleHealth;
  /** Loads the module and the files that it imports by their paths anew. */
  refresh(): Promise<void>;
}

/** Loads a module and takes the operations that it exports. Rejects with a `CallError` where it cannot. */
export async function moduleSource(options: ModuleSourceOptions): Promise<ModuleSource> {
  const settings = settingsOf(options);
  const url = await locateModule(settings.module, settings.cwd);
  if (settings.watch || !(await standsAlone(url))) installHooks();
  const source = new Source(settings, url);
  try {
    await source.open();
  } catch (thrown) {
    await source.close();
    throw thrown;
  }
  return source;
}

const NOTHING: ExportedOperations = { operations: [], warnings: [] };

class Source implements ModuleSource {
  readonly name: string;
  readonly #settings: Settings;
  readonly #url: string;
  readonly #listeners = new Listeners();
  readonly #followed: FollowedFiles | undefined;
  #exported = NOTHING;
  #failure: CallError | undefined;
  /** What was begun last counts: a load that takes long does not keep a newer one waiting. */
  #newest: Promise<void> = Promise.resolve();
  /** The files of the newest. */
  #seen = new Set<string>();
  #stopListening: () => void = () => {};
  #isClosed = false;

  constructor(settings: Settings, url: string) {
    this.name = settings.name;
    this.#settings = settings;
    this.#url = url;
    if (settings.watch) this.#followed = new FollowedFiles(() => void this.refresh().catch(() => {}));
  }

  get operations(): readonly AnyOperation[] {
    return this.#exported.operations;
  }

  /** A module that is not watched is the one that others in this process import too. */
  async open(): Promise<void> {
    this.#exported = await this.#load(this.#followed === undefined ? undefined : randomHex(6));
    this.#settle();
  }

  refresh(): Promise<void> {
    if (this.#isClosed) return Promise.resolve();
    installHooks();
    const turn: Promise<void> = this.#load(randomHex(6)).then(
      (exported) => this.#end(turn, exported),
      (thrown) => this.#end(turn, callErrorFrom(thrown)),
    );
    this.#newest = turn;
    return turn;
  }

  health(): ModuleHealth {
    const { operations, warnings } = this.#exported;
    const unseen = (this.#followed?.faults ?? []).map((fault) => stale(`Changes are not seen: ${fault}`));
    const old = this.#failure === undefined ? [] : [stale(this.#failure.message)];
    return {
      status: this.#isClosed ? "closed" : "ready",
      operations: operations.length,
      warnings: [...warnings, ...old, ...unseen],
      ...(this.#failure !== undefined && { error: callErrorData(this.#failure) }),
    };
  }

  onChange(listener: () => void): () => void {
    return this.#listeners.add(listener);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#listeners.clear();
    this.#stopListening();
    this.#followed?.close();
  }

  async #load(generation: string | undefined): Promise<ExportedOperations> {
    const { name, namespace, startTimeout } = this.#settings;
    const file = fileURLToPath(this.#url);
    if (generation !== undefined) this.#begin(generation, file);
    const exports = await loadModule(this.#url, { generation, timeout: startTimeout });
    return operationsFromExports(exports, { module: file, namespace, ownNamespace: name });
  }

  #begin(generation: string, entry: string): void {
    forgetRequired(withRequired([entry, ...(this.#followed?.files ?? [])]));
    this.#stopListening();
    this.#seen = new Set([entry]);
    this.#followed?.accept();
    this.#followed?.add(entry);
    this.#stopListening = onSighting(generation, ({ file, fingerprint }) => {
      this.#seen.add(file);
      this.#followed?.add(file, fingerprint);
    });
  }

  async #end(turn: Promise<void>, result: ExportedOperations | CallError): Promise<void> {
    if (this.#isClosed) return;
    if (turn !== this.#newest) return this.#newest;
    this.#failure = "operations" in result ? undefined : result;
    if ("operations" in result) this.#exported = result;
    this.#settle();
    if ("operations" in result) this.#listeners.tell();
    orElse(() => this.#settings.onReload?.(this.health()), undefined);
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** What a broken module does not reach may be what mends it, so then nothing is forgotten. */
  #settle(): void {
    if (this.#followed === undefined) return;
    const files = withRequired(this.#seen);
    for (const file of files) this.#followed.add(file);
    if (this.#failure === undefined) this.#followed.retain(files);
    this.#followed.look();
  }
}

function stale(message: string): Warning {
  return { code: "MODULE_STALE", message };
}
