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

type Harm = (server: NatsServer, milliseconds: number) => Promise<void>;

function faultsOf(servers: readonly NatsServer[]): Faults {
  let last: Promise<void> = Promise.resolve();
  // One by one: two of the three must be there, or nothing durable can be said.
  const toServer =
    (which: "leader" | "any", fault: string, harm: Harm, least: number, most: number): Faults[string] =>
    ({ stage, chance }) => {
      last = last.then(async () => {
        const server = which === "leader" ? await leaderOf(servers, "PLICO_CALLS") : chance.pick(servers);
        await stage.fault(fault, "server", () => harm(server, chance.between(least, most)));
      });
      return last;
    };
  return {
    killLeader: toServer("leader", "restart", killed, 500, 2000),
    killOne: toServer("any", "restart", killed, 100, 1500),
    pauseOne: toServer("any", "pause", paused, 200, 1500),
    isolateLeader: toServer("leader", "partition", isolated, 500, 4000),
    isolateOne: toServer("any", "partition", isolated, 200, 4000),
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

async function killed(server: NatsServer, milliseconds: number): Promise<void> {
  await server.kill();
  await delay(milliseconds);
  await server.restart();
}

async function paused(server: NatsServer, milliseconds: number): Promise<void> {
  server.pause();
  await delay(milliseconds);
  server.resume();
}

async function isolated(server: NatsServer, milliseconds: number): Promise<void> {
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
