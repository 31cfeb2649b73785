// One JSON operation over HTTP, requests a second: Plico against bare node:http, what one would write by hand, and other
// servers. Each is a process of its own; the rounds take turns, so that a noisy machine disturbs all alike.
import { fork } from "node:child_process";
import { once } from "node:events";
import { median } from "./ratio.mjs";
import { order, small } from "./shapes.mjs";

const ROUNDS = Number(process.argv[2] ?? 9);
const INPUTS = { small, order: order(7) };
const WANTED = { small: '"sum":7', order: '"id":"ord_00000007","total":123.44' };

/** How each wants to be asked. */
const PEERS = {
  "bare node:http (limit)": { server: "bare", path: (name) => `/${name}` },
  "by hand: ajv, envelope": { server: "hand-written", path: (name) => `/${name}` },
  Plico: { server: "plico", path: (name) => `/operations/bench.${name}` },
  "Plico, bare data": {
    server: "plico",
    path: (name) => `/operations/bench.${name}`,
    headers: "accept: application/json;profile=data\r\n",
  },
  "Fastify 5": { server: "fastify", path: (name) => `/${name}` },
  "Hono, node-server": { server: "hono", path: (name) => `/${name}` },
  oRPC: { server: "orpc", path: (name) => `/${name}`, wrap: (input) => ({ json: input }) },
  tRPC: { server: "trpc", path: (name) => `/${name}` },
};

const children = [];

function start(script, ...words) {
  const child = fork(new URL(script, import.meta.url), words, { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  children.push(child);
  return child;
}

async function ask(child, message) {
  child.send(message);
  const [answer] = await once(child, "message");
  return answer;
}

function requestOf({ path, headers = "", wrap = (input) => input }, name, port) {
  const body = JSON.stringify(wrap(INPUTS[name]));
  const lines = [
    `POST ${path(name)} HTTP/1.1`,
    `host: 127.0.0.1:${port}`,
    `${headers}content-type: application/json`,
    `content-length: ${body.length}`,
  ];
  return `${lines.join("\r\n")}\r\n\r\n${body}`;
}

/** What is fast and wrong does not count. */
async function assertAnswers({ path, wrap = (input) => input, server }, name, port) {
  const post = (input) =>
    fetch(`http://127.0.0.1:${port}${path(name)}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(wrap(input)),
    });
  const text = await (await post(INPUTS[name])).text();
  if (!text.includes(WANTED[name])) throw new Error(`${server} answers ${text}`);
  const { status } = await post({ ...INPUTS[name], a: "x", items: [{ sku: 1 }] });
  if (server !== "bare" && status < 400) throw new Error(`${server} takes what is wrong`);
}

async function measure(name, connections, servers, loader, { warmMs = 500, roundMs = 300 } = {}) {
  const results = Object.fromEntries(Object.keys(PEERS).map((peer) => [peer, []]));
  const run = async (peer, milliseconds) => {
    const { child, port } = servers.get(PEERS[peer].server);
    const before = await ask(child, "cpu");
    const load = await ask(loader, { port, request: requestOf(PEERS[peer], name, port), connections, milliseconds });
    const after = await ask(child, "cpu");
    const cpu = after.user + after.system - before.user - before.system;
    return { ...load, cpuUs: cpu / load.count };
  };
  for (const peer of Object.keys(PEERS)) await run(peer, warmMs);
  for (let round = 0; round < ROUNDS; round++)
    for (const peer of Object.keys(PEERS)) results[peer].push(await run(peer, roundMs));
  return results;
}

/** Compared round by round. */
function rowsOf(results) {
  const [limit] = Object.values(results);
  return Object.entries(results).map(([peer, rounds]) => ({
    peer,
    rate: median(rounds.map(({ rate }) => rate)),
    ofLimit: median(rounds.map(({ rate }, at) => rate / limit[at].rate)),
    cpuUs: median(rounds.map(({ cpuUs }) => cpuUs)),
    loadShare: median(rounds.map(({ cpuShare }) => cpuShare)),
  }));
}

function print(title, rows) {
  console.log(
    `\n${title}: requests a second, of the limit, CPU a request in the server, share of a core that the load takes`,
  );
  for (const { peer, rate, ofLimit, cpuUs, loadShare } of rows) {
    const numbers = [
      rate.toFixed(0).padStart(7),
      ofLimit.toFixed(2),
      `${cpuUs.toFixed(1).padStart(6)} µs`,
      loadShare.toFixed(2),
    ];
    console.log(`  ${peer.padEnd(26)} ${numbers.join("  ")}`);
  }
}

function judge(what, ratio, goal) {
  console.log(`  ${what.padEnd(34)} ${ratio.toFixed(2)}  goal ${goal}  ${ratio >= goal ? "ok" : "MISSED"}`);
}

const loader = start("http-load.mjs");
const servers = new Map();
const tables = [];
try {
  for (const server of new Set(Object.values(PEERS).map((peer) => peer.server))) {
    const child = start("http-peers.mjs", server);
    const [port] = await once(child, "message");
    servers.set(server, { child, port });
  }
  for (const peer of Object.values(PEERS))
    for (const name of Object.keys(INPUTS)) await assertAnswers(peer, name, servers.get(peer.server).port);
  for (const connections of [1, 64]) {
    for (const name of Object.keys(INPUTS)) {
      const rows = rowsOf(await measure(name, connections, servers, loader));
      const of = (peer) => rows.find((row) => row.peer === peer);
      print(`${name}, ${connections === 1 ? "1 connection" : `${connections} connections`}`, rows);
      if (connections === 64) judge("Plico / bare node:http", of("Plico").ofLimit, 0.85);
      if (connections === 64 && name === "order")
        judge("Plico / Fastify 5", of("Plico").ofLimit / of("Fastify 5").ofLimit, 1);
      tables.push({ name, connections, rows });
    }
  }
} finally {
  for (const child of children) child.kill();
}
console.log(`JSON ${JSON.stringify({ bench: "http", node: process.version, tables })}`);
