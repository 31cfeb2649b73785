import { afterAll, beforeAll, expect, test } from "vitest";
import { describeWith } from "../../../../test/describe-with.js";
import { natsServer } from "../../../../test/nats-server.js";
import { programOnThisMachine } from "../../../../test/program.js";
import { type DurableStage, durableStage, durableStageOn, gate, PLACE } from "../fixtures/durable-stage.js";
import { sharedSecret } from "../identity.js";
import { type DurableWorkerOptions, durableCaller, durableWorker } from "./durable.js";
import { JetStream } from "./jetstream.js";
import { durableAddress, keyOf } from "./key.js";
import { writeRequest } from "./request.js";

const NOTHING: DurableWorkerOptions["run"] = () => Promise.reject(new Error("nothing runs here"));

describeWith("what durable calls ask for", programOnThisMachine("nats-server"), (program) => {
  let stage: DurableStage;
  beforeAll(async () => {
    stage = await durableStage(program);
  });
  afterAll(() => stage?.close());

  test("without JetStream callers and workers are told at once what to do", async () => {
    const bare = durableStageOn([await natsServer(program)]);
    try {
      const connection = await bare.connect();
      const refusal = { code: "UNAVAILABLE", recoverable: false, suggestedAction: expect.stringContaining("-js") };
      const caller = durableCaller({ connection });
      await expect(caller.call(PLACE)).rejects.toMatchObject(refusal);
      const worker = durableWorker({ connection, run: NOTHING });
      await expect(worker.offer("orders.place", 1)).rejects.toMatchObject(refusal);
      await Promise.all([caller.close(), worker.close()]);
    } finally {
      await bare.close();
    }
  });

  test("without the package it says what to install", async () => {
    const connection = await stage.connect();
    const load = () => Promise.reject(new Error("Cannot find package 'it' imported from /secret/place.js"));
    const opening = JetStream.open({ connection, prefix: "plico", streams: {}, load });
    const suggestedAction = expect.stringContaining("npm install @nats-io/jetstream");
    const message = expect.not.stringContaining("/secret");
    await expect(opening).rejects.toMatchObject({ code: "UNAVAILABLE", message, suggestedAction });
  });

  test("a caller makes the streams where no worker has", async () => {
    const room = stage.room();
    const caller = await room.caller();
    const call = caller.call({ ...PLACE, input: "early" });
    await room.worker(({ input }) => input);
    expect((await call).data).toBe("early");
  });

  test("streams that were made otherwise are used, or refused where they cannot be", async () => {
    const room = stage.room();
    const js = await JetStream.open({ connection: await stage.connect(), prefix: room.prefix, streams: {} });
    const [calls, results] = [`${room.prefix}.durable.>`, `${room.prefix}.result.>`];
    await js.manager.streams.add({ name: js.names.calls, subjects: [calls], retention: "limits" });
    const waits = room.worker(() => "made otherwise");
    await expect(waits).rejects.toMatchObject({ category: "conflict" });
    await js.manager.streams.delete(js.names.calls);
    await js.manager.streams.add({
      name: js.names.results,
      subjects: [results],
      storage: "memory",
      allow_direct: false,
    });
    await room.worker(() => "made otherwise");
    const caller = await room.caller();
    await caller.call({ ...PLACE, requestId: "r" });
    expect(await caller.result("r")).toMatchObject({ data: "made otherwise" });
  });

  test("options that are wrong are refused", async () => {
    const connection = await stage.connect();
    const wrong = [
      { prefix: "a b" },
      { caller: "a.b" },
      { streams: { replicas: 0 } },
      { nothing: 1 },
      { connection: {} },
    ];
    for (const options of wrong) {
      expect(() => durableCaller({ connection, ...options } as never)).toThrow(
        expect.objectContaining({ category: "validation" }),
      );
    }
    const odd = [{ ackWaitMs: 0 }, { maxDeliver: 1.5 }, { run: 1 }, { run: undefined }, { id: "a b" }];
    for (const options of odd) {
      expect(() => durableWorker({ connection, run: NOTHING, ...options } as never)).toThrow(
        expect.objectContaining({ category: "validation" }),
      );
    }
  });

  test("an identity is believed where it is signed, and is nobody's otherwise", async () => {
    const room = stage.room();
    const signer = sharedSecret({ secret: "a secret for these tests" });
    await room.worker(({ identity, options }) => [identity?.id, options.identity?.id], { trust: signer.trust });
    const identity = { id: "carol", scopes: ["buy"] };
    const [signed, unsigned] = [await room.caller({ signer }), await room.caller()];
    expect((await signed.call({ ...PLACE, identity })).data).toEqual(["carol", "carol"]);
    expect((await unsigned.call({ ...PLACE, identity })).data).toEqual([null, null]);
  });

  test("a worker does not tell a result to whoever only says to be the one that it was made for", async () => {
    const room = stage.room();
    const signer = sharedSecret({ secret: "a secret for these tests" });
    await room.worker(({ identity }) => identity?.id, { trust: signer.trust });
    const call = { ...PLACE, idempotencyKey: "k", identity: { id: "carol", scopes: [] } };
    const [signed, unsigned] = [await room.caller({ signer }), await room.caller()];
    await signed.call(call);
    await expect(unsigned.call(call)).rejects.toMatchObject({ code: "ACCESS_DENIED" });
  });

  test("requests that are none, or those of another caller, key or operation, are never run", async () => {
    const room = stage.room();
    let runs = 0;
    const worker = await room.worker(() => {
      runs += 1;
    });
    const js = await JetStream.open({ connection: await stage.connect(), prefix: room.prefix, streams: {} });
    const event = {
      type: "call.requested",
      requestId: "r",
      operationId: PLACE.operationId,
      replyTo: "reply.alice.1",
    } as const;
    const { text, key } = writeRequest("alice", 1, event, undefined);
    const address = (of: typeof key) => durableAddress(PLACE.operationId, 1, of);
    const bad: [string, string][] = [
      [address(key), "{"],
      [address(key), '{"type":"call.requested"}'],
      [address({ ...key, caller: "bob" }), text],
      [address(keyOf("alice", 1, { ...event, requestId: "other" })), text],
      [address(key), writeRequest("alice", 1, { ...event, operationId: "orders.cancel" }, undefined).text],
      [address(key), writeRequest("alice", 2, event, undefined).text],
    ];
    for (const [to, content] of bad) await js.store(to, content);
    const caller = await room.caller();
    await caller.call({ ...PLACE });
    expect(runs).toBe(1);
    expect(worker.counts.malformed).toBe(bad.length);
  });

  test("a caller whom the server confines to its own subjects calls, and reads no result of others", async () => {
    const confined = await natsServer(program, { jetstream: true, config: USERS });
    const url = (user: string) => confined.url.replace("nats://", `nats://${user}:${user}@`);
    const guarded = durableStageOn([confined]);
    try {
      const room = guarded.room("plico");
      const held = gate();
      const worker = await room.worker(({ input }) => (input === "held" ? held.opened : input), { url: url("worker") });
      const shop = await room.caller({ url: url("shop"), caller: "shop" });
      expect((await shop.call({ ...PLACE, input: "tea", requestId: "r", idempotencyKey: "k" })).data).toBe("tea");
      expect((await shop.call({ ...PLACE, input: "tea", idempotencyKey: "k" })).data).toBe("tea");
      expect(await shop.result("r")).toMatchObject({ data: "tea" });
      const abort = new AbortController();
      const call = shop.call({ ...PLACE, input: "held", requestId: "a", signal: abort.signal });
      setTimeout(() => abort.abort(), 50);
      await expect(call).rejects.toMatchObject({ code: "ABORTED" });
      await shop.close();
      held.open();
      await worker.close();
      const again = await room.caller({ url: url("shop"), caller: "shop" });
      expect(await again.result("a")).toMatchObject({ ok: false, error: { code: "ABORTED" } });
      const posing = await room.caller({ url: url("shop"), caller: "bank" });
      await expect(posing.call(PLACE)).rejects.toMatchObject({ category: "authorization" });
      await expect(posing.result("r")).rejects.toThrow();
    } finally {
      await guarded.close();
    }
  });
});

/** As docs/durable.md has them. */
const USERS = `authorization { users: [
  { user: worker, password: worker, permissions: {
    publish: ["$JS.API.>", "$JS.ACK.>", "plico.result.>", "plico.reply.>"],
    subscribe: ["_INBOX.>", "plico.control.*", "$JS.EVENT.ADVISORY.CONSUMER.LEADER_ELECTED.PLICO_CALLS.*"] } },
  { user: shop, password: shop, permissions: {
    publish: ["plico.durable.orders.*.*.shop.*", "plico.result.shop.>", "plico.control.*",
      "$JS.API.DIRECT.GET.PLICO_RESULTS.plico.result.shop.>"],
    subscribe: ["plico.result.shop.*", "plico.reply.shop.>", "_INBOX.>"] } }
] }`;
