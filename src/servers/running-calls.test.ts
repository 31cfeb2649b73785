import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { CallError } from "../envelope/call-error.js";
import { ClientCall } from "./client-call.js";
import { RunningCalls } from "./running-calls.js";

const WHY = new CallError({ category: "unavailable", message: "closing" });

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function call(): ClientCall {
  return new ClientCall({ identity: undefined, metadata: undefined });
}

describe("calls that run", () => {
  test("are counted until they have ended, in whatever way", () => {
    const running = new RunningCalls();
    const [done, stopped, left] = [call(), call(), call()];
    for (const one of [done, stopped, left]) running.add(one);
    running.delete(done);
    running.stop(stopped, WHY);
    expect(running.values()).toEqual([left]);
    // Whoever stops it does not have to tell.
    left.stop(WHY);
    expect(running.size).toBe(0);
  });

  test("are told why they are ended, once", () => {
    const running = new RunningCalls();
    const told: unknown[] = [];
    const ended: unknown[] = [];
    const one = call();
    one.onStart((error) => ended.push(error));
    running.add(one, (error, other) => told.push(error, other));
    running.stopAll(WHY);
    running.stopAll(WHY);
    one.stop(WHY);
    expect(told).toEqual([WHY, one]);
    expect(ended).toEqual([WHY]);
  });

  test("are waited for", async () => {
    const running = new RunningCalls();
    const [first, second] = [call(), call()];
    running.add(first);
    running.add(second);
    let isIdle = false;
    const idle = running.idle(1000).then(() => {
      isIdle = true;
    });
    running.delete(first);
    await vi.advanceTimersByTimeAsync(500);
    expect(isIdle).toBe(false);
    running.delete(second);
    await idle;
    expect(vi.getTimerCount()).toBe(0);
  });

  test("are not waited for longer than was said", async () => {
    const running = new RunningCalls();
    running.add(call());
    const idle = running.idle(1000);
    await vi.advanceTimersByTimeAsync(1000);
    await idle;
    expect(running.size).toBe(1);
  });

  test("need not be waited for where there are none", async () => {
    await new RunningCalls().idle(1000);
    expect(vi.getTimerCount()).toBe(0);
  });
});
