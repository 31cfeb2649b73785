import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { CallError, isCallError } from "../../envelope/call-error.js";
import { neverRan, unavailable } from "./errors.js";
import { Lane, type LaneRequest } from "./lane.js";

interface Sent {
  readonly id: number;
  readonly text: string;
}

interface Stage {
  readonly lane: Lane;
  readonly sent: Sent[];
  readonly cancelled: [id: number, reason: string][];
}

function stage(): Stage {
  const sent: Sent[] = [];
  const cancelled: [number, string][] = [];
  const lane = new Lane({
    send: (id, text) => sent.push({ id, text }),
    cancel: (id, reason) => cancelled.push([id, reason]),
  });
  return { lane, sent, cancelled };
}

function request(over: Partial<LaneRequest> = {}): LaneRequest {
  return { method: "tools/call", encode: (id) => `request ${id}`, timeout: 60_000, ...over };
}

async function failure(promise: Promise<unknown>): Promise<CallError> {
  const thrown = await promise.then(
    () => new Error("It did not reject."),
    (reason: unknown) => reason,
  );
  if (!isCallError(thrown)) throw thrown;
  return thrown;
}

function idsOf(sent: readonly Sent[]): number[] {
  return sent.map(({ id }) => id);
}

/** A caller that may give up. */
class Caller {
  listener: ((error: CallError) => void) | undefined;
  readonly watchEnd: NonNullable<LaneRequest["watchEnd"]> = (listener) => {
    this.listener = listener;
    return () => {
      this.listener = undefined;
    };
  };

  giveUp(error: CallError = ABORTED): void {
    this.listener?.(error);
  }
}

const ABORTED = new CallError({ category: "aborted", message: "Nobody waits." });

