import { Ajv } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { publishedSchema } from "./published-schema.js";

const DRAFT = "http://json-schema.org/draft-0";

function shown(schema: object | boolean, side: "input" | "output" = "output"): unknown {
  return publishedSchema(schema, side).schema;
}

test("a property whose schema is true or false is shown as an object, which older clients want", () => {
  const properties = { any: true, none: false, deep: { properties: { x: true } } };
  const { schema } = publishedSchema({ type: "object", properties, additionalProperties: false }, "input");
  expect(schema).toEqual({
    type: "object",
    properties: { any: {}, none: { not: {} }, deep: { properties: { x: {} } } },
    additionalProperties: false,
  });
});

describe("a schema that clients are shown", () => {
  test("stays as it is where all of them can use it", () => {
    const schema = {
      type: "object",
      properties: { a: { $ref: "#/$defs/a" }, b: { enum: [1, { $ref: "data" }] } },
      $defs: { a: { type: "string", pattern: "^a" } },
      additionalProperties: false,
    };
    expect(shown(schema)).toEqual(schema);
  });

  test("is in the words of 2020-12", () => {
    const schema = {
      $schema: `${DRAFT}4/schema#`,
      id: "https://example.com/old",
      type: "object",
      properties: {
        a: { type: "number", minimum: 1, exclusiveMinimum: true },
        b: { type: "array", items: [{ type: "string" }], additionalItems: false },
        c: { type: "string", nullable: true },
      },
    };
    expect(shown(schema)).toEqual({
      type: "object",
      properties: {
        a: { type: "number", exclusiveMinimum: 1 },
        b: { type: "array", prefixItems: [{ type: "string" }], items: false },
        c: { type: ["string", "null"] },
      },
    });
  });

  test("keeps the definitions beside a reference of an old draft", () => {
    const definitions = { x: { type: "string" } };
    const schema = { $schema: `${DRAFT}7/schema#`, $ref: "#/definitions/x", definitions, minLength: 3 };
    expect(shown(schema)).toEqual({ $ref: "#/definitions/x", definitions });
  });

  test.each([
    ["a dangling reference", { properties: { a: { $ref: "#/$defs/none" }, b: { type: "string" } } }],
    ["a reference to another document", { properties: { a: { $ref: "https://x.test/a" }, b: { type: "string" } } }],
    ["a pattern of another language", { properties: { a: { pattern: "(?i)abc" }, b: { type: "string" } } }],
    ["a type that is none", { properties: { a: { type: "text" }, b: { type: "string" } } }],
  ])("is shown without %s, and the rest of it is kept", (_, schema) => {
    const published = publishedSchema({ type: "object", ...schema }, "input");
    expect(published.schema).toEqual({ type: "object", properties: { a: {}, b: { type: "string" } } });
    expect(published.warnings.length).toBeGreaterThan(0);
  });

  test.each([
    ["parts with addresses", { properties: { a: { $id: "https://x.test/a", type: "string" } } }],
    ["anchors", { properties: { a: { $ref: "#a" } }, $defs: { a: { $anchor: "a" } } }],
    [
      "names that are patterns of another language",
      { patternProperties: { "(?i)a": {} }, additionalProperties: false },
    ],
    ["a depth without end", { properties: { a: nested(150) } }],
  ])("is not shown where it has %s, which is told", (_, schema) => {
    const { schema: none, warnings } = publishedSchema({ type: "object", ...schema }, "output");
    expect(none).toBeUndefined();
    expect(warnings[0]?.code).toBe("SCHEMA_UNSUPPORTED");
  });

  test("has no formats where results are held against it, because Plico does not check them", () => {
    const schema = { type: "string", format: "date-time" };
    expect(shown(schema, "output")).toEqual({ type: "string" });
    expect(shown(schema, "input")).toEqual(schema);
  });

  test("is not changed where clients only read it", () => {
    const schema = {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      $id: "https://x.test/input",
      type: "object",
      properties: { a: { $ref: "#a" } },
      $defs: { a: { $anchor: "a", type: "string" } },
    };
    expect(shown(schema, "input")).toEqual(schema);
  });

  test("is that of any library, with a warning for what JSON Schema cannot say", () => {
    const { schema, warnings } = publishedSchema(z.object({ a: z.string(), at: z.date() }), "input");
    expect(schema).toMatchObject({ type: "object", properties: { a: { type: "string" }, at: {} } });
    expect(warnings.map(({ code }) => code)).toEqual(["SCHEMA_UNSUPPORTED"]);
  });

  test("compiles with the validators of the SDK's clients", () => {
    const schemas = [
      { $schema: `${DRAFT}4/schema#`, type: "object", properties: { a: { minimum: 1, exclusiveMinimum: true } } },
      { type: "object", properties: { a: { $ref: "#/x/y" }, b: { pattern: "(?i)x" }, c: { format: "made-up" } } },
      { $id: "https://x.test/same", type: "object" },
      { $id: "https://x.test/same", type: "object", required: ["a"] },
    ];
    for (const engine of [Ajv, Ajv2020]) {
      const ajv = new engine({ strict: false, validateFormats: true, validateSchema: false });
      for (const schema of schemas) expect(() => ajv.compile(shown(schema) as object)).not.toThrow();
    }
  });
});

function nested(depth: number): object {
  return depth === 0 ? { type: "string" } : { properties: { a: nested(depth - 1) } };
}
