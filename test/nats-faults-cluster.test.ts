import { setTimeout as delay } from "node:timers/promises";
import { connect } from "@nats-io/transport-node";
import { test } from "vitest";
import { describeWith } from "./describe-with.js";
import { calm, chosenSeed, conclude, type Faults, inflict, replaceWorkers } from "./nats-fault-run.js";
import { type NatsServer, natsCluster } from "./nats-server.js";
import { FaultStage } from "./nats-stage.js";
import { programOnThisMachine } from "./program.js";

const LANES = {
  echo: { count: 8, pauseMs: 10 },
  big: { count: 1, pauseMs: 100 },
  post: { count: 8, pauseMs: 10 },
  hold: { count: 4, pauseMs: 10 },
  ticks: { count: 4, pauseMs: 10 },
  order: { count: 8, pauseMs: 20 },
};

const CONFIG = ['ping_interval: "500ms"', "ping_max: 2", "max_payload: 131072"].join("\n");

describeWith("calls over a cluster of three", programOnThisMachine("nats-server"), (program) => {
  test("the semantics hold while servers of the cluster come and go", { timeout: 200_000 }, async () => {
    const seed = chosenSeed(20261117);
    const servers = await natsCluster(program, { config: CONFIG });
    const stage = new FaultStage({ servers, seed, lanes: LANES, replicas: 3 });
    try {
      await Promise.all([1, 2, 3].map(() => stage.start("worker")));
      await Promise.all([1, 2].map(() => stage.start("caller")));
      await inflict(stage, faultsOf(servers), seed);
      await calm();
      await replaceWorkers(stage);
      await conclude(stage, seed);
    } finally {
      await stage.close();
      await Promise.all(servers.map((server) => server.close()));
    }
  });
});

function faultsOf(servers: readonly NatsServer[]): Faults {
  // Two of the three must be there, or nothing durable can be said.
  let last: Promise<void> = Promise.resolve();
  const oneByOne = (act: () => Promise<void>): Promise<void> => {
    last = last.then(act);
    return last;
  };
  return {
    killLeader: ({ stage, chance }) =>
      oneByOne(async () => {
        const leader = await leaderOf(servers, "PLICO_CALLS");
        await stage.fault("restart", "server", () => down(leader, chance.between(500, 2000)));
      }),
    killOne: ({ stage, chance }) =>
      oneByOne(() => stage.fault("restart", "server", () => down(chance.pick(servers), chance.between(100, 1500)))),
    pauseOne: ({ stage, chance }) =>
      oneByOne(() =>
        stage.fault("pause", "server", async () => {
          const server = chance.pick(servers);
          server.pause();
          await delay(chance.between(200, 1500));
          server.resume();
        }),
      ),
    isolateLeader: ({ stage, chance }) =>
      oneByOne(async () => {
        const leader = await leaderOf(servers, "PLICO_CALLS");
        await stage.fault("partition", "server", () => apart(leader, chance.between(500, 4000)));
      }),
    isolateOne: ({ stage, chance }) =>
      oneByOne(() => stage.fault("partition", "server", () => apart(chance.pick(servers), chance.between(200, 4000)))),
    killWorker: ({ stage, withOne }) =>
      withOne("worker", async (worker) => {
        await stage.kill(worker);
        await stage.start("worker");
      }),
    cutCaller: ({ stage, chance, withOne }) =>
      withOne("caller", (caller) => stage.disturb(caller, "cut", chance.between(0, 800))),
    blackholeWorker: ({ stage, chance, withOne }) =>
      withOne("worker", (worker) => stage.disturb(worker, "blackhole", chance.between(200, 1500))),
  };
}

async function down(server: NatsServer, milliseconds: number): Promise<void> {
  await server.kill();
  await delay(milliseconds);
  await server.restart();
}

async function apart(server: NatsServer, milliseconds: number): Promise<void> {
  server.isolate();
  await delay(milliseconds);
  await server.rejoin();
}

/** The server that leads a stream; any where none is known. */
async function leaderOf(servers: readonly NatsServer[], stream: string): Promise<NatsServer> {
  const connection = await connect({ servers: servers.map(({ url }) => url) });
  try {
    const info = `$JS.API.STREAM.INFO.${stream}`;
    const reply = await connection.request(info, "", { timeout: 3000 }).catch(() => undefined);
    const { cluster } = (reply?.json() ?? {}) as { cluster?: { leader?: string } };
    return servers[Number(cluster?.leader?.slice(1) ?? 1) - 1] as NatsServer;
  } finally {
    await connection.close();
  }
}
