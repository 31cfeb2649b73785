import fc from "fast-check";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { schemasWithValues } from "../../test/schema-arbitrary.js";
import type { JsonSchema } from "../json/json-schema.js";
import { compile } from "./compile.js";
import { exampleOf } from "./example.js";

const object = (properties: object, required: string[] = Object.keys(properties)) => ({
  type: "object",
  properties,
  required,
});

describe("an example", () => {
  test.each<[what: string, schema: JsonSchema, value: unknown]>([
    ["the first of its examples", { type: "string", examples: ["Ada", "Bob"], default: "x" }, "Ada"],
    ["its example in the words of OpenAPI", { type: "string", example: "Ada", default: "x" }, "Ada"],
    ["its default", { type: "integer", default: 0 }, 0],
    ["its constant", { const: null }, null],
    ["the first of its values", { enum: [false, true] }, false],
    ["a number within its bounds", { type: "integer", exclusiveMinimum: 4, maximum: 9 }, 5],
    ["a number below its maximum", { type: "number", maximum: -3 }, -3],
    ["a multiple", { type: "integer", minimum: 7, multipleOf: 5 }, 10],
    ["a text of its length", { type: "string", minLength: 6, maxLength: 7 }, "textte"],
    ["a text that is short enough", { type: "string", maxLength: 2 }, "te"],
    ["a text of its format", { type: "string", format: "email" }, "someone@example.com"],
    ["a text of its pattern", { type: "string", pattern: "^[A-Z]{2}-\\d+$" }, "AA-1"],
    ["a text of its pattern and length", { type: "string", pattern: "^[a-z]+$", minLength: 8 }, "texttext"],
    ["a text of its pattern, repeated", { type: "string", pattern: "^\\d+$", minLength: 3 }, "111"],
    ["what is no nothing", { type: ["null", "boolean"] }, true],
    ["the alternative that is no nothing", { anyOf: [{ type: "null" }, { type: "boolean" }] }, true],
    ["a list of one", { type: "array", items: { type: "boolean" } }, [true]],
    ["a list of as many as it must have", { type: "array", items: { enum: ["a"] }, minItems: 2 }, ["a", "a"]],
    [
      "a list of different items",
      { type: "array", items: { type: "integer" }, minItems: 2, uniqueItems: true },
      [1, 2],
    ],
    ["a tuple", { prefixItems: [{ type: "integer" }, { type: "null" }], items: false }, [1, null]],
    ["a list with what it must contain", { type: "array", contains: { const: 7 } }, [7]],
    ["a list without items", { type: "array", maxItems: 0 }, []],
    ["what is required, whatever it is", object({ a: { type: "integer" }, b: true }), { a: 1, b: "anything" }],
    ["nothing more than that", object({ a: { type: "integer" } }, []), {}],
    ["and what has an example of its own", object({ a: { examples: [3] }, b: { default: 4 } }, []), { a: 3, b: 4 }],
    [
      "as many fields as there must be",
      { ...object({ a: { const: 1 }, b: true }, []), minProperties: 2 },
      { a: 1, b: "anything" },
    ],
    ["a field that only the others describe", { required: ["x"], additionalProperties: { type: "null" } }, { x: null }],
  ])("is %s", (_, schema, value) => {
    expect(exampleOf(schema)).toEqual({ value });
  });

  test("is found through references and compositions", () => {
    const schema = {
      allOf: [{ $ref: "#/$defs/named" }, object({ name: { minLength: 5 }, size: { type: "integer", minimum: 2 } })],
      $defs: { named: object({ name: { type: "string" } }) },
    };
    expect(exampleOf(schema)?.value).toEqual({ name: "textt", size: 2 });
  });

  test("is finite where the schema is not", () => {
    const node = object({ name: { type: "string" }, next: { anyOf: [{ $ref: "#" }, { type: "null" }] } }, ["name"]);
    expect(exampleOf(node)?.value).toEqual({ name: "text" });
    const list = object({ next: { anyOf: [{ $ref: "#" }, { type: "null" }] } });
    expect(exampleOf(list)?.value).toEqual({ next: null });
    expect(exampleOf(object({ next: { $ref: "#" } }))).toBeUndefined();
    const tree = object({ children: { type: "array", items: { $ref: "#" } } });
    expect(exampleOf(tree)?.value).toEqual({ children: [{ children: [] }] });
    expect(exampleOf({ allOf: [{ $ref: "#/$defs/a" }], $defs: { a: { $ref: "#" } }, type: "string" })?.value).toBe(
      "text",
    );
  });

  test("is another alternative where the first does not match", () => {
    expect(exampleOf({ oneOf: [{ type: "number" }, { type: "string" }], not: { type: "number" } })?.value).toBe("text");
  });

  test("does not believe examples that are wrong", () => {
    expect(exampleOf({ type: "integer", examples: ["one"] })?.value).toBe(1);
    expect(exampleOf(object({ a: { type: "integer", default: null } }))?.value).toEqual({ a: 1 });
  });

  test.each<[what: string, schema: JsonSchema]>([
    ["accepts anything", true],
    ["says nothing", { description: "anything" }],
    ["accepts nothing", false],
    ["is too hard", { type: "string", pattern: "^(?=.*\\d)(?!.*a)[a-z\\d]{9}$" }],
    ["wants too much", { type: "array", minItems: 1e6 }],
    ["has an example that is too large", { type: "string", examples: ["x".repeat(1e5)], minLength: 9e4 }],
  ])("is not given where the schema %s", (_, schema) => {
    expect(exampleOf(schema)).toBeUndefined();
  });

  test("is that of the side that is asked for", () => {
    const schema = z.object({ at: z.iso.datetime(), id: z.uuid(), mail: z.email(), count: z.number().default(3) });
    expect(schema.safeParse(exampleOf(schema, "input")?.value).success).toBe(true);
    expect(exampleOf(schema, "output")?.value).toMatchObject({ count: 3 });
  });

  test("is a value of JSON", () => {
    expect(exampleOf({ default: new Date(0) })?.value).toBe("1970-01-01T00:00:00.000Z");
    expect(exampleOf({ type: "integer", default: 1n })?.value).toBe(1);
  });

  test("matches its schema, whatever that is", () => {
    fc.assert(
      fc.property(schemasWithValues(), ({ schema }) => {
        const example = exampleOf(schema);
        expect(example === undefined || compile(schema).accepts(example.value)).toBe(true);
      }),
    );
  });
});
