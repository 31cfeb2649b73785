import { describe, expect, test } from "vitest";
import type { CallRespondedEvent } from "./events.js";
import { envelope } from "./fixtures/peer.js";
import { ServedValues } from "./served-values.js";

function value(sequence: number): CallRespondedEvent {
  return { type: "call.responded", requestId: "1", output: envelope(sequence), sequence };
}

function sent(count: number, credit: number): ServedValues {
  const values = new ServedValues(credit, true);
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

  test("knows nothing of values that were not sent, and keeps none where nobody resumes", () => {
    expect(sent(2, 4).from(3)).toBeUndefined();
    const values = new ServedValues(4, false);
    values.add(value(0));
    expect([values.sent, values.from(0)]).toEqual([1, undefined]);
  });
});
