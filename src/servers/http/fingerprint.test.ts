import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isEqual } from "../../json/value.js";
import { fingerprintOf } from "./fingerprint.js";

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, member]) => [key, reversed(member)]),
  );
}

describe("fingerprintOf", () => {
  test("is the same whatever the order of the keys", async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), async (value) => {
        expect(await fingerprintOf(reversed(value))).toBe(await fingerprintOf(value));
      }),
    );
  });

  test("is the same for equal values only", async () => {
    const value = fc.letrec((tie) => ({
      any: fc.oneof(
        { maxDepth: 2 },
        fc.constantFrom<unknown[]>(0, 1, "0", "", null, false, "null", "{}", "[]"),
        fc.array(tie("any"), { maxLength: 2 }),
        fc.dictionary(fc.constantFrom("a", "b", "1", "__proto__"), tie("any"), { maxKeys: 2 }),
      ),
    })).any;
    await fc.assert(
      fc.asyncProperty(value, value, async (one, two) => {
        expect((await fingerprintOf(one)) === (await fingerprintOf(two))).toBe(isEqual(one, two));
      }),
      { numRuns: 500 },
    );
  });

  test("takes a key that holds undefined for absent, and absent for null", async () => {
    expect(await fingerprintOf({ a: undefined })).toBe(await fingerprintOf({}));
    expect(await fingerprintOf(undefined)).toBe(await fingerprintOf(null));
  });

  test("is short for what is large, and tells it apart all the same", async () => {
    const [one, two] = ["é".repeat(5000), `${"é".repeat(4999)}e`];
    expect(await fingerprintOf({ one })).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(await fingerprintOf({ one })).toBe(await fingerprintOf({ one }));
    expect(await fingerprintOf({ one })).not.toBe(await fingerprintOf({ one: two }));
    expect((await fingerprintOf("a".repeat(4094))).length).toBe(4096);
    expect((await fingerprintOf("a".repeat(4095))).length).toBe(71);
  });

  test("refuses what is nested without end", async () => {
    const deep = JSON.parse(`${"[".repeat(100_000)}${"]".repeat(100_000)}`);
    await expect(fingerprintOf(deep)).rejects.toMatchObject({ category: "validation" });
  });
});
