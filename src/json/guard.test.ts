import { describe, expect, test } from "vitest";
import {
  anything,
  boolean,
  count,
  faultsOf,
  fields,
  listOf,
  mapOf,
  nullable,
  number,
  oneOf,
  recordOf,
  string,
} from "./guard.js";

const VALUES = [undefined, null, false, true, 0, -0, 1, -1, 1.5, 1e300, Number.NaN, "", "1", [], {}, 10n];

function accepted(guard: (value: unknown) => boolean): unknown[] {
  return VALUES.filter(guard);
}

describe("the guards of single values", () => {
  test("take their own type, falsy values included, and nothing else", () => {
    expect(accepted(boolean)).toEqual([false, true]);
    expect(accepted(number)).toEqual([0, -0, 1, -1, 1.5, 1e300, Number.NaN]);
    expect(accepted(string)).toEqual(["", "1"]);
    expect(accepted(anything)).toEqual(VALUES);
  });

  test("count takes whole numbers from zero up", () => {
    expect(accepted(count)).toEqual([0, -0, 1, 1e300]);
    expect([Number.POSITIVE_INFINITY, "0", [0]].some(count)).toBe(false);
  });

  test("nullable adds null, and not undefined", () => {
    expect(accepted(nullable(string))).toEqual([null, "", "1"]);
  });

  test("oneOf takes the listed values and no lookalikes", () => {
    expect(accepted(oneOf("1", 0, null))).toEqual([null, 0, -0, "1"]);
    expect(accepted(oneOf())).toEqual([]);
  });
});

describe("the guards of lists and maps", () => {
  test("listOf takes lists whose every item fits", () => {
    expect([[], ["a"], ["a", ""]].every(listOf(string))).toBe(true);
    expect([["a", 1], [undefined], "a", { 0: "a", length: 1 }, null, undefined].some(listOf(string))).toBe(false);
  });

  test("mapOf takes records whose every value fits", () => {
    expect([{}, { a: "" }, JSON.parse('{"__proto__":"a"}')].every(mapOf(string))).toBe(true);
    expect([{ a: 1 }, JSON.parse('{"__proto__":1}'), ["a"], null, "a"].some(mapOf(string))).toBe(false);
  });
});

describe("recordOf", () => {
  const person = recordOf({ name: string }, { age: number });

  test("wants the required fields and lets the others be absent", () => {
    expect([{ name: "" }, { name: "Ada", age: 0 }, { name: "Ada", age: undefined }].every(person)).toBe(true);
    expect([{}, { age: 1 }, { name: undefined }, { name: null }].some(person)).toBe(false);
  });

  test("refuses an optional field of the wrong type, null included", () => {
    expect(
      [
        { name: "Ada", age: "1" },
        { name: "Ada", age: null },
      ].some(person),
    ).toBe(false);
  });

  test("does not mind fields that it does not know", () => {
    expect(person({ name: "Ada", email: 5 })).toBe(true);
  });

  test("refuses what is no record", () => {
    expect([null, undefined, "name", ["name"], () => ({ name: "Ada" })].some(person)).toBe(false);
  });

  test("takes any record where nothing is required", () => {
    expect(recordOf({})({})).toBe(true);
    expect(recordOf({})([])).toBe(false);
  });
});

describe("faultsOf", () => {
  test("names what is missing or of the wrong type, the required first", () => {
    const shape = fields({ name: string, id: count }, { age: number });
    expect(faultsOf(shape, { age: "old", id: -1 })).toEqual(["name", "id", "age"]);
    expect(faultsOf(shape, { name: "Ada", id: 0 })).toEqual([]);
  });
});
