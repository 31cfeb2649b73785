import fc from "fast-check";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { schemasWithValues } from "../../../test/schema-arbitrary.js";
import type { JsonRecord } from "../../json/value.js";
import { compile } from "../../schema/compile.js";
import { TYPE } from "../../schema/node.js";
import type { AnySchema } from "../../schema/standard-schema.js";
import { SchemaComponents } from "./schema-components.js";

function added(schema: AnySchema, side: "input" | "output" = "output"): JsonRecord {
  const components = new SchemaComponents();
  components.add("x", () => schema, side);
  return components.schemas;
}

describe("a schema among the components", () => {
  test("gives names of their own to what it refers to, and refers to them in the whole document", () => {
    const node = { type: "object", properties: { next: { $ref: "#/$defs/the node" } } };
    expect(added({ $ref: "#/$defs/the%20node", $defs: { "the node": node, unused: true } })).toEqual({
      x: { $ref: "#/components/schemas/x.the_node" },
      "x.the_node": { type: "object", properties: { next: { $ref: "#/components/schemas/x.the_node" } } },
    });
  });

  test("refers to itself by its own name", () => {
    const { x } = added({ type: "object", properties: { next: { $ref: "#" } } });
    expect(x).toEqual({ type: "object", properties: { next: { $ref: "#/components/schemas/x" } } });
  });

  test.each<[what: string, schema: object]>([
    ["anchors", { $ref: "#a", $defs: { a: { $anchor: "a", type: "string" } } }],
    ["addresses", { $id: "https://x.test/r", $ref: "a", $defs: { a: { $id: "a", type: "string" } } }],
    ["names within names", { $ref: "#/$defs/a/$defs/a", $defs: { a: { $defs: { a: { type: "string" } } } } }],
    [
      "old words",
      {
        $schema: "http://json-schema.org/draft-07/schema#",
        $ref: "#/definitions/a",
        definitions: { a: { type: "string" } },
      },
    ],
  ])("follows references by %s", (_, schema) => {
    expect(added(schema)).toEqual({ x: { $ref: "#/components/schemas/x.a" }, "x.a": { type: "string" } });
  });

  test("follows a chain of references that is longer than a stack", () => {
    const length = 5_000;
    const $defs = Object.fromEntries(
      Array.from({ length }, (_, at) => [
        `d${at}`,
        { type: "object", properties: { a: { $ref: `#/$defs/d${at + 1}` } } },
      ]),
    );
    expect(Object.keys(added({ $ref: "#/$defs/d0", $defs })).length).toBeGreaterThan(length);
  });

  test("gives parts of one name different ones", () => {
    const schemas = added({
      anyOf: [{ $ref: "#/$defs/a" }, { $ref: "#/definitions/a" }],
      $defs: { a: { type: "null" } },
      definitions: { a: { type: "string" } },
    });
    expect(Object.keys(schemas).sort()).toEqual(["x", "x.a", "x.a_2"]);
  });

  test("has no words but those that all validators know, with values that they take", () => {
    const schema = {
      type: "string",
      frobnicate: 1,
      title: 5,
      discriminator: "a",
      deprecated: "yes",
      minLength: -1,
      "x-mine": [1],
    };
    expect(added(schema)).toEqual({ x: { type: "string", "x-mine": [1] } });
  });

  test("has no data that would be taken for a reference, or that is none of JSON", () => {
    const data = {
      default: 1n,
      examples: [{ $ref: "./file.json" }],
      enum: [{ $ref: "x" }],
      "x-mine": { $ref: "#/nowhere" },
    };
    expect(added(data)).toEqual({ x: {} });
  });

  test("is an object, and so are its parts where validators want it", () => {
    expect(added(true)).toEqual({ x: {} });
    expect(added(false)).toEqual({ x: { not: {} } });
    const schema = { properties: { a: true }, anyOf: [false], additionalProperties: false };
    expect(added(schema)).toEqual({ x: { properties: { a: {} }, anyOf: [{ not: {} }], additionalProperties: false } });
    expect(added({ type: "array" })).toEqual({ x: { type: "array", items: {} } });
    expect(added({ type: "array", items: [true], additionalItems: false })["x"]).toMatchObject({
      prefixItems: [{}],
      items: { not: {} },
    });
  });

  test("is without what is broken, and does not refuse more for it", () => {
    const schema = {
      type: "object",
      properties: { a: { $ref: "#/none" }, b: { type: "text" }, c: { type: "string", pattern: "(?i)a" } },
      patternProperties: { "(?i)x": { type: "string" } },
      additionalProperties: false,
    };
    const components = new SchemaComponents();
    const { warnings } = components.add("x", () => schema, "input");
    expect(components.schemas).toEqual({ x: { type: "object", properties: { a: {}, b: {}, c: { type: "string" } } } });
    expect(warnings.map(({ code }) => code)).toContain("SCHEMA_UNSUPPORTED");
  });

  test("is that of one side, with its formats", () => {
    const schema = z.object({
      at: z.iso.datetime(),
      count: z.string().default("1").transform(Number).pipe(z.number()),
    });
    expect(added(schema, "input")["x"]).toMatchObject({ properties: { count: { type: "string" } }, required: ["at"] });
    expect(added(schema, "output")["x"]).toMatchObject({
      properties: { at: { format: "date-time" }, count: { type: "number" } },
      required: ["at", "count"],
      additionalProperties: false,
    });
  });

  test("is open and told where it cannot be had or shown", () => {
    const components = new SchemaComponents();
    const many = Object.fromEntries(Array.from({ length: 21_000 }, (_, at) => [`p${at}`, { $ref: "#/$defs/a" }]));
    const wide = { type: "object", properties: many, $defs: { a: { type: "string" } } };
    const broken = (): never => {
      throw new Error("not there");
    };
    const unready = components.add("unready", broken, "output");
    const large = components.add("large", () => wide, "output");
    expect(components.schemas).toEqual({ unready: {}, large: { type: "object" } });
    expect([unready, large].map(({ warnings }) => warnings[0]?.code)).toEqual([
      "SCHEMA_UNSUPPORTED",
      "SCHEMA_UNSUPPORTED",
    ]);
  });

  test("has an example, unless JSON Schema cannot say all that it has to match", () => {
    const exampleIn = (schema: AnySchema): unknown => new SchemaComponents().add("x", () => schema, "input").example;
    expect(exampleIn(z.object({ a: z.string() }))).toEqual({ value: { a: "text" } });
    expect(exampleIn(z.object({ a: z.date() }))).toBeUndefined();
    expect(exampleIn(true)).toBeUndefined();
  });

  test("has a number where its name is taken", () => {
    const components = new SchemaComponents({ x: {} });
    expect(components.add("x", () => true, "output").reference).toEqual({ $ref: "#/components/schemas/x_2" });
  });

  test("tells what it is, and copies its parts to other places", () => {
    const components = new SchemaComponents();
    const schema = {
      type: "object",
      properties: { a: { $ref: "#/$defs/b" }, b: { items: { $ref: "#/$defs/b" } } },
      $defs: { b: { type: "string" } },
    };
    const component = components.add("x", () => schema, "output");
    const part = component.root.properties?.get("b");
    expect(component.types).toBe(TYPE.object);
    expect(component.checked.accepts({ a: 1 })).toBe(false);
    expect(part && component.copyOf(part)).toEqual({ items: { $ref: "#/components/schemas/x.b" } });
  });

  test("accepts what the schema accepts, and refuses what it refuses unless a part of it is broken", () => {
    const options = { beyondJson: false, without: ["$dynamicRef", "$dynamicAnchor"] };
    fc.assert(
      fc.property(schemasWithValues(options), ({ schema, values }) => {
        const copy = compile({ $ref: "#/components/schemas/x", components: { schemas: added(schema) } });
        const given = compile(schema);
        expect(copy.warnings).toEqual([]);
        for (const value of values) {
          const isAccepted = copy.accepts(value) && (given.warnings.length === 0 || given.accepts(value));
          expect([value, isAccepted]).toEqual([value, given.accepts(value)]);
        }
      }),
    );
  });
});
