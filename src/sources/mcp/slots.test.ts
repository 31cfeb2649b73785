import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Slots } from "./slots.js";

describe("Slots", () => {
  test("behaves as a map does, and never gives a number twice", () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.constant("add" as const), fc.nat(20)), { maxLength: 200 }), (steps) => {
        const slots = new Slots<{ number: number }>(1_000_000);
        const known = new Map<number, { number: number }>();
        const given = new Set<number>();
        for (const step of steps) {
          if (step === "add") {
            const value = slots.add((number) => ({ number }));
            expect(given.has(value.number)).toBe(false);
            given.add(value.number);
            known.set(value.number, value);
          } else {
            const number = [...given][step] ?? step;
            expect(slots.delete(number)).toBe(known.get(number));
            known.delete(number);
          }
          for (const number of given) expect(slots.get(number)).toBe(known.get(number));
        }
        expect(slots.size).toBe(known.size);
        expect(new Set(slots.values())).toEqual(new Set(known.values()));
      }),
    );
  });

  test("numbers from the first on, in numbers that JSON keeps", () => {
    const slots = new Slots<number>(1_000_000);
    for (let count = 0; count < 1_000; count++) {
      const number = slots.add((own) => own);
      expect(number).toBeGreaterThanOrEqual(1_000_000);
      expect(Number.isSafeInteger(number)).toBe(true);
      if (count % 2 === 0) slots.delete(number);
    }
  });

  test.each([0, -1, 0.5, 1_048_576.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 60])("has nothing at %d", (number) => {
    const slots = new Slots<string>(1_000_000);
    slots.add(() => "one");
    expect(slots.get(number)).toBeUndefined();
    expect(slots.delete(number)).toBeUndefined();
    expect(slots.size).toBe(1);
  });
});
