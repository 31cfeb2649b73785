import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "@nats-io/transport-node";
import { ClusterNetwork } from "./nats-cluster-network.js";

/** A real `nats-server` on loopback. */
export interface NatsServer {
  /** `nats://127.0.0.1:…`, the same after a restart. */
  readonly url: string;
  readonly port: number;
  readonly process: ChildProcess;
  /** Ends the process at once, as a crash does. */
  kill(): Promise<void>;
  /** Starts it again on its port, with what it had stored. */
  restart(): Promise<void>;
  pause(): void;
  resume(): void;
  /** Nothing passes between it and the other servers of its cluster until `rejoin`; its clients are with it as before. */
  isolate(): void;
  rejoin(): Promise<void>;
  /** Ends it and removes what it has stored. */
  close(): Promise<void>;
}

export interface NatsServerOptions {
  readonly jetstream?: boolean;
  /** More of its configuration file, such as `authorization { … }`. */
  readonly config?: string;
  /** Told by `natsCluster`. */
  readonly cluster?: ClusterPlace;
}

interface ClusterPlace {
  readonly network: ClusterNetwork;
  /** Counted from 0. */
  readonly place: number;
  /** Where the others reach it. */
  readonly port: number;
}

export async function natsServer(
  program: string,
  { jetstream = false, config = "", cluster }: NatsServerOptions = {},
): Promise<NatsServer> {
  const folder = await mkdtemp(join(tmpdir(), "plico-nats-"));
  const port = await freePort();
  const file = join(folder, "nats.conf");
  await writeFile(
    file,
    [
      `server_name: n${(cluster?.place ?? 0) + 1}`,
      `listen: "127.0.0.1:${port}"`,
      jetstream ? `jetstream { store_dir: ${JSON.stringify(join(folder, "store"))} }` : "",
      cluster === undefined ? "" : clusterConfig(cluster),
      config,
    ].join("\n"),
  );
  let child = await start(program, file);
  return {
    url: `nats://127.0.0.1:${port}`,
    port,
    get process() {
      return child;
    },
    kill: () => end(child, "SIGKILL"),
    async restart() {
      await end(child, "SIGKILL");
      child = await start(program, file);
    },
    pause: () => void child.kill("SIGSTOP"),
    resume: () => void child.kill("SIGCONT"),
    isolate: () => cluster?.network.isolate(cluster.place),
    rejoin: async () => await cluster?.network.rejoin(cluster.place),
    async close() {
      await end(child, "SIGKILL");
      await cluster?.network.close(cluster.place);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Servers tell each other where others are: there nobody listens, so that each knows no way but its routes. */
function clusterConfig({ network, place, port }: ClusterPlace): string {
  const routes = JSON.stringify(network.routesOf(place));
  return `cluster { name: plico, listen: "127.0.0.1:${port}", advertise: "127.0.0.1:1", routes: ${routes} }`;
}

export interface NatsClusterOptions {
  readonly size?: number;
  readonly jetstream?: boolean;
  readonly config?: string;
}

/** Servers that know each other. JetStream is ready, with its leader chosen. */
export async function natsCluster(program: string, options: NatsClusterOptions = {}): Promise<readonly NatsServer[]> {
  const starts = await natsClusterStarts(program, options);
  const servers = await Promise.all(starts.map((startOne) => startOne()));
  if (options.jetstream !== false) await hasLeader(servers[0] as NatsServer);
  return servers;
}

/** What starts each of the servers of a cluster. */
export async function natsClusterStarts(
  program: string,
  { size = 3, jetstream = true, config = "" }: NatsClusterOptions = {},
): Promise<readonly (() => Promise<NatsServer>)[]> {
  const ports = await Promise.all(Array.from({ length: size }, () => freePort()));
  const network = await ClusterNetwork.between(ports);
  return ports.map(
    (port, place) => () => natsServer(program, { jetstream, config, cluster: { network, place, port } }),
  );
}

async function start(program: string, file: string): Promise<ChildProcess> {
  const child = spawn(program, ["-c", file], { stdio: ["ignore", "ignore", "pipe"] });
  let told = "";
  await new Promise<void>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`nats-server ended with ${code}: ${told}`)));
    child.stderr?.on("data", (data: Buffer) => {
      told = (told + data.toString()).slice(-4000);
      if (told.includes("Server is ready")) resolve();
    });
  });
  return child;
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, "exit");
  child.kill(signal);
  // One that is paused hears of a signal only when it goes on.
  child.kill("SIGCONT");
  await gone;
}

async function hasLeader({ url }: NatsServer): Promise<void> {
  const connection = await connect({ servers: url });
  try {
    for (let attempts = 0; attempts < 200; attempts += 1) {
      const reply = await connection.request("$JS.API.INFO", "", { timeout: 500 }).catch(() => undefined);
      if (reply !== undefined && (reply.json() as { error?: unknown }).error === undefined) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error("The cluster has chosen no leader for JetStream.");
  } finally {
    await connection.close();
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" && address !== null ? address.port : 0;
}
