import { describe, expect, test } from "vitest";
import { operation, settled } from "../../registry/fixtures/operations.js";
import { SILENT } from "../log.js";
import { codeOf, failure, gate, stage } from "./fixtures/guarded-stage.js";
import { SourceGuards } from "./source-guards.js";

const ALONE = { breaker: false } as const;

describe("a handler that nothing goes around", () => {
  test.each(["query", "mutation", "subscription"] as const)("of a %s stays the same", (type) => {
    const plain = operation(() => 1, { type });
    const guards = new SourceGuards({ name: "a", config: ALONE, log: SILENT });
    expect(guards.handlerOf(plain)).toBe(plain.handler);
  });
});

describe("a rate limit", () => {
  test("refuses what is too much, with the hint when to come again", async () => {
    const { call, clock } = stage({ limit: { perSecond: 2, burst: 2 } }, () => 1);
    expect([codeOf(await call()), codeOf(await call())]).toEqual(["ok", "ok"]);
    expect(await call(1, { requestId: "r" })).toMatchObject({
      ok: false,
      error: { category: "rate_limit", code: "RATE_LIMITED", retryAfterMs: 500 },
      meta: { requestId: "r", rateLimit: { limit: 2, remaining: 0, resetSeconds: 1, retryAfterMs: 500 } },
    });
    clock.now += 500;
    expect(codeOf(await call())).toBe("ok");
  });

  test("is not used up by calls that the breaker refuses, and does not open it", async () => {
    const config = { limit: { perSecond: 1, burst: 2 }, breaker: { failures: 1, cooldownMs: 500 } };
    const { call, clock } = stage(config, (input) => {
      if (input === "fail") throw failure("network");
      return 1;
    });
    expect(codeOf(await call("fail"))).toBe("UNAVAILABLE");
    for (let i = 0; i < 5; i += 1) expect(codeOf(await call())).toBe("CIRCUIT_OPEN");
    clock.now += 500;
    expect([codeOf(await call()), codeOf(await call()), codeOf(await call())]).toEqual([
      "ok",
      "RATE_LIMITED",
      "RATE_LIMITED",
    ]);
  });
});

describe("a queue", () => {
  test("lets so many calls run, so many wait, and refuses the others", async () => {
    const gates = [gate(), gate(), gate()];
    const { call, guards } = stage({ ...ALONE, concurrency: 1, maxQueue: 1 }, (at: number) => gates[at]?.promise);
    const first = call(0);
    const second = call(1);
    await settled();
    expect(guards.state()).toEqual({ waiting: 1 });
    expect(await call(2)).toMatchObject({ ok: false, error: { code: "QUEUE_FULL", recoverable: true } });
    gates[0]?.open("a");
    expect(await first).toMatchObject({ ok: true, data: "a" });
    gates[1]?.fail(failure("execution"));
    expect(codeOf(await second)).toBe("EXECUTION_ERROR");
    expect(guards.state()).toEqual({ waiting: 0 });
  });

  test("gives a place free whose caller has gone, whether the handler listens or not", async () => {
    const { call } = stage({ ...ALONE, concurrency: 1 }, (input) => (input === "hang" ? new Promise(() => {}) : 1));
    const controller = new AbortController();
    const hanging = call("hang", { signal: controller.signal });
    const waiting = call();
    controller.abort();
    expect([codeOf(await hanging), codeOf(await waiting)]).toEqual(["ABORTED", "ok"]);
  });

  test("refuses those who wait when it is closed", async () => {
    const { call, guards } = stage({ ...ALONE, concurrency: 1 }, () => new Promise(() => {}));
    void call();
    const waiting = call();
    await settled();
    guards.close(failure("unavailable", { code: "SOURCE_CLOSED" }));
    expect(codeOf(await waiting)).toBe("SOURCE_CLOSED");
  });

  test("full does not open the breaker", async () => {
    const { call, guards } = stage(
      { concurrency: 1, maxQueue: 0, breaker: { failures: 1 } },
      () => new Promise(() => {}),
    );
    void call();
    await settled();
    expect([codeOf(await call()), codeOf(await call())]).toEqual(["QUEUE_FULL", "QUEUE_FULL"]);
    expect(guards.state().breaker).toBeUndefined();
  });
});

