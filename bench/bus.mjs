// Round trips over the memory bus: caller, bus, worker, registry and back; and whether a million of them leave anything.
// The limit is the same operation called directly.

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { buildCallHandler, defineOperation, memoryBus, OperationRegistry, PendingRequestMap } from "plico";
import { compareAsync, printRows } from "./ratio.mjs";
import { small, smallSchema } from "./shapes.mjs";

const MILLION = 1_000_000;

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc");

const registry = new OperationRegistry().register(
  defineOperation({
    namespace: "bench",
    name: "add",
    version: "1.0.0",
    type: "query",
    description: "",
    inputSchema: smallSchema,
    outputSchema: { type: "object", properties: { sum: { type: "number" } }, required: ["sum"] },
    handler: async ({ a, b }) => ({ sum: a + b }),
  }),
);
const bus = memoryBus();
const handler = buildCallHandler({ registry, bus });
const caller = new PendingRequestMap({ bus });

const direct = () => registry.execute("bench.add", small);
const overBus = () => caller.call("bench.add", small);
const withDeadline = () => caller.call("bench.add", small, { deadline: Date.now() + 60_000 });

const results = [];
for (const inFlight of [1, 64, 512]) {
  const many = (call) => () => (inFlight === 1 ? call() : Promise.all(Array.from({ length: inFlight }, call)));
  const cases = {
    "execute, direct": many(direct),
    "memory bus": many(overBus),
    "memory bus, with a deadline": many(withDeadline),
  };
  const rows = await compareAsync(cases, { sliceMs: 25 });
  results.push({ inFlight, rows: rows.map((row) => ({ ...row, us: row.us / inFlight })) });
}
for (const { inFlight, rows } of results) printRows(`a call, ${inFlight} in flight`, rows);

const before = await settledHeap();
const start = performance.now();
for (let done = 0; done < MILLION; done += 500) await Promise.all(Array.from({ length: 500 }, overBus));
const seconds = (performance.now() - start) / 1000;
const after = await settledHeap();
const growth = after / before;
const pending = caller.getPendingCount() + handler.getRunningCount();
console.log(
  `\na million calls: ${Math.round(MILLION / seconds)} a second, ${pending} pending, heap ${growth.toFixed(3)} of before`,
);
console.log(`  goal 0 pending, heap within 10 %  ${pending === 0 && growth <= 1.1 ? "ok" : "MISSED"}`);

await caller.close();
await handler.close();
await bus.close();
console.log(
  `JSON ${JSON.stringify({ bench: "bus", node: process.version, results, perSecond: MILLION / seconds, growth, pending })}`,
);

async function settledHeap() {
  for (let round = 0; round < 3; round++) {
    await new Promise((resolve) => setImmediate(resolve));
    collect();
  }
  return process.memoryUsage().heapUsed;
}
