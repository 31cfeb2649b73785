import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { describeWith } from "../../../test/describe-with.js";
import { within } from "../../../test/own-time.js";
import { programOnThisMachine } from "../../../test/program.js";
import { CallError } from "../../envelope/call-error.js";
import type { Outcome } from "../../envelope/outcome.js";
import type { Progress } from "../../registry/call-options.js";
import { type FleetStage, fleetStage, gate, MORTAL, operation, until } from "./fixtures/fleet-stage.js";

describeWith("calls on NATS", programOnThisMachine("nats-server"), (program) => {
  let stage: FleetStage;
  beforeAll(async () => {
    stage = await fleetStage(program);
  });
  afterEach(() => stage.clear());
  afterAll(() => stage?.close());

  /** Never ends by itself. */
  const forever = (): Promise<never> => new Promise(() => {});

  test("fail at once where nobody takes them", async () => {
    const cast = stage.cast();
    const { worker } = await cast.worker([operation("one", () => 1)]);
    const { registry } = await cast.caller({ heartbeat: 10_000 });
    await worker.close();
    expect(await within(2_000, registry.attempt("test.one"))).toMatchObject({
      error: { code: "UNAVAILABLE", recoverable: true, details: { mayHaveRun: false } },
    });
  });

  test("are made of another worker where one dies with a call that can be repeated", async () => {
    const cast = stage.cast();
    const doomed = await cast.worker([operation("ask", forever)], { client: MORTAL });
    const { registry, source } = await cast.caller();
    const call = registry.execute("test.ask", {}, { requestId: "the-same" });
    await until(() => doomed.worker.getRunningCount() === 1);
    await cast.worker([operation("ask", (_, { requestId }) => requestId)]);
    await until(() => source.workers().length === 2);
    doomed.crash();
    const { data, meta } = await within(3_000, call);
    expect(data).toBe("the-same");
    expect(meta.warnings).toMatchObject([{ code: "RETRIED", count: expect.any(Number) }]);
  });

  test("fail as lost, and are not repeated, where a worker dies with one that must not be", async () => {
    const cast = stage.cast();
    let begun = 0;
    const order = () => {
      begun += 1;
      return forever();
    };
    const doomed = await cast.worker([operation("order", order, { type: "mutation" })], { client: MORTAL });
    await cast.worker([operation("order", order, { type: "mutation", version: "1.0.1" })]);
    const { registry } = await cast.caller();
    const calls = Array.from({ length: 20 }, () => registry.attempt("test.order"));
    await until(() => begun === 20);
    const dying = doomed.worker.getRunningCount();
    expect(dying).toBeGreaterThan(0);
    doomed.crash();
    const lost: Outcome[] = [];
    for (const call of calls) void call.then((outcome) => lost.push(outcome));
    await until(() => lost.length === dying);
    expect(lost[0]).toMatchObject({ error: { code: "WORKER_LOST", recoverable: true, details: { mayHaveRun: true } } });
    expect(begun).toBe(20);
  });

  test("are made of another worker where one is busy, whatever the operation does", async () => {
    const cast = stage.cast();
    const { opened, open } = gate();
    const pay = () => opened.then(() => "paid");
    const workers = await Promise.all(
      [1, 2, 3].map(() => cast.worker([operation("pay", pay, { type: "mutation" })], { maxRunning: 1 })),
    );
    const { registry } = await cast.caller({ retries: 10 });
    const calls = [];
    for (const running of [1, 2, 3]) {
      calls.push(registry.execute("test.pay"));
      await until(() => workers.reduce((sum, { worker }) => sum + worker.getRunningCount(), 0) === running);
    }
    expect(await registry.attempt("test.pay")).toMatchObject({ error: { code: "UNAVAILABLE" } });
    open();
    expect((await Promise.all(calls)).map(({ data }) => data)).toEqual(["paid", "paid", "paid"]);
  });

  test("do not seem not to have begun because a call that they make was not taken", async () => {
    const cast = stage.cast();
    const inner = stage.cast();
    const { worker } = await inner.worker([operation("inner", () => 1)]);
    const { registry: within } = await inner.caller();
    await worker.close();
    let runs = 0;
    const outer = () => {
      runs += 1;
      return within.execute("test.inner");
    };
    await Promise.all([1, 2].map(() => cast.worker([operation("outer", outer, { type: "mutation" })])));
    const { registry } = await cast.caller();
    expect(await registry.attempt("test.outer")).toMatchObject({ error: { code: "UNAVAILABLE" } });
    expect(runs).toBe(1);
  });

  test("tell the worker their identity's absence, deadline, metadata, key and parent", async () => {
    const cast = stage.cast();
    const look = operation("look", (_, context) => {
      const { identity, deadline, metadata, idempotencyKey, parentRequestId } = context;
      return { identity: identity ?? null, deadline, metadata, idempotencyKey, parentRequestId };
    });
    await cast.worker([look]);
    const { registry } = await cast.caller();
    const deadline = Date.now() + 10_000;
    const { data } = await registry.execute(
      "test.look",
      {},
      {
        ...{ deadline, metadata: { m: 1 }, idempotencyKey: "k", parentRequestId: "p" },
        identity: { id: "unsigned", scopes: [] },
      },
    );
    expect(data).toMatchObject({ identity: null, metadata: { m: 1 }, idempotencyKey: "k", parentRequestId: "p" });
    expect(Math.abs((data as { deadline: number }).deadline - deadline)).toBeLessThan(1_100);
  });

  test("tell their progress", async () => {
    const cast = stage.cast();
    const steps = operation("steps", (_, { progress }) => {
      for (const at of [1, 2, 3]) progress(at, 3, `step ${at}`);
      return "done";
    });
    await cast.worker([steps]);
    const { registry } = await cast.caller();
    const heard: Progress[] = [];
    await registry.execute("test.steps", {}, { onProgress: (progress) => heard.push(progress) });
    expect(heard.map(({ progress, message }) => [progress, message])).toEqual(
      [1, 2, 3].map((at) => [at, `step ${at}`]),
    );
  });

  test("stop their handler when they are aborted or their deadline passes", async () => {
    const cast = stage.cast();
    const ends: string[] = [];
    const wait = operation("wait", (_, { signal }) => {
      signal.addEventListener("abort", () => ends.push(signal.reason.category));
      return forever();
    });
    const { worker } = await cast.worker([wait]);
    const { registry } = await cast.caller();
    const controller = new AbortController();
    const aborted = registry.attempt("test.wait", {}, { signal: controller.signal });
    await until(() => worker.getRunningCount() === 1);
    controller.abort();
    expect(await aborted).toMatchObject({ error: { code: "ABORTED" } });
    await until(() => ends.length === 1);
    const late = await registry.attempt("test.wait", {}, { deadline: Date.now() + 50 });
    expect(late).toMatchObject({ error: { code: "TIMEOUT" } });
    await until(() => ends.length === 2);
  });

  test("carry errors as they were thrown", async () => {
    const cast = stage.cast();
    const init = { category: "rate_limit", message: "Slow down.", retryAfterMs: 7, suggestedAction: "wait" } as const;
    await cast.worker([
      operation("limit", () => Promise.reject(new CallError({ ...init, details: { left: 0 }, nextTool: "t" }))),
    ]);
    const { registry } = await cast.caller();
    const expected = { ...init, code: "RATE_LIMITED", details: { left: 0 }, nextTool: "t", recoverable: true };
    expect(await registry.attempt("test.limit")).toMatchObject({ ok: false, error: expected });
  });

  test("bring answers and take inputs of 5 MB", async () => {
    const cast = stage.cast();
    await cast.worker([operation("echo", ({ text }: { text: string }) => ({ text, length: text.length }))]);
    const { registry } = await cast.caller({ heartbeat: 1000 });
    const text = "ä".repeat(2_500_000);
    const { data } = await registry.execute("test.echo", { text });
    expect((data as { length: number }).length).toBe(text.length);
    expect((data as { text: string }).text === text).toBe(true);
  });

  test("that subscribe get every value in order, at their pace, and end the generator", async () => {
    const cast = stage.cast();
    let ended = 0;
    let made = 0;
    const count = operation(
      "count",
      async function* () {
        try {
          for (;;) yield made++;
        } finally {
          ended += 1;
        }
      },
      { type: "subscription" },
    );
    await cast.worker([count]);
    const { registry } = await cast.caller();
    const taken: unknown[] = [];
    for await (const { data } of registry.subscribe("test.count")) {
      taken.push(data);
      if (taken.length === 100) break;
    }
    expect(taken).toEqual(Array.from({ length: 100 }, (_, at) => at));
    await until(() => ended === 1);
    expect(made).toBeLessThan(200);
  });

  test("that subscribe go to another worker where one has not begun", async () => {
    const cast = stage.cast();
    const tick = operation(
      "tick",
      async function* () {
        yield 1;
        await new Promise(() => {});
      },
      { type: "subscription" },
    );
    await Promise.all([1, 2].map(() => cast.worker([tick], { maxRunning: 1 })));
    const { registry } = await cast.caller({ retries: 8 });
    const first = registry.subscribe("test.tick");
    const second = registry.subscribe("test.tick");
    expect((await first.next()).value?.data).toBe(1);
    expect((await second.next()).value?.data).toBe(1);
    await expect(registry.subscribe("test.tick").next()).rejects.toMatchObject({ code: "UNAVAILABLE" });
    await Promise.all([first.return(undefined), second.return(undefined)]);
  });
});

describeWith("calls on NATS that are pending", programOnThisMachine("nats-server"), (program) => {
  test("are answered after the server was started again", async () => {
    const stage = await fleetStage(program);
    try {
      const cast = stage.cast();
      const { opened, open } = gate();
      const client = { maxReconnectAttempts: -1 };
      const slow = operation("slow", (input) => opened.then(() => input), { type: "mutation" });
      const { worker } = await cast.worker([slow], { client });
      const { registry, source } = await cast.caller({ client });
      const calls = Array.from({ length: 20 }, (_, at) => registry.execute("test.slow", { at }));
      await until(() => worker.getRunningCount() === 20);
      await stage.server.kill();
      await until(() => source.health().status === "connecting");
      open();
      await stage.server.restart();
      const answers = await Promise.all(calls);
      expect(answers.map(({ data }) => data)).toEqual(calls.map((_, at) => ({ at })));
      expect(source.health().status).toBe("ready");
      expect((await registry.execute("test.slow", {})).data).toEqual({});
    } finally {
      await stage.close();
    }
  });
});