describe("answers", () => {
  test("reach their requests in whatever order they come", async () => {
    const { lane, sent } = stage();
    const asked = [0, 1, 2, 3].map(() => lane.request(request()));
    for (const id of idsOf(sent).reverse()) expect(lane.take({ jsonrpc: "2.0", id, result: { id } })).toBe(true);
    expect(await Promise.all(asked)).toEqual(idsOf(sent).map((id) => ({ id })));
    expect(lane.size).toBe(0);
  });

  test("are the result as it came, the same object", async () => {
    for (const result of [{ content: [], odd: { a: 1 } }, null, 0, "", false, []]) {
      const { lane, sent } = stage();
      const asked = lane.request(request());
      lane.take({ id: sent[0]?.id, result });
      expect(await asked).toBe(result);
    }
  });

  test("may name their id as a text", async () => {
    const { lane, sent } = stage();
    const asked = lane.request(request());
    expect(lane.take({ id: String(sent[0]?.id), result: 1 })).toBe(true);
    expect(await asked).toBe(1);
  });

  test("with a result and an error that is null are results", async () => {
    const { lane, sent } = stage();
    const asked = lane.request(request());
    lane.take({ jsonrpc: "2.0", id: sent[0]?.id, result: { content: [] }, error: null });
    expect(await asked).toEqual({ content: [] });
  });

  test("that say they are errors reject, with what the server said", async () => {
    const { lane, sent } = stage();
    const asked = lane.request(request());
    lane.take({ id: sent[0]?.id, error: { code: -32602, message: "bad", data: { a: 0 } } });
    expect(await failure(asked)).toMatchObject({ category: "validation", details: { code: -32602, data: { a: 0 } } });
  });

  test.each([null, "no", 7, []])("with the error %j reject, and with nothing but it never resolve", async (error) => {
    const { lane, sent } = stage();
    const asked = lane.request(request());
    lane.take({ id: sent[0]?.id, error });
    expect(await failure(asked)).toMatchObject({ code: "INVALID_ANSWER" });
  });

  test("of ids that nobody asked for are left to others", () => {
    const { lane, sent } = stage();
    void lane.request(request());
    const id = sent[0]?.id ?? 0;
    for (const other of [0, 1, 999, -id, "0", "x", "", " ", null, undefined, true, {}, [id]])
      expect(lane.take({ id: other, result: 1 })).toBe(false);
    for (const other of [id + 1, id - 1, id + 0.5, id + 65_536, id * 2, String(id + 1), `${id} `, 1e300])
      lane.take({ id: other, result: 1 });
    for (const message of [null, undefined, 1, "x", [], [{ id, result: 1 }]]) expect(lane.take(message)).toBe(false);
    expect(lane.isWaiting(id)).toBe(true);
  });

  test("that come twice count once, and nobody else gets the second", async () => {
    const { lane, sent } = stage();
    const asked = lane.request(request());
    const id = sent[0]?.id;
    expect(lane.take({ id, result: "first" })).toBe(true);
    expect(lane.take({ id, result: "second" })).toBe(true);
    expect(lane.take({ id, error: { code: 1, message: "late" } })).toBe(true);
    expect(await asked).toBe("first");
  });

  test("are not taken for requests of the server that use the same number", () => {
    const { lane, sent } = stage();
    void lane.request(request());
    const id = sent[0]?.id ?? 0;
    expect(lane.take({ id, method: "elicitation/create", params: {} })).toBe(false);
    expect(lane.isWaiting(id)).toBe(true);
  });

  test("that come while the request is being sent are taken, and nobody watches any more", async () => {
    const lane: Lane = new Lane({ send: (id) => void lane.take({ id, result: "at once" }), cancel: () => {} });
    const caller = new Caller();
    expect(await lane.request(request({ watchEnd: caller.watchEnd }))).toBe("at once");
    expect(caller.listener).toBeUndefined();
  });

  test("reach their requests however many there are, and the numbers of the past are not used again", async () => {
    const { lane, sent } = stage();
    for (let round = 0; round < 20; round++) {
      const first = sent.length;
      const asked = Array.from({ length: 50 }, () => lane.request(request()));
      const ids = idsOf(sent.slice(first));
      for (const id of [...ids].sort((a, b) => ((a * 7919) % 101) - ((b * 7919) % 101))) lane.take({ id, result: id });
      expect(await Promise.all(asked)).toEqual(ids);
    }
    expect(new Set(idsOf(sent)).size).toBe(1_000);
    expect(idsOf(sent).every((id) => Number.isSafeInteger(id) && id >= 1_000_000)).toBe(true);
  });
});

describe("progress", () => {
  test("reaches whoever listens, whether its token came back as a number or as a text", () => {
    const { lane, sent } = stage();
    const told: unknown[] = [];
    void lane.request(request({ onProgress: (...report) => told.push(report) }));
    const token = sent[0]?.id;
    const reports: Record<string, unknown>[] = [
      { progressToken: token, progress: 0, total: 0, message: "" },
      { progressToken: String(token), progress: 0.5 },
      { progressToken: token, progress: 1, total: "many", message: 7 },
    ];
    for (const params of reports) expect(lane.take({ method: "notifications/progress", params })).toBe(true);
    expect(told).toEqual([
      [0, 0, ""],
      [0.5, undefined, undefined],
      [1, undefined, undefined],
    ]);
  });

  test.each([undefined, null, "half", {}])("of %j is no report, and no harm", (progress) => {
    const { lane, sent } = stage();
    const told: unknown[] = [];
    void lane.request(request({ onProgress: (...report) => told.push(report) }));
    const params = { progressToken: sent[0]?.id, progress };
    expect(lane.take({ method: "notifications/progress", params })).toBe(true);
    expect(told).toEqual([]);
  });

  test("of strangers is left to others, of a request that is over is taken", async () => {
    const { lane, sent } = stage();
    const told: unknown[] = [];
    const asked = lane.request(request({ onProgress: (...report) => told.push(report) }));
    for (const params of [undefined, null, [], {}, { progressToken: 3, progress: 1 }, { progressToken: "a" }])
      expect(lane.take({ method: "notifications/progress", params })).toBe(false);
    lane.take({ id: sent[0]?.id, result: 1 });
    await asked;
    const late = { method: "notifications/progress", params: { progressToken: sent[0]?.id, progress: 1 } };
    expect(lane.take(late)).toBe(true);
    expect(told).toEqual([]);
  });
});

