import type { NatsConnection } from "@nats-io/transport-node";
import { type NatsSource, natsSource } from "../../brokers/nats/source/nats-source.js";
import type { Warning } from "../../envelope/warning.js";
import { Listeners } from "../../registry/listeners.js";
import type { NatsConfig } from "../config/config.js";
import { readNatsAddress } from "../config/nats-address.js";
import type { NatsAccessConfig } from "../config/nats-config.js";
import type { OpenedSource } from "../sources/open-source.js";
import { connectNats } from "./nats-connection.js";
import { signerOf } from "./nats-identity.js";
import { watchConnection } from "./watch-connection.js";

export interface FleetOptions
  extends NatsAccessConfig,
    Pick<NatsConfig, "subjects" | "caller" | "sign" | "signingKey" | "majors" | "heartbeat" | "retries"> {
  readonly name: string;
  /** Addresses of NATS. */
  readonly servers: readonly string[];
  /** Where paths start. */
  readonly folder: string;
}

export interface OpenFleetOptions extends FleetOptions {
  readonly signal?: AbortSignal;
}

/** Whatever workers on NATS offer, with a connection of its own. */
export async function fleetSource(options: OpenFleetOptions): Promise<OpenedSource> {
  const { name, servers, folder, subjects, majors, heartbeat, retries, signal } = options;
  const caller = options.caller ?? userOf(options) ?? "anyone";
  const signer = signerOf(options, folder);
  const connection = await connectNats({
    ...{ servers, folder, access: options, label: `plico ${name}`, inbox: caller },
    ...(signal !== undefined && { signal }),
  });
  const refusals = new Refusals(connection);
  try {
    const source = await natsSource({
      ...{ connection, name, caller, majors, heartbeat, retries },
      ...(subjects !== undefined && { prefix: subjects }),
      ...(signer !== undefined && { signer }),
      ...(signal !== undefined && { signal }),
    });
    return withConnection(source, connection, refusals);
  } catch (thrown) {
    await connection.close();
    throw thrown;
  }
}

/** Permissions most likely know a caller by the name that the server knows it by. */
function userOf({ user, servers }: FleetOptions): string | undefined {
  const name = user ?? servers.map((server) => readNatsAddress(server).user).find((one) => one !== undefined);
  return name !== undefined && /^[A-Za-z0-9_-]{1,64}$/.test(name) ? name : undefined;
}

const MOST_WARNINGS = 20;

/** What the server does not allow: without a word of it, a fleet that may not be seen would look like none. */
class Refusals {
  readonly changes: Listeners = new Listeners();
  #warnings: readonly Warning[] = [];

  constructor(connection: NatsConnection) {
    watchConnection(connection, {
      onRefusal: (message) => {
        if (this.#warnings.length >= MOST_WARNINGS) return;
        this.#warnings = [...this.#warnings, { code: "NATS_REFUSES", message }];
        this.changes.tell();
      },
    });
  }

  get warnings(): readonly Warning[] {
    return this.#warnings;
  }
}

/** Who opened the connection closes it. */
function withConnection(source: NatsSource, connection: NatsConnection, refusals: Refusals): OpenedSource {
  return {
    name: source.name,
    get operations() {
      return source.operations;
    },
    health() {
      const health = source.health();
      return { ...health, warnings: [...health.warnings, ...refusals.warnings] };
    },
    onChange: (listener) => source.onChange(listener),
    onHealth(listener) {
      const ends = [source.onHealth(listener), refusals.changes.add(listener)];
      return () => {
        for (const end of ends) end();
      };
    },
    refresh: () => source.refresh(),
    async close() {
      await source.close();
      await connection.close();
    },
  };
}
