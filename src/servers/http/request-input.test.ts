import { describe, expect, test } from "vitest";
import { z } from "zod";
import { computedWithin } from "../../../test/own-time.js";
import { isCallError } from "../../envelope/call-error.js";
import { specOf, thrownBy } from "../../registry/fixtures/operations.js";
import type { AnySchema } from "../../schema/standard-schema.js";
import { inputFromRequest } from "./request-input.js";

function inputOf(
  inputSchema: AnySchema,
  query: string,
  places: Readonly<Record<string, string>> = {},
  body?: unknown,
): unknown {
  return inputFromRequest(specOf({ inputSchema }), places, query, body);
}

/** What one field becomes. */
function fieldFrom(schema: object | boolean, query: string): unknown {
  return (inputOf({ properties: { f: schema } }, query) as { f?: unknown }).f;
}

const TEXTS = { type: "array", items: { type: "string" } };
const NUMBERS = { type: "array", items: { type: "number" } };

describe("a text in the query", () => {
  test.each<[string, object | boolean, string, unknown]>([
    ["a number", { type: "number" }, "f=1.5", 1.5],
    ["a negative number", { type: "number" }, "f=-1e3", -1000],
    ["zero", { type: "integer" }, "f=0", 0],
    ["true", { type: "boolean" }, "f=true", true],
    ["false", { type: "boolean" }, "f=false", false],
    ["null", { type: ["number", "null"] }, "f=null", null],
    ["a text of digits", { type: "string" }, "f=007", "007"],
    ["a text that says true", { type: "string" }, "f=true", "true"],
    ["a text that says null", { type: ["string", "null"] }, "f=null", "null"],
    ["an empty text", { type: "string" }, "f=", ""],
    ["an empty text without a sign", { type: "string" }, "f", ""],
    ["a text where both are right", { type: ["number", "string"] }, "f=5", "5"],
    ["a number where the text is not right", { anyOf: [{ type: "integer" }, { enum: ["all"] }] }, "f=5", 5],
    ["the other where it is", { anyOf: [{ type: "integer" }, { enum: ["all"] }] }, "f=all", "all"],
    ["a number of a list of values", { enum: [1, 2] }, "f=2", 2],
    ["a constant", { const: false }, "f=false", false],
    ["an object", { type: "object" }, "f=%7B%22a%22%3A1%7D", { a: 1 }],
    ["an object of its own prototype", { type: "object" }, 'f={"__proto__":1}', JSON.parse('{"__proto__":1}')],
    ["a list with one item", TEXTS, "f=a", ["a"]],
    ["a list with many", TEXTS, "f=a&f=b&f=a", ["a", "b", "a"]],
    ["a list of digits as text", TEXTS, "f=1&f=2", ["1", "2"]],
    ["a list whose item looks like a list", TEXTS, 'f=["a"]', ['["a"]']],
    ["a list whose item is empty", TEXTS, "f=", [""]],
    ["a list of numbers", NUMBERS, "f=1&f=2.5", [1, 2.5]],
    ["a list with one number", NUMBERS, "f=1", [1]],
    ["a list in JSON", NUMBERS, "f=[1,2]", [1, 2]],
    ["a list of lists in JSON", { type: "array", items: NUMBERS }, "f=[[1],[2]]", [[1], [2]]],
    ["a list of objects in JSON", { type: "array", items: { type: "object" } }, "f=[{}]", [{}]],
    ["a list of objects, one by one", { type: "array", items: { type: "object" } }, "f={}&f={}", [{}, {}]],
    ["a list of anything in JSON", { type: "array" }, "f=[1]", [1]],
    ["unicode", { type: "string" }, "f=%E6%9D%B1+%F0%9F%8E%89", "東 🎉"],
    ["what cannot be decoded", { type: "string" }, "f=%zz%ff", "%zz\ufffd"],
    ["a text that matches a pattern", { type: "string", pattern: "^\\d+$" }, "f=12", "12"],
    ["whatever it is where anything is right", true, "f=5", "5"],
    ["itself where nothing is right", { type: "number" }, "f=five", "five"],
    ["itself where nothing can be", false, "f=5", "5"],
    ["all of itself where nothing is right", { type: "number" }, "f=1&f=2", ["1", "2"]],
    ["no number where it says none", { type: "number" }, "f=", ""],
    ["no number in other words", { type: "number" }, "f=0x10", "0x10"],
    ["no number with a zero before it", { type: "number" }, "f=007", "007"],
  ])("is %s", (_, schema, query, value) => {
    expect(fieldFrom(schema, query)).toEqual(value);
  });

  test("stays text where the schema does not know it", () => {
    expect(inputOf({ properties: {} }, "a=1&b=2&b=3")).toEqual({ a: "1", b: ["2", "3"] });
    expect(inputOf(true, "a=1")).toEqual({ a: "1" });
  });

  test("may have any name", () => {
    const input = inputOf({}, "__proto__=1&constructor=2&a%5Bb%5D=3") as object;
    expect(Object.entries(input)).toEqual([
      ["__proto__", "1"],
      ["constructor", "2"],
      ["a[b]", "3"],
    ]);
    expect(Object.getPrototypeOf(input)).toBe(Object.prototype);
  });
});

