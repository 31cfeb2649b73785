import type { OperationSpec } from "../../../registry/operation.js";
import type { Sighting } from "../sighting.js";
import { keyOf, type ReadCatalog } from "./read-catalog.js";

/** A worker, as its callers know it. */
export interface NatsWorkerInfo {
  readonly id: string;
  /** The name of its service. */
  readonly service: string;
  readonly version: string;
  /** Of its catalog; workers with the same one offer the same. */
  readonly digest: string;
}

/**
 * The workers that were seen, and what they offer. A catalog whose last worker has gone stays until somebody has looked:
 * the worker may be about to come back.
 */
export class Fleet {
  readonly #workers = new Map<string, NatsWorkerInfo>();
  /** The ids of the workers with a catalog. */
  readonly #byDigest = new Map<string, Set<string>>();
  /** By their digests, in the order in which they came. */
  readonly #catalogs = new Map<string, ReadCatalog>();
  /** Catalogs that nobody has any more. */
  readonly #orphans = new Set<string>();
  /** Those of them whose last worker offers something else now: it has taken back what is missing there. */
  readonly #replaced = new Set<string>();

  get workers(): readonly NatsWorkerInfo[] {
    return [...this.#workers.values()];
  }

  get size(): number {
    return this.#workers.size;
  }

  /** Whether what is offered may have changed by this. */
  see({ id, service, version, digest }: Sighting): boolean {
    const before = this.#workers.get(id);
    if (before?.digest === digest) return false;
    if (before === undefined && this.#workers.size >= MOST_WORKERS) return false;
    if (this.remove(id) && before !== undefined) this.#replaced.add(before.digest);
    this.#workers.set(id, { id, service, version, digest });
    const others = this.#byDigest.get(digest);
    if (others === undefined) this.#byDigest.set(digest, new Set([id]));
    else others.add(id);
    this.#orphans.delete(digest);
    this.#replaced.delete(digest);
    return others === undefined;
  }

  /** It offers something else than was known. */
  change(id: string, digest: string): void {
    const worker = this.#workers.get(id);
    if (worker !== undefined) this.see({ ...worker, digest, isLeaving: false });
  }

  /** Whether it was the last one with its catalog. */
  remove(id: string): boolean {
    const worker = this.#workers.get(id);
    if (worker === undefined) return false;
    this.#workers.delete(id);
    const others = this.#byDigest.get(worker.digest);
    others?.delete(id);
    if (others !== undefined && others.size > 0) return false;
    this.#byDigest.delete(worker.digest);
    if (this.#catalogs.has(worker.digest)) this.#orphans.add(worker.digest);
    return true;
  }

  /** The catalogs that are to be fetched, by their digests. */
  unread(): readonly string[] {
    if (this.#catalogs.size >= MOST_CATALOGS) return [];
    return [...this.#byDigest.keys()].filter((digest) => !this.#catalogs.has(digest));
  }

  holders(digest: string): readonly string[] {
    return [...(this.#byDigest.get(digest) ?? [])];
  }

  keep(catalog: ReadCatalog): void {
    this.#catalogs.set(catalog.digest, catalog);
    if (!this.#byDigest.has(catalog.digest)) this.#orphans.add(catalog.digest);
  }

  /** Forgets what nobody offers any more. Gives those operations that went with their workers. */
  prune(): readonly OperationSpec[] {
    const left = [...this.#orphans].filter((digest) => !this.#replaced.has(digest));
    const specs = left.flatMap((digest) => this.#catalogs.get(digest)?.specs ?? []);
    for (const digest of this.#orphans) this.#catalogs.delete(digest);
    this.#orphans.clear();
    this.#replaced.clear();
    return specs;
  }

  /** The operations, each with its major, that some worker offers now. */
  offered(): ReadonlySet<string> {
    const keys = new Set<string>();
    for (const digest of this.#byDigest.keys()) for (const key of this.#catalogs.get(digest)?.keys ?? []) keys.add(key);
    return keys;
  }

  get catalogs(): readonly ReadCatalog[] {
    return [...this.#catalogs.values()];
  }

  /** Some worker that offers the operation and was not tried, if there is one. */
  another(operationId: string, major: number, tried: ReadonlySet<string>): string | undefined {
    const key = keyOf(operationId, major);
    const found: string[] = [];
    for (const { digest, keys } of this.#catalogs.values()) {
      if (!keys.has(key)) continue;
      for (const id of this.#byDigest.get(digest) ?? []) if (!tried.has(id)) found.push(id);
    }
    return found[Math.floor(Math.random() * found.length)];
  }
}

/** Who can make up names must not fill the memory of callers. */
const MOST_WORKERS = 100_000;
const MOST_CATALOGS = 1_000;
