/**
 * What is known of each request, by its id: a `Map` for requests that come and go. A `Map` rebuilds itself once for as
 * many requests as it holds and leaves its old insides to the collector linked to the new ones; with hundreds in flight
 * that takes more time than the calls.
 */
export class RequestTable<T> {
  #buckets: (Entry<T> | undefined)[] = emptyBuckets(64);
  #size = 0;
  /** Whoever chooses ids cannot know which of them meet in a bucket. */
  readonly #seed: number = Math.floor(Math.random() * 2 ** 32) | 0;

  get size(): number {
    return this.#size;
  }

  get(requestId: string): T | undefined {
    let entry = this.#buckets[this.#bucketOf(requestId)];
    while (entry !== undefined && entry.requestId !== requestId) entry = entry.next;
    return entry?.value;
  }

  /** Adds one whose id is not in the table. */
  add(requestId: string, value: T): void {
    if (this.#size >= this.#buckets.length) this.#grow();
    this.#put({ requestId, value, next: undefined });
    this.#size += 1;
  }

  delete(requestId: string): void {
    const bucket = this.#bucketOf(requestId);
    let before: Entry<T> | undefined;
    let entry = this.#buckets[bucket];
    while (entry !== undefined && entry.requestId !== requestId) {
      before = entry;
      entry = entry.next;
    }
    if (entry === undefined) return;
    if (before === undefined) this.#buckets[bucket] = entry.next;
    else before.next = entry.next;
    this.#size -= 1;
  }

  /** A copy, so that the table may change while it is looked through. */
  values(): T[] {
    const values: T[] = [];
    for (let entry of this.#buckets) for (; entry !== undefined; entry = entry.next) values.push(entry.value);
    return values;
  }

  #grow(): void {
    const old = this.#buckets;
    this.#buckets = emptyBuckets(old.length * 2);
    for (let entry of old) {
      while (entry !== undefined) {
        const { next }: Entry<T> = entry;
        this.#put(entry);
        entry = next;
      }
    }
  }

  #put(entry: Entry<T>): void {
    const bucket = this.#bucketOf(entry.requestId);
    entry.next = this.#buckets[bucket];
    this.#buckets[bucket] = entry;
  }

  #bucketOf(requestId: string): number {
    const { length } = requestId;
    let hash = this.#seed;
    for (let at = Math.max(0, length - HASHED_LENGTH); at < length; at += 1) {
      hash = Math.imul(hash ^ requestId.charCodeAt(at), 0x01000193);
    }
    for (let at = Math.min(HASHED_LENGTH, length - HASHED_LENGTH) - 1; at >= 0; at -= 1) {
      hash = Math.imul(hash ^ requestId.charCodeAt(at), 0x01000193);
    }
    return (hash ^ (hash >>> 15)) & (this.#buckets.length - 1);
  }
}

/** So much of both ends; ids come from a wire, and one that is made long must not cost more. */
const HASHED_LENGTH = 32;

interface Entry<T> {
  readonly requestId: string;
  readonly value: T;
  next: Entry<T> | undefined;
}

function emptyBuckets<T>(length: number): (Entry<T> | undefined)[] {
  return new Array(length).fill(undefined);
}