describe("a time-out", () => {
  test("ends a call whose handler does not listen", async () => {
    const { call } = stage({ timeout: 5 }, () => new Promise(() => {}));
    expect(await call()).toMatchObject({
      ok: false,
      error: { category: "timeout", code: "TIMEOUT", recoverable: true },
    });
  });

  test("is told to the handler by its signal, and to the calls that it makes", async () => {
    const told = gate<string>();
    const { call, registry } = stage({ timeout: 5 }, async (_, { env, signal }) => {
      signal.addEventListener("abort", () => told.open((signal.reason as { code: string }).code));
      return env["other"]?.["hang"]?.();
    });
    const nested = gate<string>();
    registry.register(
      operation((_, { signal }) => new Promise(() => signal.addEventListener("abort", () => nested.open("ended"))), {
        namespace: "other",
        name: "hang",
      }),
    );
    expect(codeOf(await call())).toBe("TIMEOUT");
    expect([await told.promise, await nested.promise]).toEqual(["TIMEOUT", "ended"]);
  });

  test("leaves the context as it is otherwise", async () => {
    const { call } = stage({ timeout: 1_000 }, async (input, { operationId, identity, requestId, warn, deadline }) => {
      warn("careful");
      return {
        input,
        operationId,
        identity,
        requestId,
        isSooner: deadline !== undefined && deadline < Date.now() + 2_000,
      };
    });
    expect(await call(3, { requestId: "r", identity: { id: "ada", scopes: [] } })).toMatchObject({
      data: { input: 3, operationId: "test.run", identity: { id: "ada" }, requestId: "r", isSooner: true },
      meta: { warnings: [{ message: "careful" }] },
    });
  });

  test("is not waited for where the caller has gone", async () => {
    const { call } = stage({ timeout: 60_000 }, () => new Promise(() => {}));
    expect(codeOf(await call(1, { deadline: Date.now() + 5 }))).toBe("TIMEOUT");
  });
});

describe("a subscription", () => {
  const many = { spec: { type: "subscription" } } as const;

  async function* counting(to: number): AsyncGenerator<number> {
    for (let value = 1; value <= to; value += 1) yield value;
  }

  test("has its place until it ends", async () => {
    const { registry, guards } = stage({ concurrency: 1 }, () => counting(2), many);
    const values = registry.subscribe("test.run");
    await values.next();
    const later = registry.subscribe("test.run").next();
    await settled();
    expect(guards.state()).toEqual({ waiting: 1 });
    await values.next();
    expect(await values.next()).toMatchObject({ done: true });
    expect(await later).toMatchObject({ value: { data: 1 } });
  });

  test("gives its place free when its consumer leaves, also while it waits for a value", async () => {
    const { registry, guards } = stage(
      { concurrency: 1 },
      () => ({ [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }) }),
      many,
    );
    const values = registry.subscribe("test.run");
    void values.next();
    void registry.subscribe("test.run").next();
    await settled();
    expect(guards.state()).toEqual({ waiting: 1 });
    await values.return(undefined);
    expect(guards.state()).toEqual({ waiting: 0 });
  });

  test("counts for the breaker where its first value fails", async () => {
    const { registry, guards } = stage(
      { breaker: { failures: 1 } },
      // biome-ignore lint/correctness/useYield: it fails in place of the first value
      async function* () {
        throw failure("network");
      },
      many,
    );
    await expect(registry.subscribe("test.run").next()).rejects.toMatchObject({ category: "network" });
    expect(guards.state()).toEqual({ breaker: "open", waiting: 0 });
    await expect(registry.subscribe("test.run").next()).rejects.toMatchObject({ code: "CIRCUIT_OPEN" });
  });

  test("does not count where a later one does, and closes the breaker with its first", async () => {
    let isBroken = true;
    const { registry, guards, clock } = stage(
      { breaker: { failures: 1, cooldownMs: 10 } },
      async function* () {
        if (isBroken) throw failure("network");
        yield 1;
        throw failure("network");
      },
      many,
    );
    await expect(registry.subscribe("test.run").next()).rejects.toMatchObject({ category: "network" });
    isBroken = false;
    clock.now += 10;
    const values = registry.subscribe("test.run");
    await values.next();
    await expect(values.next()).rejects.toMatchObject({ category: "network" });
    expect(guards.state()).toEqual({ waiting: 0 });
  });

  test("may have the values of a plain list; what is no iterable fails as before", async () => {
    const { registry } = stage({ concurrency: 1 }, (input) => input, many);
    const taken: unknown[] = [];
    for await (const { data } of registry.subscribe("test.run", [1, 2])) taken.push(data);
    expect(taken).toEqual([1, 2]);
    await expect(registry.subscribe("test.run", 5).next()).rejects.toMatchObject({ category: "internal" });
    expect(await registry.subscribe("test.run", [3]).next()).toMatchObject({ value: { data: 3 } });
  });
});

