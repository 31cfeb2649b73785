import { describe, expect, test, vi } from "vitest";
import { CallError } from "../envelope/call-error.js";
import { dataOf, gate } from "./fixtures/caller.js";
import type { Operations } from "./fixtures/executor.js";
import { NOW, turns } from "./fixtures/peer.js";
import { workerStage } from "./fixtures/worker-stage.js";

const stage = workerStage();

describe("a subscription", () => {
  function counting(made: number[], ended: string[]): Operations {
    return {
      subscriptions: {
        "a.b": async function* (until) {
          try {
            for (let at = 0; at < Number(until); at += 1) {
              made.push(at);
              yield at;
            }
          } finally {
            ended.push("finally");
          }
        },
      },
    };
  }

  test("publishes numbered values while there is credit, then the end", async () => {
    const [made, ended]: [number[], string[]] = [[], []];
    const handler = stage.serve(counting(made, ended));
    await stage.caller.request({ input: 3, credit: 10 });
    expect(stage.caller.answers).toMatchObject([
      { type: "call.responded", sequence: 0 },
      { type: "call.responded", sequence: 1 },
      { type: "call.responded", sequence: 2 },
      { type: "call.completed", count: 3 },
    ]);
    expect([ended, handler.getRunningCount()]).toEqual([["finally"], 0]);
  });

  test("is not advanced without credit", async () => {
    const [made, ended]: [number[], string[]] = [[], []];
    stage.serve(counting(made, ended));
    await stage.caller.request({ input: 5, credit: 2 });
    expect([made, dataOf(stage.caller.answers)]).toEqual([
      [0, 1],
      [0, 1],
    ]);
    await stage.caller.control({ type: "call.credited", credit: 1 });
    expect(made).toEqual([0, 1, 2]);
    await stage.caller.control({ type: "call.credited", credit: 100 });
    expect(stage.caller.types().at(-1)).toBe("call.completed");
  });

  test("that is called gives its first value, and its generator ends", async () => {
    const [made, ended]: [number[], string[]] = [[], []];
    stage.serve(counting(made, ended));
    await stage.caller.request({ input: 5 });
    await stage.caller.request({ input: 0, requestId: "2" });
    expect([made, ended]).toEqual([[0], ["finally", "finally"]]);
    expect(stage.caller.answers).toMatchObject([
      { type: "call.responded", output: { data: 0 } },
      { type: "call.completed", requestId: "2", count: 0 },
    ]);
  });

  test.each([
    ["that waits for credit", 1],
    ["that is about to wait", 5],
  ])("%s ends when it is aborted, and its finally runs", async (_, credit) => {
    const [made, ended]: [number[], string[]] = [[], []];
    const handler = stage.serve(counting(made, ended));
    await stage.caller.request({ input: 9, credit });
    const published = stage.caller.answers.length;
    await stage.caller.control({ type: "call.aborted" });
    expect([ended, handler.getRunningCount(), stage.caller.answers.length]).toEqual([["finally"], 0, published]);
  });

  test("that waits for something else ends as soon as it gives a value or hears its signal", async () => {
    const ended: string[] = [];
    const handler = stage.serve({
      subscriptions: {
        "a.b": async function* (_, { signal }) {
          try {
            await new Promise((_resolve, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
            yield 1;
          } finally {
            ended.push("finally");
          }
        },
      },
    });
    await stage.caller.request({ credit: 1 });
    await stage.caller.control({ type: "call.aborted" });
    expect([ended, stage.caller.answers, handler.getRunningCount()]).toEqual([["finally"], [], 0]);
  });

  test("publishes its values, then what it throws, and what its finally throws hurts nobody", async () => {
    const handler = stage.serve({
      subscriptions: {
        "a.b": async function* () {
          yield 1;
          throw new CallError({ category: "model", message: "m" });
        },
        "a.c": async function* () {
          try {
            yield 1;
          } finally {
            // biome-ignore lint/correctness/noUnsafeFinally: what a careless handler does
            throw new Error("careless");
          }
        },
      },
    });
    await stage.caller.request({ credit: 5 });
    expect(stage.caller.answers).toMatchObject([{ type: "call.responded" }, { type: "call.error", category: "model" }]);
    await stage.caller.request({ operationId: "a.c", requestId: "2", credit: 1 });
    await stage.caller.control({ type: "call.aborted", requestId: "2" });
    expect(handler.getRunningCount()).toBe(0);
  });

  test.each([
    ["the request", { idleTimeout: 100 }, {}],
    ["the worker", {}, { idleTimeout: 100 }],
  ])("ends when its consumer takes nothing for as long as %s allows", async (_, fields, limits) => {
    const [made, ended]: [number[], string[]] = [[], []];
    const handler = stage.serve(counting(made, ended), limits);
    await stage.caller.request({ input: 100, credit: 2, ...fields });
    await vi.advanceTimersByTimeAsync(80);
    await stage.caller.control({ type: "call.credited", credit: 1 });
    await vi.advanceTimersByTimeAsync(99);
    expect(ended).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    await turns();
    expect(stage.caller.types().slice(-2)).toEqual(["call.responded", "call.error"]);
    expect(stage.caller.answers.at(-1)).toMatchObject({ code: "TIMEOUT" });
    expect([ended, handler.getRunningCount()]).toEqual([["finally"], 0]);
  });

  test("does not count its own slowness as the consumer's", async () => {
    const ticks = gate();
    stage.serve({
      subscriptions: {
        "a.b": async function* () {
          yield 1;
          await ticks.opened;
          yield 2;
        },
      },
    });
    await stage.caller.request({ credit: 5, idleTimeout: 100 });
    await vi.advanceTimersByTimeAsync(1000);
    ticks.open();
    await turns();
    expect(stage.caller.types()).toEqual(["call.responded", "call.responded", "call.completed"]);
  });

  test("ends at its deadline while it waits for credit", async () => {
    const [made, ended]: [number[], string[]] = [[], []];
    stage.serve(counting(made, ended));
    await stage.caller.request({ input: 9, credit: 1, deadline: NOW + 50 });
    await vi.advanceTimersByTimeAsync(50);
    await turns();
    expect([ended, stage.caller.answers.at(-1)]).toMatchObject([["finally"], { type: "call.error", code: "TIMEOUT" }]);
  });
});
