import { afterAll, beforeAll, expect, test } from "vitest";
import { describeWith } from "../../../../test/describe-with.js";
import { programOnThisMachine } from "../../../../test/program.js";
import type { CallEvent } from "../../../protocol/events.js";
import { testBus } from "../../../testing/test-bus.js";
import { type BusStage, busStage, completed, ear, requested, stateOf } from "../fixtures/bus-stage.js";
import { sharedSecret } from "../identity.js";
import { natsBus } from "./nats-bus.js";
import type { NatsBus } from "./nats-bus-options.js";

describeWith("natsBus", programOnThisMachine("nats-server"), (program) => {
  let stage: BusStage;
  let connection: Awaited<ReturnType<BusStage["connect"]>>;
  let near: NatsBus;
  let far: NatsBus;
  beforeAll(async () => {
    stage = await busStage(program);
    connection = await stage.connect();
    [near, far] = [await stage.bus(), await stage.bus()];
  });
  afterAll(() => stage?.close());

  const signer = sharedSecret({ secret: "a secret for these tests" });
  const create = () => natsBus({ connection, signer, trust: signer.trust });
  for (const { label, run } of testBus("natsBus", create)) test(label, run);

  test("says at once that nobody takes a request", async () => {
    const { hear } = ear(near, "reply.me.1");
    near.publish("call.a.b.v1.me", requested({ requestId: "odd id.*>~é" }));
    const [event] = await hear(1);
    expect(event).toMatchObject({ type: "call.error", requestId: "odd id.*>~é", code: "UNAVAILABLE" });
    expect(event).toMatchObject({ details: { taken: false } });
  });

  test("carries a request with an id that is too long for a subject", async () => {
    ear(near, "reply.me.2");
    const { hear } = ear(far, "long");
    await far.flush();
    const request = requested({ requestId: "é".repeat(5000), replyTo: "reply.me.2" });
    near.publish("long", request);
    expect(await hear(1)).toEqual([request]);
    expect(near.state).toBe("connected");
  });

  test("sends what goes to one address in one turn as one message, but requests one by one", async () => {
    const messages: string[] = [];
    const raw = connection.subscribe("plico.batch", { callback: (_, message) => void messages.push(message.string()) });
    const { hear } = ear(near, "batch");
    await Promise.all([connection.flush(), near.flush()]);
    for (const at of [0, 1, 2]) far.publish("batch", completed(at));
    far.publish("batch", requested());
    far.publish("batch", requested());
    far.publish("batch", completed(3));
    const events = await hear(6);
    expect(events.map(({ type }) => type)).toEqual([
      ...["call.completed", "call.completed", "call.completed"],
      ...["call.requested", "call.requested", "call.completed"],
    ]);
    await connection.flush();
    expect(messages.map((text) => [JSON.parse(text)].flat().length)).toEqual([3, 1, 1, 1]);
    raw.unsubscribe();
  });

  test("delivers half of all awaited answers a turn later, and nothing before them", async () => {
    const heard: CallEvent[] = [];
    const inOneTurn: number[] = [];
    const all = new Promise<void>((resolve) => {
      const listener = (event: CallEvent): void => {
        heard.push(event);
        if (heard.length === 1) setImmediate(() => inOneTurn.push(heard.length));
        if (heard.length === 65) resolve();
      };
      near.subscribe("reply.me.3", listener, { awaited: () => 64 });
    });
    await near.flush();
    const sent = Array.from({ length: 65 }, (_, at) => completed(at));
    connection.publish("plico.reply.me.3", JSON.stringify(sent.slice(0, 64)));
    connection.publish("plico.reply.me.3", JSON.stringify(sent[64]));
    await all;
    expect(heard).toEqual(sent);
    expect(inOneTurn).toEqual([32]);
  });

  test("counts what is no event and goes on", async () => {
    const { hear, events } = ear(near, "noise");
    await near.flush();
    const before = near.counts.malformed;
    const noise = ["", "{", "null", "7", '"x"', "[]", "{}", "[[]]", '[{"type":"call.requested"}]', "\u0000", "[1,2]"];
    for (const text of noise) connection.publish("plico.noise", text);
    connection.publish("plico.noise", JSON.stringify([requested(), completed(7)]));
    connection.publish("plico.noise", new Uint8Array([0xff, 0xfe, 0x7b]));
    expect(await hear(1)).toEqual([completed(7)]);
    await Promise.all([connection.flush(), near.flush()]);
    expect(events).toHaveLength(1);
    expect(near.counts.malformed - before).toBe(noise.length + 2);
  });

  test("lets in what is under way to a member of a group that leaves", async () => {
    const { hear, leave } = ear(near, "jobs", "workers");
    await near.flush();
    far.publish("jobs", completed(1));
    await far.flush();
    leave();
    expect(await hear(1)).toEqual([completed(1)]);
  });

  test("hears every word at the place of a star", async () => {
    const { hear } = ear(near, "call.a.c.v1.*", "workers");
    await near.flush();
    far.publish("call.a.c.v1.ada", requested({ replyTo: "reply.ada.1" }));
    expect(await hear(1)).toHaveLength(1);
  });

  test.each([
    ["call.a.d.v1.eve", "reply.ada.1"],
    ["call.a.d.v1.eve", "reply.eve"],
    ["call.a.d.v1.eve", "reply.eve2.1"],
    ["call.a.d.v1.eve", "control.all"],
    ["call.a.d.v1.eve.w1", "reply.w1.1"],
    ["catalog.w1", "control.w2"],
    ["catalog.w1", "result.ada.1"],
  ])("drops a request at %s that wants its answer at %s", async (address, replyTo) => {
    const { hear, events } = ear(near, address);
    const caller = address.startsWith("call.") ? "eve" : "anyone";
    await near.flush();
    const before = near.counts.malformed;
    const large = { large: "made-up", size: 9, requestId: "1", from: "parts.made-up", replyTo };
    const spied: string[] = [];
    const spy = connection.subscribe(`plico.${replyTo}`, { callback: (_, { subject }) => void spied.push(subject) });
    connection.publish(`plico.${address}`, JSON.stringify(requested({ replyTo })));
    connection.publish(`plico.${address}`, JSON.stringify(large));
    connection.publish(`plico.${address}`, JSON.stringify(requested({ replyTo: `reply.${caller}.1` })));
    await hear(1);
    await near.flush();
    await connection.flush();
    expect([events, spied]).toEqual([[requested({ replyTo: `reply.${caller}.1` })], []]);
    expect(near.counts.malformed - before).toBe(2);
    spy.unsubscribe();
  });

  test("drops what comes to a worker, or with an answer, and wants something said elsewhere", async () => {
    const [worker, caller] = [ear(near, "control.w1"), ear(near, "reply.ada.7")];
    await near.flush();
    const before = near.counts.malformed;
    const events = (replyTo: string): CallEvent[] => [
      { type: "call.aborted", requestId: "1", replyTo },
      { type: "call.resumed", requestId: "1", replyTo },
    ];
    for (const event of events("control.all")) connection.publish("plico.control.w1", JSON.stringify(event));
    connection.publish("plico.control.w1", JSON.stringify(events("call.a.b.v1.ada")));
    connection.publish("plico.control.w1", JSON.stringify(events("reply.ada.7")));
    connection.publish("plico.reply.ada.7", JSON.stringify(requested({ replyTo: "reply.ada.7" })));
    connection.publish("plico.reply.ada.7", JSON.stringify(completed(1)));
    expect([await worker.hear(2), await caller.hear(1)]).toEqual([events("reply.ada.7"), [completed(1)]]);
    expect(near.counts.malformed - before).toBe(5);
  });

  test("tells what a listener throws", async () => {
    const thrown: unknown[] = [];
    const bus = natsBus({ connection, onError: (error) => thrown.push(error) });
    bus.subscribe("careless", () => {
      throw new Error("careless");
    });
    const { hear } = ear(bus, "careless");
    bus.publish("careless", completed(1));
    await hear(1);
    expect(thrown).toEqual([new Error("careless")]);
    await bus.close();
  });

  test.each(["", "a b", "a..b", "a.*", "a.>", ".a", "a\n", "x".repeat(2000)])("does not publish to %j", (address) => {
    expect(() => near.publish(address, completed(1))).toThrow(expect.objectContaining({ category: "validation" }));
  });

  test.each(["", "a b", "a.>", "a.b*"])("does not subscribe to %j", (address) => {
    expect(() => near.subscribe(address, () => {})).toThrow(expect.objectContaining({ category: "validation" }));
  });

  test.each([{ prefix: "a b" }, { maxSkewMs: -1 }, { partsAddress: "call.a" }, { trust: true }, { prefixes: "a" }])(
    "is not made with %j",
    (options) => {
      const create = () => natsBus({ connection, ...(options as object) });
      expect(create).toThrow(expect.objectContaining({ category: "validation" }));
    },
  );

  test("does not publish what JSON cannot carry", () => {
    const event = requested({ input: 1n });
    expect(() => near.publish("a", event)).toThrow(expect.objectContaining({ name: "CallError" }));
  });

  test("is closed when its connection is, and ignores what is published", async () => {
    const lost = await stage.connect();
    const bus = natsBus({ connection: lost });
    const { events } = ear(bus, "gone");
    await lost.close();
    await stateOf(bus, "closed");
    bus.publish("gone", completed(1));
    bus.subscribe("gone", () => {})();
    await bus.flush();
    await bus.close();
    expect(events).toEqual([]);
  });
});
