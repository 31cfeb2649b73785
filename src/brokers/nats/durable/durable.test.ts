import { afterAll, beforeAll, expect, test } from "vitest";
import { describeWith } from "../../../../test/describe-with.js";
import { programOnThisMachine } from "../../../../test/program.js";
import { CallError } from "../../../envelope/call-error.js";
import { type DurableStage, durableStage, gate, PLACE } from "../fixtures/durable-stage.js";

describeWith("durable calls", programOnThisMachine("nats-server"), (program) => {
  let stage: DurableStage;
  beforeAll(async () => {
    stage = await durableStage(program);
  });
  afterAll(() => stage?.close());

  test("are answered by a worker", async () => {
    const room = stage.room();
    const worker = await room.worker(({ input, options }) => ({ input, key: options.idempotencyKey }));
    const caller = await room.caller();
    const { data, meta } = await caller.call({ ...PLACE, input: { n: 1 }, requestId: "first" });
    expect(data).toEqual({ input: { n: 1 }, key: "first" });
    expect(meta).toMatchObject({ source: "local", operationId: "orders.place" });
    expect(worker.counts).toMatchObject({ stored: 1, repeated: 0, late: 0 });
    expect(caller.getPendingCount()).toBe(0);
  });

  test("wait for a worker that comes later, and each is answered once", async () => {
    const room = stage.room();
    const first = await room.worker(() => 0);
    await first.close();
    const caller = await room.caller();
    const calls = Array.from({ length: 50 }, (_, at) => caller.call({ ...PLACE, input: at }));
    const inputs: unknown[] = [];
    const run = ({ input }: { input: unknown }) => inputs.push(input) && input;
    await Promise.all([room.worker(run, { maxRunning: 4 }), room.worker(run, { maxRunning: 4 })]);
    const answers = await Promise.all(calls);
    expect(answers.map(({ data }) => data)).toEqual(Array.from({ length: 50 }, (_, at) => at));
    expect(inputs).toHaveLength(50);
  });

  test("store a handler's own error as their answer", async () => {
    const room = stage.room();
    let runs = 0;
    await room.worker(() => {
      runs += 1;
      throw new CallError({ category: "validation", code: "SOLD_OUT", message: "no", details: { left: 0 } });
    });
    const caller = await room.caller();
    const error = { category: "validation", code: "SOLD_OUT", details: { left: 0 } };
    await expect(caller.call({ ...PLACE, requestId: "sold-out" })).rejects.toMatchObject(error);
    expect(await caller.result("sold-out")).toMatchObject({ ok: false, error });
    expect(runs).toBe(1);
  });

  test("keep the result for another connection that knows the requestId, with a key and without", async () => {
    const room = stage.room();
    await room.worker(({ input }) => input);
    const caller = await room.caller({ caller: "alice" });
    await caller.call({ ...PLACE, input: "a", requestId: "r1" });
    await caller.call({ ...PLACE, input: "b", requestId: "r2", idempotencyKey: "k2" });
    const later = await room.caller({ caller: "alice" });
    expect(await later.result("r1")).toMatchObject({ ok: true, data: "a" });
    expect(await later.result("r2")).toMatchObject({ ok: true, data: "b" });
    expect(await later.result("r3")).toBeUndefined();
    const other = await room.caller({ caller: "bob" });
    expect(await other.result("r1")).toBeUndefined();
  });

  test("with one key at the same time are one call", async () => {
    const room = stage.room();
    const held = gate();
    let runs = 0;
    const begun = gate();
    await room.worker(async () => {
      runs += 1;
      begun.open();
      await held.opened;
      return runs;
    });
    const [one, two] = [await room.caller(), await room.caller()];
    const calls = [one, two, one].map((caller) => caller.call({ ...PLACE, input: 1, idempotencyKey: "same" }));
    await begun.opened;
    held.open();
    expect((await Promise.all(calls)).map(({ data }) => data)).toEqual([1, 1, 1]);
    const again = await two.call({ ...PLACE, input: 1, idempotencyKey: "same" });
    expect(again.data).toBe(1);
    expect(runs).toBe(1);
  });

  test("with one key are one call while the first runs, and later", async () => {
    const room = stage.room();
    const held = gate();
    const begun = gate();
    let runs = 0;
    const worker = await room.worker(async () => {
      runs += 1;
      begun.open();
      await held.opened;
      return runs;
    });
    const caller = await room.caller();
    const first = caller.call({ ...PLACE, idempotencyKey: "slow" });
    await begun.opened;
    const second = caller.call({ ...PLACE, idempotencyKey: "slow" });
    const other = caller.call({ ...PLACE, input: "other", idempotencyKey: "slow" });
    await expect(other).rejects.toMatchObject({ category: "conflict" });
    held.open();
    expect((await Promise.all([first, second])).map(({ data }) => data)).toEqual([1, 1]);
    expect((await caller.call({ ...PLACE, idempotencyKey: "slow" })).data).toBe(1);
    expect(runs).toBe(1);
    // Those that are stored beside the first stay until there is a result.
    await expect.poll(() => worker.counts, { timeout: 5000 }).toMatchObject({ stored: 1, repeated: 2 });
  });

  test("refuse another input for a key that was used", async () => {
    const room = stage.room();
    await room.worker(({ input }) => input);
    const caller = await room.caller();
    await caller.call({ ...PLACE, input: { a: 1, b: 2 }, idempotencyKey: "k" });
    const same = await caller.call({ ...PLACE, input: { b: 2, a: 1 }, idempotencyKey: "k" });
    expect(same.data).toEqual({ a: 1, b: 2 });
    const other = caller.call({ ...PLACE, input: { a: 2 }, idempotencyKey: "k" });
    await expect(other).rejects.toMatchObject({ category: "conflict", code: "CONFLICT" });
  });

  test("of other callers, and of other users of one caller, have keys of their own", async () => {
    const room = stage.room();
    await room.worker(({ options }) => options.requestId);
    const [alice, bob] = [await room.caller({ caller: "alice" }), await room.caller({ caller: "bob" })];
    const identity = { id: "carol", scopes: [] };
    const calls = [
      alice.call({ ...PLACE, idempotencyKey: "k", requestId: "1" }),
      bob.call({ ...PLACE, idempotencyKey: "k", requestId: "2" }),
      bob.call({ ...PLACE, idempotencyKey: "k", requestId: "3", identity }),
    ];
    expect((await Promise.all(calls)).map(({ data }) => data)).toEqual(["1", "2", "3"]);
  });

  test("carry answers that are larger than a message, in parts", async () => {
    const room = stage.room();
    const large = "é".repeat(2_000_000);
    await room.worker(() => ({ large }));
    const caller = await room.caller();
    const { data } = await caller.call({ ...PLACE, requestId: "large" });
    expect((data as { large: string }).large === large).toBe(true);
    const later = await room.caller();
    const kept = await later.result("large");
    expect(kept?.ok === true && (kept.data as { large: string }).large === large).toBe(true);
  });

  test("refuse a request that is larger than a message", async () => {
    const caller = await stage.room().caller();
    const call = caller.call({ ...PLACE, input: "x".repeat(2_000_000) });
    await expect(call).rejects.toMatchObject({ code: "PAYLOAD_TOO_LARGE" });
    expect(caller.getPendingCount()).toBe(0);
  });

  test("end with a failure where the answer cannot be stored", async () => {
    const room = stage.room();
    await room.worker(() => 7n);
    const caller = await room.caller();
    await expect(caller.call({ ...PLACE })).rejects.toMatchObject({ category: "execution" });
  });

  test("tell their progress", async () => {
    const room = stage.room();
    await room.worker(({ options }) => options.onProgress?.({ progress: 1, total: 2 }));
    const caller = await room.caller();
    const heard: unknown[] = [];
    await caller.call({ ...PLACE, onProgress: (progress) => heard.push(progress) });
    expect(heard).toEqual([{ progress: 1, total: 2 }]);
  });

  test("go on after the deadline of their caller, and keep the result", async () => {
    const room = stage.room();
    const held = gate();
    await room.worker(async ({ options }) => {
      await held.opened;
      return { deadline: options.deadline, aborted: options.signal?.aborted };
    });
    const caller = await room.caller();
    const call = caller.call({ ...PLACE, requestId: "late", deadline: Date.now() + 100 });
    await expect(call).rejects.toMatchObject({ category: "timeout", code: "TIMEOUT", details: { requestId: "late" } });
    expect(await caller.result("late")).toBeUndefined();
    held.open();
    const again = await caller.call({ ...PLACE, requestId: "late" });
    expect(again.data).toEqual({ aborted: false });
    expect(await caller.result("late")).toMatchObject({ ok: true, data: { aborted: false } });
  });

  test("go on when the deadline comes as a signal, as it does from a registry", async () => {
    const room = stage.room();
    const held = gate();
    await room.worker(async () => {
      await held.opened;
      return "done";
    });
    const caller = await room.caller();
    const abort = new AbortController();
    const call = caller.call({ ...PLACE, requestId: "signalled", signal: abort.signal });
    const other = caller.call({ ...PLACE, requestId: "signalled-2", idempotencyKey: "k" });
    const late = caller.call({ ...PLACE, requestId: "signalled-3", idempotencyKey: "k", signal: abort.signal });
    abort.abort(new CallError({ category: "timeout", message: "too late" }));
    await expect(call).rejects.toMatchObject({ code: "TIMEOUT", details: { requestId: "signalled" } });
    await expect(late).rejects.toMatchObject({ code: "TIMEOUT" });
    held.open();
    expect((await other).data).toBe("done");
    expect((await caller.call({ ...PLACE, requestId: "signalled" })).data).toBe("done");
  });

  test("that were aborted before a worker came are never begun", async () => {
    const room = stage.room();
    const first = await room.worker(() => 0);
    await first.close();
    const caller = await room.caller();
    const abort = new AbortController();
    const sent = gate();
    const ear = await stage.connect();
    ear.subscribe(`${room.prefix}.durable.>`, { callback: () => sent.open() });
    await ear.flush();
    const call = caller.call({ ...PLACE, requestId: "gone", signal: abort.signal });
    await sent.opened;
    abort.abort("changed my mind");
    await expect(call).rejects.toMatchObject({ category: "aborted" });
    await caller.close();
    let runs = 0;
    const worker = await room.worker(() => {
      runs += 1;
    });
    const later = await room.caller();
    await later.call({ ...PLACE });
    expect(runs).toBe(1);
    expect(worker.counts.repeated).toBe(1);
    expect(await later.result("gone")).toMatchObject({ ok: false, error: { code: "ABORTED" } });
  });

  test("that are aborted while they run end there too", async () => {
    const room = stage.room();
    const begun = gate();
    const ended = gate<unknown>();
    const worker = await room.worker(({ options: { signal } }) => {
      begun.open();
      return new Promise((_, reject) => {
        signal?.addEventListener("abort", () => {
          ended.open(signal.reason);
          reject(signal.reason);
        });
      });
    });
    const caller = await room.caller();
    const abort = new AbortController();
    const call = caller.call({ ...PLACE, requestId: "stop", signal: abort.signal });
    await begun.opened;
    abort.abort();
    await expect(call).rejects.toMatchObject({ code: "ABORTED" });
    expect(await ended.opened).toMatchObject({ code: "ABORTED" });
    await caller.close();
    await worker.close();
    const later = await room.caller();
    expect(await later.result("stop")).toMatchObject({ ok: false, error: { code: "ABORTED" } });
    const again = { code: "ABORTED", suggestedAction: expect.stringContaining("requestId") };
    await expect(later.call({ ...PLACE, requestId: "stop" })).rejects.toMatchObject(again);
  });
});
