import { CallError } from "../../../envelope/call-error.js";
import { attempt, messageOf } from "../../../json/attempt.js";
import type { NatsClient } from "../nats-client.js";
import { type HeldMessage, HeldMessages } from "./held-messages.js";
import type { NatsBusState } from "./nats-bus-options.js";
import { followStatuses } from "./statuses.js";

/** The connection as a bus sees it: what is sent while it is gone is held, and sent when it is back. */
export class Link {
  readonly #connection: NatsClient;
  readonly #held = new HeldMessages();
  readonly #onError: (thrown: unknown) => void;
  readonly #listeners = new Set<{ readonly listener: (state: NatsBusState) => void }>();
  readonly #stopStatuses: () => void;
  #state: NatsBusState = "connected";

  constructor(connection: NatsClient, onError: (thrown: unknown) => void) {
    this.#connection = connection;
    this.#onError = onError;
    if (connection.isClosed()) this.#state = "closed";
    else if (connection.info === undefined) this.#state = "disconnected";
    this.#stopStatuses = followStatuses(connection, ({ type }) => {
      if (type === "disconnect") this.#enter("disconnected");
      else if (type === "reconnect") this.#enter("connected");
    });
    connection.closed().then(
      () => this.#enter("closed"),
      () => this.#enter("closed"),
    );
  }

  get state(): NatsBusState {
    return this.#state;
  }

  /** Between a loss and the news of it the client has no `info`, and would drop what it is given. */
  get isUp(): boolean {
    return this.#state === "connected" && this.#connection.info !== undefined;
  }

  get maxPayload(): number {
    return this.#connection.info?.max_payload ?? DEFAULT_MAX_PAYLOAD;
  }

  onState(listener: (state: NatsBusState) => void): () => void {
    const member = { listener };
    this.#listeners.add(member);
    return () => this.#listeners.delete(member);
  }

  /** Only while it is up. Throws where the client takes nothing more. */
  publish(subject: string, payload: Uint8Array | string, reply?: string): void {
    try {
      // The client would make the bytes by a TextEncoder, which takes longer for short texts.
      const bytes = typeof payload === "string" ? Buffer.from(payload) : payload;
      if (reply === undefined) this.#connection.publish(subject, bytes);
      else this.#connection.publish(subject, bytes, { reply });
    } catch (thrown) {
      throw notTaken(thrown);
    }
  }

  /** Now, or when it is up again. Throws where it can be neither sent nor held. */
  send(subject: string, text: string): void {
    if (this.isUp) this.publish(subject, text);
    else this.hold({ bytes: text.length, send: () => this.publish(subject, text) });
  }

  /** Until it is up again. Throws where that would be too much. */
  hold(message: HeldMessage): void {
    if (this.#state !== "closed") this.#held.add(message);
  }

  stop(): void {
    this.#listeners.clear();
    this.#held.clear();
    this.#state = "closed";
    this.#stopStatuses();
  }

  #enter(state: NatsBusState): void {
    if (this.#state === "closed" || this.#state === state) return;
    this.#state = state;
    if (state === "connected") this.#release();
    if (state === "closed") this.#held.clear();
    for (const member of [...this.#listeners]) {
      if (this.#listeners.has(member)) attempt(() => member.listener(state), this.#onError);
    }
  }

  #release(): void {
    for (const { send } of this.#held.take()) attempt(send, this.#onError);
  }
}

/** What NATS servers have where they are not told otherwise. */
const DEFAULT_MAX_PAYLOAD = 1024 * 1024;

function notTaken(thrown: unknown): CallError {
  return new CallError({
    category: "unavailable",
    message: `The connection to NATS did not take an event: ${messageOf(thrown)}`,
    details: { taken: false },
    cause: thrown,
  });
}
