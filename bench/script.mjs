// One call of a program by the script source against bare child_process.spawn, in turns, so that a noisy machine
// disturbs all alike; and many calls at once against a pool of the same size.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { mountSource, OperationRegistry } from "../dist/index.js";
import { scriptSource } from "../dist/sources/script/index.js";
import { median } from "./ratio.mjs";

const ROUNDS = Number(process.argv[2] ?? 201);
// Enough that a busy moment does not decide: Node takes many milliseconds more or less to start.
const NODE_ROUNDS = Math.ceil(ROUNDS / 3);
const POOL_ROUNDS = 7;
const CALLS = 64;
const CONCURRENCY = 4;
const PROCESSORS = Math.min(CONCURRENCY, availableParallelism());

const kit = new URL("../dist/helper-kit.mjs", import.meta.url).href;
const folder = mkdtempSync(join(tmpdir(), "plico-bench-"));
const ROWS = JSON.stringify(Array.from({ length: 10 }, (_, id) => ({ id, name: `row ${id}` })));

function file(name, text) {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const byHand = file(
  "hand.mjs",
  `const head = { schema_version: "1.0.0", status: "ok", error: null, agent: "claude", ts: new Date().toISOString() };
process.stdout.write(JSON.stringify({ ...head, rows: ${ROWS} }, null, 2) + "\\n");
`,
);
const byKit = file(
  "kit.mjs",
  `import { runHelper } from "${kit}";
await runHelper(() => ({ rows: ${ROWS} }), { name: "rows", version: "1.0.0" });
`,
);

const registry = new OperationRegistry();
const sources = [];

async function imported(operation, command, options = {}) {
  const given = { name: "bench", operation, command, outputAs: "helper-output", describe: false, ...options };
  const source = await scriptSource(given);
  sources.push(source);
  mountSource(registry, source);
  return async () => (await registry.execute(`bench.${operation}`, {})).data;
}

// The same for both: a session of its own has its own share of a busy machine, and some variables make Node start slowly.
const ALIKE = { stdio: "pipe", detached: true, env: { PATH: process.env.PATH, HOME: process.env.HOME } };

/** What anybody would write: start it, collect what it prints, read it. */
function bare([program, ...rest]) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, rest, ALIKE);
    const chunks = [];
    child.stdin.end();
    child.stdout.on("data", (chunk) => chunks.push(chunk));
    child.stderr.resume();
    child.once("error", reject);
    child.once("close", () => resolve(JSON.parse(Buffer.concat(chunks).toString())));
  });
}

async function inTurns(cases, rounds) {
  const times = Object.fromEntries(Object.keys(cases).map((name) => [name, []]));
  for (let round = -Math.ceil(rounds / 10); round < rounds; round++) {
    for (const [name, run] of Object.entries(cases)) {
      const start = performance.now();
      await run();
      if (round >= 0) times[name].push(performance.now() - start);
    }
  }
  return times;
}

const rows = [];

/** The first is the limit; compared round by round. A goal is the most that may come to it. */
function tell(title, times, goals) {
  console.log(`\n${title}: ms, more than the limit, ratio`);
  const [limit] = Object.values(times);
  for (const [name, list] of Object.entries(times)) {
    const ms = median(list);
    const more = median(list.map((time, round) => time - limit[round]));
    const ratio = median(list.map((time, round) => time / limit[round]));
    const goal = goals[name];
    const judged = goal === undefined ? "" : `goal ${goal} ms more  ${more <= goal ? "ok" : "MISSED"}`;
    const numbers = [ms.toFixed(2).padStart(8), more.toFixed(2).padStart(7), ratio.toFixed(2)];
    console.log(`  ${name.padEnd(34)} ${numbers.join("  ")}  ${judged}`);
    rows.push({ title, name, ms, more, ratio, goal });
  }
}

/** The usual pool: as many at once as allowed, the next when one has ended. */
async function pool(size, count, run) {
  const results = [];
  let started = 0;
  const work = async () => {
    while (started < count) {
      started += 1;
      results.push(await run());
    }
  };
  await Promise.all(Array.from({ length: size }, work));
  return results;
}

/** How many of the programs lived at the same time, by the instants at which they say that they began and ended. */
function mostAtOnce(lives) {
  const instants = lives.flatMap(({ began, ended }) => [
    [began, 1],
    [ended, -1],
  ]);
  instants.sort(([a, more], [b, other]) => a - b || more - other);
  let now = 0;
  let most = 0;
  for (const [, change] of instants) {
    now += change;
    most = Math.max(most, now);
  }
  return most;
}

async function measureCalls() {
  const document = file("document.json", JSON.stringify(await bare([process.execPath, byHand]), null, 2));
  const cat = ["/bin/cat", document];
  const script = await imported("cat", cat);
  const wanted = JSON.stringify({ rows: JSON.parse(ROWS) });
  if (JSON.stringify(await script()) !== wanted) throw new Error("the source answers something else");
  const times = await inTurns({ "bare spawn (limit)": () => bare(cat), "script source": script }, ROUNDS);
  tell("/bin/cat of a small document", times, { "script source": 3 });
}

async function measureHelpers() {
  const hand = [process.execPath, byHand];
  const helper = [process.execPath, byKit];
  const cases = {
    "by hand, bare spawn (limit)": () => bare(hand),
    "by hand, script source": await imported("hand", hand),
    "by the kit, bare spawn": () => bare(helper),
    "by the kit, script source": await imported("kit", helper),
  };
  const times = await inTurns(cases, NODE_ROUNDS);
  tell("a Node helper", times, { "by hand, script source": 3 });
}

async function measureCrowd() {
  const life = 'began=$(date +%s%N); sleep 0.02; echo "{\\"began\\":$began,\\"ended\\":$(date +%s%N)}"';
  const command = ["/bin/sh", "-c", life];
  const script = await imported("life", command, { outputAs: "json", concurrency: CONCURRENCY });
  const seen = [];
  const cases = {
    [`bare pool of ${CONCURRENCY} (limit)`]: () => pool(CONCURRENCY, CALLS, () => bare(command)),
    "script source": async () => seen.push(mostAtOnce(await Promise.all(Array.from({ length: CALLS }, script)))),
  };
  const times = await inTurns(cases, POOL_ROUNDS);
  tell(`${CALLS} calls at once`, times, { "script source": (CALLS * 3) / PROCESSORS });
  const most = Math.max(...seen);
  const judged = most <= CONCURRENCY ? "ok" : "MISSED";
  console.log(
    `  ${"programs at once, at most".padEnd(34)} ${String(most).padStart(8)}  goal ${CONCURRENCY}  ${judged}`,
  );
  rows.push({ title: "programs at once", name: "script source", most, goal: CONCURRENCY });
}

try {
  await measureCalls();
  await measureHelpers();
  await measureCrowd();
} finally {
  await Promise.all(sources.map((source) => source.close()));
  rmSync(folder, { recursive: true });
}
console.log(`JSON ${JSON.stringify({ bench: "script", node: process.version, rows })}`);
