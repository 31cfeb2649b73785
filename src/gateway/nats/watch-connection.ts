import type { NatsConnection } from "@nats-io/transport-node";
import { messageOf } from "../../json/attempt.js";
import type { Log } from "../log.js";

export interface ConnectionWatch {
  /** The server refuses something, such as a subject; told once for each. */
  readonly onRefusal: (message: string) => void;
  readonly onLost?: (server: string) => void;
  readonly onBack?: (server: string) => void;
}

/** Who asks for ever more subjects is not listened to for ever. */
const MOST_REFUSALS = 20;

/** Hears what becomes of a connection, until it is closed. */
export function watchConnection(connection: NatsConnection, { onRefusal, onLost, onBack }: ConnectionWatch): void {
  const told = new Set<string>();
  const follow = async (): Promise<void> => {
    for await (const status of connection.status()) {
      if (status.type === "disconnect" && !connection.isClosed()) onLost?.(status.server);
      if (status.type === "reconnect") onBack?.(status.server);
      if (status.type !== "error" || told.size >= MOST_REFUSALS) continue;
      const message = `The NATS server says: ${messageOf(status.error)}`;
      if (!told.has(message)) onRefusal(message);
      told.add(message);
    }
  };
  follow().catch(() => {});
}

/** The same, for those who run it. */
export function tellConnection(connection: NatsConnection, log: Log): void {
  watchConnection(connection, {
    onRefusal: (message) => log.warn(message),
    onLost: (server) => log.warn("The connection to NATS is lost; it is made again as soon as that works", { server }),
    onBack: (server) => log.info("The connection to NATS is back", { server }),
  });
}
