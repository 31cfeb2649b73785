import type { NatsConnection } from "@nats-io/transport-node";
import { type Refusal, refusalIn } from "../../brokers/nats/bus/refused-subjects.js";
import { messageOf } from "../../json/attempt.js";

export interface ConnectionWatch {
  /** The server refuses something, such as a subject; told once for each. */
  readonly onRefusal: (message: string, refusal: Refusal | undefined) => void;
  readonly onLost?: (server: string) => void;
  readonly onBack?: (server: string) => void;
}

/** Who asks for ever more subjects is not listened to for ever. */
const MOST_REFUSALS = 10_000;

/** Hears what becomes of a connection, until it is closed. */
export function watchConnection(connection: NatsConnection, { onRefusal, onLost, onBack }: ConnectionWatch): void {
  const told = new Set<string>();
  const follow = async (): Promise<void> => {
    for await (const status of connection.status()) {
      if (status.type === "disconnect" && !connection.isClosed()) onLost?.(status.server);
      if (status.type === "reconnect") onBack?.(status.server);
      if (status.type !== "error" || told.size >= MOST_REFUSALS) continue;
      const message = `The NATS server says: ${messageOf(status.error)}`;
      if (!told.has(message)) onRefusal(message, refusalIn(status.error));
      told.add(message);
    }
  };
  follow().catch(() => {});
}
