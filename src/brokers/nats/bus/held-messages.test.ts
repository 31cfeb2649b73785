import { afterEach, beforeEach, expect, test } from "vitest";
import { describeWith } from "../../../../test/describe-with.js";
import { programOnThisMachine } from "../../../../test/program.js";
import type { CallEvent } from "../../../protocol/events.js";
import { type BusStage, busStage, completed, ear, requested, stateOf } from "../fixtures/bus-stage.js";
import type { NatsBus } from "./nats-bus-options.js";

describeWith("A bus without its server", programOnThisMachine("nats-server"), (program) => {
  let stage: BusStage;
  let bus: NatsBus;
  beforeEach(async () => {
    stage = await busStage(program);
    bus = await stage.bus();
  });
  afterEach(() => stage?.close());

  test("keeps what is published, in its order, and sends it before it tells that it is back", async () => {
    const { hear } = ear(bus, "a");
    const states: string[] = [];
    bus.onState((state) => {
      states.push(state);
      if (state === "connected") bus.publish("a", completed(9));
    });
    await stage.server.kill();
    await stateOf(bus, "disconnected");
    for (const at of [0, 1]) bus.publish("a", completed(at));
    bus.publish("a", requested());
    bus.publish("a", completed(2));
    await stage.server.restart();
    const events = await hear(5);
    expect(events.map((event) => (event.type === "call.completed" ? event.count : event.type))).toEqual([
      0,
      1,
      "call.requested",
      2,
      9,
    ]);
    expect(states).toEqual(["disconnected", "connected"]);
  });

  test("keeps a large event too", async () => {
    const { hear } = ear(bus, "a");
    await stage.server.kill();
    await stateOf(bus, "disconnected");
    const event = requested({ input: "x".repeat(2_000_000) });
    bus.publish("a", event);
    await stage.server.restart();
    expect(await hear(1)).toEqual([event]);
  });

  test("does not send requests whose deadlines have passed meanwhile, but those whose callers wait for the connection", async () => {
    const { hear } = ear(bus, "a");
    await stage.server.kill();
    await stateOf(bus, "disconnected");
    bus.publish("a", requested({ deadline: Date.now() + 1 }));
    bus.publish("a", requested({ requestId: "wanted", heartbeat: 0.1, deadline: Date.now() + 60_000 }));
    await new Promise((resolve) => setTimeout(resolve, 5));
    await stage.server.restart();
    expect(await hear(1)).toMatchObject([{ requestId: "wanted" }]);
    expect(bus.counts.stale).toBe(1);
  });

  test("refuses more than it can keep, and takes more when it is back", async () => {
    const { hear } = ear(bus, "a");
    await stage.server.kill();
    await stateOf(bus, "disconnected");
    const event: CallEvent = requested({ input: "x".repeat(500_000) });
    const fill = () => {
      for (let at = 0; at < 40; at += 1) bus.publish("a", event);
    };
    expect(fill).toThrow(expect.objectContaining({ code: "UNAVAILABLE", details: { taken: false } }));
    await stage.server.restart();
    await hear(33);
    bus.publish("a", completed(1));
    expect((await hear(34)).at(-1)).toEqual(completed(1));
  });
});
