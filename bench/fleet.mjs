// A simulation of 1,000 workers and 10,000 callers on NATS with failures, event by event and by the rules of the call protocol,
// held against the arithmetic: closed formulas of queues. It ends with exit code 1 where the two are further apart than
// the tolerance of the row. The same seed gives the same output: node bench/fleet.mjs [seed]
import { SCENARIOS } from "./fleet-scenarios.mjs";
import { simulate } from "./fleet-simulation.mjs";

const seed = Number(process.argv[2] ?? 1);

/** Seconds. Times of messages are those that bench/nats.mjs measured; see docs/scale.md. */
const PARAMETERS = {
  workers: 1000,
  callers: 10_000,
  callsPerCaller: 1,
  repeatableShare: 0.7,
  /** Of a handler, which is mostly a wait for something else; so many run side by side in a worker before they queue. */
  service: 0.24,
  lanes: 4,
  /** `maxRunning` of a worker. */
  room: 64,
  /** From a client to its server; the way from it takes longer by the jitter. */
  leg: 0.00025,
  jitter: 0.00025,
  brokerCount: 3,
  /** CPU time of a nats-server for one message in and out. */
  messageTime: 0.0000025,
  beat: 1,
  /** At the second ring of a timer of so many seconds. */
  firstSign: 0.005,
  retries: 2,
  refresh: 60,
  /** A caller looks after trouble too, but lets so much time pass for each worker that will answer. */
  troubleSeconds: 0.5,
  restPerWorker: 0.05,
  restartSeconds: 2,
  /** Until a server's kernel gives up a machine that is dark, where `net.ipv4.tcp_retries2` is 5. */
  darkSeconds: 12.6,
};

function judged({ seen, expected, tolerance }) {
  const deviation = expected === 0 ? (seen === 0 ? 0 : Number.POSITIVE_INFINITY) : seen / expected - 1;
  return { deviation, ok: Math.abs(deviation) <= tolerance };
}

function print({ what, unit, seen, expected, tolerance }, { deviation, ok }) {
  const numbers = [seen, expected].map((value) => `${short(value)} ${unit}`.padEnd(13)).join(" ");
  const apart = `${deviation >= 0 ? "+" : ""}${(100 * deviation).toFixed(1)} %`.padStart(8);
  console.log(
    `  ${what.padEnd(42)} ${numbers} ${apart}  of ${(100 * tolerance).toFixed(0)} %  ${ok ? "ok" : "MISSED"}`,
  );
}

const short = (value) => (value === 0 ? "0" : value >= 1000 ? Math.round(value).toString() : value.toPrecision(4));

const results = [];
for (const scenario of SCENARIOS) {
  const parameters = scenario.change?.(PARAMETERS) ?? PARAMETERS;
  const { seconds, warmSeconds } = scenario;
  const seen = simulate(parameters, { seed, seconds, warmSeconds, happen: scenario.happen });
  console.log(`\n${scenario.name}: ${seen.started} calls; simulated, by arithmetic, deviation`);
  for (const row of scenario.expect(seen, parameters)) {
    const verdict = judged(row);
    print(row, verdict);
    results.push({ scenario: scenario.name, ...row, ...verdict });
  }
}
const missed = results.filter(({ ok }) => !ok);
console.log(`\nseed ${seed}: ${results.length} rows, ${missed.length} further apart than their tolerance`);
console.log(`JSON ${JSON.stringify({ bench: "fleet", seed, results })}`);
if (missed.length > 0) process.exitCode = 1;
