import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { describeWith } from "../../../../test/describe-with.js";
import { programOnThisMachine } from "../../../../test/program.js";
import { type FleetStage, fleetStage, operation, until } from "../fixtures/fleet-stage.js";

describeWith("durable operations of a worker", programOnThisMachine("nats-server"), (program) => {
  let stage: FleetStage;
  beforeAll(async () => {
    stage = await fleetStage(program, { jetstream: true });
  });
  afterEach(() => stage.clear());
  afterAll(() => stage?.close());

  test("are imported and called as others are, and keep their results", async () => {
    const cast = stage.cast();
    const orders: unknown[] = [];
    const order = (input: unknown, { idempotencyKey }: { idempotencyKey: string | undefined }) => {
      orders.push(idempotencyKey);
      return { taken: input };
    };
    const says = operation("says", order, { type: "mutation", delivery: "durable" });
    const { worker } = await cast.worker([says, operation("made", order, { type: "mutation" })], {
      durable: ["test.made"],
    });
    const { registry, source } = await cast.caller({ caller: "shop" });
    expect(source.operations.map(({ spec }) => spec.delivery)).toEqual(["durable", "durable"]);
    const options = { requestId: "r-1", idempotencyKey: "k-1" };
    expect((await registry.execute("test.says", { n: 1 }, options)).data).toEqual({ taken: { n: 1 } });
    expect((await registry.execute("test.says", { n: 1 }, { idempotencyKey: "k-1" })).data).toEqual({
      taken: { n: 1 },
    });
    expect((await registry.execute("test.made", { n: 2 }, { requestId: "r-2" })).data).toEqual({ taken: { n: 2 } });
    expect(orders).toEqual(["k-1", expect.any(String)]);
    const elsewhere = await cast.caller({ caller: "shop" });
    expect(await elsewhere.source.result("r-2")).toMatchObject({ ok: true, data: { taken: { n: 2 } } });
    expect(await elsewhere.source.result("r-unknown")).toBeUndefined();
    expect(worker.stats()).toMatchObject({ "test.says": { requests: 1 }, "test.made": { requests: 1 } });
  });

  test("wait for a worker, which one that was not there at first can be", async () => {
    const cast = stage.cast();
    const operations = [operation("later", () => "done", { type: "mutation", delivery: "durable" })];
    const first = await cast.worker(operations);
    const { registry, source } = await cast.caller({ keepMs: 0 });
    await first.worker.close();
    await until(() => source.workers().length === 0);
    await source.refresh();
    const call = registry.execute("test.later", {});
    await cast.worker(operations);
    expect((await call).data).toBe("done");
  });

  test("come and go with the registry", async () => {
    const cast = stage.cast();
    const { registry: served, worker } = await cast.worker([operation("plain", () => 1)]);
    const { registry } = await cast.caller();
    served.register(operation("kept", () => 2, { type: "mutation", delivery: "durable" }));
    await until(() => registry.getSpec("test.kept") !== undefined);
    expect((await registry.execute("test.kept", {})).data).toBe(2);
    served.unregister("test.kept");
    await until(() => worker.operations().length === 1);
  });
});

describeWith("durable operations without JetStream", programOnThisMachine("nats-server"), (program) => {
  test("keep a worker from starting, with a word of why", async () => {
    const stage = await fleetStage(program);
    try {
      const kept = operation("kept", () => 2, { type: "mutation", delivery: "durable" });
      await expect(stage.cast().worker([kept])).rejects.toMatchObject({ category: "unavailable" });
    } finally {
      await stage.close();
    }
  });
});
