import { afterEach, describe, expect, test, vi } from "vitest";
import type { HandlerContext } from "../../registry/context.js";
import { MadeSource, madeOperation } from "./fixtures/made-source.js";
import { ManagedSource, type ManagedSourceOptions, type Open } from "./managed-source.js";

const opened: ManagedSource[] = [];

afterEach(async () => {
  vi.useRealTimers();
  await Promise.all(opened.splice(0).map((source) => source.close()));
});

function manage(open: Open, more: Partial<ManagedSourceOptions> = {}): ManagedSource {
  const source = new ManagedSource({ name: "far", open, stays: false, delayAfter: () => 1, ...more });
  opened.push(source);
  return source;
}

const fails = (message: string) => () => Promise.reject(new Error(message));

function whenHealth(source: ManagedSource, condition: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    source.onHealth(() => condition() && resolve());
    if (condition()) resolve();
  });
}

describe("a source in the background", () => {
  test("is connecting, and then as the one that was opened", async () => {
    const made = new MadeSource();
    const source = manage(async () => made);
    expect([source.health().status, source.operations]).toEqual(["connecting", []]);
    await source.settled();
    expect([source.health().status, source.operations]).toEqual(["ready", made.operations]);
    expect(source.openedInMs).toBeGreaterThanOrEqual(0);
  });

  test("tells that operations have changed", async () => {
    const made = new MadeSource();
    const source = manage(async () => made);
    await source.settled();
    let told = 0;
    source.onChange(() => told++);
    made.change([madeOperation("two")]);
    expect([told, source.operations[0]?.id]).toEqual([1, "far.two"]);
  });

  test.each<[string, Open]>([
    ["rejects", fails("no such place")],
    [
      "throws",
      () => {
        throw new Error("no such place");
      },
    ],
  ])("is down with the reason where opening %s", async (_, open) => {
    const source = manage(open);
    await source.settled();
    expect(source.health()).toMatchObject({ status: "down", error: { category: "unavailable" } });
    expect(source.health().error?.message).toContain("no such place");
  });

  test("is tried again where it stays, ever more rarely", async () => {
    const failures: number[] = [];
    let attempts = 0;
    const open: Open = async () => {
      attempts += 1;
      if (attempts < 4) throw new Error("not yet");
      return new MadeSource();
    };
    const delayAfter = (count: number): number => {
      failures.push(count);
      return 1;
    };
    const source = manage(open, { stays: true, delayAfter });
    await whenHealth(source, () => source.health().status === "ready");
    expect(failures).toEqual([1, 2, 3]);
    expect(source.health().error).toBeUndefined();
  });

  test("is down with its reason all the while it is tried again, and connecting when it is opened in another way", async () => {
    const told = new Set<string>();
    let attempts = 0;
    const source = manage(() => Promise.reject(new Error(`no, ${++attempts}`)), { stays: true });
    await source.settled();
    source.onHealth(() => told.add(source.health().status).add(String(source.health().error !== undefined)));
    await whenHealth(source, () => attempts > 3);
    expect([...told]).toEqual(["down", "true"]);
    source.reopen(async () => new MadeSource());
    expect(source.health().status).toBe("connecting");
    await source.settled();
    expect(source.health()).toEqual({ status: "ready" });
  });

  test("that was up is down until it is up again, whatever it tries", async () => {
    const made = new MadeSource();
    const source = manage(async () => made);
    await source.settled();
    const error = { category: "network", code: "UNAVAILABLE", message: "gone", recoverable: true };
    made.health = () => ({ status: "connecting", error });
    expect(source.health()).toEqual({ status: "down", error });
  });

  test("comes back after it went down, and then counts failures anew", async () => {
    const failures: number[] = [];
    const made = new MadeSource();
    const delayAfter = (count: number): number => {
      failures.push(count);
      return 1;
    };
    const source = manage(async () => made, { stays: true, delayAfter });
    await source.settled();
    for (const _ of [1, 2]) {
      made.become("down");
      expect(source.health().status).toBe("down");
      await whenHealth(source, () => source.health().status === "ready");
    }
    expect([made.refreshed, failures]).toEqual([2, [1, 1]]);
  });

  test("keeps what is open until another is, and closes it after its calls", async () => {
    const [old, fresh] = [new MadeSource(), new MadeSource(["two"])];
    const source = manage(async () => old);
    await source.settled();
    let end = (): void => {};
    const handler = (): Promise<void> => new Promise((resolve) => (end = resolve));
    const context = { spec: madeOperation("one").spec } as HandlerContext;
    const call = source.calls?.run(handler, {}, context);
    source.reopen(async () => fresh);
    expect(source.operations).toBe(old.operations);
    await source.settled();
    expect([source.operations, old.isClosed]).toEqual([fresh.operations, false]);
    end();
    await call;
    await expect.poll(() => old.isClosed).toBe(true);
  });

  test("hears nothing any longer of what was replaced", async () => {
    const [old, fresh] = [new MadeSource(), new MadeSource(["two"])];
    const source = manage(async () => old, { stays: true });
    await source.settled();
    source.reopen(async () => fresh);
    await source.settled();
    let told = 0;
    source.onChange(() => told++);
    source.onHealth(() => told++);
    old.change([]);
    old.become("down");
    expect(told).toBe(0);
  });

  test("closes what is opened after it was given up", async () => {
    const [late, fresh] = [new MadeSource(), new MadeSource()];
    let arrive: (source: MadeSource) => void = () => {};
    let signal: AbortSignal | undefined;
    const source = manage((given) => {
      signal = given;
      return new Promise((resolve) => (arrive = resolve));
    });
    source.reopen(async () => fresh);
    await source.settled();
    expect(signal?.aborted).toBe(true);
    arrive(late);
    await source.close();
    expect([late.isClosed, fresh.isClosed, source.health().status]).toEqual([true, true, "closed"]);
  });

  test("is opened at once when somebody asks, but not in a row", async () => {
    let attempts = 0;
    let time = 5_000;
    const open: Open = () => {
      attempts += 1;
      return Promise.reject(new Error("not yet"));
    };
    const source = manage(open, { stays: true, delayAfter: () => 60_000, now: () => time });
    await source.settled();
    source.wake();
    expect(attempts).toBe(1);
    time += 1_000;
    source.wake();
    source.wake();
    await source.settled();
    expect(attempts).toBe(2);
  });

  test("has one timer, also where a revival fails while it is opened anew, and none once it is closed", async () => {
    vi.useFakeTimers();
    const made = new MadeSource();
    let failRevival = (): void => {};
    made.refresh = () => new Promise((_, reject) => (failRevival = () => reject(new Error("still gone"))));
    let failAttempt = (): void => {};
    const open: Open = () => new Promise((_, reject) => (failAttempt = () => reject(new Error("gone"))));
    const source = manage(async () => made, { stays: true, delayAfter: () => 10 });
    await source.settled();
    made.become("down");
    await vi.advanceTimersByTimeAsync(10);
    source.reopen(open);
    failRevival();
    await vi.advanceTimersByTimeAsync(0);
    failAttempt();
    await source.settled();
    expect(vi.getTimerCount()).toBe(1);
    await source.close();
    expect(vi.getTimerCount()).toBe(0);
  });

  test("leaves nothing behind when it is opened anew many times", async () => {
    const made: MadeSource[] = [];
    const open: Open = async () => {
      const one = new MadeSource();
      made.push(one);
      return one;
    };
    const source = manage(open);
    for (let times = 0; times < 500; times++) {
      source.reopen(open);
      if (times % 3 === 0) await source.settled();
    }
    await source.settled();
    await expect.poll(() => made.filter(({ isClosed }) => !isClosed)).toHaveLength(1);
  });
});
