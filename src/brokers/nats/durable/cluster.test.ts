import { expect, test } from "vitest";
import { describeWith } from "../../../../test/describe-with.js";
import { natsCluster } from "../../../../test/nats-server.js";
import { programOnThisMachine } from "../../../../test/program.js";
import { type DurableStage, durableStageOn, gate, PLACE } from "../fixtures/durable-stage.js";
import { JetStream } from "./jetstream.js";

const SERVERS = ["n1", "n2", "n3"];

describeWith("durable calls on a cluster", programOnThisMachine("nats-server"), (program) => {
  test("go on when the leader of their stream is gone: none is lost, none runs twice", {
    timeout: 60_000,
  }, async () => {
    const servers = await natsCluster(program);
    const stage: DurableStage = durableStageOn(servers);
    try {
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
      const options = { streams: { replicas: 3 }, maxRunning: 4 };
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
    } finally {
      await stage.close();
    }
  });
});
