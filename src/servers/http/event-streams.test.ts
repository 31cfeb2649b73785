import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { CallError } from "../../envelope/call-error.js";
import { registryOf } from "../../registry/fixtures/operations.js";
import type { AnyHandler } from "../../registry/operation.js";
import { EventStreams } from "./event-streams.js";
import { EventPipe } from "./fixtures/event-pipe.js";
import { OPTIONS, settle, stage } from "./fixtures/stream-stage.js";
import { ValueTap } from "./fixtures/value-tap.js";

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000, toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "Date"] });
});
afterEach(() => {
  vi.useRealTimers();
});

const GONE = { category: "not_found", code: "STREAM_GONE" };

describe("a stream", () => {
  test("numbers its values, and says when there are no more", async () => {
    const { tap, pipe, streamId, arrive } = await stage();
    tap.give({ a: 1 }, null);
    tap.finish();
    await arrive();
    expect(streamId).toMatch(/^[0-9a-f]{16}$/);
    expect(pipe.text).toBe(
      [
        `retry: 1000\nid: ${streamId}:0\n\n: open\n\n`,
        `id: ${streamId}:1\nevent: value\ndata: {"a":1}\n\n`,
        `id: ${streamId}:2\nevent: value\ndata: null\n\n`,
        "event: end\ndata: {}\n\n",
      ].join(""),
    );
    expect(pipe.isEnded).toBe(true);
    expect(tap.stopped).toEqual([]);
  });

  test("ends with the error of its handler", async () => {
    const { tap, pipe, arrive } = await stage();
    tap.give(1);
    tap.fail(new CallError({ category: "rate_limit", message: "Too much." }));
    await arrive();
    expect(pipe.events.map(({ event }) => event)).toEqual(["value", "failure"]);
    expect(pipe.dataOf("failure")).toEqual([{ category: "rate_limit", code: "RATE_LIMITED" }]);
    expect(pipe.isEnded).toBe(true);
  });

  test("ends with an error when it cannot begin", async () => {
    const tap = Object.assign(new ValueTap(), {
      begin: () => {
        throw new CallError({ category: "authorization", message: "Not for you." });
      },
    });
    const { pipe } = await stage({}, { tap });
    expect(pipe.dataOf("failure")).toEqual([{ category: "authorization", code: "ACCESS_DENIED" }]);
  });

  test("ends with an error when a value cannot be printed, and ends the handler", async () => {
    const tap = Object.assign(new ValueTap(), { printValue: ({ data }: { data: unknown }) => JSON.stringify(data) });
    const { pipe, arrive } = await stage({}, { tap });
    tap.give(1, 2n, 3);
    await arrive();
    expect(pipe.events.map(({ event }) => event)).toEqual(["value", "failure"]);
    expect(tap.isEnded).toBe(true);
  });

  test("survives an error that cannot be printed", async () => {
    const tap = Object.assign(new ValueTap(), {
      printError: () => {
        throw new Error("no words");
      },
    });
    const { pipe, arrive } = await stage({}, { tap });
    tap.fail(new Error("unknown"));
    await arrive();
    expect(pipe.dataOf("failure")).toEqual([{}]);
  });

  test("splits data of several lines, however they end", async () => {
    const tap = Object.assign(new ValueTap(), { printValue: () => "[\n1,\r\n2\r]" });
    const { pipe, arrive } = await stage({}, { tap });
    tap.give("");
    await arrive();
    expect(pipe.events.map(({ data }) => data)).toEqual(["[\n1,\n2\n]"]);
  });

  test("tells the progress to whoever listens and is not behind, and does not number it", async () => {
    const { tap, pipe, arrive, resume } = await stage();
    tap.tellProgress('{"progress":1}');
    tap.give("a");
    await arrive();
    pipe.cut();
    tap.tellProgress('{"progress":2}');
    const next = await arrive(resume(1));
    tap.tellProgress('{"progress":3}');
    tap.give("b");
    await arrive(next);
    expect(pipe.dataOf("progress")).toEqual([{ progress: 1 }]);
    expect(next.dataOf("progress")).toEqual([{ progress: 3 }]);
    expect(next.events.at(-1)?.id).toMatch(/:2$/);
  });
});

describe("a slow client", () => {
  test("slows its handler: a value is asked for when the one before has gone", async () => {
    const { tap, pipe, arrive } = await stage({}, { capacity: 10 });
    await settle();
    expect(tap.asked).toBe(1);
    tap.give(1, 2, 3);
    await settle();
    expect(tap.asked).toBe(1);
    pipe.deliver();
    await settle();
    expect(tap.asked).toBe(2);
    for (let at = 0; at < 5; at++) await arrive();
    expect(pipe.dataOf("value")).toEqual([1, 2, 3]);
    expect(tap.asked).toBe(4);
  });
});

