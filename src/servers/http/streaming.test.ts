import { describe, expect, test } from "vitest";
import { localEnvelope, type ResponseEnvelope } from "../../envelope/response-envelope.js";
import type { Progress } from "../../registry/call-options.js";
import { settled } from "../../registry/fixtures/operations.js";
import { SseReader } from "../../sources/sse-reader.js";
import { EventPipe } from "./fixtures/event-pipe.js";
import { failsAtOnce, goOn, type LastWord, printEvent, progressStream } from "./streaming.js";

describe("an event", () => {
  test.each(["", "{}", "a\nb", "a\r\nb", "a\rb\n", "data: x", ": x", " x", "\n\n", "東京 🎉\u2028"])(
    "with the data %j is read back",
    (data) => {
      const events: string[] = [];
      new SseReader({ onEvent: (event) => events.push(event.data) }).push(printEvent("value", data));
      expect(events).toEqual([data.replaceAll(/\r\n?/g, "\n")]);
    },
  );
});

interface Stage {
  readonly pipe: EventPipe;
  done(word: LastWord): void;
  progress(progress: Progress): void;
  readonly stops: readonly string[];
}

function stage(capacity?: number): Stage {
  const stops: string[] = [];
  const ways: { done?: (word: LastWord) => void; progress?: (progress: Progress) => void } = {};
  const pipe = new EventPipe(capacity);
  progressStream((done, progress) => {
    Object.assign(ways, { done, progress });
    return () => stops.push("stopped");
  })(pipe);
  return {
    pipe,
    stops,
    done: (word) => ways.done?.(word),
    progress: (progress) => ways.progress?.(progress),
  };
}

describe("a call as a stream", () => {
  test("tells of its progress, and then what came of it", () => {
    const { pipe, done, progress, stops } = stage();
    progress({ progress: 1, total: 2, message: "half" });
    done({ ok: true, json: '{"a":1}' });
    pipe.deliver();
    expect(pipe.text).toBe(
      'event: progress\ndata: {"progress":1,"total":2,"message":"half"}\n\nevent: value\ndata: {"a":1}\n\nevent: end\ndata: {}\n\n',
    );
    expect(pipe.isEnded).toBe(true);
    expect(stops).toEqual([]);
  });

  test("has an error as its last word", () => {
    const { pipe, done } = stage();
    done({ ok: false, json: "{}" });
    pipe.deliver();
    expect(pipe.events.map(({ event }) => event)).toEqual(["failure"]);
    expect(pipe.isEnded).toBe(true);
  });

  test("does not pile up progress for a client that does not read it", () => {
    const { pipe, done, progress } = stage(100);
    for (let step = 1; step <= 10_000; step++) progress({ progress: step });
    pipe.deliver();
    expect(pipe.events.length).toBeLessThan(10);
    progress({ progress: 10_001 });
    for (let step = 1; step <= 10_000; step++) progress({ progress: step });
    done({ ok: true, json: "{}" });
    pipe.deliver();
    expect(pipe.events.length).toBeLessThan(20);
    expect(pipe.dataOf("progress")).toContainEqual({ progress: 10_001 });
    expect(pipe.events.at(-1)?.event).toBe("end");
  });

  test("is stopped when its client goes, and not after its end", () => {
    const gone = stage();
    gone.pipe.cut();
    expect(gone.stops).toEqual(["stopped"]);
    const ended = stage();
    ended.done({ ok: true, json: "{}" });
    ended.pipe.cut();
    expect(ended.stops).toEqual([]);
  });
});

describe("the values of a subscription whose first was asked for", () => {
  async function* values(log: string[]): AsyncGenerator<ResponseEnvelope> {
    try {
      for (const value of [1, 2]) yield localEnvelope(value, "test.run");
    } finally {
      log.push("ended");
    }
  }

  test("are all of them, in order", async () => {
    const log: string[] = [];
    const source = values(log);
    const seen: unknown[] = [];
    for await (const { data } of goOn(source.next(), source)) seen.push(data);
    expect(seen).toEqual([1, 2]);
    expect(log).toEqual(["ended"]);
  });

  test("end where nobody wants more", async () => {
    const log: string[] = [];
    const source = values(log);
    for await (const _ of goOn(source.next(), source)) break;
    expect(log).toEqual(["ended"]);
  });

  test("end where nobody wanted any", async () => {
    const log: string[] = [];
    const source = values(log);
    const all = goOn(source.next(), source);
    await all.next();
    await all.return(undefined);
    expect(log).toEqual(["ended"]);
  });
});

describe("what fails at once", () => {
  test("is told", async () => {
    await expect(failsAtOnce(Promise.reject(new Error("no")))).rejects.toThrow("no");
    const soon = settled().then(() => Promise.resolve(1));
    await expect(failsAtOnce(soon)).resolves.toBeUndefined();
  });

  test("is not what fails later, which is nobody's failure either", async () => {
    let fail: (error: Error) => void = () => {};
    const later = new Promise((_, reject) => {
      fail = reject;
    });
    await failsAtOnce(later);
    fail(new Error("no"));
    await settled();
  });
});
