// A worker of the tests under faults: `node nats-worker-program.mjs SETTINGS`, with JSON. It writes what its handlers do to
// its history, tells its parent when it is ready, and ends on the parent's word "drain".
import { setTimeout as delay } from "node:timers/promises";
import { connect } from "@nats-io/transport-node";
import { defineOperation, OperationRegistry } from "plico";
import { serveOnNats } from "plico/brokers/nats";
import { historyRecorder, recordStalls } from "./nats-recorder.mjs";

const { servers, name, file, connection: terms, durability } = JSON.parse(process.argv[2]);
const record = historyRecorder(file, name);
recordStalls(record, name);
let runs = 0;

const ANYTHING = { inputSchema: { type: "object" }, outputSchema: { type: "object" } };
const ABOUT = { namespace: "fault", version: "1.0.0", description: "Of the tests under faults.", ...ANYTHING };

const echo = defineOperation({
  ...ABOUT,
  name: "echo",
  type: "query",
  handler: ({ id, n }) => ({ id, n: n * 2 + 1 }),
});

const big = defineOperation({
  ...ABOUT,
  name: "big",
  type: "query",
  handler: ({ id, size }) => ({ id, text: id.padEnd(size, "*") }),
});

const post = defineOperation({ ...ABOUT, name: "post", type: "mutation", handler: runOnce });

const hold = defineOperation({ ...ABOUT, name: "hold", type: "mutation", handler: runOnce });

const order = defineOperation({ ...ABOUT, name: "order", type: "mutation", delivery: "durable", handler: runOnce });

const ticks = defineOperation({
  ...ABOUT,
  name: "ticks",
  type: "subscription",
  async *handler({ id, count, size, everyMs }, { signal }) {
    const run = begin(id);
    try {
      for (let n = 0; n < count; n += 1) {
        if (everyMs > 0) await delay(everyMs, undefined, { signal });
        yield { id, n, text: `${n}`.padEnd(size, "*") };
      }
    } finally {
      record({ is: "stop", id, run });
    }
  },
});

/** The completion is in the history before the answer is sent. */
async function runOnce(input, { signal, idempotencyKey, requestId: id }) {
  const key = idempotencyKey === undefined ? {} : { key: idempotencyKey };
  const run = begin(id, key);
  try {
    if (input.ms > 0) await delay(input.ms, undefined, { signal });
  } catch (thrown) {
    record({ is: "stop", id, run, ...key });
    throw thrown;
  }
  record({ is: "done", id, run, ...key });
  return { id: input.id, run };
}

function begin(id, key = {}) {
  runs += 1;
  const run = `${name}/${runs}`;
  record({ is: "run", id, run, ...key });
  return run;
}

const registry = new OperationRegistry().registerAll([echo, big, post, hold, order, ticks]);
const connection = await connect({ servers, name, ...terms });
const worker = await serveOnNats(registry, { connection, id: name, durability });
process.on("message", async (word) => {
  if (word === "state") {
    global.gc();
    const { heapUsed } = process.memoryUsage();
    process.send({ state: { running: worker.getRunningCount(), heapUsed, counts: worker.counts } });
    return;
  }
  await worker.close();
  await connection.close();
  process.disconnect();
});
process.send({ ready: true });
