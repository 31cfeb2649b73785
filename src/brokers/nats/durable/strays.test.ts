import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeWith } from "../../../../test/describe-with.js";
import { programOnThisMachine } from "../../../../test/program.js";
import { type DurableStage, durableStage, gate, PLACE } from "../fixtures/durable-stage.js";
import { movedId, sequenceIn } from "./delivery.js";
import { JetStream, type KeptCall } from "./jetstream.js";
import { consumerName, durableAddressOf } from "./key.js";
import { streamNames } from "./streams.js";

const ACK_WAIT = 500;
const CONSUMER = consumerName(PLACE.operationId, PLACE.major);

describeWith("durable calls that the server delivers to nobody", programOnThisMachine("nats-server"), (program) => {
  let stage: DurableStage;
  beforeAll(async () => {
    stage = await durableStage(program);
  });
  afterAll(() => stage?.close());

  /** A consumer that delivers twice only, and somebody who takes so many calls and says nothing of them. */
  async function forgetful(room: ReturnType<DurableStage["room"]>) {
    const maker = await room.worker(() => 0);
    await maker.close();
    const { calls } = streamNames(room.prefix);
    const manager = await jetstreamManager(maker.connection);
    const { config } = await manager.consumers.info(calls, CONSUMER);
    await manager.consumers.delete(calls, CONSUMER);
    await manager.consumers.add(calls, { ...config, max_deliver: 2, ack_wait: ACK_WAIT * 1_000_000 });
    const consumer = await jetstream(maker.connection).consumers.get(calls, CONSUMER);
    const kept = async () => (await manager.streams.info(calls)).state.messages;
    const take = async (count: number) => {
      await expect.poll(kept).toBe(count);
      for (let at = 0; at < 2 * count; at += 1) await consumer.next({ expires: 2000 });
    };
    return { take, kept };
  }

  test("are found by a worker, and begun once", async () => {
    const room = stage.room();
    const { take, kept } = await forgetful(room);
    const caller = await room.caller();
    const abort = new AbortController();
    const calls = [1, 2].map((input) => caller.call({ ...PLACE, input }));
    const aborted = caller.call({ ...PLACE, requestId: "aborted", signal: abort.signal });
    await take(3);
    abort.abort();
    await expect(aborted).rejects.toMatchObject({ code: "ABORTED" });
    const inputs: unknown[] = [];
    await Promise.all([1, 2].map(() => room.worker(({ input }) => inputs.push(input) && input)));
    expect((await Promise.all(calls)).map(({ data }) => data)).toEqual([1, 2]);
    await expect.poll(kept, { timeout: 5000 }).toBe(0);
    expect(inputs.toSorted()).toEqual([1, 2]);
  });

  test("are not in the way of the same call that is made again", async () => {
    const room = stage.room();
    const { take } = await forgetful(room);
    const [lost, later] = [await room.caller(), await room.caller()];
    const first = lost.call({ ...PLACE, requestId: "same" }).catch(({ code }) => code);
    await take(1);
    await lost.close();
    expect(await first).toBe("UNAVAILABLE");
    await room.worker(() => "done");
    expect((await later.call({ ...PLACE, requestId: "same" })).data).toBe("done");
  });

  test("are told from those that a worker still has", async () => {
    const room = stage.room();
    const held = gate();
    let runs = 0;
    const run = async () => {
      runs += 1;
      await held.opened;
    };
    await Promise.all([1, 2].map(() => room.worker(run, { ackWaitMs: ACK_WAIT })));
    const caller = await room.caller();
    const call = caller.call({ ...PLACE });
    await new Promise((resolve) => setTimeout(resolve, 5 * ACK_WAIT));
    held.open();
    await call;
    expect(runs).toBe(1);
  });

  test("wait, once they are moved, for a worker that got them at that moment", async () => {
    const room = stage.room();
    const [begun, held] = [gate(), gate()];
    let runs = 0;
    const run = async () => {
      runs += 1;
      begun.open();
      await held.opened;
      return runs;
    };
    const [worker] = await Promise.all([1, 2].map(() => room.worker(run, { ackWaitMs: ACK_WAIT })));
    const caller = await room.caller();
    const call = caller.call({ ...PLACE });
    await begun.opened;
    const connection = worker?.connection as NatsConnection;
    const js = await JetStream.open({ connection, prefix: room.prefix, streams: {} });
    const stray = (await js.oldest(`${durableAddressOf(PLACE.operationId, PLACE.major)}.>`)) as KeptCall;
    const putOff = gate();
    connection.subscribe(`$JS.ACK.${js.names.calls}.>`, {
      callback: (_, { subject, data }) => {
        const word = new TextDecoder().decode(data);
        if (sequenceIn(subject) !== stray.sequence && word.startsWith("-NAK")) putOff.open();
      },
    });
    await js.remove(stray.sequence);
    await jetstream(connection).publish(stray.subject, stray.text, { msgID: movedId(stray.sequence) });
    await putOff.opened;
    held.open();
    expect((await call).data).toBe(1);
    await expect
      .poll(async () => (await js.manager.streams.info(js.names.calls)).state.messages, { timeout: 5000 })
      .toBe(0);
    expect(runs).toBe(1);
  });
});
