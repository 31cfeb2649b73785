import { randomHex } from "../../../json/random-hex.js";
import type { Announcement, Claim } from "./large-event.js";

export interface TransfersOptions {
  /** Where parts come. */
  readonly address: string;
  /** Sends a claim; where nobody hears it, `onUnheard` is to be told by the transfer's name. */
  readonly claim: (from: string, claim: Claim, transfer: string) => void;
}

/** What becomes of an event that is fetched. */
export interface Fetching {
  /** Parts come, or it is not yet its turn. */
  readonly goesOn: () => void;
  /** Gets the bytes, or nothing where they are lost. */
  readonly done: (bytes: Buffer | undefined) => void;
}

interface Transfer {
  readonly name: string;
  readonly announcement: Announcement;
  readonly fetching: Fetching;
  bytes: Buffer | undefined;
  received: number;
  claimedAt: number;
  activeAt: number;
  unheard: number;
}

/** Fetches large events from their senders, a few at a time and each no faster than it is taken. */
export class Transfers {
  readonly #options: TransfersOptions;
  readonly #running = new Map<string, Transfer>();
  #waiting: Transfer[] = [];

  constructor(options: TransfersOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#running.size;
  }

  fetch(announcement: Announcement, fetching: Fetching): void {
    const activeAt = Date.now();
    const counts = { bytes: undefined, received: 0, claimedAt: 0, activeAt, unheard: 0 };
    const transfer: Transfer = { name: randomHex(8), announcement, fetching, ...counts };
    if (this.#running.size < MOST_AT_A_TIME) this.#begin(transfer);
    else if (this.#waiting.length < MOST_WAITING) this.#waiting.push(transfer);
    else fetching.done(undefined);
  }

  /** What is no part of a running transfer, or not the next one, is passed over. */
  onPart(name: string, place: string, part: Uint8Array): void {
    const transfer = this.#running.get(name);
    if (transfer === undefined) return;
    const { received, announcement } = transfer;
    const isNext = Number(place) === received && part.length > 0;
    if (place === "gone" || (isNext && received + part.length > announcement.size)) this.#end(transfer, undefined);
    else if (isNext) this.#take(transfer, part);
  }

  /** The sender does not listen, or not yet. */
  onUnheard(name: string): void {
    const transfer = this.#running.get(name);
    if (transfer === undefined) return;
    transfer.unheard += 1;
    if (transfer.unheard > MOST_UNHEARD) this.#end(transfer, undefined);
  }

  /** Asks again where nothing came, and gives up in the end. */
  sweep(now: number, idleMs: number): void {
    for (const { fetching } of this.#waiting) fetching.goesOn();
    for (const transfer of [...this.#running.values()]) {
      const silence = now - transfer.activeAt;
      if (silence > idleMs) this.#end(transfer, undefined);
      else if (silence > ASK_AGAIN_MS || transfer.unheard > 0) this.#claim(transfer, true);
      else transfer.fetching.goesOn();
    }
  }

  clear(): void {
    this.#running.clear();
    this.#waiting = [];
  }

  #begin(transfer: Transfer): void {
    this.#running.set(transfer.name, transfer);
    transfer.activeAt = Date.now();
    this.#claim(transfer, true);
  }

  #take(transfer: Transfer, part: Uint8Array): void {
    transfer.bytes ??= Buffer.allocUnsafe(transfer.announcement.size);
    transfer.bytes.set(part, transfer.received);
    transfer.received += part.length;
    transfer.activeAt = Date.now();
    transfer.unheard = 0;
    const { received, claimedAt, announcement, bytes } = transfer;
    if (received === announcement.size) {
      this.#claim(transfer, false);
      this.#end(transfer, bytes);
    } else if (received - claimedAt >= WINDOW_BYTES / 2) {
      this.#claim(transfer, false);
    }
  }

  #claim(transfer: Transfer, again: boolean): void {
    const { name, announcement, received: at } = transfer;
    transfer.claimedAt = at;
    const to = `${this.#options.address}.${name}`;
    const claim: Claim = { claim: announcement.large, to, at, until: at + WINDOW_BYTES, ...(again && { again }) };
    this.#options.claim(announcement.from, claim, name);
  }

  #end(transfer: Transfer, bytes: Buffer | undefined): void {
    this.#running.delete(transfer.name);
    const next = this.#waiting.shift();
    if (next !== undefined) this.#begin(next);
    transfer.fetching.done(bytes);
  }
}

const WINDOW_BYTES = 1024 * 1024;
const MOST_AT_A_TIME = 8;
const MOST_WAITING = 10_000;
const MOST_UNHEARD = 3;
const ASK_AGAIN_MS = 1000;
