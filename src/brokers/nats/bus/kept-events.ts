import { CallError } from "../../../envelope/call-error.js";
import { randomHex } from "../../../json/random-hex.js";
import type { Claim } from "./large-event.js";

export interface KeptEventsOptions {
  readonly maxBytes: number;
  /** How much one message can take. */
  readonly maxPayload: () => number;
  readonly send: (address: string, bytes: Uint8Array) => void;
}

interface Kept {
  readonly requestId: string;
  readonly bytes: Uint8Array;
  /** How much was sent, by receiver. */
  readonly sent: Map<string, number>;
  activeAt: number;
}

/** Large events of this side, until their receivers have them. */
export class KeptEvents {
  readonly #options: KeptEventsOptions;
  readonly #kept = new Map<string, Kept>();
  #bytes = 0;
  #onEmpty: (() => void)[] = [];

  constructor(options: KeptEventsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#kept.size;
  }

  /** Gives the name under which it is claimed. Throws where too much is kept already. */
  keep(requestId: string, bytes: Uint8Array): string {
    if (this.#bytes + bytes.length > this.#options.maxBytes) throw full(this.#bytes);
    const id = randomHex(12);
    this.#kept.set(id, { requestId, bytes, sent: new Map(), activeAt: Date.now() });
    this.#bytes += bytes.length;
    return id;
  }

  forget(requestId: string): void {
    for (const [id, kept] of this.#kept) if (kept.requestId === requestId) this.#drop(id);
  }

  /** Sends what is asked for. An empty part says that there is nothing any more. */
  onClaim({ claim, to, at, until, again = false }: Claim): void {
    const kept = this.#kept.get(claim);
    if (kept === undefined) {
      if (again) this.#options.send(`${to}.gone`, NOTHING);
      return;
    }
    kept.activeAt = Date.now();
    const { bytes, sent } = kept;
    if (at >= bytes.length) this.#drop(claim);
    else if (sent.has(to) || sent.size < MOST_RECEIVERS) this.#sendParts(kept, to, at, until, again);
  }

  /** Drops what nobody has asked for in so many milliseconds. */
  sweep(now: number, idleMs: number): void {
    for (const [id, { activeAt }] of this.#kept) if (now - activeAt > idleMs) this.#drop(id);
  }

  /** Whether somebody has asked for something since then, or it was kept since. */
  isAwaited(since: number): boolean {
    return [...this.#kept.values()].some(({ activeAt }) => activeAt >= since);
  }

  /** When nothing is kept any more. */
  empty(): Promise<void> {
    return this.#kept.size === 0 ? Promise.resolve() : new Promise((resolve) => this.#onEmpty.push(resolve));
  }

  clear(): void {
    for (const id of [...this.#kept.keys()]) this.#drop(id);
  }

  #sendParts({ bytes, sent }: Kept, to: string, at: number, until: number, again: boolean): void {
    const from = again ? at : (sent.get(to) ?? at);
    // Whatever a claim allows, one does not fill this side's memory.
    const end = Math.min(until, at + MOST_AT_ONCE, bytes.length);
    sent.set(to, Math.max(from, end));
    const step = Math.min(PART_BYTES, this.#options.maxPayload());
    for (let offset = from; offset < end; offset += step) {
      this.#options.send(`${to}.${offset}`, bytes.subarray(offset, Math.min(offset + step, end)));
    }
  }

  #drop(id: string): void {
    const kept = this.#kept.get(id);
    if (kept === undefined || !this.#kept.delete(id)) return;
    this.#bytes -= kept.bytes.length;
    if (this.#kept.size === 0) for (const resolve of this.#onEmpty.splice(0)) resolve();
  }
}

const NOTHING = new Uint8Array(0);
const PART_BYTES = 256 * 1024;
const MOST_AT_ONCE = 4 * 1024 * 1024;
const MOST_RECEIVERS = 16;

function full(bytes: number): CallError {
  return new CallError({
    category: "unavailable",
    message: `${bytes} bytes of large events wait for their receivers already. Try again later.`,
  });
}