describe("guards that are configured anew", () => {
  const BREAKER = { failures: 1, cooldownMs: 500 };
  const fails = (): never => {
    throw failure("network");
  };

  test("still leave a source alone that failed, where the same is said of the breaker", async () => {
    const { call, guards, said } = stage({ breaker: BREAKER }, fails);
    await call();
    guards.configure({ breaker: { ...BREAKER }, retries: 2 });
    expect(guards.state().breaker).toBe("open");
    guards.configure({ breaker: { ...BREAKER, failures: 2 } });
    expect([guards.state(), said]).toEqual([{ waiting: 0 }, ["warn"]]);
  });

  test("say nothing of a breaker that was replaced", async () => {
    const { promise, fail } = gate();
    const { call, guards, said } = stage({ breaker: BREAKER }, () => promise);
    const running = call();
    guards.configure({ breaker: { failures: 9 } });
    fail(failure("network"));
    await running;
    expect([guards.state(), said]).toEqual([{ waiting: 0 }, []]);
  });

  test("know what was used of a rate limit, also of another one", async () => {
    const { guards, clock } = stage({}, fails);
    const refusals = async (perSecond: number): Promise<boolean> => {
      guards.configure({ ...ALONE, limit: { perSecond, burst: 1 } });
      const limited = operation(() => 1);
      const { registry } = stage(ALONE, guards.handlerOf(limited));
      return (await registry.attempt("test.run")).ok;
    };
    expect([await refusals(1), await refusals(1), await refusals(0.5)]).toEqual([true, false, false]);
    clock.now += 2_000;
    expect(await refusals(0.5)).toBe(true);
  });

  test("let no more calls run than before, where the same is said of the queue", async () => {
    const { guards } = stage({ ...ALONE, concurrency: 1 }, fails);
    const hanging = (): Promise<unknown> =>
      stage(ALONE, guards.handlerOf(operation(() => new Promise(() => {})))).call();
    void hanging();
    guards.configure({ ...ALONE, concurrency: 1, retries: 1 });
    void hanging();
    await settled();
    expect(guards.state()).toEqual({ waiting: 1 });
  });
});

describe("what another library gives in place of a promise", () => {
  /** Works each time that it is asked, as builders of queries do. */
  function lazy(run: () => Promise<unknown>): PromiseLike<unknown> {
    // biome-ignore lint/suspicious/noThenProperty: that is what is tested
    return { then: (onDone, onFailed) => run().then(onDone as never, onFailed) };
  }

  test.each([{}, { timeout: 1_000 }, { concurrency: 1 }])("is asked once with %j", async (config) => {
    let asked = 0;
    const { call } = stage(config, () => lazy(async () => (asked += 1)));
    expect([await call(), asked]).toMatchObject([{ ok: true, data: 1 }, 1]);
  });

  test("counts for the breaker when it fails, and has its time", async () => {
    const broken = stage({ breaker: { failures: 1 } }, () => lazy(() => Promise.reject(failure("network"))));
    await broken.call();
    expect(broken.guards.state().breaker).toBe("open");
    const slow = stage({ timeout: 5 }, () => lazy(() => new Promise(() => {})));
    expect(codeOf(await slow.call())).toBe("TIMEOUT");
  });
});
