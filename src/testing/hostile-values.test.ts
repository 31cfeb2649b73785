import { describe, expect, test } from "vitest";
import { DIALECTS } from "../dialects/all.js";
import { detect } from "../dialects/detect.js";
import { hostileValues } from "./hostile-values.js";

const VALUES = hostileValues().map((value, at) => [at, value] as const);

function throws(look: () => unknown): boolean {
  try {
    look();
    return false;
  } catch {
    return true;
  }
}

describe("the hostile values", () => {
  test.each(VALUES)(
    "number %i is a document that no dialect can read, and looking for one does not throw",
    (_, value) => {
      expect(DIALECTS.filter((dialect) => dialect.read(value).kind === "outcome")).toEqual([]);
      expect(() => detect(value, { deep: true })).not.toThrow();
    },
  );

  test("are new ones each time, so that no test spoils another", () => {
    const objects = new Set<unknown>(hostileValues().filter((value) => typeof value === "object" && value !== null));
    expect(hostileValues().filter((value) => objects.has(value))).toEqual([]);
  });

  test("have among them some that cannot be looked at, some that never end and some that are too deep", () => {
    const values = hostileValues();
    expect(values.filter((value) => throws(() => Array.isArray(value)))).toHaveLength(1);
    expect(values.filter((value) => throws(() => JSON.stringify(value))).length).toBeGreaterThanOrEqual(5);
  });

  test("pollute no prototype", () => {
    hostileValues();
    expect(Object.hasOwn(Object.prototype, "content")).toBe(false);
    expect(({} as Record<string, unknown>)["content"]).toBeUndefined();
  });
});
