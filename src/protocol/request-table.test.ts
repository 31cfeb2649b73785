import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { RequestTable } from "./request-table.js";

describe("RequestTable", () => {
  test("holds what a Map would hold", () => {
    const id = fc.oneof(
      fc.string({ maxLength: 3 }),
      fc.nat(300).map((n) => `request-${n}`),
    );
    const step = fc.tuple(fc.constantFrom("add", "delete"), id);
    fc.assert(
      fc.property(fc.array(step, { maxLength: 400 }), (steps) => {
        const table = new RequestTable<number>();
        const model = new Map<string, number>();
        for (const [at, [kind, requestId]] of steps.entries()) {
          if (kind === "delete") {
            table.delete(requestId);
            model.delete(requestId);
          } else if (!model.has(requestId)) {
            table.add(requestId, at);
            model.set(requestId, at);
          }
        }
        expect(table.size).toBe(model.size);
        for (const [requestId, value] of model) expect(table.get(requestId)).toBe(value);
        expect(table.values().sort()).toEqual([...model.values()].sort());
      }),
    );
  });

  test("grows, and empties", () => {
    const table = new RequestTable<number>();
    for (let at = 0; at < 10_000; at += 1) table.add(`id-${at}`, at);
    expect([table.size, table.get("id-9999"), table.get("id-10000")]).toEqual([10_000, 9999, undefined]);
    for (let at = 0; at < 10_000; at += 1) table.delete(`id-${at}`);
    expect([table.size, table.values()]).toEqual([0, []]);
  });

  test("tells ids apart that end alike", () => {
    const table = new RequestTable<number>();
    table.add("a-the-same-long-end", 1);
    table.add("b-the-same-long-end", 2);
    expect([table.get("a-the-same-long-end"), table.get("b-the-same-long-end")]).toEqual([1, 2]);
    expect(table.get("c-the-same-long-end")).toBeUndefined();
  });
});

test("ids that begin or end alike do not meet", () => {
  const count = 20_000;
  for (const idOf of [
    (at: number) => `${at}:order-service-eu-central`,
    (at: number) => `order-service-eu-central:${at}`,
  ]) {
    const table = new RequestTable<number>();
    for (let at = 0; at < count; at += 1) table.add(idOf(at), at);
    // If they met, this would take minutes, and the test would not end in time.
    for (let at = 0; at < count; at += 1) expect(table.get(idOf(at)) === at || at).toBe(true);
  }
});
