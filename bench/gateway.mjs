// The load that the gateway holds: `plico serve` in a process of its own, clients over HTTP and MCP, and sources that are
// killed, slowed, stopped and read anew all the while. Every answer is checked. Ends with 1 where one is wrong, lost or
// late, where memory grows, or where anything is left running.
//   node bench/gateway.mjs [--seconds 120] [--clients 256] [--report] [--binary FILE]
import { fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus, totalmem } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { openStage } from "./gateway-load-stage.mjs";
import { watchProcess } from "./gateway-load-watch.mjs";

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "120" },
    clients: { type: "string", default: "256" },
    binary: { type: "string", default: fileURLToPath(new URL("../dist/bin/plico.js", import.meta.url)) },
    report: { type: "boolean", default: false },
  },
});
const seconds = Number(values.seconds);
const clients = Number(values.clients);

/** How long the gateway may take to end. */
const END_MS = 15_000;
/** A shorter run does not tell; in the first quarter all is still being compiled. */
const LEAST_SECONDS_FOR_MEMORY = 20;
const NAMES = { desk: "the module", far: "the MCP server", api: "the HTTP API", shell: "the script" };

const stage = await openStage(values.binary);
const watch = watchProcess(stage.pid, stage.mark);
const result = { ...(await load()), ...(await end()) };
await stage.close();
const violations = judge(result);
print(result, violations);
if (values.report) report(result, violations);
process.exitCode = violations.length === 0 ? 0 : 1;

async function load() {
  const child = fork(fileURLToPath(new URL("./gateway-load-clients.mjs", import.meta.url)));
  const done = once(child, "message");
  const gone = stage.ended.then(() => "gone");
  child.send({ url: stage.url, clients });
  const happened = await disturb(performance.now() + seconds * 1000);
  child.send("end");
  const answer = await Promise.race([done, gone]);
  if (answer === "gone") child.kill("SIGKILL");
  const [{ tally, times }] =
    answer === "gone" ? [{ tally: { lost: Number.NaN, first: ["the gateway has ended"] }, times: {} }] : answer;
  return { tally, times, happened };
}

/** One thing after the other, with a breath between them, round and round. */
async function disturb(until) {
  const happened = {};
  for (;;) {
    for (const [what, happen] of Object.entries(stage.events)) {
      await delay(250);
      if (performance.now() > until) return happened;
      await happen();
      happened[what] = (happened[what] ?? 0) + 1;
    }
  }
}

async function end() {
  watch.look();
  watch.stop();
  const start = performance.now();
  stage.end();
  const ended = await Promise.race([stage.ended, delay(END_MS, { code: "late" }, { ref: false })]);
  const endMs = performance.now() - start;
  // A guard that looks after our children ends by itself when we are gone.
  let left = watch.left();
  for (let looks = 0; looks < 40 && left.length > 0; looks++) {
    await delay(50);
    left = watch.left();
  }
  return {
    memory: watch.memory(),
    started: watch.started(),
    left: left.length,
    exitCode: ended.code ?? ended.signal,
    endMs,
  };
}

function judge({ tally, memory, left, exitCode }) {
  const found = [];
  for (const kind of ["wrong", "lost", "hung"]) if (tally[kind] !== 0) found.push(`${tally[kind]} ${kind}`);
  for (const source of ["desk", "far", "api", "shell"])
    if (!(tally.right?.[source] > 0)) found.push(`no right answer of ${source}`);
  const [warm = 0, last = 0] = [memory.parts.at(2), memory.parts.at(-1)];
  if (seconds >= LEAST_SECONDS_FOR_MEMORY && last > warm * 1.2 + 10)
    found.push(`memory grew from ${warm.toFixed(0)} to ${last.toFixed(0)} MB`);
  if (exitCode !== 0) found.push(`the gateway ended with ${exitCode}`);
  if (left !== 0) found.push(`${left} processes are left`);
  return found;
}

function rowsOf({ tally, times, memory, started, left, exitCode, endMs, happened }) {
  const sum = (counts) => Object.values(counts ?? {}).reduce((total, count) => total + count, 0);
  const right = sum(tally.right);
  const ms = (value) => `${value.toFixed(value < 10 ? 1 : 0)} ms`;
  const time = (name) => {
    const { median, p99, most } = times[name] ?? { median: 0, p99: 0, most: 0 };
    return `${ms(median)}, ${ms(p99)}, ${ms(most)}`;
  };
  return [
    ["clients, seconds", `${clients}, ${seconds}`],
    ["right answers", `${right} (${Math.round(right / seconds)} a second)`],
    ...["desk", "far", "api", "shell"].map((name) => [
      `of ${NAMES[name]}: median, 99 %, longest`,
      `${tally.right?.[name] ?? 0}: ${time(name)}`,
    ]),
    [
      "lists and health: median, 99 %, longest",
      `${tally.lists}: ${["/healthz", "/operations", "tools/list"].map((name) => `${name} ${time(name)}`).join("; ")}`,
    ],
    [
      "failures that were told",
      `${sum(tally.failed)} (${Object.entries(tally.failed ?? {})
        .map(([name, count]) => `${name} ${count}`)
        .join(", ")})`,
    ],
    ["calls that the client gave up", tally.givenUp],
    ["**wrong answers**", tally.wrong],
    ["**lost answers**", tally.lost],
    ["**hangs**", tally.hung],
    [
      "what happened meanwhile",
      Object.entries(happened)
        .map(([what, count]) => `${what}: ${count}`)
        .join("; "),
    ],
    [
      "memory, eighth by eighth of the time (most)",
      `${memory.parts.map((value) => value.toFixed(0)).join(" → ")} MB (${memory.most.toFixed(0)} MB)`,
    ],
    ["end after SIGTERM", `exit code ${exitCode} after ${ms(endMs)}`],
    ["processes seen below it, left after its end", `${started}, **${left}**`],
  ].map(([name, value]) => [name, String(value)]);
}

function print(found, faults) {
  for (const [name, value] of rowsOf(found))
    console.log(`${name.replaceAll("**", "").padEnd(46)} ${value.replaceAll("**", "")}`);
  for (const line of found.tally.first) console.log(`! ${line}`);
  for (const fault of faults) console.log(`VIOLATION ${fault}`);
  if (faults.length > 0) console.log(`\nThe gateway said last:\n${stage.said().slice(-3000)}`);
  console.log(
    `JSON ${JSON.stringify({ bench: "gateway", node: process.version, seconds, clients, violations: faults, ...found })}`,
  );
}

function report(found, faults) {
  const page = fileURLToPath(new URL("../docs/load.md", import.meta.url));
  const machine = `${availableParallelism()} cores (${cpus()[0]?.model.trim()}), ${Math.round(totalmem() / 2 ** 30)} GB, Node ${process.version}, ${new Date().toISOString().slice(0, 10)}`;
  const verdict = faults.length === 0 ? "held" : `NOT HELD: ${faults.join(", ")}`;
  const rows = [["machine, with the clients on it too", machine], ["verdict", verdict], ...rowsOf(found)];
  const block = ["| | |", "| --- | --- |", ...rows.map(([name, value]) => `| ${name} | ${value} |`)].join("\n");
  const pattern = /(<!-- load -->\n)[\s\S]*?(\n<!-- \/load -->)/;
  writeFileSync(
    page,
    readFileSync(page, "utf8").replace(pattern, (_, open, close) => open + block + close),
  );
}