describe("a connection", () => {
  test("may be lost before anything is written", async () => {
    const streams = new EventStreams({ ...OPTIONS, resumeMs: 0 });
    const tap = new ValueTap();
    const gone = Object.assign(new EventPipe(), { onClose: (listener: () => void) => listener() });
    streams.open(tap)(gone);
    await settle();
    gone.deliver();
    expect(gone.text).toBe("");
    expect(tap.asked).toBe(0);
    expect(tap.stopped).toMatchObject([{ category: "aborted" }]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("may be lost within a write", async () => {
    const { tap, pipe, resume, arrive } = await stage();
    pipe.write = () => {
      pipe.cut();
      return true;
    };
    tap.give("a", "b");
    await settle();
    expect((await arrive(resume(0))).dataOf("value")).toEqual(["a", "b"]);
  });

  test("may have room again within the write that said it was full", async () => {
    const streams = new EventStreams(OPTIONS);
    const tap = new ValueTap();
    const texts: string[] = [];
    let drain = () => {};
    streams.open(tap)({
      write: (text) => {
        texts.push(text);
        drain();
        return false;
      },
      end: () => texts.push("ended"),
      onDrain: (listener) => {
        drain = listener;
      },
      onClose: () => {},
    });
    tap.give(1, 2, 3);
    tap.finish();
    await settle();
    expect(texts.map((text) => /data: .+|ended/.exec(text)?.[0])).toEqual([
      undefined,
      "data: 1",
      "data: 2",
      "data: 3",
      "data: {}",
      "ended",
    ]);
    await streams.close();
  });
});

describe("silence", () => {
  test("is broken on connections over which nothing came, and on no others", async () => {
    const { tap, pipe, arrive } = await stage();
    const times = () => pipe.text.split(": keep-alive\n\n").length - 1;
    vi.advanceTimersByTime(15_000);
    await arrive();
    expect(times()).toBe(1);
    tap.give(1);
    await arrive();
    vi.advanceTimersByTime(15_000);
    await arrive();
    expect(times()).toBe(1);
    vi.advanceTimersByTime(15_000);
    await arrive();
    expect(times()).toBe(2);
  });

  test("is broken only once towards a client that does not read", async () => {
    const { pipe, arrive } = await stage({}, { capacity: 0 });
    vi.advanceTimersByTime(60_000);
    await arrive();
    expect(pipe.text.match(/keep-alive/g)).toHaveLength(1);
  });

  test("costs one timer for all, and none when there are no streams or it may last", async () => {
    const { streams } = await stage();
    streams.open(new ValueTap())(new EventPipe());
    expect(vi.getTimerCount()).toBe(1);
    await streams.close();
    expect(vi.getTimerCount()).toBe(0);
    await stage({ keepAliveMs: 0 });
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("close", () => {
  test("ends every stream, tells those who listen, and leaves nothing behind", async () => {
    const { streams, tap, pipe, arrive } = await stage();
    const held = new ValueTap();
    const lost = new EventPipe();
    streams.open(held)(lost);
    lost.cut();
    await streams.close();
    await arrive();
    expect(pipe.dataOf("failure")).toEqual([{ category: "unavailable", code: "UNAVAILABLE" }]);
    expect(pipe.isEnded).toBe(true);
    for (const one of [tap, held]) {
      expect(one.stopped).toMatchObject([{ category: "aborted" }]);
      expect(one.isEnded).toBe(true);
    }
    expect(vi.getTimerCount()).toBe(0);
  });

  test("waits for a handler that is not busy, and for no other", async () => {
    const streams = new EventStreams(OPTIONS);
    const said: string[] = [];
    async function* tidy() {
      try {
        yield { data: 1, meta: { source: "local", operationId: "x", timestamp: 0 } } as const;
      } finally {
        await settle();
        said.push("tidied");
      }
    }
    async function* deaf() {
      await new Promise(() => {});
      yield { data: 1, meta: { source: "local", operationId: "x", timestamp: 0 } } as const;
    }
    const quiet = { stop: () => {} };
    const full = new EventPipe(0);
    streams.open(Object.assign(new ValueTap(), quiet, { begin: () => ({ values: tidy() }) }))(full);
    streams.open(Object.assign(new ValueTap(), quiet, { begin: () => ({ values: deaf() }) }))(new EventPipe());
    full.deliver();
    await settle();
    await streams.close();
    expect(said).toEqual(["tidied"]);
  });

  test("survives a handler that fails while it ends", async () => {
    async function* broken() {
      try {
        yield { data: 1, meta: { source: "local", operationId: "x", timestamp: 0 } } as const;
      } finally {
        // biome-ignore lint/correctness/noUnsafeFinally: that is what is tried
        throw new Error("broken");
      }
    }
    const stop = () => {
      throw new Error("broken too");
    };
    const streams = new EventStreams(OPTIONS);
    const full = new EventPipe(0);
    streams.open(Object.assign(new ValueTap(), { begin: () => ({ values: broken() }), stop }))(full);
    full.deliver();
    await settle();
    await streams.close();
  });

  test("refuses who comes later", async () => {
    const { streams, tap, streamId, arrive } = await stage();
    const start = streams.resume(`${streamId}:0`, undefined, tap.operationId);
    await streams.close();
    await streams.close();
    const [opened, resumed] = [new EventPipe(), new EventPipe()];
    const late = new ValueTap();
    streams.open(late)(opened);
    if (typeof start === "function") start(resumed);
    expect((await arrive(opened)).dataOf("failure")).toMatchObject([{ category: "unavailable" }]);
    expect((await arrive(resumed)).dataOf("failure")).toMatchObject([GONE]);
    expect(streams.resume(`${streamId}:0`, undefined, tap.operationId)).toMatchObject(GONE);
    expect(late.asked).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
  });
});

test("a subscription of a registry ends when its client does not come back", async () => {
  const said: string[] = [];
  const handler: AnyHandler = async function* (_, { signal }) {
    signal.addEventListener("abort", () => said.push("aborted"));
    try {
      yield "first";
      await new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    } finally {
      said.push("ended");
    }
  };
  const registry = registryOf(handler, { type: "subscription" });
  const controller = new AbortController();
  const tap = Object.assign(new ValueTap(), {
    begin: () => ({ values: registry.subscribe("test.run", {}, { signal: controller.signal }) }),
    stop: (why: CallError) => controller.abort(why),
  });
  const { pipe, arrive } = await stage({}, { tap });
  expect((await arrive()).dataOf("value")).toEqual(["first"]);
  pipe.cut();
  vi.advanceTimersByTime(10_000);
  await settle();
  expect(said).toEqual(["aborted", "ended"]);
});
