import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "@nats-io/transport-node";

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
  /** Ends it and removes what it has stored. */
  close(): Promise<void>;
}

export interface NatsServerOptions {
  readonly jetstream?: boolean;
  /** More of its configuration file, such as `authorization { … }`. */
  readonly config?: string;
  /** Told by `natsCluster`. */
  readonly cluster?: { readonly name: string; readonly port: number; readonly routes: readonly number[] };
  readonly serverName?: string;
}

export async function natsServer(
  program: string,
  { jetstream = false, config = "", cluster, serverName = "n1" }: NatsServerOptions = {},
): Promise<NatsServer> {
  const folder = await mkdtemp(join(tmpdir(), "plico-nats-"));
  const port = await freePort();
  const file = join(folder, "nats.conf");
  await writeFile(
    file,
    [
      `server_name: ${serverName}`,
      `listen: "127.0.0.1:${port}"`,
      jetstream ? `jetstream { store_dir: ${JSON.stringify(join(folder, "store"))} }` : "",
      cluster === undefined
        ? ""
        : `cluster { name: ${cluster.name}, listen: "127.0.0.1:${cluster.port}", routes: [${cluster.routes
            .map((route) => `"nats://127.0.0.1:${route}"`)
            .join(", ")}] }`,
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
    async close() {
      await end(child, "SIGKILL");
      await rm(folder, { recursive: true, force: true });
    },
  };
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
  const routes = await Promise.all(Array.from({ length: size }, () => freePort()));
  return routes.map((port, at) => () => {
    const cluster = { name: "plico", port, routes };
    return natsServer(program, { jetstream, config, cluster, serverName: `n${at + 1}` });
  });
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
