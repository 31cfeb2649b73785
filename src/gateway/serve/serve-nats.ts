import type { NatsConnection } from "@nats-io/transport-node";
import { refusalIn } from "../../brokers/nats/bus/refused-subjects.js";
import { type NatsWorker, serveOnNats } from "../../brokers/nats/worker/serve-on-nats.js";
import { CallError, isCallError } from "../../envelope/call-error.js";
import { messageOf } from "../../json/attempt.js";
import { isEqual, type JsonRecord, omit } from "../../json/value.js";
import { ABOUT_PLICO } from "../../mcp/about-plico.js";
import type { LoadedConfig } from "../config/loaded-config.js";
import { natsAddresses, readNatsAddress } from "../config/nats-address.js";
import type { NatsServerConfig } from "../config/nats-config.js";
import { type Log, SILENT } from "../log.js";
import { connectNats } from "../nats/nats-connection.js";
import { trustOf } from "../nats/nats-identity.js";
import { RefusedSubjects } from "../nats/refused-subjects.js";
import type { ServedGateway } from "./served-gateway.js";

export interface NatsPlaceOptions {
  readonly loaded: LoadedConfig;
  /** @default nobody */
  readonly log?: Log;
  /** Addresses without faults, in place of those of the configuration. */
  readonly servers?: readonly string[] | undefined;
  /** Gives up the connection. */
  readonly signal?: AbortSignal;
}

/** A connection to serve at. */
export interface NatsPlace {
  /** Serves a gateway there. */
  serve(gateway: ServedGateway): Promise<NatsGatewayServer>;
  close(): Promise<void>;
}

interface NatsGatewayServer {
  /** Where it is, for people: server, service, subjects. */
  readonly places: Readonly<Record<string, string>>;
  /** Rejects where the server lets it hear no call at all; else it never settles. */
  readonly gone: Promise<undefined>;
  /** Goes over to what the configuration of the gateway says now; calls that run are finished. */
  refresh(): void;
  /** Takes nothing new, and lets running calls finish. */
  close(): Promise<void>;
}

/** Connects to NATS as a configuration says it. Rejects with a `CallError` where that does not work. */
export async function natsPlace({ loaded, log = SILENT, servers, signal }: NatsPlaceOptions): Promise<NatsPlace> {
  const access = natsOf(loaded);
  const addresses = servers ?? natsAddresses(access.url ?? []);
  if (addresses.length === 0) throw nowhere();
  const connection = await connectNats({
    ...{ servers: addresses, access, folder: loaded.folder, label: `plico worker ${access.name ?? NAME}` },
    ...{ inbox: "worker", ...(signal !== undefined && { signal }) },
  });
  const refused = new RefusedSubjects(connection, log);
  const shown = addresses.map((address) => readNatsAddress(address).shown).join(", ");
  return {
    serve: (gateway) => serveGatewayNats({ gateway, log, connection, shown, refused }),
    async close() {
      refused.close();
      await connection.close();
    },
  };
}

const NAME = "plico";
const DRAIN_MS = 25_000;

function natsOf({ config }: LoadedConfig): NatsServerConfig {
  return config.servers?.nats ?? {};
}

function nowhere(): CallError {
  return new CallError({
    category: "validation",
    code: "CONFIG_INVALID",
    message: "It is not said where NATS is.",
    suggestedAction: "Give --nats nats://127.0.0.1:4222, or servers.nats.url in plico.json.",
  });
}

interface Serving {
  readonly gateway: ServedGateway;
  readonly log: Log;
  readonly connection: NatsConnection;
  readonly shown: string;
  readonly refused: RefusedSubjects;
}

async function serveGatewayNats(serving: Serving): Promise<NatsGatewayServer> {
  const { gateway, log, shown } = serving;
  let config = natsOf(gateway.loaded);
  let worker = await open(serving, config);
  const retired = new Set<Promise<void>>();
  let turn: Promise<void> = Promise.resolve();
  let isClosed = false;

  const close = (one: NatsWorker): Promise<void> => one.close({ timeoutMs: config.drainMs ?? DRAIN_MS });

  /** The new one is there before the old one goes, so that nobody finds nobody. */
  const replace = async (wanted: NatsServerConfig): Promise<void> => {
    if (isClosed || isEqual(wanted, config)) return;
    if (!isEqual(accessOf(wanted), accessOf(config)))
      log.warn("Another address of NATS, or another way in, holds from the next start on");
    const before = worker;
    worker = await open(serving, wanted);
    config = wanted;
    const closing = close(before).finally(() => retired.delete(closing));
    retired.add(closing);
  };

  return {
    get places() {
      const { name = NAME, prefix = NAME } = config;
      return { nats: shown, service: `${name}, worker ${worker.id}`, subjects: `${prefix}.>` };
    },
    gone: mayHearNothing(serving, () => worker.operations(), config.prefix ?? NAME),
    refresh() {
      turn = turn.then(() => replace(natsOf(gateway.loaded))).catch((thrown: unknown) => log.error(told(thrown)));
    },
    async close() {
      isClosed = true;
      await turn;
      await Promise.all([close(worker), ...retired]);
    },
  };
}

/** Looks once, when all sources are up or have failed: one that may be called may be the last to come. */
function mayHearNothing(
  { gateway, connection, refused }: Serving,
  operations: () => readonly string[],
  prefix: string,
): Promise<undefined> {
  const gone = new Promise<undefined>((_, reject) => {
    const look = async (): Promise<void> => {
      await gateway.settled();
      // The worker follows the sources in its next turn; then the server has refused what it refuses.
      await nextTurn();
      await connection.flush();
      await nextTurn();
      if (refused.isDeafTo(operations(), prefix)) reject(refused.error());
    };
    // A connection that is lost at this moment refuses nothing.
    look().catch(() => {});
  });
  // Not everybody waits for it.
  gone.catch(() => {});
  return gone;
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

function open({ gateway, log, connection }: Serving, config: NatsServerConfig): Promise<NatsWorker> {
  const { name, prefix, description, durable, maxRunning, trust, jetstream } = config;
  return serveOnNats(gateway.served, {
    ...{ connection, name, prefix, description, durable, maxRunning, version: ABOUT_PLICO.version },
    trust: trust === undefined ? undefined : trustOf(trust, gateway.loaded.folder),
    durability: jetstream === undefined ? undefined : { streams: jetstream },
    onError: (thrown) => {
      // Whoever watches the connection tells of these.
      if (refusalIn(thrown) === undefined) log.warn(told(thrown));
    },
  });
}

function told(thrown: unknown): string {
  if (isTimeout(thrown)) return "JetStream, which keeps durable calls, has not answered a request in time";
  const { suggestedAction } = isCallError(thrown) ? thrown : {};
  return suggestedAction === undefined ? messageOf(thrown) : `${messageOf(thrown)} ${suggestedAction}`;
}

/** The client's own says nothing but "timeout"; only JetStream is asked like that. */
function isTimeout(thrown: unknown): boolean {
  return thrown instanceof Error && !isCallError(thrown) && /^timeout$/i.test(thrown.message);
}

const OWN = ["name", "description", "prefix", "trust", "durable", "maxRunning", "drainMs", "jetstream"];

/** What the connection was made of. */
function accessOf(config: NatsServerConfig): JsonRecord {
  return omit(config as JsonRecord, OWN);
}
