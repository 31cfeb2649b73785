import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
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

describe("a client that comes back", () => {
  test("gets what came meanwhile, and then what comes", async () => {
    const { tap, pipe, arrive, resume } = await stage();
    tap.give("a");
    await arrive();
    pipe.cut();
    tap.give("b", "c");
    await settle();
    const next = await arrive(resume(1));
    expect(next.dataOf("value")).toEqual(["b", "c"]);
    tap.give("d");
    tap.finish();
    await arrive(next);
    expect(next.events.map(({ event, id }) => `${event} ${id?.split(":")[1]}`)).toEqual([
      "value 2",
      "value 3",
      "value 4",
      "end 4",
    ]);
  });

  test("gets again what was sent but did not arrive", async () => {
    const { tap, pipe, resume, arrive } = await stage();
    tap.give("a", "b", "c");
    await settle();
    pipe.deliver(60);
    expect(pipe.dataOf("value")).toEqual(["a"]);
    pipe.cut();
    expect((await arrive(resume(1))).dataOf("value")).toEqual(["b", "c"]);
  });

  test("may come back before it got any value", async () => {
    const { tap, pipe, resume, arrive } = await stage();
    pipe.cut();
    tap.give("a");
    expect((await arrive(resume(0))).dataOf("value")).toEqual(["a"]);
  });

  test("may come back more than once to the same place", async () => {
    const { tap, pipe, resume, arrive } = await stage();
    tap.give("a", "b", "c");
    await arrive();
    pipe.cut();
    for (const received of [0, 2, 0]) {
      const next = await arrive(resume(received));
      expect(next.dataOf("value")).toEqual(["a", "b", "c"].slice(received));
      next.cut();
    }
  });

  test("takes over from a connection that is not known to be lost", async () => {
    const { tap, pipe, resume, arrive } = await stage();
    tap.give("a");
    await arrive();
    const next = resume(1);
    expect(pipe.isEnded).toBe(true);
    tap.give("b");
    await arrive(next);
    pipe.cut();
    tap.give("c");
    await arrive(next);
    expect(pipe.dataOf("value")).toEqual(["a"]);
    expect(next.dataOf("value")).toEqual(["b", "c"]);
  });

  test("is not hurried by the connection from which it took over", async () => {
    const { tap, pipe, resume } = await stage({}, { capacity: 10 });
    tap.give("a", "b");
    await settle();
    const next = resume(0, { capacity: 0 });
    pipe.deliver();
    await settle();
    expect(tap.asked).toBe(1);
    next.deliver();
    next.deliver();
    await settle();
    expect(tap.asked).toBe(2);
  });

  test("finds the end of a stream that ended meanwhile, or whose end did not arrive", async () => {
    const { tap, pipe, resume, arrive } = await stage();
    tap.give("a");
    await arrive();
    pipe.cut();
    tap.give("b");
    tap.finish();
    await settle();
    const next = resume(1);
    await settle();
    next.cut();
    const last = await arrive(resume(1));
    expect(last.events.map(({ event }) => event)).toEqual(["value", "end"]);
    expect(last.isEnded).toBe(true);
    expect(tap.stopped).toEqual([]);
  });

  test("is told when something between is no longer kept", async () => {
    const { tap, pipe, resume, arrive } = await stage({ bufferEvents: 2 });
    tap.give("a", "b", "c", "d");
    await arrive();
    pipe.cut();
    expect(() => resume(1)).toThrow(expect.objectContaining({ category: "conflict", code: "STREAM_GAP" }));
    expect((await arrive(resume(2))).dataOf("value")).toEqual(["c", "d"]);
  });

  test("gets the last value again although it is larger than all that may be kept", async () => {
    const { tap, pipe, resume, arrive } = await stage({ bufferBytes: 100 });
    tap.give("a", "b".repeat(200));
    await arrive();
    pipe.cut();
    expect(() => resume(0)).toThrow(expect.objectContaining({ code: "STREAM_GAP" }));
    expect((await arrive(resume(1))).dataOf("value")).toEqual(["b".repeat(200)]);
  });

  test("goes on where it was when its answer begins late", async () => {
    const { streams, tap, streamId, arrive } = await stage({ bufferEvents: 1 });
    tap.give("a");
    await arrive();
    const start = streams.resume(`${streamId}:0`, undefined, tap.operationId);
    tap.give("b");
    await arrive();
    const late = new EventPipe();
    if (typeof start === "function") start(late);
    expect((await arrive(late)).dataOf("failure")).toEqual([{ category: "conflict", code: "STREAM_GAP" }]);
    tap.give("c");
    expect((await arrive()).dataOf("value")).toEqual(["a", "b", "c"]);
  });

  test.each([
    ["another caller", { owner: "bob" }],
    ["nobody", {}],
    ["another operation", { owner: "ann", operationId: "news.other" }],
  ])("finds nothing when it is %s", async (_, at) => {
    const { pipe, resume } = await stage({}, { tap: new ValueTap({ owner: "ann" }) });
    pipe.cut();
    expect(() => resume(0, at)).toThrow(expect.objectContaining(GONE));
    expect(resume(0, { owner: "ann" }).isEnded).toBe(false);
  });

  test.each(["", "7", ":", "0123456789abcdef:0", "ID:", "ID:-1", "ID:1e1", "ID:1", " ID:0", "ID:99999999999999999999"])(
    "finds nothing by the id %j",
    async (form) => {
      const { streams, tap, streamId } = await stage();
      expect(streams.resume(form.replace("ID", streamId), undefined, tap.operationId)).toMatchObject(GONE);
    },
  );
});

