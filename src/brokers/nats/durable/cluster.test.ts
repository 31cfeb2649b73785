import { afterAll, beforeAll, expect, test } from "vitest";
import { describeWith } from "../../../../test/describe-with.js";
import { type NatsServer, natsCluster, natsClusterStarts } from "../../../../test/nats-server.js";
import { programOnThisMachine } from "../../../../test/program.js";
import { type DurableStage, durableStageOn, gate, PLACE } from "../fixtures/durable-stage.js";
import { JetStream } from "./jetstream.js";
import { durableAddress } from "./key.js";
import { writeRequest } from "./request.js";

const SERVERS = ["n1", "n2", "n3"];
const STREAMS = { replicas: 3 };
const NO_SUITABLE_PEERS = 10005;

describeWith("durable calls on a cluster", programOnThisMachine("nats-server"), (program) => {
  let servers: readonly NatsServer[];
  let stage: DurableStage;
  beforeAll(async () => {
    servers = await natsCluster(program);
    stage = durableStageOn(servers);
  });
  afterAll(() => stage?.close());

  /** Requests of one key, with ids of their own, and so near to each other that most are stored in one microsecond. */
  async function storeCopies(js: JetStream, keys: readonly string[]): Promise<void> {
    const copies = keys.flatMap((key) => [`${key}-1`, `${key}-2`].map((requestId) => ({ key, requestId })));
    await Promise.all(
      copies.map(({ key, requestId }) => {
        const about = { type: "call.requested", operationId: PLACE.operationId, replyTo: "reply.anyone.x" } as const;
        const request = { ...about, requestId, idempotencyKey: key };
        const { text, key: stored } = writeRequest("anyone", PLACE.major, request, undefined);
        return js.store(durableAddress(PLACE.operationId, PLACE.major, stored), text);
      }),
    );
  }

  test("of one key are told apart however near to each other they are stored", async () => {
    const room = stage.room();
    const ran = new Map<unknown, number>();
    const run = ({ options: { idempotencyKey } }: { readonly options: { readonly idempotencyKey?: string } }) =>
      ran.set(idempotencyKey, (ran.get(idempotencyKey) ?? 0) + 1).size;
    await Promise.all([1, 2].map(() => room.worker(run, { streams: STREAMS })));
    const js = await JetStream.open({ connection: await stage.connect(), prefix: room.prefix, streams: {} });
    const keys = Array.from({ length: 100 }, (_, at) => `key-${at}`);
    await storeCopies(js, keys);
    const kept = async () => (await js.manager.streams.info(js.names.calls)).state.messages;
    await expect.poll(kept, { timeout: 20_000 }).toBe(0);
    expect([...ran]).toHaveLength(keys.length);
    expect([...ran].filter(([, times]) => times > 1)).toEqual([]);
  });

  test("go on when the leader of their stream is gone: none is lost, none runs twice", {
    timeout: 60_000,
  }, async () => {
    const room = stage.room();
    const ran = new Map<unknown, number>();
    const held = gate();
    const begun = gate();
    const run = async ({ input }: { readonly input: unknown }) => {
      ran.set(input, (ran.get(input) ?? 0) + 1);
      if (ran.size === 8) begun.open();
      await held.opened;
      return input;
    };
    const options = { streams: STREAMS, maxRunning: 4 };
    const workers = await Promise.all([room.worker(run, options), room.worker(run, options)]);
    const caller = await room.caller();
    const inputs = Array.from({ length: 20 }, (_, at) => at);
    const calls = inputs.map((input) => caller.call({ ...PLACE, input, idempotencyKey: `key-${input}` }));
    await begun.opened;
    const { manager, names } = await JetStream.open({
      connection: await stage.connect(),
      prefix: room.prefix,
      streams: {},
    });
    const leader = (await manager.streams.info(names.calls)).cluster?.leader ?? "";
    await servers[SERVERS.indexOf(leader)]?.kill();
    const during = caller.call({ ...PLACE, input: "during" });
    held.open();
    const answers = await Promise.all([...calls, during]);
    expect(answers.map(({ data }) => data)).toEqual([...inputs, "during"]);
    expect([...ran.values()].every((times) => times === 1)).toBe(true);
    await Promise.all(workers.map((worker) => worker.close()));
    const [one, two] = workers.map(({ counts }) => counts);
    expect((one?.stored ?? 0) + (two?.stored ?? 0)).toBe(inputs.length + 1);
  });

  test("wait, where they are first offered, for servers that are still starting", async () => {
    const starts = await natsClusterStarts(program);
    const servers = await Promise.all(starts.slice(0, 2).map((start) => start()));
    const stage = durableStageOn(servers);
    try {
      const { prefix, worker, caller } = stage.room();
      const js = await JetStream.open({ connection: await stage.connect(), prefix, streams: STREAMS });
      const refusal = () => js.ensureStreams().then(undefined, ({ code }: { readonly code?: unknown }) => code);
      await expect.poll(refusal, { timeout: 20_000 }).toBe(NO_SUITABLE_PEERS);
      const offered = worker(({ input }) => input, { streams: STREAMS });
      servers.push(...(await Promise.all(starts.slice(2).map((start) => start()))));
      await offered;
      expect((await (await caller()).call({ ...PLACE, input: "tea" })).data).toBe("tea");
    } finally {
      await stage.close();
    }
  });
});
