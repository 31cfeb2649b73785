import { callErrorData } from "../../../envelope/call-error.js";
import type { CallErrorEvent } from "../../../protocol/events.js";
import type { NatsClient, NatsMessage, NatsSubscription } from "../nats-client.js";
import { textOfToken, tokenOf } from "../subjects.js";

const NO_RESPONDERS = 503;
const LONGEST_TOKEN = 1024;

/** Hears from the server that nobody listens where a request went. */
export class NoResponders {
  readonly #connection: NatsClient;
  readonly #tell: (address: string, event: CallErrorEvent) => void;
  /** By the subject at which the answers are awaited. */
  readonly #watched = new Map<string, NatsSubscription>();

  constructor(connection: NatsClient, tell: (address: string, event: CallErrorEvent) => void) {
    this.#connection = connection;
    this.#tell = tell;
  }

  /** The subject to which the server says so, unless the id is too long for one, for a request whose answers are awaited at this address and subject. */
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
    const callback = (error: Error | null, message: NatsMessage): void => {
      if (error !== null || !isNoResponders(message)) return;
      this.#tell(address, nobodyListens(textOfToken(message.subject.slice(start))));
    };
    this.#watched.set(subject, this.#connection.subscribe(`${subject}.*`, { callback }));
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
