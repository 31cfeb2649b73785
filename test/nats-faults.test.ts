import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { describeWith } from "./describe-with.js";
import { calm, chosenSeed, conclude, enough, type Faults, inflict, replaceWorkers } from "./nats-fault-run.js";
import { type NatsServer, natsServer } from "./nats-server.js";
import { FaultStage } from "./nats-stage.js";
import { programOnThisMachine } from "./program.js";

/** What comes too late is cut off soon, so that it happens within the test. */
const CONFIG = [
  "max_payload: 131072",
  "max_pending: 2097152",
  'write_deadline: "500ms"',
  'ping_interval: "500ms"',
  "ping_max: 2",
].join("\n");

const LANES = {
  echo: { count: 4, together: 64, pauseMs: 5 },
  big: { count: 1, pauseMs: 200 },
  post: { count: 16, pauseMs: 10 },
  hold: { count: 8, pauseMs: 5 },
  ticks: { count: 6, pauseMs: 10 },
  order: { count: 8, pauseMs: 10 },
};

const LEAST_CALLS = 100_000;
/** About one in a hundred where the machine has nothing else to do. */
const MOST_FAILED = 0.2;

describeWith("calls over one nats-server", programOnThisMachine("nats-server"), (program) => {
  test("the semantics hold whatever happens to callers, workers, network and server", {
    timeout: 200_000,
  }, async () => {
    const seed = chosenSeed(20261116);
    const server = await natsServer(program, { jetstream: true, config: CONFIG });
    const stage = new FaultStage({ servers: [server], seed, lanes: LANES });
    try {
      await Promise.all([1, 2, 3].map(() => stage.start("worker")));
      await Promise.all([1, 2].map(() => stage.start("caller")));
      await inflict(stage, faultsOf(server), seed);
      await calm();
      await replaceWorkers(stage);
      await enough(stage, LEAST_CALLS);
      const { calls, failed } = await conclude(stage, seed);
      expect(calls).toBeGreaterThanOrEqual(LEAST_CALLS);
      expect(failed).toBeLessThan(MOST_FAILED);
    } finally {
      await stage.close();
      await server.close();
    }
  });

  test("a caller that the server cuts off, because it reads too slowly, misses nothing", {
    timeout: 60_000,
  }, async () => {
    const seed = chosenSeed(20261118);
    const server = await natsServer(program, { jetstream: true, config: CONFIG });
    let told = "";
    server.process.stderr?.on("data", (data: Buffer) => {
      told += data.toString();
    });
    const lanes = { ticks: { count: 24, pauseMs: 0 } };
    const stage = new FaultStage({ servers: [server], seed, lanes });
    try {
      await Promise.all([1, 2].map(() => stage.start("worker")));
      const caller = await stage.start("caller", { sizes: { ticks: [120_000] } });
      for (let calls = 30; calls <= 300 && !told.includes("Slow Consumer"); calls += 30) {
        while ((await stage.calls()) < calls) await delay(50);
        await stage.pause(caller, 1500);
      }
      await conclude(stage, seed);
      expect(told).toContain("Slow Consumer");
    } finally {
      await stage.close();
      await server.close();
    }
  });
});

function faultsOf(server: NatsServer): Faults {
  return {
    killWorker: ({ stage, withOne }) =>
      withOne("worker", async (worker) => {
        await stage.kill(worker);
        await stage.start("worker");
      }),
    killCaller: ({ stage, withOne }) =>
      withOne("caller", async (caller) => {
        await stage.kill(caller);
        await stage.start("caller", { orphans: stage.ordersOf(caller) });
      }),
    drainWorker: ({ stage, withOne }) =>
      withOne("worker", async (worker) => {
        await stage.start("worker");
        await stage.drain(worker);
      }),
    pauseWorker: ({ stage, chance, withOne }) =>
      withOne("worker", (worker) => stage.pause(worker, chance.between(200, 1500))),
    // Values of subscriptions pile up for it, until the server cuts it off.
    pauseCaller: ({ stage, chance, withOne }) =>
      withOne("caller", (caller) => stage.pause(caller, chance.between(200, 1500))),
    cutWorker: ({ stage, chance, withOne }) =>
      withOne("worker", (worker) => stage.disturb(worker, "cut", chance.between(0, 1000))),
    cutCaller: ({ stage, chance, withOne }) =>
      withOne("caller", (caller) => stage.disturb(caller, "cut", chance.between(0, 1000))),
    blackholeWorker: ({ stage, chance, withOne }) =>
      withOne("worker", (worker) => stage.disturb(worker, "blackhole", chance.between(200, 1500))),
    blackholeCaller: ({ stage, chance, withOne }) =>
      withOne("caller", (caller) => stage.disturb(caller, "blackhole", chance.between(200, 1500))),
    slowWorker: ({ stage, chance, withOne }) =>
      withOne("worker", (worker) => stage.disturb(worker, "slow", chance.between(200, 800))),
    pauseServer: ({ stage, chance }) =>
      stage.fault("pause", "server", async () => {
        server.pause();
        await delay(chance.between(100, 1000));
        server.resume();
      }),
    restartServer: ({ stage }) => stage.fault("restart", "server", () => server.restart()),
  };
}
