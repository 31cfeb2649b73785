// Two workers and a caller on NATS: calls spread, a worker that leaves is not missed, and values come at one's own pace.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { connect } from "@nats-io/transport-node";
import { defineOperation, mountSource, OperationRegistry } from "plico";
import { natsSource, serveOnNats } from "plico/brokers/nats";

// 1. A server of one's own, on a free port. Where there is none installed, there is nothing to show.
if (spawnSync("nats-server", ["--version"]).error !== undefined) {
  console.log("There is no nats-server in PATH. Install one, as by `apt install nats-server`, and run this again.");
  process.exit(0);
}
const { server, url } = await startServer();

try {
  // 2. Workers offer the operations of a registry. On other machines they would be started just so.
  const first = await startWorker("first");
  const second = await startWorker("second");

  // 3. A caller imports what they offer, and calls it as if it were here.
  const connection = await connect({ servers: url });
  const fleet = await natsSource({ connection });
  const registry = new OperationRegistry();
  mountSource(registry, fleet);
  console.log(`${fleet.workers().length} workers offer ${fleet.operations.map(({ id }) => id).join(", ")}.`);

  // 4. Each call goes to one of them.
  const answers = await Promise.all(Array.from({ length: 100 }, (_, n) => registry.execute("math.square", { n })));
  assert.deepEqual(
    answers.map(({ data }) => data.square),
    answers.map((_, n) => n * n),
  );
  const shares = ["first", "second"].map((name) => answers.filter(({ data }) => data.by === name).length);
  assert.ok(Math.min(...shares) > 0);
  console.log(`The first worker answered ${shares[0]} calls, the second ${shares[1]}.`);

  // 5. The worker checks the input, and its error comes back as it was.
  const refused = await registry.attempt("math.square", { n: "two" });
  assert.equal(refused.error.code, "VALIDATION_ERROR");
  assert.equal(refused.error.issues[0].path, "/n");

  // 6. A worker that is closed first answers what it has. The other one takes the rest.
  const during = Array.from({ length: 50 }, (_, n) => registry.execute("math.square", { n }));
  await first.close();
  const later = Array.from({ length: 50 }, (_, n) => registry.execute("math.square", { n }));
  const all = await Promise.all([...during, ...later]);
  assert.ok(all.slice(50).every(({ data }) => data.by === "second"));
  console.log("The first worker has gone, and no call failed.");

  // 7. A subscription is ended by its consumer, also on the other side.
  const taken = [];
  for await (const { data } of registry.subscribe("math.naturals")) {
    taken.push(data);
    if (taken.length === 5) break;
  }
  assert.deepEqual(taken, [0, 1, 2, 3, 4]);
  console.log(`Values came in order: ${taken.join(", ")}.`);

  // 8. Without a worker a call fails at once, and says that it has not run.
  await second.close();
  const { error } = await registry.attempt("math.square", { n: 2 });
  assert.equal(error.code, "UNAVAILABLE");
  assert.equal(error.details.mayHaveRun, false);
  console.log("Without a worker a call fails at once.");

  await fleet.close();
  await connection.close();
} finally {
  server.kill();
}

async function startWorker(name) {
  const square = defineOperation({
    namespace: "math",
    name: "square",
    version: "1.0.0",
    type: "query",
    description: "The square of a number, and who worked it out.",
    inputSchema: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
    outputSchema: { type: "object", properties: { square: { type: "number" }, by: { type: "string" } } },
    handler: ({ n }) => ({ square: n * n, by: name }),
  });
  const naturals = defineOperation({
    namespace: "math",
    name: "naturals",
    version: "1.0.0",
    type: "subscription",
    description: "All natural numbers.",
    inputSchema: { type: "object" },
    outputSchema: { type: "integer" },
    async *handler() {
      for (let n = 0; ; n += 1) yield n;
    },
  });
  const connection = await connect({ servers: url });
  const worker = await serveOnNats(new OperationRegistry().registerAll([square, naturals]), { connection });
  return {
    async close() {
      await worker.close();
      await connection.close();
    },
  };
}

async function startServer() {
  const port = await freePort();
  const child = spawn("nats-server", ["-a", "127.0.0.1", "-p", String(port)], { stdio: ["ignore", "ignore", "pipe"] });
  for await (const line of child.stderr) if (String(line).includes("Server is ready")) break;
  return { server: child, url: `nats://127.0.0.1:${port}` };
}

async function freePort() {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