describe("the schema of a field is found", () => {
  const count = { type: "integer" };
  test.each<[string, object]>([
    ["by a reference", { $defs: { count }, properties: { n: { $ref: "#/$defs/count" } } }],
    ["by a reference to the whole", { $defs: { all: { properties: { n: count } } }, $ref: "#/$defs/all" }],
    ["in a part of the whole", { allOf: [{ properties: { m: {} } }, { properties: { n: count } }] }],
    ["in an alternative", { oneOf: [{ properties: { m: {} } }, { properties: { n: count } }] }],
    ["in one of several that differ", { anyOf: [{ properties: { n: { const: "x" } } }, { properties: { n: count } }] }],
    ["beside what contains itself", { properties: { n: count, child: { $ref: "#" } } }],
    ["with an anchor", { $defs: { c: { $anchor: "count", ...count } }, properties: { n: { $ref: "#count" } } }],
    ["in the words of an older draft", { definitions: { c: count }, properties: { n: { $ref: "#/definitions/c" } } }],
  ])("%s", (_, schema) => {
    expect(inputOf(schema, "n=5")).toEqual({ n: 5 });
  });

  test("in a schema of another library", () => {
    const schema = z.object({ n: z.number(), list: z.array(z.boolean()), word: z.string() });
    expect(inputOf(schema, "n=5&list=true&word=1")).toEqual({ n: 5, list: [true], word: "1" });
  });

  test("with a name that needs escaping", () => {
    const schema = { $defs: { c: count }, properties: { "a/b~c %": { $ref: "#/$defs/c" } } };
    expect(inputOf(schema, "a%2Fb~c%20%25=5")).toEqual({ "a/b~c %": 5 });
  });
});

describe("path, query and body", () => {
  const schema = { properties: { id: { type: "integer" }, name: { type: "string" }, tags: TEXTS } };

  test("make one input, and say the same where they say it twice", () => {
    const body = { id: 1, more: true };
    expect(inputOf(schema, "id=1&name=query", { id: "1" }, body)).toEqual({ id: 1, name: "query", more: true });
    for (const other of [{ id: 3 }, { name: "body" }])
      expect(() => inputOf(schema, "name=query", { id: "1" }, other)).toThrow("in two places");
  });

  test("leave the body as it is where there is nothing else", () => {
    const body = [1];
    expect(inputOf(schema, "", {}, body)).toBe(body);
    expect(inputOf(true, "", {}, undefined)).toBeUndefined();
    expect(inputOf(schema, "", {}, null)).toBeNull();
  });

  test("are an input without fields where there is nothing at all", () => {
    expect(inputOf(schema, "", {}, undefined)).toEqual({});
  });

  test.each([[[1]], ["text"], [null], [0]])("cannot be put together with the body %j", (body) => {
    const thrown = thrownBy(() => inputOf(schema, "id=1", {}, body));
    expect(isCallError(thrown) && thrown.category).toBe("validation");
  });

  test("do not change the body that came", () => {
    const body = { name: "a" };
    inputOf(schema, "id=1", {}, body);
    expect(body).toEqual({ name: "a" });
  });

  test("have a list in a path as JSON, as the document says", () => {
    expect(inputOf(schema, "", { tags: '["a","b"]' })).toEqual({ tags: ["a", "b"] });
    expect(inputOf(schema, "", { tags: "a" })).toEqual({ tags: ["a"] });
  });
});

test("a query of many parts takes no long time", () => {
  expect(computedWithin(5_000, () => fieldFrom(TEXTS, "f&".repeat(50_000)))).toHaveLength(50_000);
});
