import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { describeWith } from "../../../test/describe-with.js";
import { type NatsProxy, natsProxy } from "../../../test/nats-proxy.js";
import { programOnThisMachine } from "../../../test/program.js";
import type { Outcome } from "../../envelope/outcome.js";
import { type FleetStage, fleetStage, gate, operation, until } from "./fixtures/fleet-stage.js";

describeWith("a call on NATS that must not run twice", programOnThisMachine("nats-server"), (program) => {
  let stage: FleetStage;
  let proxy: NatsProxy;
  beforeAll(async () => {
    stage = await fleetStage(program);
    proxy = await natsProxy(stage.server.port);
  });
  afterEach(async () => {
    proxy.heal();
    await stage.clear();
  });
  afterAll(async () => {
    await proxy?.close();
    await stage?.close();
  });

  /** Who talks to the server by way of the proxy. */
  type Side = "worker" | "caller";

  /** Twenty calls that have begun, and what lets them end. */
  async function begun(side: Side) {
    const cast = stage.cast();
    const { opened, open } = gate();
    let runs = 0;
    const order = operation(
      "order",
      async (input) => {
        runs += 1;
        await opened;
        return input;
      },
      { type: "mutation" },
    );
    const client = { servers: proxy.url, maxReconnectAttempts: -1 };
    const { worker } = await cast.worker([order], side === "worker" ? { client } : {});
    // Long enough for a slow machine to connect again, short enough for a test that waits for two of them.
    const { registry } = await cast.caller({ heartbeat: 400, ...(side === "caller" && { client }) });
    const calls = Array.from({ length: 20 }, (_, at) => registry.attempt("test.order", { at }));
    await until(() => runs === 20);
    return { worker, calls, open, runs: () => runs };
  }

  async function expectAnswers(calls: readonly Promise<Outcome>[], runs: number): Promise<void> {
    const outcomes = await Promise.all(calls);
    expect(outcomes.map((outcome) => (outcome.ok ? outcome.data : outcome.error))).toEqual(
      calls.map((_, at) => ({ at })),
    );
    expect(runs).toBe(20);
  }

  test.each<Side>(["worker", "caller"])("is answered where the %s was cut off while it ended", async (side) => {
    const { worker, calls, open, runs } = await begun(side);
    proxy.cut();
    open();
    await until(() => worker.getRunningCount() === 0);
    proxy.heal();
    await expectAnswers(calls, runs());
  });

  test.each<Side>(["worker", "caller"])(
    "is answered where the answer was lost on its way from or to the %s",
    async (side) => {
      const { worker, calls, open, runs } = await begun(side);
      // Nobody knows of the loss when the answer is sent.
      proxy.blackhole();
      open();
      await until(() => worker.getRunningCount() === 0);
      proxy.cut();
      proxy.heal();
      await expectAnswers(calls, runs());
    },
  );

  test("is made once the caller is connected again, however long that takes", async () => {
    const cast = stage.cast();
    const client = { servers: proxy.url, maxReconnectAttempts: -1 };
    await cast.worker([operation("order", (input) => input, { type: "mutation" })]);
    const { registry, source } = await cast.caller({ client });
    proxy.cut();
    await until(() => source.health().status === "connecting");
    const call = registry.execute("test.order", "held");
    await new Promise((resolve) => setTimeout(resolve, 500));
    proxy.heal();
    expect((await call).data).toBe("held");
  });
});
