// What is kept in memory over NATS: for each call that runs, each subscription, each worker that a caller knows, and in the
// nats-server for each subscription and connection. Its numbers are those of docs/scale.md.
import { readFileSync } from "node:fs";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { connect } from "@nats-io/transport-node";
import { imported } from "./nats-callers.mjs";
import { ask, closeStage, startResponder, startServer } from "./nats-stage.mjs";

const CALLS = 10_000;
const SUBSCRIPTIONS = 2000;
const WORKERS = 100;
const SUBJECTS = 100_000;
const CONNECTIONS = 500;

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc");
const results = {};

function tell(what, bytes) {
  results[what] = Math.round(bytes);
  console.log(`  ${what.padEnd(52)} ${(bytes / 1024).toFixed(2).padStart(8)} KB`);
}

async function heap() {
  for (let round = 0; round < 3; round++) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    collect();
  }
  return process.memoryUsage().heapUsed;
}

/** Resident memory of a process, from /proc. */
function resident(pid) {
  return 1024 * Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1]);
}

/** What `many` keep here and in the worker, each. */
async function kept(name, count, worker, begin) {
  const end = await begin(Math.ceil(count / 100));
  await end();
  const [here, there] = [await heap(), await ask(worker, "heap")];
  const finish = await begin(count);
  tell(`${name}, in the caller`, ((await heap()) - here) / count);
  tell(`${name}, in the worker`, ((await ask(worker, "heap")) - there) / count);
  await finish();
}

async function pendingCalls(registry, count) {
  const stop = new AbortController();
  const options = { signal: stop.signal };
  const calls = Array.from({ length: count }, () => registry.attempt("bench.wait", { a: 1, b: 1 }, options));
  await new Promise((resolve) => setTimeout(resolve, 1500));
  return async () => {
    stop.abort();
    await Promise.all(calls);
  };
}

async function openSubscriptions(registry, count) {
  const open = Array.from({ length: count }, () => registry.subscribe("bench.count", { a: 1e9, b: 1 }));
  await Promise.all(open.map((values) => values.next()));
  await new Promise((resolve) => setTimeout(resolve, 1500));
  return () => Promise.all(open.map((values) => values.return()));
}

async function serverMemory({ servers, pid }) {
  const connection = await connect({ servers });
  const before = resident(pid);
  for (let at = 0; at < SUBJECTS; at++)
    connection.subscribe(`many.of.these.n${at}.*`, { queue: "workers", callback() {} });
  await connection.flush();
  tell("a subscription, in the nats-server", (resident(pid) - before) / SUBJECTS);
  await connection.close();
  const connected = resident(pid);
  const connections = [];
  for (let at = 0; at < CONNECTIONS; at++) connections.push(await connect({ servers }));
  tell("a connection, in the nats-server", (resident(pid) - connected) / CONNECTIONS);
  await Promise.all(connections.map((one) => one.close()));
}

try {
  const server = await startServer();
  console.log("memory");
  await serverMemory(await startServer());
  const worker = await startResponder("plico", server.servers);
  const registry = await imported(server.servers);
  await kept("a call that runs", CALLS, worker, (count) => pendingCalls(registry, count));
  await kept("a subscription", SUBSCRIPTIONS, worker, (count) => openSubscriptions(registry, count));
  const many = await startServer();
  await startResponder("plico", many.servers);
  await imported(many.servers);
  const lone = await heap();
  const fleet = await startResponder(`${WORKERS} workers`, many.servers);
  await new Promise((resolve) => setTimeout(resolve, 2000));
  tell("a worker of 5 operations, in its process", (await ask(fleet, "growth")) / WORKERS);
  tell("a worker that a caller knows", ((await heap()) - lone) / WORKERS);
  console.log(`JSON ${JSON.stringify({ bench: "nats-memory", node: process.version, bytes: results })}`);
} finally {
  await closeStage();
}
