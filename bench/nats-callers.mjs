// The ways to call in bench/nats.mjs: each gives a function that makes one call and checks its answer.
import { createRequire } from "node:module";
import { connect } from "@nats-io/transport-node";
import { onClose } from "./nats-stage.mjs";

let next = 0;

function check(sum, a) {
  if (sum !== a + 1) throw new Error(`wrong sum: ${sum}`);
}

async function connected(servers) {
  const connection = await connect({ servers });
  onClose(() => connection.close());
  return connection;
}

/** The least that can be done on this client: publish, one subscription for all answers, and a map. */
export async function correlated(servers, subject) {
  const connection = await connected(servers);
  const waiting = new Map();
  const inbox = `inbox.${process.pid}.`;
  connection.subscribe(`${inbox}*`, {
    callback: (_, message) => {
      const id = Number(message.subject.slice(inbox.length));
      const resolve = waiting.get(id);
      waiting.delete(id);
      resolve?.(message.string());
    },
  });
  await connection.flush();
  return async () => {
    const a = ++next;
    const answered = new Promise((resolve) => waiting.set(a, resolve));
    connection.publish(subject, JSON.stringify({ a, b: 1 }), { reply: inbox + a });
    check(JSON.parse(await answered).sum, a);
  };
}

export async function requested(servers, subject) {
  const connection = await connected(servers);
  return async () => {
    const a = ++next;
    const message = await connection.request(subject, JSON.stringify({ a, b: 1 }), { timeout: 5000 });
    check(JSON.parse(message.string()).sum, a);
  };
}

export async function moleculer(servers) {
  const { ServiceBroker } = createRequire(import.meta.url)("moleculer");
  const broker = new ServiceBroker({ nodeID: "caller", logger: false, transporter: `nats://${servers}` });
  await broker.start();
  onClose(() => broker.stop());
  await broker.waitForServices("bench");
  return async () => {
    const a = ++next;
    check((await broker.call("bench.add", { a, b: 1 })).sum, a);
  };
}

/** A registry with what the workers offer. */
export async function imported(servers, options = {}) {
  const { mountSource, OperationRegistry } = await import("plico");
  const { natsSource } = await import("plico/brokers/nats");
  const source = await natsSource({ connection: await connected(servers), ...options });
  onClose(() => source.close());
  const registry = new OperationRegistry();
  mountSource(registry, source);
  return registry;
}

export function executed(registry, operation = "bench.add", options = undefined) {
  return async () => {
    const a = ++next;
    const { data } = await registry.execute(operation, { a, b: 1 }, options);
    check(data.sum, a);
  };
}
