import { getEventListeners } from "node:events";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import * as z from "zod";
import { CallError, isCallError } from "../envelope/call-error.js";
import { unwrap } from "../envelope/response-envelope.js";
import type { HandlerContext } from "./context.js";
import { failureOf, operation, registryOf } from "./fixtures/operations.js";

/** A handler that never ends and does not listen to its signal. */
const forever = (): Promise<never> => new Promise(() => {});

/** A handler that ends when its signal is aborted, with the reason. */
function listening(_: unknown, { signal }: HandlerContext): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
}

const TIMEOUT = { code: "TIMEOUT", category: "timeout", recoverable: true };
const ABORTED = { code: "ABORTED", category: "aborted" };

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000 });
});

afterEach(() => {
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

describe("a deadline", () => {
  test.each([999_999, 1_000_000, 0, -1])(
    "that is past at %d ends the call before the handler runs",
    async (deadline) => {
      const handler = vi.fn();
      expect(await failureOf(registryOf(handler).execute("test.run", 1, { deadline }))).toMatchObject(TIMEOUT);
      expect(handler).not.toHaveBeenCalled();
    },
  );

  test("ends a call on time, though its handler does not listen", async () => {
    const ended = vi.fn();
    const failure = failureOf(registryOf(forever).execute("test.run", 1, { deadline: 1_000_500 })).finally(ended);
    await vi.advanceTimersByTimeAsync(499);
    expect(ended).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(ended).toHaveBeenCalled();
    expect(await failure).toMatchObject(TIMEOUT);
  });

  test("aborts the handler's signal with the error that the caller gets", async () => {
    const reasons: unknown[] = [];
    const registry = registryOf((_, { signal }) => {
      signal.addEventListener("abort", () => reasons.push(signal.reason));
      return forever();
    });
    const failure = failureOf(registry.execute("test.run", 1, { deadline: 1_000_500 }));
    await vi.advanceTimersByTimeAsync(500);
    expect(reasons).toEqual([await failure]);
  });

  test("is TIMEOUT also where the handler itself rejects because of its signal", async () => {
    const failure = failureOf(registryOf(listening).execute("test.run", 1, { deadline: 1_000_500 }));
    await vi.advanceTimersByTimeAsync(500);
    expect(await failure).toMatchObject(TIMEOUT);
  });

  test("has passed for a signal that is first asked for after it", async () => {
    let late: AbortSignal | undefined;
    const registry = registryOf(async (_, context) => {
      await new Promise((resolve) => setTimeout(resolve, 1000));
      late = context.signal;
    });
    const failure = failureOf(registry.execute("test.run", 1, { deadline: 1_000_500 }));
    await vi.advanceTimersByTimeAsync(1000);
    expect(await failure).toMatchObject(TIMEOUT);
    expect(late?.aborted).toBe(true);
    expect(isCallError(late?.reason)).toBe(true);
  });

  test.each([
    ["at once", () => 5],
    ["later", () => Promise.resolve(5)],
  ])("does not hold a call that ends in time, %s, and leaves no timer", async (_, handler) => {
    expect(unwrap(await registryOf(handler).execute("test.run", 1, { deadline: 1_000_500 }))).toBe(5);
    expect(vi.getTimerCount()).toBe(0);
  });

  test.each([
    [
      "at once",
      () => {
        throw new Error("no");
      },
    ],
    ["later", () => Promise.reject(new Error("no"))],
  ])("leaves no timer where the handler throws %s", async (_, handler) => {
    const error = await failureOf(registryOf(handler).execute("test.run", 1, { deadline: 1_000_500 }));
    expect(error).toMatchObject({ code: "EXECUTION_ERROR" });
    expect(vi.getTimerCount()).toBe(0);
  });

  test("further away than a timer can be set for is kept", async () => {
    const far = 2 ** 31 + 5000;
    const ended = vi.fn();
    const failure = failureOf(registryOf(forever).execute("test.run", 1, { deadline: Date.now() + far })).finally(
      ended,
    );
    await vi.advanceTimersByTimeAsync(far - 1);
    expect(ended).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(await failure).toMatchObject(TIMEOUT);
  });

  test("that is infinite never comes", async () => {
    const registry = registryOf(() => new Promise((resolve) => setTimeout(resolve, 2 ** 31, "done")));
    const answer = registry.execute("test.run", 1, { deadline: Number.POSITIVE_INFINITY });
    await vi.advanceTimersByTimeAsync(2 ** 31);
    expect(unwrap(await answer)).toBe("done");
  });

  test("that is not a number does not keep the processor busy", async () => {
    const registry = registryOf(() => new Promise((resolve) => setTimeout(resolve, 1000, "done")));
    const ticks = vi.spyOn(globalThis, "setTimeout");
    const answer = registry.attempt("test.run", 1, { deadline: Number.NaN });
    await vi.advanceTimersByTimeAsync(1000);
    await answer;
    expect(ticks.mock.calls.length).toBeLessThan(10);
    ticks.mockRestore();
  });

  test("counts while a check of the input is awaited", async () => {
    const registry = registryOf(() => 1, { inputSchema: z.string().refine(() => forever()) });
    const ended = vi.fn();
    registry.execute("test.run", "a", { deadline: 1_000_500 }).catch(ended);
    await vi.advanceTimersByTimeAsync(1000);
    expect(ended).toHaveBeenCalledWith(expect.objectContaining({ code: "TIMEOUT" }));
  });

  test("that passes while the input is checked keeps the handler from running", async () => {
    const handler = vi.fn();
    const inputSchema = z.string().refine(() => new Promise((resolve) => setTimeout(resolve, 1000, true)));
    const failure = failureOf(registryOf(handler, { inputSchema }).execute("test.run", "a", { deadline: 1_000_500 }));
    await vi.advanceTimersByTimeAsync(2000);
    expect(await failure).toMatchObject(TIMEOUT);
    expect(handler).not.toHaveBeenCalled();
  });

  test("ends a middleware that waits, too", async () => {
    const registry = registryOf(() => 1, {}, { middleware: [forever] });
    const failure = failureOf(registry.execute("test.run", 1, { deadline: 1_000_500 }));
    await vi.advanceTimersByTimeAsync(500);
    expect(await failure).toMatchObject(TIMEOUT);
  });
});

describe("a signal", () => {
  test("that is aborted already ends the call before the handler runs", async () => {
    const handler = vi.fn();
    const signal = AbortSignal.abort("enough");
    expect(await failureOf(registryOf(handler).execute("test.run", 1, { signal }))).toMatchObject({
      ...ABORTED,
      cause: "enough",
    });
    expect(handler).not.toHaveBeenCalled();
  });

  test("counts before a deadline that is past as well", async () => {
    const options = { signal: AbortSignal.abort(), deadline: 0 };
    expect(await failureOf(registryOf(() => 1).execute("test.run", 1, options))).toMatchObject(ABORTED);
  });

  test("ends a call at once, though its handler does not listen", async () => {
    const controller = new AbortController();
    const failure = failureOf(registryOf(forever).execute("test.run", 1, { signal: controller.signal }));
    controller.abort(new Error("secret"));
    const error = await failure;
    expect(error).toMatchObject(ABORTED);
    expect(JSON.stringify(error)).not.toContain("secret");
  });

  test("reaches the handler with the reason", async () => {
    const controller = new AbortController();
    let inner: AbortSignal | undefined;
    const registry = registryOf((_, { signal }) => {
      inner = signal;
      return forever();
    });
    const failure = failureOf(registry.execute("test.run", 1, { signal: controller.signal }));
    expect(inner?.aborted).toBe(false);
    controller.abort("enough");
    expect(inner?.aborted).toBe(true);
    expect(inner?.reason).toBe(await failure);
    expect(inner?.reason).toMatchObject({ cause: "enough" });
  });

  test("of AbortSignal.timeout is TIMEOUT", async () => {
    vi.useRealTimers();
    const failure = await failureOf(registryOf(forever).execute("test.run", 1, { signal: AbortSignal.timeout(1) }));
    vi.useFakeTimers();
    expect(failure).toMatchObject(TIMEOUT);
  });

  test.each([
    ["nothing", undefined],
    ["null", null],
    ["a number", 0],
    [
      "a proxy that throws",
      new Proxy(
        {},
        {
          get: () => {
            throw new Error("no");
          },
        },
      ),
    ],
  ])("with the reason %s is ABORTED", async (_, reason) => {
    const controller = new AbortController();
    const failure = failureOf(registryOf(forever).execute("test.run", 1, { signal: controller.signal }));
    controller.abort(reason);
    expect(await failure).toMatchObject(ABORTED);
  });

  test("is not listened to after the call, however it ends", async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const handlers = [
      () => 1,
      async () => 1,
      () => Promise.reject(new Error("no")),
      () => {
        throw new Error("no");
      },
    ];
    for (const handler of handlers) {
      await registryOf(handler).attempt("test.run", 1, { signal, deadline: 1_000_500 });
      expect(getEventListeners(signal, "abort")).toHaveLength(0);
    }
    const last = registryOf(forever).attempt("test.run", 1, { signal, deadline: 1_000_500 });
    expect(getEventListeners(signal, "abort")).toHaveLength(1);
    expect(vi.getTimerCount()).toBe(1);
    controller.abort();
    await last;
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("is let go of when the deadline comes first", async () => {
    const { signal } = new AbortController();
    const call = registryOf(forever).attempt("test.run", 1, { signal, deadline: 1_000_500 });
    await vi.advanceTimersByTimeAsync(500);
    expect(await call).toMatchObject({ ok: false, error: TIMEOUT });
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
  });

  test("that is aborted after the answer changes nothing", async () => {
    const controller = new AbortController();
    let inner: AbortSignal | undefined;
    const registry = registryOf((_, context) => {
      inner = context.signal;
      return 1;
    });
    expect(unwrap(await registry.execute("test.run", 1, { signal: controller.signal }))).toBe(1);
    controller.abort();
    expect(inner?.aborted).toBe(false);
  });

  test("gives up a handler whose late failure no one hears", async () => {
    const controller = new AbortController();
    let fail = (_: Error): void => {};
    const registry = registryOf(
      () =>
        new Promise((_, reject) => {
          fail = reject;
        }),
    );
    const failure = failureOf(registry.execute("test.run", 1, { signal: controller.signal }));
    controller.abort();
    fail(new Error("late"));
    expect(await failure).toMatchObject(ABORTED);
  });
});

describe("a nested call", () => {
  test("ends with its parent", async () => {
    const ended: unknown[] = [];
    const registry = registryOf((_, { env }) => env["test"]?.["inner"]?.()).register(
      operation(
        (_, { signal }) => {
          signal.addEventListener("abort", () => ended.push(signal.reason));
          return forever();
        },
        { name: "inner" },
      ),
    );
    const controller = new AbortController();
    const failure = failureOf(registry.execute("test.run", 1, { signal: controller.signal }));
    controller.abort();
    expect(await failure).toMatchObject(ABORTED);
    expect(ended).toMatchObject([ABORTED]);
  });

  test("is TIMEOUT when the deadline of its parent passes", async () => {
    const inner: unknown[] = [];
    const registry = registryOf(async (_, { env }) => {
      await env["test"]?.["inner"]?.().catch((error: unknown) => inner.push(error));
    }).register(operation(forever, { name: "inner" }));
    const failure = failureOf(registry.execute("test.run", 1, { deadline: 1_000_500 }));
    await vi.advanceTimersByTimeAsync(500);
    expect(await failure).toMatchObject(TIMEOUT);
    expect(inner).toMatchObject([TIMEOUT]);
  });

  test("leaves no listener on its parent's signal", async () => {
    let outer: AbortSignal | undefined;
    const registry = registryOf(async (_, { env, signal }) => {
      outer = signal;
      for (let count = 0; count < 20; count++) await env["test"]?.["inner"]?.(count);
    }).register(operation((input) => input, { name: "inner" }));
    await registry.execute("test.run", 1, { deadline: 1_000_500 });
    expect(getEventListeners(outer as AbortSignal, "abort")).toHaveLength(0);
  });
});

describe("a caller that watches the end itself", () => {
  test("gets the function that ends the call, and the registry sets no timer", async () => {
    let end: (error: CallError) => void = () => {};
    const signal = new AbortController().signal;
    const error = new CallError({ category: "aborted", message: "Gone." });
    const call = registryOf(listening).execute("test.run", 1, {
      deadline: 1_000_500,
      signal,
      onStart: (given) => {
        end = given;
      },
    });
    expect(vi.getTimerCount()).toBe(0);
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
    end(error);
    expect(await failureOf(call)).toBe(error);
  });
});

describe("an input that is checked later", () => {
  const never = z.string().refine(() => new Promise<boolean>(() => {}));

  test("does not keep a caller waiting who has aborted before", async () => {
    const registry = registryOf(() => 1, { inputSchema: never });
    const error = await failureOf(registry.execute("test.run", "x", { signal: AbortSignal.abort() }));
    expect(error).toMatchObject(ABORTED);
  });

  test("does not start a handler whose call was ended meanwhile", async () => {
    let accept = (_: boolean): void => {};
    const slow = z.string().refine(() => new Promise<boolean>((resolve) => (accept = resolve)));
    const handler = vi.fn();
    const registry = registryOf(handler, { inputSchema: slow });
    const gone = new CallError({ category: "aborted", message: "gone" });
    const call = failureOf(
      registry.execute("test.run", "x", { onStart: (end: (error: CallError) => void) => end(gone) } as object),
    );
    accept(true);
    expect(await call).toBe(gone);
    expect(handler).not.toHaveBeenCalled();
  });
});

test("many calls with one signal listen to it once", async () => {
  const controller = new AbortController();
  const registry = registryOf(forever);
  const { signal } = controller;
  const calls = Array.from({ length: 20 }, () => failureOf(registry.execute("test.run", 1, { signal })));
  expect(getEventListeners(signal, "abort")).toHaveLength(1);
  controller.abort();
  expect(await Promise.all(calls)).toMatchObject(calls.map(() => ABORTED));
  expect(getEventListeners(signal, "abort")).toHaveLength(0);
});

test("a signal that is none is named", async () => {
  const call = registryOf(() => 1).execute("test.run", 1, { signal: {} as AbortSignal });
  expect(await failureOf(call)).toMatchObject({ category: "validation" });
});
