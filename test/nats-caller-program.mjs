// A caller of the tests under faults: `node nats-caller-program.mjs SETTINGS`, with JSON. It calls in lanes, one call, or so
// many together, after the other in each, until its parent says "stop"; it writes every begin and every end to its history.
import { setTimeout as delay } from "node:timers/promises";
import { connect } from "@nats-io/transport-node";
import { mountSource, OperationRegistry } from "plico";
import { natsSource } from "plico/brokers/nats";
import { seededChance } from "./nats-chance.mjs";
import { historyRecorder, recordStalls } from "./nats-recorder.mjs";

const {
  servers,
  name,
  file,
  connection: terms,
  source: options,
  seed,
  lanes,
  sizes,
  orphans,
} = JSON.parse(process.argv[2]);
const record = historyRecorder(file, name);
recordStalls(record, name);
const chance = seededChance(seed);
const answered = [];
let calls = 0;
let pending = 0;
let isStopping = false;

const connection = await connect({ servers, name, ...terms });
const source = await natsSource({ connection, ...options });
const registry = new OperationRegistry();
mountSource(registry, source);

/** Records the begin and the end of one call around it. */
async function recorded(begin, call) {
  calls += 1;
  pending += 1;
  const id = `${name}-${calls}`;
  record({ is: "begin", id, ...begin });
  const end = await call(id);
  record({ is: "end", id, ...end });
  pending -= 1;
  // What cannot be served now is not asked for as fast as that can be said.
  if (end.code !== "") await delay(20);
  return { id, ...end };
}

/** How a call ended; `look` says what is wrong with its data. */
async function attempt(operation, input, callOptions, look) {
  const outcome = await registry.attempt(operation, input, callOptions);
  if (!outcome.ok) return failed(outcome.error);
  const { data } = outcome;
  const wrong = data.id === input.id ? look?.(data) : `it is that of ${data.id}`;
  return { code: "", run: data.run, wrong };
}

function failed({ code, message, details }) {
  return { code, message, ...(details?.mayHaveRun === false && { untaken: true }) };
}

const KINDS = {
  echo: () =>
    recorded({ kind: "echo" }, (id) => {
      const n = chance.between(0, 1e9);
      return attempt("fault.echo", { id, n }, { requestId: id }, (data) =>
        data.n === n * 2 + 1 ? undefined : `n is ${data.n}`,
      );
    }),

  big: () =>
    recorded({ kind: "big" }, (id) => {
      const size = chance.between(sizes.big / 2, sizes.big);
      const look = ({ text }) => (text === id.padEnd(size, "*") ? undefined : `its text has ${text.length} letters`);
      return attempt("fault.big", { id, size }, { requestId: id }, look);
    }),

  post: () =>
    recorded({ kind: "post" }, (id) =>
      attempt("fault.post", { id, ms: chance.pick([0, 0, 0, 2, 20]) }, { requestId: id }),
    ),

  async hold() {
    if (chance.next() < 0.5) return giveUp();
    const deadline = Date.now() + chance.between(50, 400);
    return recorded({ kind: "hold", deadline }, (id) =>
      attempt("fault.hold", { id, ms: chance.pick([1, 60_000]) }, { requestId: id, deadline }),
    );
  },

  ticks() {
    const deadline = Date.now() + LONGEST;
    return recorded({ kind: "ticks", deadline }, (id) => subscribe(id, deadline));
  },

  async order() {
    const key = `key-of-${name}-${calls}`;
    const input = { id: key, ms: chance.pick([0, 0, 10, 100]) };
    const soon = chance.next() < 0.05 ? Date.now() + chance.between(20, 100) : undefined;
    const again = chance.next() < 0.2 ? [order({ key, input })] : [];
    await Promise.all([order({ key, input, deadline: soon }), ...again]);
  },
};

/** Milliseconds, after which workers are rid of what callers began that were killed. */
const LONGEST = 2_500;

async function giveUp() {
  const controller = new AbortController();
  const { signal } = controller;
  const ms = chance.between(0, 300);
  const deadline = Date.now() + LONGEST;
  return recorded({ kind: "hold", aborts: true, deadline }, async (id) => {
    const timer = setTimeout(() => controller.abort("enough"), ms);
    const end = await attempt("fault.hold", { id, ms: 60_000 }, { requestId: id, signal, deadline });
    clearTimeout(timer);
    return end;
  });
}

async function subscribe(id, deadline) {
  const input = {
    id,
    count: chance.between(1, 60),
    size: chance.pick(sizes.ticks),
    everyMs: chance.pick([0, 0, 5]),
  };
  let wrong;
  try {
    for await (const { data } of registry.subscribe("fault.ticks", input, { requestId: id, deadline })) {
      record({ is: "value", id, n: data.n });
      if (data.id !== id || data.text !== `${data.n}`.padEnd(input.size, "*")) wrong = `value ${data.n} is another's`;
    }
    return { code: "", count: input.count, wrong };
  } catch (thrown) {
    return { ...failed(thrown), wrong };
  }
}

/** Calls with the same key are one, also of another process that did not live to hear the end of it. */
async function order({ key, input, deadline }) {
  const end = await recorded({ kind: "order", key, input, deadline }, (id) =>
    attempt("fault.order", input, { requestId: id, idempotencyKey: key, deadline }),
  );
  // Whether it was taken before the deadline is not known, and need not be.
  if (end.code === "TIMEOUT") await order({ key, input });
  else if (end.code === "") answered.push(end.id);
}

async function lane(kind) {
  const { pauseMs, together = 1 } = lanes[kind];
  while (!isStopping) {
    await Promise.all(Array.from({ length: together }, KINDS[kind]));
    await delay(pauseMs);
  }
}

async function stop() {
  isStopping = true;
  await Promise.all(running);
  for (const id of chance.shuffle(answered.slice(-200)).slice(0, 20)) {
    const outcome = await source.result(id);
    record({ is: "result", id, ...(outcome?.ok === true && { run: outcome.data.run }) });
  }
}

process.on("message", async (word) => {
  if (word === "stop") await stop();
  if (word === "end") {
    await source.close();
    await connection.close();
    return process.disconnect();
  }
  if (word === "state") global.gc();
  process.send({
    state: { calls, pending, heapUsed: process.memoryUsage().heapUsed, workers: source.workers().length },
  });
});

// A server or workers that are away just now are found later.
while (registry.get("fault.order") === undefined) await new Promise((resolve) => source.onChange(resolve));

process.send({ ready: true });
const running = Object.entries(lanes).flatMap(([kind, { count }]) => Array.from({ length: count }, () => lane(kind)));
running.push(...orphans.map(order));
