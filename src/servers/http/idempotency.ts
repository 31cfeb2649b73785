import { CallError } from "../../envelope/call-error.js";
import type { HttpReply } from "./reply.js";

export interface IdempotencyLimits {
  /** How long an answer can be replayed. */
  readonly ttlMs: number;
  readonly maxEntries: number;
  /** Of all answers together; a character counts as one. The oldest are forgotten, but not that they were given. */
  readonly maxBytes: number;
  /** @default Date.now */
  readonly now?: (() => number) | undefined;
}

/** A request with an idempotency key. */
export interface KeyedRequest {
  /** Who asks; none is one of its own. */
  readonly owner: string | undefined;
  readonly operationId: string;
  readonly key: string;
  /** Of all that the answer depends on. */
  readonly fingerprint: string;
}

export interface KeyedAnswer {
  readonly reply: HttpReply;
  /** Otherwise the next request with the key runs the operation again. */
  readonly isFinal: boolean;
}

interface Entry {
  readonly name: string;
  readonly fingerprint: string;
  readonly expiresAt: number;
  /** `undefined` where the answer was given but is not kept. */
  reply: HttpReply | undefined;
}

interface Running {
  readonly fingerprint: string;
  /** `undefined` where the answer is not final. Never rejects. */
  readonly final: Promise<HttpReply | undefined>;
}

/** Runs what has the same idempotency key once, and replays its answer. */
export class IdempotencyStore {
  readonly #options: IdempotencyLimits;
  readonly #now: () => number;
  readonly #running = new Map<string, Running>();
  /** The oldest first, as in the next. */
  readonly #entries = new Map<string, Entry>();
  readonly #withReply = new Set<Entry>();
  #bytes = 0;

  constructor(options: IdempotencyLimits) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  /** Rejects with a `CallError` where the key stands for another request, or its answer was not kept. */
  async run(request: KeyedRequest, make: () => Promise<KeyedAnswer>): Promise<HttpReply> {
    const { owner, operationId, key, fingerprint } = request;
    const name = JSON.stringify([owner, operationId, key]);
    for (;;) {
      this.#dropExpired();
      const entry = this.#entries.get(name);
      const running = this.#running.get(name);
      const first = entry ?? running;
      if (first !== undefined && first.fingerprint !== fingerprint) throw keyReused(key);
      if (entry !== undefined && entry.reply === undefined) throw answerGone(key);
      if (entry?.reply !== undefined) return replayOf(entry.reply);
      if (running === undefined) return this.#make(name, fingerprint, make);
      const reply = await running.final;
      if (reply !== undefined) return replayOf(reply);
    }
  }

  async #make(name: string, fingerprint: string, make: () => Promise<KeyedAnswer>): Promise<HttpReply> {
    let final: HttpReply | undefined;
    let tell: () => void = () => {};
    const told = new Promise<HttpReply | undefined>((resolve) => {
      tell = () => resolve(final);
    });
    this.#running.set(name, { fingerprint, final: told });
    try {
      const { reply, isFinal } = await make();
      if (isFinal) final = reply;
      return reply;
    } finally {
      this.#running.delete(name);
      if (final !== undefined) this.#keep(name, fingerprint, final);
      tell();
    }
  }

  #keep(name: string, fingerprint: string, reply: HttpReply): void {
    const entry: Entry = { name, fingerprint, reply, expiresAt: this.#now() + this.#options.ttlMs };
    const { maxBytes, maxEntries } = this.#options;
    // It would only push out all others.
    if (sizeOf(entry) > maxBytes) entry.reply = undefined;
    else this.#withReply.add(entry);
    this.#entries.set(name, entry);
    this.#bytes += sizeOf(entry);
    for (const oldest of this.#withReply) {
      if (this.#bytes <= maxBytes) break;
      this.#forgetReply(oldest);
    }
    for (const oldest of this.#entries.values()) {
      if (this.#bytes <= maxBytes && this.#entries.size <= maxEntries) break;
      this.#drop(oldest);
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
    this.#forgetReply(entry);
    this.#entries.delete(entry.name);
    this.#bytes -= sizeOf(entry);
  }

  /** That it was given stays known, so that the operation is not run again. */
  #forgetReply(entry: Entry): void {
    this.#withReply.delete(entry);
    this.#bytes -= sizeOf(entry);
    entry.reply = undefined;
    this.#bytes += sizeOf(entry);
  }
}

function sizeOf({ name, fingerprint, reply }: Entry): number {
  const said = reply === undefined ? 0 : reply.body.length + JSON.stringify(reply.headers).length;
  return name.length + fingerprint.length + said;
}

function replayOf(reply: HttpReply): HttpReply {
  return { ...reply, headers: { ...reply.headers, "idempotency-replayed": "true" } };
}

function keyReused(key: string): CallError {
  return new CallError({
    category: "conflict",
    code: "IDEMPOTENCY_KEY_REUSED",
    message: `The Idempotency-Key ${key} was used for another request. Use a new key, or send the same request again.`,
  });
}

function answerGone(key: string): CallError {
  return new CallError({
    category: "conflict",
    code: "IDEMPOTENCY_ANSWER_GONE",
    message: `The request with the Idempotency-Key ${key} was carried out, but its answer is no longer kept. Look at what it has done before you send it again with a new key.`,
  });
}
