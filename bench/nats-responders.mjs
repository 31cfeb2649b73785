// The processes that answer in bench/nats.mjs, one by name: all add two numbers.
import { createRequire } from "node:module";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { connect } from "@nats-io/transport-node";
import { cpuOfThis, SECRET } from "./nats-stage.mjs";
import { smallSchema } from "./shapes.mjs";

const [, , name, servers] = process.argv;

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc");

const number = { type: "number" };
const object = (properties) => ({ type: "object", properties, required: Object.keys(properties) });
const add = ({ a, b }) => ({ sum: a + b });
const answer = (_, message) => message.respond(JSON.stringify(add(JSON.parse(message.string()))));

const about = { namespace: "bench", version: "1.0.0", description: "", inputSchema: smallSchema };

const OPERATIONS = [
  { ...about, name: "add", type: "query", outputSchema: object({ sum: number }), handler: async (input) => add(input) },
  {
    ...about,
    name: "keep",
    type: "mutation",
    delivery: "durable",
    outputSchema: object({ sum: number }),
    handler: async (input) => add(input),
  },
  { ...about, name: "large", type: "query", outputSchema: { type: "string" }, handler: ({ a }) => "x".repeat(a) },
  {
    ...about,
    name: "wait",
    type: "query",
    outputSchema: true,
    handler: (_, { signal }) => new Promise((resolve) => signal.addEventListener("abort", resolve)),
  },
  {
    ...about,
    name: "count",
    type: "subscription",
    outputSchema: number,
    handler: async function* ({ a }) {
      for (let value = 0; value < a; value++) yield value;
    },
  },
];

async function plico(options = {}) {
  const { defineOperation, OperationRegistry } = await import("plico");
  const { serveOnNats } = await import("plico/brokers/nats");
  const registry = new OperationRegistry().registerAll(OPERATIONS.map((operation) => defineOperation(operation)));
  await serveOnNats(registry, { connection: await connect({ servers }), maxRunning: 100_000, ...options });
}

const RESPONDERS = {
  bare: async () => {
    const connection = await connect({ servers });
    connection.subscribe("bare.add", { callback: answer });
    await connection.flush();
  },
  services: async () => {
    const { Svcm } = await import("@nats-io/services");
    const service = await new Svcm(await connect({ servers })).add({ name: "bench", version: "1.0.0" });
    service.addEndpoint("add", { subject: "services.add", handler: answer });
  },
  moleculer: async () => {
    const { ServiceBroker } = createRequire(import.meta.url)("moleculer");
    const broker = new ServiceBroker({ nodeID: "worker", logger: false, transporter: `nats://${servers}` });
    const params = { a: "number", b: "number" };
    broker.createService({ name: "bench", actions: { add: { params, handler: (context) => add(context.params) } } });
    await broker.start();
  },
  plico: () => plico(),
  "100 workers": async () => {
    await plico();
    const before = await heap();
    for (let at = 0; at < 100; at++) await plico();
    growth = (await heap()) - before;
  },
  "plico, kept once": () => plico({ prefix: "once", durability: { streams: { replicas: 1 } } }),
  "plico, kept thrice": () => plico({ prefix: "thrice", durability: { streams: { replicas: 3 } } }),
  "plico, signed": async () => {
    const { sharedSecret } = await import("plico/brokers/nats");
    await plico({ prefix: "signed", trust: sharedSecret({ secret: SECRET }).trust });
  },
};

let growth = 0;

const ANSWERS = { cpu: cpuOfThis, heap, growth: () => growth };
process.on("message", async (what) => process.send(await ANSWERS[what]()));
await RESPONDERS[name]();
process.send("ready");

async function heap() {
  for (let round = 0; round < 3; round++) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    collect();
  }
  return process.memoryUsage().heapUsed;
}
