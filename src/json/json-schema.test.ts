import { Compile } from "typebox/schema";
import { describe, expect, test } from "vitest";
import { arraySchema, objectSchema } from "./json-schema.js";

const string = { type: "string" };

describe("objectSchema", () => {
  test("requires every property that is not named as optional", () => {
    expect(objectSchema({ a: string, b: string, c: true }, ["b"])).toEqual({
      type: "object",
      properties: { a: string, b: string, c: true },
      required: ["a", "c"],
    });
  });

  test("has no empty list of required properties, which older drafts forbid", () => {
    expect(objectSchema({ a: string }, "all")).not.toHaveProperty("required");
    expect(objectSchema({ a: string }, ["a"])).not.toHaveProperty("required");
    expect(objectSchema({})).not.toHaveProperty("required");
  });

  test("lets other keys through and refuses what is no object", () => {
    const { Check } = checker(objectSchema({ a: string, b: string }, ["b"]));
    expect([{ a: "" }, { a: "", b: "" }, { a: "", other: 1 }].every(Check)).toBe(true);
    expect([{}, { b: "" }, { a: 1 }, { a: "", b: null }, [], null, "a"].some(Check)).toBe(false);
  });
});

describe("arraySchema", () => {
  test("takes lists whose every item fits", () => {
    const { Check } = checker(arraySchema(string));
    expect([[], [""], ["a", "b"]].every(Check)).toBe(true);
    expect([[1], ["a", null], {}, "a", null].some(Check)).toBe(false);
  });
});

function checker(schema: ReturnType<typeof objectSchema>): { Check: (value: unknown) => boolean } {
  const validator = Compile(schema);
  return { Check: (value) => validator.Check(value) };
}