describe("time", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });

  afterEach(() => {
    vi.useRealTimers();
  });

  test("ends a request that is not answered, and the server is told", async () => {
    const { lane, sent, cancelled } = stage();
    const ended = failure(lane.request(request({ timeout: 1_000 })));
    await vi.advanceTimersByTimeAsync(999);
    expect(lane.size).toBe(1);
    await vi.advanceTimersByTimeAsync(2);
    expect(await ended).toMatchObject({ category: "timeout", code: "TIMEOUT" });
    expect(cancelled.map(([id]) => id)).toEqual(idsOf(sent));
    expect(vi.getTimerCount()).toBe(0);
  });

  test("starts again with each sign of life, and ends a server that only pretends", async () => {
    const { lane, sent } = stage();
    let isOver = false;
    const ended = failure(lane.request(request({ timeout: 1_000, onProgress: () => {} })));
    void ended.then(() => {
      isOver = true;
    });
    for (let count = 0; count < 10; count++) {
      await vi.advanceTimersByTimeAsync(900);
      lane.take({ method: "notifications/progress", params: { progressToken: sent[0]?.id, progress: count } });
    }
    expect(isOver).toBe(false);
    // Of another request it is no sign of life of this one.
    await vi.advanceTimersByTimeAsync(900);
    lane.take({ method: "notifications/progress", params: { progressToken: (sent[0]?.id ?? 0) + 1 } });
    await vi.advanceTimersByTimeAsync(200);
    expect(isOver).toBe(true);
    expect((await ended).category).toBe("timeout");
  });

  test("ends each of many requests when its own is over", async () => {
    const { lane } = stage();
    const over: number[] = [];
    for (const timeout of [3_000, 1_000, 2_000])
      void failure(lane.request(request({ timeout }))).then(() => over.push(timeout));
    await vi.advanceTimersByTimeAsync(1_500);
    expect(over).toEqual([1_000]);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(over).toEqual([1_000, 2_000, 3_000]);
  });

  test("passes over an answer that comes too late, and takes it all the same", async () => {
    const { lane, sent, cancelled } = stage();
    const ended = failure(lane.request(request({ timeout: 10 })));
    await vi.advanceTimersByTimeAsync(20);
    expect((await ended).category).toBe("timeout");
    expect(lane.take({ id: sent[0]?.id, result: 1 })).toBe(true);
    expect(cancelled).toHaveLength(1);
  });

  test("does not end a request that may take as long as it likes", async () => {
    const { lane, sent } = stage();
    const asked = lane.request(request({ timeout: Number.POSITIVE_INFINITY }));
    await vi.advanceTimersByTimeAsync(2 ** 31 * 3);
    lane.take({ id: sent[0]?.id, result: "at last" });
    expect(await asked).toBe("at last");
  });

  test("leaves no timer when the connection is gone", async () => {
    const { lane } = stage();
    const ended = [1, 2].map(() => failure(lane.request(request())));
    lane.failAll(unavailable("gone"));
    await Promise.all(ended);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("a caller that gives up", () => {
  test("before the request has nothing sent for it", async () => {
    const { lane, sent, cancelled } = stage();
    const watchEnd: LaneRequest["watchEnd"] = (listener) => {
      listener(ABORTED);
      return () => {};
    };
    expect(await failure(lane.request(request({ watchEnd })))).toBe(ABORTED);
    expect([sent, cancelled, lane.size]).toEqual([[], [], 0]);
  });

  test("while the request waits ends it once, and the server is told", async () => {
    const { lane, sent, cancelled } = stage();
    const caller = new Caller();
    const asked = failure(lane.request(request({ watchEnd: caller.watchEnd })));
    const { listener } = caller;
    listener?.(ABORTED);
    listener?.(ABORTED);
    expect(await asked).toBe(ABORTED);
    expect(cancelled.map(([id]) => id)).toEqual(idsOf(sent));
    expect(lane.size).toBe(0);
    expect(lane.take({ id: sent[0]?.id, result: 1 })).toBe(true);
  });

  test("is not watched any more after the answer, an error, or the end of the connection", async () => {
    const { lane, sent, cancelled } = stage();
    const callers = [0, 1, 2].map(() => new Caller());
    const asked = callers.map(({ watchEnd }) => lane.request(request({ watchEnd })));
    const settled = Promise.allSettled(asked);
    expect(callers.map(({ listener }) => typeof listener)).toEqual(["function", "function", "function"]);
    lane.take({ id: sent[0]?.id, result: 1 });
    lane.take({ id: sent[1]?.id, error: { code: 1, message: "no" } });
    lane.failAll(unavailable("gone"));
    for (const caller of callers) {
      expect(caller.listener).toBeUndefined();
      caller.giveUp();
    }
    expect((await settled).map(({ status }) => status)).toEqual(["fulfilled", "rejected", "rejected"]);
    expect(cancelled).toEqual([]);
  });

  test("leaves the requests of others alone", async () => {
    const { lane, sent } = stage();
    const caller = new Caller();
    const aborted = failure(lane.request(request({ watchEnd: caller.watchEnd })));
    const other = lane.request(request());
    caller.giveUp();
    lane.take({ id: sent[1]?.id, result: 2 });
    expect(await aborted).toBe(ABORTED);
    expect(await other).toBe(2);
  });
});

describe("a request that cannot be written", () => {
  test("fails at once and leaves nothing behind", async () => {
    const { lane, sent, cancelled } = stage();
    const encode = (): string => {
      throw new CallError({ category: "validation", message: "It has no words." });
    };
    expect((await failure(lane.request(request({ encode })))).category).toBe("validation");
    expect([sent, cancelled, lane.size]).toEqual([[], [], 0]);
  });
});

describe("the end of the connection", () => {
  test("fails all that wait, and nothing is cancelled at a server that is gone", async () => {
    const { lane, cancelled } = stage();
    const ended = [1, 2, 3].map(() => failure(lane.request(request())));
    const error = unavailable("gone");
    lane.failAll(error);
    expect(await Promise.all(ended)).toEqual([error, error, error]);
    expect(cancelled).toEqual([]);
    expect(lane.size).toBe(0);
  });

  test("refuses what comes after it at once, and sends nothing: it may be made again elsewhere", async () => {
    const { lane, sent } = stage();
    const first = failure(lane.request(request()));
    lane.failAll(unavailable("gone"));
    expect(neverRan.has(await first)).toBe(false);
    const second = await failure(lane.request(request()));
    expect(second.category).toBe("unavailable");
    expect(neverRan.has(second)).toBe(true);
    expect(sent).toHaveLength(1);
  });

  test("of one request leaves the others", async () => {
    const { lane, sent } = stage();
    const [first, second] = [failure(lane.request(request())), lane.request(request())];
    expect(lane.onlyId).toBeUndefined();
    lane.fail(sent[0]?.id ?? 0, unavailable("cut"));
    lane.fail(sent[0]?.id ?? 0, unavailable("again"));
    lane.fail(1, unavailable("unknown"));
    expect((await first).category).toBe("unavailable");
    expect(lane.onlyId).toBe(sent[1]?.id);
    lane.take({ id: sent[1]?.id, result: 1 });
    expect(await second).toBe(1);
    expect(lane.onlyId).toBeUndefined();
  });
});

describe("a process", () => {
  test("is not kept alive by the time of requests that were answered", async () => {
    const { lane, sent } = stage();
    const before = timers();
    const asked = lane.request(request());
    expect(timers()).toBe(before + 1);
    lane.take({ id: sent[0]?.id, result: 1 });
    await asked;
    expect(timers()).toBe(before);
    lane.failAll(unavailable("over"));
  });
});

/** Those that keep the process alive. */
function timers(): number {
  return process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
}
