import { readFileSync } from "node:fs";
import type { NatsConnection } from "@nats-io/transport-node";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { type NatsSource, natsSource } from "../src/brokers/nats/source/nats-source.js";
import { type NatsWorker, serveOnNats } from "../src/brokers/nats/worker/serve-on-nats.js";
import { connectNats } from "../src/gateway/nats/nats-connection.js";
import { defineOperation } from "../src/registry/operation.js";
import { OperationRegistry } from "../src/registry/registry.js";
import { mountSource } from "../src/registry/source.js";
import { describeWith } from "./describe-with.js";
import { type NatsServer, natsServer } from "./nats-server.js";
import { within } from "./own-time.js";
import { programOnThisMachine } from "./program.js";

const EXAMPLE = new URL("../examples/nats/nats-server.conf", import.meta.url);

/** The example as it is, but for where it listens and what comes from the environment. */
function exampleConfig(): string {
  return readFileSync(EXAMPLE, "utf8")
    .replace(/^(listen|jetstream)\b.*$/gm, "")
    .replaceAll(/\$([A-Z]+)_PASSWORD/g, (_, name: string) => `"${name.toLowerCase()}-password"`);
}

type User = "ada" | "grace" | "worker" | "operator";

const MATH = {
  namespace: "math",
  name: "sum",
  version: "1.0.0",
  type: "query",
  description: "Adds.",
  inputSchema: true,
  outputSchema: true,
} as const;

