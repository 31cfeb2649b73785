import { beforeEach, describe, expect, test } from "vitest";
import { CallError } from "../envelope/call-error.js";
import type { Outcome } from "../envelope/outcome.js";
import { defineOperation } from "../registry/operation.js";
import { OperationRegistry } from "../registry/registry.js";
import { CallQueue } from "./call-queue.js";

let queue: CallQueue;
let order: unknown[];
let leave: (() => void)[];

beforeEach(() => {
  queue = new CallQueue({ concurrency: 2, maxQueue: 3 });
  order = [];
  leave = [];
});

const registry = new OperationRegistry();
registry.register(
  defineOperation({
    namespace: "queue",
    name: "enter",
    version: "1.0.0",
    type: "mutation",
    description: "",
    inputSchema: true,
    outputSchema: true,
    handler: async (input, context) => {
      const leaveQueue = await queue.enter(context);
      order.push(input);
      leave.push(leaveQueue);
      return null;
    },
  }),
);

function enter(input: number, options: { signal?: AbortSignal; deadline?: number } = {}): Promise<Outcome> {
  return registry.attempt("queue.enter", input, options);
}

describe("a queue", () => {
  test("lets so many in, and the others in their order as the first leave", async () => {
    const calls = [1, 2, 3, 4].map((input) => enter(input));
    await Promise.all(calls.slice(0, 2));
    expect({ order, running: queue.running, waiting: queue.waiting }).toEqual({
      order: [1, 2],
      running: 2,
      waiting: 2,
    });
    leave[1]?.();
    await calls[2];
    leave[0]?.();
    await calls[3];
    expect({ order, running: queue.running, waiting: queue.waiting }).toEqual({
      order: [1, 2, 3, 4],
      running: 2,
      waiting: 0,
    });
  });

  test("counts who leaves twice once", async () => {
    await enter(1);
    leave[0]?.();
    leave[0]?.();
    expect(queue.running).toBe(0);
  });

  test("is left by who is aborted or late, at once", async () => {
    const controller = new AbortController();
    await Promise.all([enter(1), enter(2)]);
    const aborted = enter(3, { signal: controller.signal });
    const late = enter(4, { deadline: Date.now() + 20 });
    const patient = enter(5);
    controller.abort();
    expect(await aborted).toMatchObject({ ok: false, error: { code: "ABORTED" } });
    expect(await late).toMatchObject({ ok: false, error: { code: "TIMEOUT" } });
    expect(queue.waiting).toBe(1);
    leave[0]?.();
    await patient;
    expect(order).toEqual([1, 2, 5]);
  });

  test("refuses who is too many", async () => {
    const calls = [1, 2, 3, 4, 5].map((input) => enter(input));
    expect(await enter(6)).toMatchObject({
      ok: false,
      error: {
        code: "QUEUE_FULL",
        category: "unavailable",
        recoverable: true,
        details: { concurrency: 2, maxQueue: 3 },
      },
    });
    for (let at = 0; at < 5; at += 1) {
      await calls[at];
      leave[at]?.();
    }
    expect(order).toEqual([1, 2, 3, 4, 5]);
    expect(queue.running).toBe(0);
  });

  test("refuses all when it is closed", async () => {
    await Promise.all([enter(1), enter(2)]);
    const waiting = enter(3);
    queue.close(new CallError({ category: "unavailable", message: "closed" }));
    for (const call of [waiting, enter(4)])
      expect(await call).toMatchObject({ ok: false, error: { code: "UNAVAILABLE" } });
    expect(queue.waiting).toBe(0);
  });
});
