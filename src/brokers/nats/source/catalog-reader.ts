import type { Warning } from "../../../envelope/warning.js";
import { messageOf } from "../../../json/attempt.js";
import type { Fleet } from "./fleet.js";
import { readCatalog } from "./read-catalog.js";

const MOST_AT_ONCE = 4;
const MOST_ASKED = 3;
const DEBOUNCE_MS = 50;
const SHORTEST_SPREAD_MS = 100;
const LONGEST_SPREAD_MS = 5_000;

/** Reads the catalogs that a fleet has and nobody has read: one of each kind, however many workers have it. */
export class CatalogReader {
  readonly #fleet: Fleet;
  readonly #fetch: (worker: string) => Promise<unknown>;
  readonly #onRead: () => void;
  /** Why a catalog cannot be read. */
  readonly #faults = new Map<string, string>();
  #reading: Promise<void> | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isStopped = false;

  constructor(fleet: Fleet, fetch: (worker: string) => Promise<unknown>, onRead: () => void) {
    this.#fleet = fleet;
    this.#fetch = fetch;
    this.#onRead = onRead;
  }

  get warnings(): readonly Warning[] {
    return [...this.#faults.values()].map((message) => ({ code: "OPERATION_SKIPPED", message }));
  }

  /** When the news has settled. The more workers, the more callers there may be that have the same in mind. */
  soon(): void {
    const spread = Math.min(Math.max(SHORTEST_SPREAD_MS, this.#fleet.size * 5), LONGEST_SPREAD_MS);
    this.#timer ??= setTimeout(
      () => {
        this.#timer = undefined;
        void this.read().then(() => {
          if (!this.#isStopped) this.#onRead();
        });
      },
      DEBOUNCE_MS + Math.random() * spread,
    ).unref();
  }

  /** Never rejects: what cannot be read is told in `warnings`. */
  read(): Promise<void> {
    this.#reading ??= this.#readAll().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  async #readAll(): Promise<void> {
    const tried = new Set<string>();
    for (;;) {
      const next = this.#fleet.unread().filter((digest) => !tried.has(digest));
      if (next.length === 0 || this.#isStopped) break;
      const some = next.slice(0, MOST_AT_ONCE);
      for (const digest of some) tried.add(digest);
      await Promise.all(some.map((digest) => this.#readOne(digest)));
    }
    const unread = new Set(this.#fleet.unread());
    for (const digest of this.#faults.keys()) if (!unread.has(digest)) this.#faults.delete(digest);
  }

  async #readOne(digest: string): Promise<void> {
    for (const worker of someOf(this.#fleet.holders(digest))) {
      try {
        const catalog = readCatalog(await this.#fetch(worker));
        this.#fleet.keep(catalog);
        if (catalog.digest === digest) return;
        // It has changed since it was seen.
        this.#fleet.change(worker, catalog.digest);
      } catch (thrown) {
        this.#faults.set(digest, `What the worker ${worker} offers cannot be read: ${messageOf(thrown)}`);
      }
    }
  }
}

function someOf(workers: readonly string[]): readonly string[] {
  const first = Math.floor(Math.random() * workers.length);
  return [...workers.slice(first), ...workers.slice(0, first)].slice(0, MOST_ASKED);
}