describeWith("the example's permissions of NATS", programOnThisMachine("nats-server"), (program) => {
  let server: NatsServer;
  let worker: NatsWorker;
  const connections: NatsConnection[] = [];
  const sources: NatsSource[] = [];
  /** What the server has refused, by user. */
  const refusals = new Map<User, string[]>();

  async function connected(user: User): Promise<NatsConnection> {
    const access = { user, password: `${user}-password` };
    const connection = await connectNats({ servers: [server.url], access, folder: ".", label: user, inbox: user });
    connections.push(connection);
    const heard: string[] = [];
    refusals.set(user, heard);
    void (async () => {
      for await (const status of connection.status()) if (status.type === "error") heard.push(status.error.message);
    })();
    return connection;
  }

  /** A registry with what a caller imports. */
  async function callerAs(user: User, name: string = user): Promise<OperationRegistry> {
    const source = await natsSource({ connection: await connected(user), caller: name, heartbeat: 200 });
    sources.push(source);
    const registry = new OperationRegistry();
    mountSource(registry, source);
    return registry;
  }

  beforeAll(async () => {
    server = await natsServer(program, { jetstream: true, config: exampleConfig() });
    const registry = new OperationRegistry();
    const handler = (input: unknown): unknown => input;
    const durable = { type: "mutation", delivery: "durable" } as const;
    registry.registerAll([
      defineOperation({ ...MATH, handler }),
      defineOperation({ ...MATH, name: "large", handler: () => "x".repeat(3_000_000) }),
      defineOperation({ ...MATH, name: "invoice", ...durable, handler }),
      defineOperation({ ...MATH, namespace: "admin", name: "reset", handler }),
      defineOperation({ ...MATH, namespace: "admin", name: "purge", ...durable, handler }),
    ]);
    worker = await serveOnNats(registry, { connection: await connected("worker") });
  });

  afterEach(async () => {
    await Promise.all(sources.splice(0).map((source) => source.close()));
  });

  afterAll(async () => {
    await worker?.close();
    await Promise.all(connections.map((connection) => connection.close()));
    await server?.close();
  });

  test("let workers serve, and callers find and call what is theirs", async () => {
    const ada = await callerAs("ada");
    expect(await ada.attempt("math.sum", [1, 2])).toMatchObject({ ok: true, data: [1, 2] });
    const { data } = await ada.execute("math.large");
    expect(String(data).length).toBe(3_000_000);
    const grace = await callerAs("grace");
    expect(await grace.attempt("admin.reset", 1)).toMatchObject({ ok: true, data: 1 });
    expect([
      ...(refusals.get("worker") ?? []),
      ...(refusals.get("ada") ?? []),
      ...(refusals.get("grace") ?? []),
    ]).toEqual([]);
  });

  test("let callers make durable calls of what is theirs", async () => {
    const ada = await callerAs("ada");
    const options = { idempotencyKey: "one" };
    expect(await ada.attempt("math.invoice", 1, options)).toMatchObject({ ok: true, data: 1 });
    expect(await ada.attempt("math.invoice", 1, options)).toMatchObject({ ok: true, data: 1 });
    expect([...(refusals.get("worker") ?? []), ...(refusals.get("ada") ?? [])]).toEqual([]);
  });

  test("keep a caller out of other namespaces, and tell it so at once", async () => {
    const ada = await callerAs("ada");
    const error = { code: "ACCESS_DENIED", category: "authorization" };
    for (const id of ["admin.reset", "admin.purge"])
      expect(await within(500, ada.attempt(id))).toMatchObject({ ok: false, error });
  });

  test("let nobody speak in the name of another", async () => {
    await expect(callerAs("ada", "grace")).rejects.toMatchObject({ category: "authorization" });
    expect(refusals.get("ada")?.join()).toMatch(/Subscription to "plico\.reply\.grace\./);
  });

  test.each([
    ...["plico.call.math.sum.v1.grace", "plico.call.math.sum.v1.grace.w1", "plico.call.admin.reset.v1.ada"],
    ...["plico.reply.grace.box", "plico.news", "$SRV.INFO", "$SRV.STATS.plico"],
    ...["plico.durable.admin.purge.v1.ada.hash", "plico.durable.math.invoice.v1.grace.hash", "plico.result.grace.hash"],
    ...["$JS.API.DIRECT.GET.PLICO_RESULTS.plico.result.grace.hash", "$JS.API.STREAM.MSG.GET.PLICO_RESULTS"],
    ...["$JS.API.STREAM.DELETE.PLICO_CALLS", "$JS.API.CONSUMER.MSG.NEXT.PLICO_CALLS.any", "$JS.ACK.PLICO_CALLS.any"],
    ...["_INBOX.grace.box", "_INBOX.worker.box"],
  ])("let ada not publish to %s", async (subject) => {
    const connection = await connected("ada");
    connection.publish(subject, "{}");
    await connection.flush();
    await expect.poll(() => refusals.get("ada")).toEqual([expect.stringContaining(`Publish to "${subject}"`)]);
  });

  test.each([
    ...["plico.>", "plico.reply.>", "plico.reply.grace.>", "_INBOX.>", "_INBOX.grace.>", "plico.result.>"],
    ...[
      "plico.call.>",
      "plico.call.math.sum.v1.*",
      "plico.durable.>",
      "plico.control.*",
      "plico.catalog.*",
      "$SRV.PING",
    ],
    ...["plico.parts.*", "$JS.>"],
  ])("let ada not hear %s, nor serve it", async (subject) => {
    const connection = await connected("ada");
    connection.subscribe(subject, { queue: "workers", callback: () => {} });
    await connection.flush();
    await expect.poll(() => refusals.get("ada")).toEqual([expect.stringContaining(`Subscription to "${subject}"`)]);
  });

  test("let the operator look at workers, and call nothing", async () => {
    const connection = await connected("operator");
    const reply = await connection.request("$SRV.INFO.plico");
    const { endpoints } = reply.json<{ endpoints: { metadata: { operation: string } }[] }>();
    expect(endpoints.map(({ metadata }) => metadata.operation)).toContain("math.sum");
    connection.publish("plico.call.math.sum.v1.operator", "{}");
    await connection.flush();
    await expect.poll(() => refusals.get("operator")).toHaveLength(1);
  });
});
