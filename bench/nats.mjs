// Calls a second over NATS: Plico, with its envelopes, against `request()` of the official client, NATS services,
// Moleculer, and the least that can be done; those who answer are processes of their own. Slices take turns, so that a noisy
// machine disturbs all alike. CPU time is that of the caller, of the worker and of the nats-server.
import { correlated, executed, imported, moleculer, requested } from "./nats-callers.mjs";
import { measureMore } from "./nats-more.mjs";
import { ask, closeStage, cpuOf, cpuOfThis, startResponder, startServer } from "./nats-stage.mjs";
import { median } from "./ratio.mjs";

const SLICES = Number(process.argv[2] ?? 15);
const SLICE_MS = 250;
/** All is compiled by then, also what is measured with one in flight. */
const WARM_MS = 1500;

const LIMIT = "publish, own correlation (limit)";

const GOALS = [
  { name: "Plico", to: "request()", goal: 2, from: 64 },
  { name: "Plico", to: "Moleculer", goal: 1, from: 64 },
];

/** What one slice of calls costs: calls a second, and CPU microseconds a call of the three. */
async function slice({ call, worker }, server, inFlight, milliseconds) {
  const workerBefore = await ask(worker, "cpu");
  const serverBefore = cpuOf(server.pid);
  const callerBefore = cpuOfThis();
  const start = performance.now();
  const calls = await drive(call, inFlight, start + milliseconds);
  const seconds = (performance.now() - start) / 1000;
  const callerUs = (cpuOfThis() - callerBefore) / calls;
  const serverUs = (cpuOf(server.pid) - serverBefore) / calls;
  const workerUs = ((await ask(worker, "cpu")) - workerBefore) / calls;
  return { rate: calls / seconds, callerUs, workerUs, serverUs };
}

async function drive(call, inFlight, end) {
  let calls = 0;
  const lane = async () => {
    while (performance.now() < end) {
      await call();
      calls++;
    }
  };
  await Promise.all(Array.from({ length: inFlight }, lane));
  return calls;
}

async function measure(cases, server, inFlight) {
  const slices = Object.fromEntries(Object.keys(cases).map((name) => [name, []]));
  for (const one of Object.values(cases)) await slice(one, server, inFlight, 2 * SLICE_MS);
  for (let at = 0; at < SLICES; at++)
    for (const [name, one] of Object.entries(cases)) slices[name].push(await slice(one, server, inFlight, SLICE_MS));
  return Object.entries(slices).map(([name, all]) => ({
    name,
    ofLimit: median(all.map(({ rate }, at) => rate / slices[LIMIT][at].rate)),
    ...Object.fromEntries(Object.keys(all[0]).map((key) => [key, median(all.map((one) => one[key]))])),
    rates: all.map(({ rate }) => rate),
  }));
}

function print(inFlight, rows) {
  console.log(`\n${inFlight} in flight: calls a second, of the limit, CPU a call of caller, worker and nats-server`);
  for (const { name, rate, ofLimit, callerUs, workerUs, serverUs } of rows) {
    const cpu = [callerUs, workerUs, serverUs].map((us) => `${us.toFixed(1).padStart(6)} µs`).join(" ");
    console.log(`  ${name.padEnd(34)} ${rate.toFixed(0).padStart(6)}  ${ofLimit.toFixed(2)}  ${cpu}`);
  }
}

/** Compared slice by slice. */
function judge(inFlight, rows) {
  const ratesOf = (name) => rows.find((row) => row.name === name).rates;
  return GOALS.filter(({ from }) => inFlight >= from).map(({ name, to, goal }) => {
    const ratio = median(ratesOf(name).map((rate, at) => rate / ratesOf(to)[at]));
    console.log(
      `  ${`${name} / ${to}`.padEnd(34)} ${ratio.toFixed(2)}  goal ${goal}  ${ratio >= goal ? "ok" : "MISSED"}`,
    );
    return { inFlight, name, to, goal, ratio };
  });
}

try {
  const server = await startServer();
  const { servers } = server;
  const bare = await startResponder("bare", servers);
  const worker = await startResponder("plico", servers);
  const registry = await imported(servers);
  const cases = {
    [LIMIT]: { call: await correlated(servers, "bare.add"), worker: bare },
    "request()": { call: await requested(servers, "bare.add"), worker: bare },
    "NATS services": {
      worker: await startResponder("services", servers),
      call: await requested(servers, "services.add"),
    },
    Moleculer: { worker: await startResponder("moleculer", servers), call: await moleculer(servers) },
    Plico: { call: executed(registry), worker },
  };
  for (const one of Object.values(cases)) await slice(one, server, 64, WARM_MS);
  const tables = [];
  const goals = [];
  for (const inFlight of [1, 64, 512]) {
    const rows = await measure(cases, server, inFlight);
    print(inFlight, rows);
    goals.push(...judge(inFlight, rows));
    tables.push({ inFlight, rows: rows.map(({ rates, ...row }) => row) });
  }
  const more = await measureMore({ server, registry, worker, drive });
  console.log(`JSON ${JSON.stringify({ bench: "nats", node: process.version, tables, goals, more })}`);
} finally {
  await closeStage();
}
