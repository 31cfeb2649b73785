import { describe, expect, test } from "vitest";
import { computedWithin } from "../../../test/own-time.js";
import { schemaOutline } from "./schema-outline.js";

const TREE = {
  type: "object",
  properties: { name: { type: "string" }, children: { type: "array", items: { $ref: "#/$defs/a~1b" } } },
  $defs: { "a/b": { type: "object", properties: { up: { $ref: "#" }, deep: { enum: [1, 2] } } } },
};

describe("the outline of a schema", () => {
  test.each([true, false, {}, TREE])("is the schema itself where it is small: %j", (schema) => {
    expect(schemaOutline(schema, 1_000)).toEqual({ schema, isShortened: false });
  });

  test("has the upper levels, with what references stand for", () => {
    const { schema, isShortened } = schemaOutline(TREE, 200);
    expect(isShortened).toBe(true);
    expect(JSON.stringify(schema).length).toBeLessThanOrEqual(200);
    expect(schema).toEqual({
      type: "object",
      properties: {
        name: { type: "string" },
        children: {
          type: "array",
          items: { type: "object", properties: { up: { type: "object" }, deep: { enum: [1, 2] } } },
        },
      },
    });
  });

  test("follows a reference that leads to another one, and one that leads to itself not for ever", () => {
    const schema = {
      properties: { a: { $ref: "#/$defs/one" }, b: { $ref: "#/$defs/loop" } },
      $defs: { one: { $ref: "#/$defs/two" }, two: { type: "string" }, loop: { $ref: "#/$defs/loop" } },
      description: "x".repeat(50),
    };
    expect(schemaOutline(schema, 200).schema).toMatchObject({ properties: { a: { type: "string" } } });
  });

  test("is a type where even the first level is too much", () => {
    const properties = Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`p${at}`, { type: "string" }]));
    expect(schemaOutline({ type: "object", properties }, 500).schema).toEqual({ type: "object" });
  });

  test("leaves a reference alone that leads nowhere", () => {
    const schema = {
      $ref: "#/$defs/gone",
      description: "x".repeat(50),
      $defs: { other: { description: "y".repeat(500) } },
    };
    expect(schemaOutline(schema, 200).schema).toEqual({ $ref: "#/$defs/gone", description: "x".repeat(50) });
  });

  test("is made quickly, however often a schema refers to itself", () => {
    const properties = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`p${at}`, { $ref: "#" }]));
    const schema = { type: "object", properties, description: "z".repeat(5_000) };
    computedWithin(1_000, () => schemaOutline(schema, 4_000));
  });
});
