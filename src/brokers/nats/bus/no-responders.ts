import { callErrorData } from "../../../envelope/call-error.js";
import type { CallErrorEvent } from "../../../protocol/events.js";
import { hear } from "../hear.js";
import type { NatsClient, NatsMessage, NatsSubscription } from "../nats-client.js";
import { textOfToken, tokenOf } from "../subjects.js";

const NO_RESPONDERS = 503;
const LONGEST_TOKEN = 1024;

/** Hears from the server that nobody listens where a request went. */
export class NoResponders {
  readonly #connection: NatsClient;
  readonly #tell: (address: string, event: CallErrorEvent) => void;
  readonly #onError: (thrown: unknown) => void;
  /** By the subject at which the answers are awaited. */
  readonly #watched = new Map<string, NatsSubscription>();

  constructor(
    connection: NatsClient,
    tell: (address: string, event: CallErrorEvent) => void,
    onError: (thrown: unknown) => void,
  ) {
    this.#connection = connection;
    this.#tell = tell;
    this.#onError = onError;
  }

  /** Where the server says so of a request whose answers are awaited here; nowhere where its id is too long for it. */
  replySubject(address: string, subject: string, requestId: string): string | undefined {
    const token = tokenOf(requestId);
    // A server ends the connection of whoever sends it too long a subject.
    if (token.length > LONGEST_TOKEN) return undefined;
    if (!this.#watched.has(subject)) this.#watch(address, subject);
    return `${subject}.${token}`;
  }

  forget(subject: string): void {
    this.#watched.get(subject)?.unsubscribe();
    this.#watched.delete(subject);
  }

  clear(): void {
    for (const subject of [...this.#watched.keys()]) this.forget(subject);
  }

  #watch(address: string, subject: string): void {
    const start = subject.length + 1;
    const listener = (message: NatsMessage): void => {
      if (isNoResponders(message)) this.#tell(address, nobodyListens(textOfToken(message.subject.slice(start))));
    };
    this.#watched.set(subject, hear(this.#connection, `${subject}.*`, listener, { onError: this.#onError }));
  }
}

export function isNoResponders({ data, headers }: NatsMessage): boolean {
  return data.length === 0 && headers?.code === NO_RESPONDERS;
}

function nobodyListens(requestId: string): CallErrorEvent {
  const error = callErrorData({
    category: "unavailable",
    message: "No worker takes calls of this operation now.",
    details: { taken: false },
  });
  return { ...error, type: "call.error", requestId };
}
