// A worker and a caller on one bus: values at the consumer's pace, progress, and work that stops when nobody waits.
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { buildCallHandler, defineOperation, memoryBus, OperationRegistry, PendingRequestMap } from "plico";

let produced = 0;
let isSensorOpen = false;
let imported = 0;

// 1. The handler of a subscription is an async generator. What it must tidy up stands in `finally`, as always.
const readings = defineOperation({
  namespace: "sensor",
  name: "readings",
  version: "1.0.0",
  type: "subscription",
  description: "Temperatures, without end.",
  inputSchema: { type: "object", properties: { from: { type: "number" } }, required: ["from"] },
  outputSchema: { type: "number" },
  async *handler({ from }) {
    isSensorOpen = true;
    try {
      for (;;) yield from + produced++;
    } finally {
      isSensorOpen = false;
    }
  },
});

// 2. A handler tells how far it is, and hands its signal to whatever it waits for.
const importRows = defineOperation({
  namespace: "rows",
  name: "import",
  version: "1.0.0",
  type: "mutation",
  description: "Imports rows one by one.",
  inputSchema: { type: "object", properties: { rows: { type: "integer" } }, required: ["rows"] },
  outputSchema: { type: "integer" },
  async handler({ rows }, { signal, progress }) {
    for (imported = 0; imported < rows; ) {
      await sleep(1, undefined, { signal });
      imported += 1;
      progress(imported, rows);
    }
    return imported;
  },
});

// 3. The worker takes requests from the bus, the caller waits for answers. A bus between machines changes only this.
const bus = memoryBus();
const registry = new OperationRegistry().registerAll([readings, importRows]);
const worker = buildCallHandler({ registry, bus });
const caller = new PendingRequestMap({ bus });

// 4. A slow consumer slows the producer down: no more than `credit` values are ever ahead of it.
const credit = 4;
let taken = 0;
let ahead = 0;
for await (const { data } of caller.subscribe("sensor.readings", { from: 20 }, { credit })) {
  assert.equal(data, 20 + taken);
  taken += 1;
  await sleep(2);
  ahead = Math.max(ahead, produced - taken);
  if (taken === 10) break;
}
assert.ok(ahead > 0 && ahead <= credit, `the producer was ${ahead} values ahead`);
console.log(`The consumer took ${taken} readings; the sensor was never more than ${credit} ahead.`);

// 5. `break` was all it took: the worker has ended the generator, and its `finally` ran.
await until(() => worker.getRunningCount() === 0);
assert.equal(isSensorOpen, false);
console.log("After the break the sensor is closed.");

// 6. A call tells its progress.
const seen = [];
const { data: count } = await caller.call(
  "rows.import",
  { rows: 3 },
  { onProgress: ({ progress, total }) => seen.push(`${progress}/${total}`) },
);
assert.equal(count, 3);
assert.deepEqual(seen, ["1/3", "2/3", "3/3"]);
console.log(`The import told ${seen.join(", ")}.`);

// 7. A call that is cancelled fails at once, and the handler's signal stops the work on the other side.
const controller = new AbortController();
const onProgress = ({ progress }) => progress === 5 && controller.abort("five are enough");
const cancelled = caller.call("rows.import", { rows: 1_000_000 }, { signal: controller.signal, onProgress });
await assert.rejects(cancelled, { category: "aborted", code: "ABORTED" });
await until(() => worker.getRunningCount() === 0);
assert.ok(imported < 10, `${imported} rows were imported`);
console.log(`The second import was cancelled after ${imported} of a million rows.`);

// 8. Who opened something closes it. A worker first finishes what it has begun.
await caller.close();
await worker.close();
await bus.close();

/** The worker hears of the end a moment after the caller. */
async function until(isTrue) {
  while (!isTrue()) await sleep(1);
}
