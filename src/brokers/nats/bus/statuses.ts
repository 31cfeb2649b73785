import { orElse } from "../../../json/attempt.js";
import type { NatsClient } from "../nats-client.js";

/** Something that a client tells of its connection. */
export interface ConnectionStatus {
  readonly type: string;
  readonly error?: unknown;
}

/** Tells what becomes of a connection, until it ends. Returns what ends it before. */
export function followStatuses(connection: NatsClient, listener: (status: ConnectionStatus) => void): () => void {
  const statuses: AsyncIterable<ConnectionStatus> & { readonly stop?: unknown } = connection.status();
  const follow = async (): Promise<void> => {
    for await (const status of statuses) orElse(() => listener(status), undefined);
  };
  // A client whose statuses fail has none any more; that it is closed is told by `closed()`.
  follow().catch(() => {});
  return () => {
    // Only so does the client's iterator forget its consumer before the connection ends.
    const { stop } = statuses;
    if (typeof stop === "function") orElse(() => stop.call(statuses), undefined);
  };
}
