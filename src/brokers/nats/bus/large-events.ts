import { attempt } from "../../../json/attempt.js";
import type { CallEvent } from "../../../protocol/events.js";
import { hear } from "../hear.js";
import type { NatsClient, NatsMessage, NatsSubscription } from "../nats-client.js";
import { KeptEvents } from "./kept-events.js";
import { type Announcement, isClaim, kindOf, tooLarge } from "./large-event.js";
import type { Link } from "./link.js";
import { isNoResponders } from "./no-responders.js";
import { type Fetching, Transfers } from "./transfers.js";

export interface LargeEventsOptions {
  readonly connection: NatsClient;
  readonly link: Link;
  readonly prefix: string;
  /** Where claims and parts come. */
  readonly address: string;
  readonly maxEventBytes: number;
  readonly onError: (thrown: unknown) => void;
}

/** Carries events that are larger than a message may be: they are announced, and their receivers fetch them in parts. */
export class LargeEvents {
  readonly maxEventBytes: number;
  readonly #options: LargeEventsOptions;
  readonly #kept: KeptEvents;
  readonly #transfers: Transfers;
  #subscriptions: readonly NatsSubscription[] = [];
  #ticker: ReturnType<typeof setInterval> | undefined;

  constructor(options: LargeEventsOptions) {
    const { link, prefix, address, maxEventBytes } = options;
    this.#options = options;
    this.maxEventBytes = maxEventBytes;
    this.#kept = new KeptEvents({
      maxBytes: KEPT_AT_MOST * maxEventBytes,
      maxPayload: () => link.maxPayload,
      send: (to, bytes) => this.#send(`${prefix}.${to}`, bytes),
    });
    this.#transfers = new Transfers({
      address,
      claim: (from, claim, name) =>
        this.#send(`${prefix}.${from}`, JSON.stringify(claim), `${prefix}.${address}.${name}`),
    });
  }

  /** Keeps the event for whoever claims it, and gives the text that announces it. */
  announce(event: CallEvent, bytes: Uint8Array): string {
    if (bytes.length > this.maxEventBytes) throw tooLarge(kindOf(event), bytes.length, this.maxEventBytes);
    this.#listen();
    const { requestId } = event;
    const announcement: Announcement = {
      large: this.#kept.keep(requestId, bytes),
      size: bytes.length,
      requestId,
      from: this.#options.address,
      ...(event.type === "call.requested" && { replyTo: event.replyTo }),
    };
    return JSON.stringify(announcement);
  }

  /** Nobody will claim what was sent for this request. */
  forget(requestId: string): void {
    this.#kept.forget(requestId);
  }

  fetch(announcement: Announcement, fetching: Fetching): void {
    this.#listen();
    this.#transfers.fetch(announcement, fetching);
  }

  /** When all receivers have what was kept for them; those that have been silent for so long are not waited for. */
  async taken(silenceMs: number = PATIENCE_MS): Promise<void> {
    while (this.#kept.isAwaited(Date.now() - silenceMs)) {
      let timer: ReturnType<typeof setTimeout> | undefined;
      const tick = new Promise((resolve) => {
        timer = setTimeout(resolve, TICK_MS);
      });
      await Promise.race([this.#kept.empty(), tick]);
      clearTimeout(timer);
    }
  }

  stop(): void {
    clearInterval(this.#ticker);
    this.#kept.clear();
    this.#transfers.clear();
    for (const subscription of this.#subscriptions) subscription.unsubscribe();
  }

  #send(subject: string, payload: Uint8Array | string, reply?: string): void {
    // What is lost with a connection is asked for again.
    if (this.#options.link.isUp)
      attempt(() => this.#options.link.publish(subject, payload, reply), this.#options.onError);
  }

  #listen(): void {
    this.#ticker ??= setInterval(this.#tick, TICK_MS).unref();
    if (this.#subscriptions.length > 0) return;
    const { connection, prefix, address, onError } = this.#options;
    const own = `${prefix}.${address}`;
    this.#subscriptions = [
      hear(connection, own, this.#onClaim, { onError }),
      hear(connection, `${own}.>`, (message) => this.#onPart(message, own.length + 1), { onError }),
    ];
  }

  readonly #onClaim = (message: NatsMessage): void => {
    const value: unknown = JSON.parse(message.string());
    if (isClaim(value)) this.#kept.onClaim(value);
  };

  #onPart(message: NatsMessage, start: number): void {
    const [name = "", place] = message.subject.slice(start).split(".");
    if (place !== undefined) this.#transfers.onPart(name, place, message.data);
    else if (isNoResponders(message)) this.#transfers.onUnheard(name);
  }

  readonly #tick = (): void => {
    const now = Date.now();
    this.#kept.sweep(now, IDLE_MS);
    this.#transfers.sweep(now, IDLE_MS);
    if (this.#kept.size > 0 || this.#transfers.size > 0) return;
    clearInterval(this.#ticker);
    this.#ticker = undefined;
  };
}

const TICK_MS = 250;
const IDLE_MS = 30_000;
/** Longer than it takes a receiver to ask again. What was announced to one that is gone must hold up nobody who drains. */
const PATIENCE_MS = 3_000;
/** How many events of the largest size. */
const KEPT_AT_MOST = 4;
