import { isCallError } from "../envelope/call-error.js";
import { LONGEST_TIMER } from "../json/longest-timer.js";
import { bytesInMemory, type ResultBytes } from "./result-bytes.js";
import { badResultUri, resultNotFound, resultUnreadable } from "./result-errors.js";
import { type ResultPart, readPart } from "./result-part.js";
import { parseResultUri, printResultUri } from "./result-uri.js";
import { LostFile, SpilledFile, SpillFolder } from "./spill-folder.js";

const MEBIBYTE = 1024 * 1024;

export interface ResultStoreOptions {
  /**
   * What is kept in memory; older results go to files.
   * @default 8 MiB
   */
  readonly maxMemoryBytes?: number;
  /**
   * Memory and files together; older results are dropped.
   * @default 256 MiB
   */
  readonly maxBytes?: number;
  /**
   * A larger result is not kept at all.
   * @default 64 MiB
   */
  readonly maxEntryBytes?: number;
  /** @default 1000 */
  readonly maxEntries?: number;
  /**
   * How long a result is kept.
   * @default 15 minutes
   */
  readonly ttlMs?: number;
  /** For the files. Without it a folder below the system's one for temporary files, made with the first file. */
  readonly directory?: string;
  /** @default Date.now */
  readonly now?: () => number;
}

export interface StoredResult {
  readonly id: string;
  readonly uri: string;
  readonly bytes: number;
  /** Unix epoch milliseconds. */
  readonly expiresAt: number;
  readonly name?: string;
}

interface ResultMaker {
  /** The identity that the result belongs to; none is one of its own. */
  readonly owner?: string | undefined;
  /** What the result is called. */
  readonly name?: string | undefined;
}

interface ResultReader {
  readonly owner?: string | undefined;
  /** @default unlimited */
  readonly maxBytes?: number | undefined;
}

/** Keeps the JSON of large results for a while, each for the identity that made it. */
export interface ResultStore {
  /** `undefined` where the result is too large to be kept. */
  put(json: string, about: ResultMaker): Promise<StoredResult | undefined>;
  /** What the address says; where that is more than `maxBytes`, the first part of it. Throws a `CallError`. */
  read(uri: string, about: ResultReader): Promise<ResultPart>;
  /** Removes all results, their files and the folder that was made for them. */
  close(): Promise<void>;
}

export function createResultStore(options: ResultStoreOptions = {}): ResultStore {
  return new BoundedStore(options);
}

interface Entry extends StoredResult {
  readonly owner: string | undefined;
  content: ResultBytes;
}

class BoundedStore implements ResultStore {
  readonly #limits: Required<Omit<ResultStoreOptions, "directory" | "now">>;
  readonly #now: () => number;
  readonly #folder: SpillFolder;
  /** The oldest first. */
  readonly #entries = new Map<string, Entry>();
  readonly #reads = new Set<Promise<unknown>>();
  #bytes = 0;
  #memoryBytes = 0;
  #spilling: Promise<void> = Promise.resolve();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isClosed = false;

  constructor({
    maxMemoryBytes = 8 * MEBIBYTE,
    maxBytes = 256 * MEBIBYTE,
    maxEntryBytes = 64 * MEBIBYTE,
    maxEntries = 1000,
    ttlMs = 15 * 60_000,
    directory,
    now = Date.now,
  }: ResultStoreOptions) {
    this.#limits = { maxMemoryBytes, maxBytes, maxEntryBytes, maxEntries, ttlMs };
    this.#folder = new SpillFolder(directory);
    this.#now = now;
  }

