import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { EventLog } from "./event-log.js";

function logOf(texts: readonly string[], limits: { bufferEvents?: number; bufferBytes?: number } = {}): EventLog {
  const log = new EventLog({ bufferEvents: 1000, bufferBytes: 1000, ...limits });
  for (const text of texts) log.add(text);
  return log;
}

function takeAll(log: EventLog): string[] {
  const texts: string[] = [];
  for (let text = log.take(); text !== undefined; text = log.take()) texts.push(text);
  return texts;
}

describe("an event log", () => {
  test("gives its events in order, also an empty one", () => {
    const log = logOf(["a", "", "c"]);
    expect(log.isRead).toBe(false);
    expect(takeAll(log)).toEqual(["a", "", "c"]);
    expect([log.isRead, log.last]).toEqual([true, 3]);
  });

  test("has room for so many that nobody has read, or so much", () => {
    const byNumber = logOf(["a"], { bufferEvents: 2 });
    expect(byNumber.hasRoom).toBe(true);
    byNumber.add("b");
    expect(byNumber.hasRoom).toBe(false);
    byNumber.take();
    expect(byNumber.hasRoom).toBe(true);
    expect(logOf(["ab"], { bufferBytes: 2 }).hasRoom).toBe(false);
  });

  test("keeps what nobody has read, whatever the limits", () => {
    expect(takeAll(logOf(["abc", "def"], { bufferEvents: 0, bufferBytes: 0 }))).toEqual(["abc", "def"]);
  });

  test("can go back as far as it keeps, and not beyond what was read", () => {
    const log = logOf(["a", "b", "c", "d"], { bufferEvents: 2 });
    for (let at = 0; at < 3; at++) log.take();
    expect([0, 1, 2, 3, 4].map((read) => log.judge(read))).toEqual(["gap", "whole", "whole", "whole", "unknown"]);
    log.rewind(1);
    expect(takeAll(log)).toEqual(["b", "c", "d"]);
  });

  test("can go back and forward again, and forgets what falls behind", () => {
    const log = logOf(["a", "b", "c", "d"], { bufferEvents: 3 });
    takeAll(log);
    log.rewind(1);
    log.take();
    log.rewind(4);
    expect(takeAll(log)).toEqual([]);
    expect([0, 1].map((read) => log.judge(read))).toEqual(["gap", "whole"]);
  });

  test("keeps no more than its limits of what was read and what was not, the last one aside", () => {
    const move = fc.oneof(
      fc.record({ does: fc.constant("add" as const), length: fc.nat(40) }),
      fc.record({ does: fc.constant("rewind" as const), back: fc.nat(10) }),
      fc.constant({ does: "take" as const }),
    );
    fc.assert(
      fc.property(fc.array(move, { maxLength: 80 }), fc.nat(5), fc.nat(100), (moves, bufferEvents, bufferBytes) => {
        const log = logOf([], { bufferEvents, bufferBytes });
        const texts: string[] = [];
        let read = 0;
        for (const one of moves) {
          if (one.does === "add" && log.hasRoom) {
            texts.push(`${texts.length}`.padEnd(one.length));
            log.add(texts.at(-1) as string);
          } else if (one.does === "take") {
            expect(log.take()).toBe(texts[read]);
            read = Math.min(read + 1, texts.length);
          } else if (one.does === "rewind" && log.judge(read - one.back) === "whole") {
            read -= one.back;
            log.rewind(read);
          }
          const back = Array.from({ length: read }, (_, at) => at).filter((at) => log.judge(at) === "whole");
          const bytes = texts.slice(read - back.length, read).join("").length;
          expect(back.length).toBeLessThanOrEqual(bufferEvents);
          if (back.length > 1) expect(bytes).toBeLessThanOrEqual(bufferBytes);
          const unread = texts.slice(read);
          expect(log.hasRoom).toBe(unread.length < bufferEvents && unread.join("").length < bufferBytes);
        }
      }),
    );
  });
});
