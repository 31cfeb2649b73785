import type { NatsConnection } from "@nats-io/transport-node";
import { startTimer } from "../../json/longest-timer.js";
import { type NatsAddress, readNatsAddress } from "../config/nats-address.js";
import type { NatsAccessConfig } from "../config/nats-config.js";
import { accessOptions } from "./nats-access.js";
import { notConnected, notInTime } from "./nats-failure.js";
import { natsTransport } from "./nats-transport.js";

export interface NatsConnectionOptions {
  /** Addresses without faults. */
  readonly servers: readonly string[];
  readonly access: NatsAccessConfig;
  /** Where paths start. */
  readonly folder: string;
  /** What operators of the server see. */
  readonly label: string;
  /** Our name in the subjects of answers, so that permissions can keep those apart. */
  readonly inbox: string;
  /** Gives up the opening. */
  readonly signal?: AbortSignal;
}

const START_TIMEOUT = 10_000;

/** Connects, or rejects with a `CallError`, in bounded time. Once it is up it comes back by itself, however long that takes. */
export async function connectNats(options: NatsConnectionOptions): Promise<NatsConnection> {
  const { servers, access, folder, label, inbox, signal } = options;
  const { startTimeout = START_TIMEOUT } = access;
  const transport = await natsTransport(folder);
  signal?.throwIfAborted();
  const addresses = servers.map(readNatsAddress);
  const connecting = transport.connect({
    ...accessOptions({ access, addresses, folder, transport }),
    servers: addresses.map(({ server }) => server),
    name: label,
    inboxPrefix: `_INBOX.${inbox}`,
    timeout: startTimeout,
    maxReconnectAttempts: -1,
    // Whoever renews credentials may be late.
    ignoreAuthErrorAbort: true,
    reconnectTimeWait: 500,
    reconnectJitter: 500,
    pingInterval: 15_000,
  });
  return inTime(connecting, { addresses, startTimeout, signal });
}

interface Patience {
  readonly addresses: readonly NatsAddress[];
  readonly startTimeout: number;
  readonly signal: AbortSignal | undefined;
}

/** The client cannot be kept from going on: a connection that nobody waits for any longer is closed when it comes. */
function inTime(connecting: Promise<NatsConnection>, patience: Patience): Promise<NatsConnection> {
  const { addresses, startTimeout, signal } = patience;
  return new Promise((resolve, reject) => {
    const giveUp = (reason: unknown): void => {
      settle();
      reject(reason);
      connecting.then((connection) => connection.close()).catch(() => {});
    };
    const onAbort = (): void => giveUp(signal?.reason);
    const timer = startTimer(startTimeout, () => giveUp(notInTime(addresses, startTimeout)));
    const settle = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
    };
    connecting.then(resolve, (thrown: unknown) => reject(notConnected(thrown, addresses))).finally(settle);
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}