  async put(json: string, about: ResultMaker): Promise<StoredResult | undefined> {
    if (this.#isClosed) throw resultNotFound();
    const { maxBytes, maxEntryBytes, maxEntries } = this.#limits;
    const bytes = Buffer.byteLength(json);
    if (bytes > Math.min(maxEntryBytes, maxBytes) || maxEntries < 1) return undefined;
    const entry = this.#add(json, bytes, about);
    await this.#spillOldest();
    await this.#folder.settled();
    if (!this.#entries.has(entry.id)) return undefined;
    const { content: _content, owner: _owner, ...stored } = entry;
    return stored;
  }

  read(uri: string, about: ResultReader): Promise<ResultPart> {
    const reading = this.#read(uri, about).finally(() => {
      this.#reads.delete(reading);
    });
    this.#reads.add(reading);
    return reading;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#entries.clear();
    await Promise.allSettled([this.#spilling, ...this.#reads]);
    await this.#folder.close();
  }

  async #read(uri: string, { owner, maxBytes = Number.POSITIVE_INFINITY }: ResultReader): Promise<ResultPart> {
    const address = parseResultUri(uri);
    if (address === undefined) throw badResultUri(uri);
    this.#dropExpired();
    const entry = this.#entries.get(address.id);
    if (entry === undefined || entry.owner !== owner || entry.expiresAt <= this.#now()) throw resultNotFound();
    try {
      return await readPart(entry.content, address, maxBytes);
    } catch (thrown) {
      if (isCallError(thrown)) throw thrown;
      if (!(thrown instanceof LostFile)) throw resultUnreadable(thrown);
      this.#drop(entry);
      throw resultNotFound();
    }
  }

  #add(json: string, bytes: number, { owner, name }: ResultMaker): Entry {
    const id = Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString("base64url");
    const expiresAt = this.#now() + this.#limits.ttlMs;
    const content = bytesInMemory(Buffer.from(json));
    const entry: Entry = {
      id,
      uri: printResultUri(id),
      bytes,
      expiresAt,
      ...(name !== undefined && { name }),
      owner,
      content,
    };
    this.#dropExpired();
    this.#makeRoom(bytes);
    this.#entries.set(id, entry);
    this.#bytes += bytes;
    this.#memoryBytes += bytes;
    this.#watch();
    return entry;
  }

  #makeRoom(bytes: number): void {
    const { maxBytes, maxEntries } = this.#limits;
    for (const entry of this.#entries.values()) {
      if (this.#bytes + bytes <= maxBytes && this.#entries.size < maxEntries) return;
      this.#drop(entry);
    }
  }

  #dropExpired(): void {
    const now = this.#now();
    for (const entry of this.#entries.values()) {
      if (entry.expiresAt > now) return;
      this.#drop(entry);
    }
  }

  #drop(entry: Entry): void {
    if (!this.#entries.delete(entry.id)) return;
    this.#bytes -= entry.bytes;
    if (entry.content instanceof SpilledFile) this.#folder.remove(entry.content.path);
    else this.#memoryBytes -= entry.bytes;
  }

  /** One after another, so that memory is within its bound once all have been put. */
  #spillOldest(): Promise<void> {
    if (this.#memoryBytes <= this.#limits.maxMemoryBytes) return Promise.resolve();
    this.#spilling = this.#spilling.then(async () => {
      for (const entry of this.#entries.values()) {
        if (this.#memoryBytes <= this.#limits.maxMemoryBytes) return;
        if (!(entry.content instanceof SpilledFile)) await this.#spill(entry);
      }
    });
    return this.#spilling;
  }

  async #spill(entry: Entry): Promise<void> {
    try {
      const file = await this.#folder.write(`${entry.id}.json`, await entry.content.read(0, entry.bytes));
      if (!this.#entries.has(entry.id)) return this.#folder.remove(file.path);
      entry.content = file;
      this.#memoryBytes -= entry.bytes;
    } catch {
      // The disk is full, or may not be written: to keep the bound is worth more than to keep the result.
      this.#drop(entry);
    }
  }

  /** One timer for all, which keeps no process alive. The oldest expires first. */
  #watch(): void {
    const [oldest] = this.#entries.values();
    if (this.#timer !== undefined || oldest === undefined || oldest.expiresAt === Number.POSITIVE_INFINITY) return;
    const delay = Math.min(Math.max(oldest.expiresAt - this.#now(), 1), LONGEST_TIMER);
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#dropExpired();
      this.#watch();
    }, delay).unref();
  }
}
