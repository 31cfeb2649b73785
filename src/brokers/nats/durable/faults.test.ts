import { jetstreamManager } from "@nats-io/jetstream";
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeWith } from "../../../../test/describe-with.js";
import { programOnThisMachine } from "../../../../test/program.js";
import { CallError } from "../../../envelope/call-error.js";
import { type DurableStage, durableStage, gate, PLACE } from "../fixtures/durable-stage.js";
import { streamNames } from "./streams.js";

describeWith("durable calls under faults", programOnThisMachine("nats-server"), (program) => {
  let stage: DurableStage;
  beforeAll(async () => {
    stage = await durableStage(program);
  });
  afterAll(() => stage?.close());

  test("go to another worker when theirs is lost", async () => {
    const room = stage.room();
    const begun = gate();
    const ended = gate<unknown>();
    const lost = await room.worker(
      ({ options: { signal } }) => {
        begun.open();
        return new Promise((_, reject) => {
          signal?.addEventListener("abort", () => {
            ended.open(signal.reason);
            reject(signal.reason);
          });
        });
      },
      { ackWaitMs: 300 },
    );
    const caller = await room.caller();
    const call = caller.call({ ...PLACE });
    await begun.opened;
    await room.worker(({ attempt }) => attempt);
    await lost.connection.close();
    expect((await call).data).toBe(2);
    expect(await ended.opened).toMatchObject({ code: "WORKER_LOST" });
    expect(lost.counts).toMatchObject({ stored: 0, lost: 1 });
  });

  test("that the server has forgotten are sent again after a reconnection, and begun once", async () => {
    const room = stage.room();
    const proxy = await stage.proxy();
    const first = await room.worker(() => 0);
    await first.close();
    const caller = await room.caller({ url: proxy.url });
    const forgotten = caller.call({ ...PLACE, requestId: "forgotten" });
    const manager = await jetstreamManager(first.connection);
    const calls = streamNames(room.prefix).calls;
    await expect.poll(async () => (await manager.streams.info(calls)).state.messages).toBe(1);
    await manager.streams.purge(calls);
    const kept = caller.call({ ...PLACE, requestId: "kept" });
    await expect.poll(async () => (await manager.streams.info(calls)).state.messages).toBe(1);
    proxy.cut();
    proxy.heal();
    await expect.poll(async () => (await manager.streams.info(calls)).state.messages).toBe(3);
    const begun: unknown[] = [];
    await room.worker(({ options: { requestId } }) => begun.push(requestId) && requestId);
    expect([(await forgotten).data, (await kept).data]).toEqual(["forgotten", "kept"]);
    expect(begun.toSorted()).toEqual(["forgotten", "kept"]);
  });

  test("whose deadline passes while there is no connection are too late, not refused", async () => {
    const room = stage.room();
    const proxy = await stage.proxy();
    await room.worker(() => 0);
    const caller = await room.caller({ url: proxy.url });
    await caller.call({ ...PLACE });
    proxy.cut();
    const now = Date.now();
    const calls = Array.from({ length: 60 }, (_, at) => caller.call({ ...PLACE, deadline: now + 40 + at }));
    const ends = await Promise.all(calls.map((call) => call.catch(({ code }) => code)));
    expect(new Set(ends)).toEqual(new Set(["TIMEOUT"]));
    proxy.heal();
  });

  test("keep the first result: a worker that comes back too late answers nobody", async () => {
    const room = stage.room();
    const proxy = await stage.proxy();
    const begun = gate();
    const held = gate();
    const slow = await room.worker(
      async () => {
        begun.open();
        await held.opened;
        return "late";
      },
      { ackWaitMs: 300, url: proxy.url },
    );
    const caller = await room.caller();
    const call = caller.call({ ...PLACE, requestId: "first-wins" });
    await begun.opened;
    proxy.blackhole();
    await room.worker(() => "in time");
    expect((await call).data).toBe("in time");
    proxy.heal();
    held.open();
    await slow.close();
    expect(slow.counts).toMatchObject({ stored: 0, late: 1 });
    // On a busy machine it may have lost the call, and got it again, before.
    expect(slow.counts.lost).toBeGreaterThanOrEqual(1);
    expect(await caller.result("first-wins")).toMatchObject({ data: "in time" });
  });

  test("stay with a worker that gives signs of life, however long they take", async () => {
    const room = stage.room();
    let runs = 0;
    const run = async () => {
      runs += 1;
      await new Promise((resolve) => setTimeout(resolve, 800));
      return runs;
    };
    await Promise.all([room.worker(run, { ackWaitMs: 200 }), room.worker(run, { ackWaitMs: 200 })]);
    const caller = await room.caller();
    expect((await caller.call({ ...PLACE })).data).toBe(1);
    expect(runs).toBe(1);
  });

  test("fail with DELIVERY_FAILED when every worker that begins them is lost", async () => {
    const room = stage.room();
    const attempts: number[] = [];
    const options = { ackWaitMs: 600, maxDeliver: 2 };
    const fragile = async () => {
      const worker = await room.worker(({ attempt }) => {
        attempts.push(attempt);
        void worker.connection.close();
        return new Promise(() => {});
      }, options);
    };
    for (let workers = 0; workers < 3; workers += 1) await fragile();
    const caller = await room.caller();
    const call = caller.call({ ...PLACE, requestId: "poison" });
    const failure = { code: "DELIVERY_FAILED", details: { attempts: 2, mayHaveRun: true } };
    await expect(call).rejects.toMatchObject(failure);
    expect(attempts).toEqual([1, 2]);
    expect(await caller.result("poison")).toMatchObject({ ok: false, error: failure });
  });

  test("fail also when a lone worker is lost each time, and is back when the server counts from 1 again", async () => {
    const room = stage.room();
    const attempts: number[] = [];
    const caller = await room.caller();
    const failure = caller.call({ ...PLACE }).catch(({ code }) => code);
    for (let times = 0; times < 4; times += 1) {
      const begun = gate();
      const run = ({ attempt }: { readonly attempt: number }) => {
        attempts.push(attempt);
        begun.open();
        return new Promise(() => {});
      };
      const worker = await room.worker(run, { ackWaitMs: 200, maxDeliver: 2 });
      await Promise.race([begun.opened, failure]);
      await worker.connection.close();
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
    expect(await failure).toBe("DELIVERY_FAILED");
    // A server that counts from 1 again makes it one more at the beginning.
    expect(attempts.slice(-2)).toEqual([1, 2]);
  });

  test("end when their worker drains, and those it has not begun go to another", async () => {
    const room = stage.room();
    const held = gate();
    const begun = gate();
    let runs = 0;
    const draining = await room.worker(
      async () => {
        runs += 1;
        if (runs === 2) begun.open();
        await held.opened;
        return "old";
      },
      { maxRunning: 2 },
    );
    const caller = await room.caller();
    const calls = Array.from({ length: 4 }, (_, input) => caller.call({ ...PLACE, input }));
    await begun.opened;
    const closed = draining.close();
    await room.worker(() => "new");
    await Promise.race(calls);
    held.open();
    await closed;
    const answers = await Promise.all(calls);
    expect(answers.map(({ data }) => data).sort()).toEqual(["new", "new", "old", "old"]);
    expect(draining.counts).toMatchObject({ stored: 2, late: 0 });
  });

  test("are given back at once by a worker that closes without waiting", async () => {
    const room = stage.room();
    const begun = gate();
    const closing = await room.worker(() => {
      begun.open();
      return new Promise(() => {});
    });
    const caller = await room.caller();
    const call = caller.call({ ...PLACE });
    await begun.opened;
    await closing.close({ timeoutMs: 0 });
    await room.worker(({ attempt }) => `another, as attempt ${attempt}`);
    expect((await call).data).toBe("another, as attempt 1");
  });

  test("that are given back do not count as tried, whether another worker asks already or later", async () => {
    const room = stage.room();
    const attempts: number[] = [];
    const begun = gate();
    const options = { maxRunning: 1, maxDeliver: 1 };
    const closing = await room.worker(({ attempt }) => {
      attempts.push(attempt);
      begun.open();
      return new Promise(() => {});
    }, options);
    const caller = await room.caller();
    const call = caller.call({ ...PLACE });
    await begun.opened;
    await room.worker(({ attempt }) => attempts.push(attempt), options);
    await closing.close({ timeoutMs: 0 });
    await call;
    expect(attempts).toEqual([1, 1]);
  });

  test("that a worker does not take come again, and are not counted", async () => {
    const room = stage.room();
    const attempts: number[] = [];
    await room.worker(
      ({ attempt }) => {
        if (attempts.push(attempt) > 2) return "taken";
        throw new CallError({ category: "unavailable", message: "busy", details: { taken: false } });
      },
      { maxDeliver: 1 },
    );
    const caller = await room.caller();
    expect((await caller.call({ ...PLACE })).data).toBe("taken");
    expect(attempts).toEqual([1, 1, 1]);
  });

  test("find their result after their caller's connection was lost", async () => {
    const room = stage.room();
    const proxy = await stage.proxy();
    const held = gate();
    const begun = gate();
    const worker = await room.worker(async () => {
      begun.open();
      await held.opened;
      return "kept";
    });
    const caller = await room.caller({ url: proxy.url });
    const call = caller.call({ ...PLACE });
    await begun.opened;
    proxy.cut();
    held.open();
    await worker.close();
    proxy.heal();
    expect((await call).data).toBe("kept");
  });

  test("are not begun again when their result may have come and gone while their caller was away", async () => {
    const room = stage.room();
    const proxy = await stage.proxy();
    const streams = { resultMaxAgeMs: 200 };
    const [begun, held] = [gate(), gate()];
    let runs = 0;
    const worker = await room.worker(
      async () => {
        runs += 1;
        begun.open();
        await held.opened;
      },
      { streams },
    );
    const caller = await room.caller({ url: proxy.url, streams });
    const call = caller.call({ ...PLACE });
    await begun.opened;
    proxy.cut();
    held.open();
    await expect.poll(() => worker.counts.stored).toBe(1);
    const { results } = streamNames(room.prefix);
    const manager = await jetstreamManager(worker.connection);
    await expect.poll(async () => (await manager.streams.info(results)).state.messages).toBe(0);
    proxy.heal();
    await expect(call).rejects.toMatchObject({ code: "ANSWER_LOST", details: { mayHaveRun: true } });
    expect(runs).toBe(1);
  });

  test("are not lost with the server", async () => {
    const room = stage.room();
    const held = gate();
    const begun = gate();
    let runs = 0;
    const worker = await room.worker(async ({ input }) => {
      runs += 1;
      begun.open();
      await held.opened;
      return input;
    });
    const caller = await room.caller();
    const call = caller.call({ ...PLACE, input: "before" });
    await begun.opened;
    await stage.server.kill();
    const during = caller.call({ ...PLACE, input: "during" });
    held.open();
    await stage.server.restart();
    expect((await call).data).toBe("before");
    expect((await during).data).toBe("during");
    expect((await caller.call({ ...PLACE, input: "after" })).data).toBe("after");
    expect(runs).toBe(3);
    await worker.close();
    expect(worker.counts).toMatchObject({ stored: 3, late: 0 });
  });

  test("fail when the connection is closed for good", async () => {
    const room = stage.room();
    const begun = gate();
    await room.worker(() => {
      begun.open();
      return new Promise(() => {});
    });
    const caller = await room.caller();
    const call = caller.call({ ...PLACE });
    await begun.opened;
    const [settled] = await Promise.all([call.catch((thrown) => thrown), caller.connection.close()]);
    expect(settled).toMatchObject({ code: "UNAVAILABLE", details: { mayHaveRun: true } });
  });
});
