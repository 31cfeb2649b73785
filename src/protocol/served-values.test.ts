import { describe, expect, test } from "vitest";
import type { CallRespondedEvent } from "./events.js";
import { envelope } from "./fixtures/peer.js";
import { KeptRoom } from "./kept-room.js";
import { ServedValues } from "./served-values.js";

function value(sequence: number): CallRespondedEvent {
  return { type: "call.responded", requestId: "1", output: envelope(sequence), sequence };
}

const MEBIBYTE = 1024 * 1024;

function large(sequence: number, mebibytes: number): CallRespondedEvent {
  return { ...value(sequence), output: envelope("*".repeat(mebibytes * MEBIBYTE)) };
}

function sent(count: number, credit: number): ServedValues {
  const values = new ServedValues(credit, new KeptRoom());
  for (let at = 0; at < count; at += 1) values.add(value(at));
  return values;
}

function numbers(events: readonly CallRespondedEvent[] | undefined): unknown {
  return events?.map(({ sequence }) => sequence);
}

describe("ServedValues", () => {
  test("gives again what was sent, from any number that the consumer may not have", () => {
    const values = sent(4, 4);
    expect(numbers(values.from(0))).toEqual([0, 1, 2, 3]);
    expect(numbers(values.from(3))).toEqual([3]);
    expect(values.from(4)).toEqual([]);
  });

  test("forgets what the consumer has given credit back for", () => {
    const values = sent(4, 4);
    values.grant(2);
    expect([values.from(1), numbers(values.from(2))]).toEqual([undefined, [2, 3]]);
  });

  test("forgets what a consumer says it has, and takes its whole credit", () => {
    const values = sent(4, 4);
    values.resume(3, 6);
    expect([values.from(2), numbers(values.from(3)), values.gate.granted]).toEqual([undefined, [3], 6]);
    values.resume(3, 5);
    expect(values.gate.granted).toBe(6);
  });

  test("keeps no more than the last 1,024, whatever the credit", () => {
    const values = sent(2000, 1_000_000);
    expect([values.from(975), values.from(976)?.length]).toEqual([undefined, 1024]);
  });

  test("keeps the last 16 MiB of large ones, and gives their room back when they are forgotten", () => {
    const room = new KeptRoom();
    const values = new ServedValues(100, room);
    for (let at = 0; at < 40; at += 1) values.add(large(at, 1));
    expect([values.from(24), numbers(values.from(25))]).toEqual([
      undefined,
      Array.from({ length: 15 }, (_, at) => 25 + at),
    ]);
    expect(room.take(63 * MEBIBYTE)).toBe(false);
    values.forget();
    expect([values.from(39), values.from(40), values.size, room.take(63 * MEBIBYTE)]).toEqual([undefined, [], 0, true]);
  });

  test("keeps nothing before one that is too large to be kept, and goes on after it", () => {
    const values = sent(2, 16);
    values.add(large(2, 17));
    expect([values.from(2), values.from(3)]).toEqual([undefined, []]);
    values.add(value(3));
    expect(numbers(values.from(3))).toEqual([3]);
  });

  test("keeps none where others have taken all the room, and does not take theirs", () => {
    const room = new KeptRoom();
    const others = Array.from({ length: 4 }, () => new ServedValues(16, room));
    for (const values of others) for (let at = 0; at < 20; at += 1) values.add(large(at, 1));
    const values = new ServedValues(16, room);
    values.add(large(0, 8));
    expect([values.from(0), others.every((other) => other.from(19)?.length === 1)]).toEqual([undefined, true]);
    others[0]?.forget();
    values.add(large(1, 8));
    expect(numbers(values.from(1))).toEqual([1]);
  });

  test("knows nothing of values that were not sent, and keeps none where nobody resumes", () => {
    expect(sent(2, 4).from(3)).toBeUndefined();
    const values = new ServedValues(4, undefined);
    values.add(value(0));
    expect([values.sent, values.from(0)]).toEqual([1, undefined]);
  });
});
