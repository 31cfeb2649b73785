// What a nats-server does with queue groups in a cluster, between clusters and at leaf nodes, and when it notices that a
// client stands still; and what durable calls cost that three servers keep. Facts for docs/scale.md; everything is on loopback.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "@nats-io/transport-node";
import { executed, imported } from "./nats-callers.mjs";
import { closeStage, startResponder } from "./nats-stage.mjs";
import { median } from "./ratio.mjs";

const MESSAGES = 9000;
const folder = mkdtempSync(join(tmpdir(), "plico-bench-cluster-"));
const children = [];
const results = {};

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  return port;
}

async function start(name, config) {
  const file = join(folder, `${name}.conf`);
  writeFileSync(file, `server_name: ${name}\nlisten: "127.0.0.1:-1"\n${config}`);
  const child = spawn("nats-server", ["-c", file], { stdio: ["ignore", "ignore", "pipe"] });
  children.push(child);
  return new Promise((resolve, reject) => {
    let told = "";
    child.once("error", reject);
    child.stderr.setEncoding("utf8").on("data", (text) => {
      told += text;
      if (!told.includes("Server is ready")) return;
      const [client, monitor] = ["client connections", "http monitor"].map((what) =>
        told.match(new RegExp(`${what} on (\\S+)`))?.at(1),
      );
      resolve({ client, monitor });
    });
  });
}

/** How the messages of a caller spread over the members of one group, each at its server. */
async function spread(what, members, caller) {
  const counts = members.map(() => 0);
  const connections = await Promise.all(members.map(({ client }) => connect({ servers: client })));
  for (const [at, connection] of connections.entries()) {
    const callback = () => counts[at]++;
    connection.subscribe("work", { queue: "workers", callback });
    await connection.flush();
  }
  await sleep(500);
  const publisher = await connect({ servers: caller.client });
  for (let sent = 0; sent < MESSAGES; sent++) publisher.publish("work", "x");
  await publisher.flush();
  for (let tries = 0; tries < 100 && counts.reduce((sum, one) => sum + one) < MESSAGES; tries++) await sleep(20);
  for (const connection of [...connections, publisher]) await connection.close();
  results[what] = counts;
  console.log(`  ${what.padEnd(58)} ${counts.join("  ")}`);
}

/** How long until the server ends the connection of a client that stands still, with a message to it every so often. */
async function noticed(what, server, everyMs) {
  const script = `import { connect } from ${JSON.stringify(import.meta.resolve("@nats-io/transport-node"))};
    const connection = await connect({ servers: "${server.client}", name: "still" });
    connection.subscribe("still", { callback() {} });
    await connection.flush();
    console.log("up");`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  children.push(child);
  await once(child.stdout, "data");
  child.kill("SIGSTOP");
  const publisher = await connect({ servers: server.client });
  const timer = setInterval(() => publisher.publish("still"), everyMs);
  const start = performance.now();
  const isThere = async () => {
    const { connections } = await (await fetch(`http://${server.monitor}/connz`)).json();
    return connections.some(({ name }) => name === "still");
  };
  while (performance.now() - start < 10_000 && (await isThere())) await sleep(50);
  const seconds = (performance.now() - start) / 1000;
  results[what] = seconds < 10 ? seconds : null;
  console.log(`  ${what.padEnd(58)} ${seconds < 10 ? `${seconds.toFixed(1)} s` : "not in 10 s"}`);
  clearInterval(timer);
  await publisher.close();
  child.kill("SIGKILL");
}

const [ROUNDS, ROUND_MS] = [5, 800];

/** Durable calls that one server of a cluster keeps, and such that three do. */
async function keptCalls({ client }) {
  const calls = {};
  for (const kept of ["once", "thrice"]) {
    await startResponder(`plico, kept ${kept}`, client);
    calls[`kept ${kept}`] = executed(await imported(client, { prefix: kept }), "bench.keep");
    await rateOf(calls[`kept ${kept}`], 64);
  }
  return calls;
}

/** In rounds that take turns. */
async function compared(calls, inFlight) {
  const rates = Object.fromEntries(Object.keys(calls).map((name) => [name, []]));
  for (let round = 0; round < ROUNDS; round++)
    for (const [name, call] of Object.entries(calls)) rates[name].push(await rateOf(call, inFlight));
  for (const [name, all] of Object.entries(rates)) {
    const what = `${name}, ${inFlight} in flight`;
    results[what] = median(all);
    console.log(`  ${what.padEnd(58)} ${median(all).toFixed(0)}`);
  }
}

async function rateOf(call, inFlight) {
  const start = performance.now();
  let calls = 0;
  const lane = async () => {
    for (; performance.now() - start < ROUND_MS; calls++) await call();
  };
  await Promise.all(Array.from({ length: inFlight }, lane));
  return (1000 * calls) / (performance.now() - start);
}

try {
  const routes = [await freePort(), await freePort(), await freePort()];
  const urls = routes.map((port) => `"nats://127.0.0.1:${port}"`).join(", ");
  const cluster = routes.map((port, at) =>
    start(
      `n${at}`,
      `jetstream { store_dir: "${join(folder, `store${at}`)}" }
      cluster { name: c, listen: "127.0.0.1:${port}", routes: [${urls}] }`,
    ),
  );
  const servers = await Promise.all(cluster);
  const [east, west] = [await freePort(), await freePort()];
  const remotes = Object.entries({ east, west }).map(
    ([name, port]) => `{ name: ${name}, urls: ["nats://127.0.0.1:${port}"] }`,
  );
  const gateway = (name, port) =>
    start(name, `gateway { name: ${name}, listen: "127.0.0.1:${port}", gateways: [${remotes.join(", ")}] }`);
  const [inEast, inWest] = await Promise.all([gateway("east", east), gateway("west", west)]);
  const leaves = await freePort();
  const hub = await start("hub", `leafnodes { listen: "127.0.0.1:${leaves}" }`);
  const leaf = await start("leaf", `leafnodes { remotes: [{ url: "nats://127.0.0.1:${leaves}" }] }`);
  await sleep(1500);
  console.log(`${MESSAGES} messages to a group, by member`);
  await spread("cluster of three, a member at each, caller at the first", servers, servers[0]);
  await spread("two clusters, a member in each, caller in the first", [inEast, inWest], inEast);
  await spread("two clusters, a member in the second, caller in the first", [inWest], inEast);
  await spread("a leaf node and its hub, a member at each, caller at leaf", [leaf, hub], leaf);
  await spread("a leaf node and its hub, a member at each, caller at hub", [leaf, hub], hub);
  console.log("a client that stands still, with ping_interval 1s and ping_max 2, is noticed after");
  const pinging = await start("pinging", 'ping_interval: "1s"\nping_max: 2\nhttp: "127.0.0.1:-1"');
  await noticed("without messages to it", pinging, 1_000_000);
  await noticed("with a message every 500 ms", pinging, 500);
  console.log("durable calls a second over the cluster of three, by how many servers keep them");
  const calls = await keptCalls(servers[0]);
  for (const inFlight of [1, 64, 512]) await compared(calls, inFlight);
  console.log(`JSON ${JSON.stringify({ bench: "nats-cluster", node: process.version, results })}`);
} finally {
  await closeStage();
  for (const child of children) child.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
}
