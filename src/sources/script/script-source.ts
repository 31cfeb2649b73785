import type { Warning } from "../../envelope/warning.js";
import { isEqual } from "../../json/value.js";
import { Listeners } from "../../registry/listeners.js";
import { opened } from "../../registry/opened.js";
import type { AnyOperation } from "../../registry/operation-map.js";
import type { OperationSource, SourceHealth } from "../../registry/source.js";
import { findScripts } from "./find-scripts.js";
import { handlerOf } from "./handler.js";
import { operationFromScript, type ScriptOperation } from "./operation-from-script.js";
import { type ScriptSourceOptions, type Settings, settingsOf } from "./options.js";
import { RunningScripts } from "./running-scripts.js";

export interface ScriptSource extends OperationSource {
  health(): ScriptHealth;
  /** Looks again for scripts, and asks them again what they are. */
  refresh(): Promise<void>;
}

export interface ScriptHealth extends SourceHealth {
  readonly operations: number;
  /** Programs that run now. */
  readonly running: number;
  /** Calls that wait for their turn. */
  readonly waiting: number;
  readonly warnings: readonly Warning[];
}

/** Makes operations of programs. Rejects with a `CallError` where the file or the directory cannot be used. */
export async function scriptSource(options: ScriptSourceOptions): Promise<ScriptSource> {
  const source = new OpenScriptSource(settingsOf(options));
  return opened(source, () => source.refresh(), options.signal);
}

class OpenScriptSource implements ScriptSource {
  readonly name: string;
  readonly #settings: Settings;
  readonly #running: RunningScripts;
  readonly #listeners = new Listeners();
  #scripts: readonly ScriptOperation[] = [];
  #warnings: readonly Warning[] = [];
  #refreshing: Promise<void> | undefined;
  readonly #closing = new AbortController();

  constructor(settings: Settings) {
    this.name = settings.name;
    this.#settings = settings;
    this.#running = new RunningScripts(settings);
  }

  get operations(): readonly AnyOperation[] {
    return this.#scripts.map(({ operation }) => operation);
  }

  health(): ScriptHealth {
    return {
      status: this.#closing.signal.aborted ? "closed" : "ready",
      operations: this.#scripts.length,
      running: this.#running.running,
      waiting: this.#running.waiting,
      warnings: this.#warnings,
    };
  }

  onChange(listener: () => void): () => void {
    return this.#listeners.add(listener);
  }

  refresh(): Promise<void> {
    this.#refreshing ??= this.#read().finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#listeners.clear();
    await this.#running.close();
    await this.#refreshing?.catch(() => {});
  }

  async #read(): Promise<void> {
    const { scripts, warnings } = await findScripts(this.#settings, this.#closing.signal);
    if (this.#closing.signal.aborted) return;
    const before = this.#scripts;
    this.#scripts = kept(
      before,
      scripts.map((script) =>
        operationFromScript(script, this.name, (plan) =>
          handlerOf({ plan, settings: this.#settings, running: this.#running }),
        ),
      ),
    );
    this.#warnings = warnings;
    const isSame = before.length === this.#scripts.length && this.#scripts.every((one, at) => one === before[at]);
    if (!isSame) this.#listeners.tell();
  }
}

/** Those that are what they were stay the same objects. */
function kept(before: readonly ScriptOperation[], now: readonly ScriptOperation[]): readonly ScriptOperation[] {
  const known = new Map(before.map((one) => [one.operation.id, one]));
  return now.map((one) => {
    const old = known.get(one.operation.id);
    const isSame = old !== undefined && isEqual(old.operation.spec, one.operation.spec) && isEqual(old.plan, one.plan);
    return isSame ? old : one;
  });
}
