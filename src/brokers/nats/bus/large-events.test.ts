import { afterAll, beforeAll, expect, test } from "vitest";
import { describeWith } from "../../../../test/describe-with.js";
import { within } from "../../../../test/own-time.js";
import { programOnThisMachine } from "../../../../test/program.js";
import { localEnvelope } from "../../../envelope/response-envelope.js";
import type { CallEvent } from "../../../protocol/events.js";
import { type BusStage, busStage, completed, ear, requested } from "../fixtures/bus-stage.js";
import { sharedSecret } from "../identity.js";
import type { NatsBus } from "./nats-bus-options.js";

describeWith("Large events", programOnThisMachine("nats-server"), (program) => {
  let stage: BusStage;
  let near: NatsBus;
  let far: NatsBus;
  const signer = sharedSecret({ secret: "a secret for these tests" });
  beforeAll(async () => {
    stage = await busStage(program, "max_payload: 65536");
    const options = { signer, trust: signer.trust, maxEventBytes: 8_000_000 };
    [near, far] = [await stage.bus(options), await stage.bus(options)];
  });
  afterAll(() => stage?.close());

  const answer = (size: number, sequence = 0, requestId = "1"): CallEvent => ({
    type: "call.responded",
    requestId,
    output: localEnvelope("é".repeat(size / 2), "test.echo"),
    sequence,
  });

  test("arrive whole and in their order among the others of their request", async () => {
    const { hear } = ear(near, "reply.a");
    await near.flush();
    const events = [
      completed(0),
      answer(5_000_000, 1),
      completed(2),
      answer(100_000, 3),
      answer(60_000, 4),
      completed(5),
    ];
    for (const event of events) far.publish("reply.a", event);
    expect(await hear(events.length)).toEqual(events);
    await far.flush();
  });

  test("that are not large one by one are not made so by going together", async () => {
    const { hear } = ear(near, "reply.together");
    await near.flush();
    const events = Array.from({ length: 10 }, (_, at) => answer(20_000, at));
    for (const event of events) far.publish("reply.together", event);
    expect(await hear(events.length)).toEqual(events);
  });

  test("do not hold up other requests", async () => {
    const { hear } = ear(near, "reply.b");
    await near.flush();
    far.publish("reply.b", answer(5_000_000));
    far.publish("reply.b", completed(1, "other"));
    expect((await hear(2)).map(({ requestId }) => requestId)).toEqual(["other", "1"]);
  });

  test("go to one member of a group, with the identity that was signed", async () => {
    const members = [ear(near, "jobs", "workers"), ear(far, "jobs", "workers")];
    await Promise.all([near.flush(), far.flush()]);
    const request = requested({ input: "x".repeat(300_000), identity: { id: "ada", scopes: [] } });
    near.publish("jobs", request);
    expect(await Promise.race(members.map(({ hear }) => hear(1)))).toEqual([request]);
    await near.flush();
    expect(members.flatMap(({ events }) => events)).toHaveLength(1);
  });

  test("hold up a flush no longer than a receiver takes to ask again", async () => {
    const deaf = await stage.connect();
    deaf.subscribe("plico.reply.deaf", { callback: () => {} });
    await deaf.flush();
    far.publish("reply.deaf", answer(100_000));
    await within(10_000, far.flush());
  });

  test("are told of at once where nobody takes them", async () => {
    const { hear } = ear(near, "reply.c");
    near.publish("nobody", requested({ replyTo: "reply.c", input: "x".repeat(300_000) }));
    expect(await hear(1)).toMatchObject([{ code: "UNAVAILABLE", details: { taken: false } }]);
    await near.flush();
  });

  test("are not published beyond the largest size", () => {
    expect(() => near.publish("a", answer(9_000_000))).toThrow(expect.objectContaining({ code: "PAYLOAD_TOO_LARGE" }));
  });

  test("that are announced beyond the largest size are refused to whoever waits for them", async () => {
    const connection = await stage.connect();
    const [inbox, caller] = [ear(near, "reply.d"), ear(far, "reply.e")];
    ear(near, "work", "workers");
    await Promise.all([near.flush(), far.flush()]);
    const announcement = { large: "x", size: 8_000_001, requestId: "1", from: "parts.x" };
    connection.publish("plico.reply.d", JSON.stringify(announcement));
    connection.publish("plico.work", JSON.stringify({ ...announcement, size: 2 ** 50, replyTo: "reply.e" }));
    expect(await inbox.hear(1)).toMatchObject([{ type: "call.error", code: "PAYLOAD_TOO_LARGE" }]);
    expect(await caller.hear(1)).toMatchObject([{ type: "call.error", code: "PAYLOAD_TOO_LARGE" }]);
    expect(near.counts.tooLarge).toBe(2);
  });

  test("whose sender is gone are lost, which whoever waits is told", async () => {
    const connection = await stage.connect();
    const [inbox, caller] = [ear(near, "reply.f"), ear(far, "reply.g")];
    ear(near, "work.lost", "workers");
    await Promise.all([near.flush(), far.flush()]);
    const announcement = { large: "x", size: 100_000, requestId: "1", from: "parts.nobody" };
    connection.publish("plico.reply.f", JSON.stringify(announcement));
    connection.publish("plico.reply.f", JSON.stringify(completed(1)));
    connection.publish("plico.work.lost", JSON.stringify({ ...announcement, replyTo: "reply.g" }));
    expect(await inbox.hear(2)).toMatchObject([{ code: "ANSWER_LOST", details: { mayHaveRun: true } }, completed(1)]);
    expect(await caller.hear(1)).toMatchObject([{ code: "UNAVAILABLE", details: { taken: false } }]);
    expect(near.counts.lost).toBe(2);
  });

  test("come whole although parts are missing, doubled or not theirs", async () => {
    const connection = await stage.connect();
    const { hear } = ear(near, "reply.h");
    await near.flush();
    const event = answer(90_000);
    const bytes = Buffer.from(JSON.stringify(event));
    let claims = 0;
    const send = (to: string, at: number) => {
      connection.publish(`plico.${to}.${at}`, bytes.subarray(at, at + 30_000));
    };
    connection.subscribe("plico.parts.odd", {
      callback: (_, message) => {
        const { to, at } = message.json<{ to: string; at: number }>();
        claims += 1;
        connection.publish(`plico.${to}.odd`, "odd");
        connection.publish(`plico.${to}.7`, "odd");
        send(to, at);
        send(to, at);
        if (claims > 1) for (const next of [30_000, 60_000, 90_000]) if (next < bytes.length) send(to, next);
      },
    });
    const announcement = { large: "odd", size: bytes.length, requestId: "1", from: "parts.odd" };
    connection.publish("plico.reply.h", JSON.stringify(announcement));
    expect(await hear(1)).toEqual([event]);
  });

  test("with more bytes than announced, or of another request, are not delivered", async () => {
    const connection = await stage.connect();
    const { hear } = ear(near, "reply.i");
    await near.flush();
    const before = near.counts;
    const [lost, malformed] = [before.lost, before.malformed];
    const bytes = Buffer.from(JSON.stringify(completed(1, "another")));
    connection.subscribe("plico.parts.liar", {
      callback: (_, message) => {
        const { to, at } = message.json<{ to: string; at: number }>();
        if (at === 0) connection.publish(`plico.${to}.0`, bytes);
      },
    });
    const announcement = { large: "l", requestId: "1", from: "parts.liar" };
    connection.publish("plico.reply.i", JSON.stringify({ ...announcement, size: bytes.length - 1 }));
    connection.publish("plico.reply.i", JSON.stringify({ ...announcement, size: bytes.length }));
    connection.publish("plico.reply.i", JSON.stringify(completed(2)));
    expect(await hear(2)).toMatchObject([{ code: "ANSWER_LOST" }, completed(2)]);
    expect([near.counts.lost - lost, near.counts.malformed - malformed]).toEqual([1, 1]);
  });

  test("are taken before the bus of their sender is closed", async () => {
    const { hear } = ear(near, "reply.j");
    await near.flush();
    const bus = await stage.bus();
    const event = answer(5_000_000);
    bus.publish("reply.j", event);
    await bus.close();
    expect(await hear(1)).toEqual([event]);
  });
});
