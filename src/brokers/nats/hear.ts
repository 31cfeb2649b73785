import { attempt } from "../../json/attempt.js";
import type { NatsClient, NatsMessage, NatsSubscription } from "./nats-client.js";

export interface HearOptions {
  /** Subscribers with the same one share the messages. */
  readonly queue?: string | undefined;
  /** Gets what the listener throws, and what the server refuses. @default nobody does */
  readonly onError?: (thrown: unknown) => void;
}

/** Subscribes so that a listener may throw: the client reads nothing more from any server once a callback has. */
export function hear(
  connection: NatsClient,
  subject: string,
  listener: (message: NatsMessage) => void,
  { queue, onError = () => {} }: HearOptions = {},
): NatsSubscription {
  const callback = (error: Error | null, message: NatsMessage): void => {
    if (error !== null) attempt(() => onError(error), onError);
    else attempt(() => listener(message), onError);
  };
  return connection.subscribe(subject, queue === undefined ? { callback } : { callback, queue });
}
