import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { CallError, isCallError } from "../../envelope/call-error.js";
import type { JsonRpcRequest } from "../../mcp/json-rpc.js";
import { unavailable } from "./errors.js";
import { Lane, type LaneRequest } from "./lane.js";

interface Stage {
  readonly lane: Lane;
  readonly sent: JsonRpcRequest[];
  readonly cancelled: [id: number, reason: string][];
}

function stage(): Stage {
  const sent: JsonRpcRequest[] = [];
  const cancelled: [number, string][] = [];
  const lane = new Lane({
    send: (message) => sent.push(message),
    cancel: (id, reason) => cancelled.push([id, reason]),
  });
  return { lane, sent, cancelled };
}

function request(over: Partial<LaneRequest> = {}): LaneRequest {
  return { method: "tools/call", params: { name: "x" }, timeout: 60_000, ...over };
}

async function failure(promise: Promise<unknown>): Promise<CallError> {
  const thrown = await promise.then(
    () => new Error("It did not reject."),
    (reason: unknown) => reason,
  );
  if (!isCallError(thrown)) throw thrown;
  return thrown;
}

function idsOf(sent: readonly JsonRpcRequest[]): number[] {
  return sent.map(({ id }) => id as number);
}

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
    const id = sent[0]?.id as number;
    for (const other of [0, 1, id + 1, id - 1, -id, id + 0.5, String(id + 1), "x", "", null, undefined, true, {}, [id]])
      expect(lane.take({ id: other, result: 1 })).toBe(false);
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
    const id = sent[0]?.id as number;
    expect(lane.take({ id, method: "elicitation/create", params: {} })).toBe(false);
    expect(lane.isWaiting(id)).toBe(true);
  });

  test("that come while the request is being sent are taken", async () => {
    const lane: Lane = new Lane({ send: ({ id }) => void lane.take({ id, result: "at once" }), cancel: () => {} });
    expect(await lane.request(request())).toBe("at once");
  });
});

describe("progress", () => {
  function token(sent: readonly JsonRpcRequest[]): unknown {
    return (sent[0]?.params?.["_meta"] as Record<string, unknown> | undefined)?.["progressToken"];
  }

  test("is asked for only where someone listens, beside what the request says itself", () => {
    const { lane, sent } = stage();
    void lane.request(request());
    void lane.request(request({ params: { _meta: { a: 1 } }, onProgress: () => {} }));
    expect(sent[0]?.params).toEqual({ name: "x" });
    expect(sent[1]?.params).toEqual({ _meta: { a: 1, progressToken: sent[1]?.id } });
  });

  test("reaches whoever listens, whether its token came back as a number or as a text", () => {
    const { lane, sent } = stage();
    const told: unknown[] = [];
    void lane.request(request({ onProgress: (progress) => told.push(progress) }));
    const reports: Record<string, unknown>[] = [
      { progressToken: token(sent), progress: 0, total: 0, message: "" },
      { progressToken: String(token(sent)), progress: 0.5 },
      { progressToken: token(sent), progress: 1, total: "many", message: 7 },
    ];
    for (const params of reports) expect(lane.take({ method: "notifications/progress", params })).toBe(true);
    expect(told).toEqual([{ progress: 0, total: 0, message: "" }, { progress: 0.5 }, { progress: 1 }]);
  });

  test.each([undefined, null, "half", {}])("of %j is no report, and no harm", (progress) => {
    const { lane, sent } = stage();
    const told: unknown[] = [];
    void lane.request(request({ onProgress: (report) => told.push(report) }));
    const params = { progressToken: token(sent), progress };
    expect(lane.take({ method: "notifications/progress", params })).toBe(true);
    expect(told).toEqual([]);
  });

  test("of strangers is left to others, of a request that is over is taken", async () => {
    const { lane, sent } = stage();
    const told: unknown[] = [];
    const asked = lane.request(request({ onProgress: (report) => told.push(report) }));
    for (const params of [undefined, null, [], {}, { progressToken: 3, progress: 1 }, { progressToken: "a" }])
      expect(lane.take({ method: "notifications/progress", params })).toBe(false);
    lane.take({ id: sent[0]?.id, result: 1 });
    await asked;
    const late = { method: "notifications/progress", params: { progressToken: token(sent), progress: 1 } };
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
    lane.take({ method: "notifications/progress", params: { progressToken: (sent[0]?.id as number) + 1 } });
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

describe("abort", () => {
  test("before the request means that nothing is sent", async () => {
    const { lane, sent, cancelled } = stage();
    const error = await failure(lane.request(request({ signal: AbortSignal.abort() })));
    expect(error).toMatchObject({ category: "aborted", code: "ABORTED" });
    expect([sent, cancelled, lane.size]).toEqual([[], [], 0]);
  });

  test("while the request waits ends it once, and the server is told", async () => {
    const { lane, sent, cancelled } = stage();
    const controller = new AbortController();
    const asked = failure(lane.request(request({ signal: controller.signal })));
    controller.abort(new CallError({ category: "timeout", message: "the deadline" }));
    expect(await asked).toMatchObject({ category: "timeout" });
    controller.abort();
    expect(cancelled.map(([id]) => id)).toEqual(idsOf(sent));
    expect(lane.size).toBe(0);
  });

  test("after the answer does nothing, and nobody listens to the signal any more", async () => {
    const { lane, sent, cancelled } = stage();
    const controller = new AbortController();
    const remove = vi.spyOn(controller.signal, "removeEventListener");
    const asked = lane.request(request({ signal: controller.signal }));
    lane.take({ id: sent[0]?.id, result: 1 });
    expect(remove).toHaveBeenCalledTimes(1);
    controller.abort();
    expect(await asked).toBe(1);
    expect(cancelled).toEqual([]);
  });

  test("of one request leaves another with the same signal's parent alone", async () => {
    const { lane, sent } = stage();
    const controller = new AbortController();
    const aborted = failure(lane.request(request({ signal: controller.signal })));
    const other = lane.request(request());
    controller.abort();
    lane.take({ id: sent[1]?.id, result: 2 });
    expect((await aborted).code).toBe("ABORTED");
    expect(await other).toBe(2);
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

  test("leaves the lane usable, with times of its own", async () => {
    const { lane } = stage();
    const first = failure(lane.request(request()));
    lane.failAll(unavailable("gone"));
    await first;
    expect((await failure(lane.request(request({ timeout: 1 })))).category).toBe("timeout");
  });

  test("of one request leaves the others", async () => {
    const { lane, sent } = stage();
    const [first, second] = [failure(lane.request(request())), lane.request(request())];
    expect(lane.onlyId).toBeUndefined();
    lane.fail(sent[0]?.id as number, unavailable("cut"));
    lane.fail(sent[0]?.id as number, unavailable("again"));
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
