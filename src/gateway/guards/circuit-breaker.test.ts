import { describe, expect, test } from "vitest";
import { mcpEnvelope } from "../../envelope/response-envelope.js";
import { settled } from "../../registry/fixtures/operations.js";
import { codeOf, failure, type GuardedStage, gate, stage } from "./fixtures/guarded-stage.js";

const BREAKER = { breaker: { failures: 3, cooldownMs: 1_000 } };

/** Throws what it is given as its input, if that is an error. */
function failing(): GuardedStage {
  return stage(BREAKER, async (input) => {
    if (input instanceof Error) throw input;
    return input;
  });
}

async function opened(): Promise<GuardedStage> {
  const stage = failing();
  for (let i = 0; i < 3; i += 1) await stage.call(failure("network"));
  return stage;
}

describe("a circuit breaker", () => {
  test("is there unless it is turned off: after five failures a source is left alone for ten seconds", async () => {
    const { call, clock } = stage({}, () => Promise.reject(failure("unavailable")));
    for (let i = 0; i < 5; i += 1) expect(codeOf(await call())).toBe("UNAVAILABLE");
    clock.now += 9_000;
    expect(await call()).toMatchObject({
      ok: false,
      error: { category: "unavailable", code: "CIRCUIT_OPEN", retryAfterMs: 1_000, recoverable: true },
    });
    const off = stage({ breaker: false }, () => Promise.reject(failure("unavailable")));
    for (let i = 0; i < 9; i += 1) expect(codeOf(await off.call())).toBe("UNAVAILABLE");
  });

  test.each(["network", "unavailable", "timeout"])("opens after failures of the category %s", async (category) => {
    const { call, guards } = failing();
    for (let i = 0; i < 3; i += 1) await call(failure(category));
    expect(guards.state().breaker).toBe("open");
  });

  test.each(["validation", "execution", "not_found", "rate_limit", "aborted", "conflict", "authorization"])(
    "stays closed after failures of the category %s",
    async (category) => {
      const { call, guards } = failing();
      for (let i = 0; i < 9; i += 1) await call(failure(category));
      expect(guards.state().breaker).toBeUndefined();
    },
  );

  test.each([
    ["QUEUE_FULL", failure("unavailable", { code: "QUEUE_FULL" })],
    ["CIRCUIT_OPEN", failure("unavailable", { code: "CIRCUIT_OPEN" })],
    ["TOOL_MISSING", failure("unavailable", { code: "TOOL_MISSING" })],
    ["what trying again cannot help", failure("unavailable", { recoverable: false })],
  ])("stays closed after %s", async (_, error) => {
    const { call, guards } = failing();
    for (let i = 0; i < 9; i += 1) await call(error);
    expect(guards.state().breaker).toBeUndefined();
  });

  test("counts only failures in a row: an answer in between begins anew, whatever it says", async () => {
    const { call, guards } = failing();
    for (const between of [1, failure("validation"), failure("rate_limit")]) {
      await call(failure("network"));
      await call(failure("network"));
      await call(between);
    }
    expect(guards.state().breaker).toBeUndefined();
  });

  test("does not count the hurry of a caller, but the patience of one", async () => {
    const gates = Array.from({ length: 6 }, () => gate());
    const { call, guards, clock } = stage(BREAKER, (at: number) => gates[at]?.promise);
    const late = async (at: number, ranMs: number): Promise<void> => {
      const controller = new AbortController();
      const outcome = call(at, { signal: controller.signal });
      clock.now += ranMs;
      controller.abort(failure("timeout"));
      gates[at]?.fail(failure("timeout"));
      expect(codeOf(await outcome)).toBe("TIMEOUT");
    };
    for (const at of [0, 1, 2]) await late(at, 4_999);
    expect(guards.state().breaker).toBeUndefined();
    for (const at of [3, 4, 5]) await late(at, 5_000);
    await settled();
    expect(guards.state().breaker).toBe("open");
  });

  test("takes an answer of a tool that it failed for an answer", async () => {
    const answer = mcpEnvelope("no", { isError: true, content: [], structuredContent: undefined } as never);
    const { call, guards } = stage(BREAKER, async () => answer);
    for (let i = 0; i < 9; i += 1) await call();
    expect(guards.state().breaker).toBeUndefined();
  });

  test("hears also of what is thrown at once", async () => {
    const { call, guards } = stage(BREAKER, () => {
      throw failure("network");
    });
    for (let i = 0; i < 3; i += 1) await call();
    expect(guards.state()).toEqual({ breaker: "open", waiting: 0 });
  });
});

describe("an open circuit breaker", () => {
  test("calls no handler", async () => {
    let calls = 0;
    const { call } = stage(BREAKER, () => {
      calls += 1;
      throw failure("network");
    });
    for (let i = 0; i < 9; i += 1) await call();
    expect(calls).toBe(3);
  });

  test("lets one call try after a while, and closes if the source works", async () => {
    const { call, clock, guards } = await opened();
    clock.now += 999;
    expect(codeOf(await call())).toBe("CIRCUIT_OPEN");
    clock.now += 1;
    expect(guards.state().breaker).toBe("half-open");
    expect([codeOf(await call()), codeOf(await call())]).toEqual(["ok", "ok"]);
    expect(guards.state().breaker).toBeUndefined();
  });

  test("refuses the others while one tries, and opens again if that fails", async () => {
    const trial = gate();
    let isFirst = true;
    const { call, clock, guards } = stage({ breaker: { failures: 1, cooldownMs: 1_000 } }, () => {
      if (!isFirst) return trial.promise;
      isFirst = false;
      throw failure("network");
    });
    await call();
    clock.now += 1_000;
    const trying = call();
    await settled();
    expect([codeOf(await call()), codeOf(await call())]).toEqual(["CIRCUIT_OPEN", "CIRCUIT_OPEN"]);
    trial.fail(failure("network"));
    expect(codeOf(await trying)).toBe("UNAVAILABLE");
    expect(guards.state().breaker).toBe("open");
    expect(await call()).toMatchObject({ error: { code: "CIRCUIT_OPEN", retryAfterMs: 1_000 } });
  });

  test("lets the next one try where the first was aborted, or never comes back", async () => {
    const { call, clock } = await opened();
    clock.now += 1_000;
    await call(failure("aborted"));
    expect(codeOf(await call())).toBe("ok");
    const hanging = stage({ breaker: { failures: 1, cooldownMs: 1_000 } }, (input) => {
      if (input === "fail") throw failure("network");
      return input === "hang" ? new Promise(() => {}) : 1;
    });
    await hanging.call("fail");
    hanging.clock.now += 1_000;
    void hanging.call("hang");
    await settled();
    expect(codeOf(await hanging.call())).toBe("CIRCUIT_OPEN");
    hanging.clock.now += 1_000;
    expect(codeOf(await hanging.call())).toBe("ok");
  });

  test("tells the log and those who listen of each change, once", async () => {
    const stage = failing();
    let changes = 0;
    const stop = stage.guards.onChange(() => {
      changes += 1;
    });
    for (let i = 0; i < 5; i += 1) await stage.call(failure("network"));
    expect([changes, stage.said]).toEqual([1, ["warn"]]);
    stage.clock.now += 1_000;
    await stage.call();
    expect([changes, stage.said]).toEqual([3, ["warn", "debug", "info"]]);
    stop();
  });
});
