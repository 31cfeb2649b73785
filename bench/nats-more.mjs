// The rows of bench/nats.mjs beside plain calls: durable and signed ones, subscriptions, large answers.
import { executed, imported } from "./nats-callers.mjs";
import { ask, cpuOf, cpuOfThis, SECRET, startResponder } from "./nats-stage.mjs";
import { median } from "./ratio.mjs";

const ROUNDS = 7;
const ROUND_MS = 400;
const LARGE = 5_000_000;

/** Each gives how many of its unit it has done until `end`. */
export async function measureMore({ server, registry, worker, drive }) {
  const signer = await startResponder("plico, signed", server.servers);
  const { sharedSecret } = await import("plico/brokers/nats");
  const signed = await imported(server.servers, { prefix: "signed", signer: sharedSecret({ secret: SECRET }) });
  const identity = { id: "ada", scopes: ["bench"] };
  const rows = [
    { name: "plain calls, 64 in flight", worker, run: calls(executed(registry), drive, 64) },
    {
      name: "signed calls, 64 in flight",
      worker: signer,
      run: calls(executed(signed, "bench.add", { identity }), drive, 64),
    },
    { name: "durable calls, 1 in flight", worker, run: calls(executed(registry, "bench.keep"), drive, 1) },
    { name: "durable calls, 64 in flight", worker, run: calls(executed(registry, "bench.keep"), drive, 64) },
    { name: "durable calls, 512 in flight", worker, run: calls(executed(registry, "bench.keep"), drive, 512) },
    { name: "values, 1 subscription", worker, run: (end) => values(registry, 1, end) },
    { name: "values, 64 subscriptions", worker, run: (end) => values(registry, 64, end) },
    { name: "answers of 5 MB, 1 in flight", worker, run: calls(large(registry), drive, 1) },
    { name: "answers of 5 MB, 4 in flight", worker, run: calls(large(registry), drive, 4) },
  ];
  console.log("\nmore: a second, and CPU for each of caller, worker and nats-server");
  const results = [];
  for (const row of rows) results.push(await measure(row, server));
  return results;
}

async function measure({ name, worker, run }, server) {
  await run(performance.now() + ROUND_MS);
  const rounds = [];
  for (let at = 0; at < ROUNDS; at++) rounds.push(await round(worker, run, server));
  const middle = Object.fromEntries(Object.keys(rounds[0]).map((key) => [key, median(rounds.map((one) => one[key]))]));
  const cpu = [middle.callerUs, middle.workerUs, middle.serverUs]
    .map((us) => `${us.toFixed(1).padStart(8)} µs`)
    .join(" ");
  console.log(`  ${name.padEnd(34)} ${middle.rate.toFixed(middle.rate < 100 ? 1 : 0).padStart(7)}  ${cpu}`);
  return { name, ...middle };
}

async function round(worker, run, server) {
  const workerBefore = await ask(worker, "cpu");
  const serverBefore = cpuOf(server.pid);
  const callerBefore = cpuOfThis();
  const start = performance.now();
  const count = await run(start + ROUND_MS);
  const rate = (1000 * count) / (performance.now() - start);
  const callerUs = (cpuOfThis() - callerBefore) / count;
  const serverUs = (cpuOf(server.pid) - serverBefore) / count;
  return { rate, callerUs, workerUs: ((await ask(worker, "cpu")) - workerBefore) / count, serverUs };
}

const calls = (call, drive, inFlight) => (end) => drive(call, inFlight, end);

function large(registry) {
  return async () => {
    const { data } = await registry.execute("bench.large", { a: LARGE, b: 1 });
    if (data.length !== LARGE) throw new Error(`${data.length} characters came of ${LARGE}`);
  };
}

async function values(registry, subscriptions, end) {
  const counts = Array.from({ length: subscriptions }, async () => {
    let next = 0;
    for await (const { data } of registry.subscribe("bench.count", { a: Number.MAX_SAFE_INTEGER, b: 1 })) {
      if (data !== next) throw new Error(`the value ${data} came in place of ${next}`);
      next++;
      if (next % 32 === 0 && performance.now() > end) break;
    }
    return next;
  });
  return (await Promise.all(counts)).reduce((total, count) => total + count, 0);
}
