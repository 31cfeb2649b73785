import { describe, expect, test } from "vitest";
import { defineOperation } from "../registry/operation.js";
import { inputTextsOf } from "./input-texts.js";

const { spec } = defineOperation({
  namespace: "test",
  name: "texts",
  version: "1.0.0",
  type: "query",
  description: "",
  inputSchema: {
    type: "object",
    properties: {
      count: { type: "integer", minimum: 1 },
      counts: { type: "array", items: { type: "integer", minimum: 1 } },
      names: { type: "array", items: { type: "string", pattern: "^a" } },
      place: { type: "object", properties: { x: { type: "number" } } },
    },
  },
  outputSchema: true,
  handler: () => null,
});

const meant = (name: string, ...texts: string[]): unknown => inputTextsOf(spec).valueOf(name, texts, true);

describe("texts of which none is right", () => {
  test("are what they say where that has the right type, so that the check tells what is really wrong", () => {
    expect(meant("count", "0")).toBe(0);
    expect(meant("place", '{"x":"y"}')).toEqual({ x: "y" });
  });

  test("are a list where there should be one", () => {
    expect(meant("counts", "0")).toEqual([0]);
    expect(meant("counts", "1", "x")).toEqual([1, "x"]);
    expect(meant("names", "b")).toEqual(["b"]);
    expect(meant("names", "5", "b")).toEqual(["5", "b"]);
  });

  test("stay texts where nothing has the right type", () => {
    expect(meant("count", "many")).toBe("many");
    expect(meant("count", "1", "2")).toEqual(["1", "2"]);
    expect(meant("place", "{")).toBe("{");
  });
});

test("texts of the fields of a field have their types too", () => {
  const texts = inputTextsOf(spec);
  expect(texts.inside("place").fields.map(({ name }) => name)).toEqual(["x"]);
  expect(texts.inside("place").valueOf("x", ["1"], true)).toBe(1);
});

test("other fields are taken where a schema says so, or names none", () => {
  const takesOthers = (inputSchema: object): boolean => inputTextsOf({ ...spec, inputSchema }).takesOthers;
  const properties = { a: { type: "string" } };
  expect(inputTextsOf(spec).takesOthers).toBe(false);
  expect(takesOthers({ properties, additionalProperties: false })).toBe(false);
  expect(takesOthers({ properties, additionalProperties: { type: "number" } })).toBe(true);
  expect(takesOthers({ properties, patternProperties: { "^x": {} } })).toBe(true);
  expect(takesOthers({ type: "object" })).toBe(true);
});