describe("without its client", () => {
  test.each([
    ["number", { bufferEvents: 3 }],
    ["size", { bufferBytes: 130 }],
  ])("a stream takes values up to a %s, then it waits", async (_, limits) => {
    const { tap, pipe, resume, arrive } = await stage(limits);
    pipe.cut();
    tap.give(1, 2, 3, 4, 5, 6);
    await settle();
    expect(tap.asked).toBe(3);
    const next = await arrive(resume(0));
    expect(next.dataOf("value")).toEqual([1, 2, 3, 4, 5, 6]);
  });

  test("a stream ends after its time, and its handler with it", async () => {
    const { tap, pipe, resume } = await stage();
    pipe.cut();
    vi.advanceTimersByTime(9_999);
    expect(tap.stopped).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(tap.stopped).toMatchObject([{ category: "aborted" }]);
    expect(() => resume(0)).toThrow(expect.objectContaining(GONE));
    await settle();
    expect(tap.isEnded).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("the time begins anew with each connection", async () => {
    const { tap, pipe, resume } = await stage();
    pipe.cut();
    vi.advanceTimersByTime(9_000);
    const next = resume(0);
    vi.advanceTimersByTime(60_000);
    next.cut();
    vi.advanceTimersByTime(9_000);
    expect(tap.stopped).toEqual([]);
    resume(0);
  });

  test("a stream that has ended is kept for as long", async () => {
    const { tap, resume, arrive } = await stage();
    tap.give("a");
    tap.finish();
    await arrive();
    vi.advanceTimersByTime(9_999);
    expect((await arrive(resume(0))).dataOf("value")).toEqual(["a"]);
    vi.advanceTimersByTime(10_000);
    expect(() => resume(0)).toThrow(expect.objectContaining(GONE));
    expect(tap.stopped).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("a stream ends at once where none may be resumed", async () => {
    const { tap, pipe, resume, arrive } = await stage({ resumeMs: 0 });
    tap.give("a");
    await arrive();
    pipe.cut();
    expect(tap.stopped).toMatchObject([{ category: "aborted" }]);
    expect(() => resume(1)).toThrow(expect.objectContaining(GONE));
    await settle();
    expect(tap.isEnded).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("of too many streams, the one ends that is alone for longest", async () => {
    const streams = new EventStreams({ ...OPTIONS, maxHeld: 2 });
    const taps = Array.from({ length: 4 }, () => new ValueTap());
    const pipes = taps.map((tap) => {
      const pipe = new EventPipe();
      streams.open(tap)(pipe);
      return pipe;
    });
    for (const at of [2, 0, 1]) pipes[at]?.cut();
    expect(taps.map(({ stopped }) => stopped.length)).toEqual([0, 0, 1, 0]);
    await streams.close();
  });

  test("of too many streams, one whose end was sent goes before one that goes on", async () => {
    const streams = new EventStreams({ ...OPTIONS, maxHeld: 2 });
    const waiting = new ValueTap();
    const lost = new EventPipe();
    streams.open(waiting)(lost);
    lost.cut();
    for (let at = 0; at < 5; at++) {
      const short = new ValueTap();
      streams.open(short)(new EventPipe());
      short.finish();
      await settle();
    }
    expect(waiting.stopped).toEqual([]);
    await streams.close();
  });

  test("a sink that throws has lost its client", async () => {
    const { tap, pipe, resume, arrive } = await stage();
    pipe.write = () => {
      throw new TypeError("The stream is closed.");
    };
    tap.give("a");
    await settle();
    expect((await arrive(resume(0))).dataOf("value")).toEqual(["a"]);
  });
});
