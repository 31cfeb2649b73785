import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import Type from "typebox";
import { Compile } from "typebox/schema";
import * as v from "valibot";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { type AnySchema, toJsonSchema } from "./standard-schema.js";

const SCHEMAS: readonly (readonly [string, AnySchema])[] = [
  ["zod", z.object({ id: z.int(), name: z.optional(z.string()), tags: z.array(z.enum(["a", "b"])) })],
  [
    "valibot with its converter",
    toStandardJsonSchema(
      v.object({
        id: v.pipe(v.number(), v.integer()),
        name: v.optional(v.string()),
        tags: v.array(v.picklist(["a", "b"])),
      }),
    ),
  ],
  ["arktype", type({ id: "number.integer", "name?": "string", tags: "('a' | 'b')[]" })],
  [
    "TypeBox",
    Type.Object({
      id: Type.Integer(),
      name: Type.Optional(Type.String()),
      tags: Type.Array(Type.Union([Type.Literal("a"), Type.Literal("b")])),
    }),
  ],
  [
    "JSON Schema",
    {
      type: "object",
      properties: {
        id: { type: "integer" },
        name: { type: "string" },
        tags: { type: "array", items: { enum: ["a", "b"] } },
      },
      required: ["id", "tags"],
    },
  ],
];

function validatorOf(schema: AnySchema): { check: (value: unknown) => boolean } {
  const validator = Compile(toJsonSchema(schema));
  return { check: (value) => validator.Check(value) };
}

/** A caller in JavaScript. */
function given(value: unknown): AnySchema {
  return value as AnySchema;
}

function thrownBy(run: () => unknown): unknown {
  try {
    run();
  } catch (thrown) {
    return thrown;
  }
  return undefined;
}

describe.each(SCHEMAS)("a schema of %s", (_, schema) => {
  const { check } = validatorOf(schema);

  test("becomes a JSON Schema that takes what it takes", () => {
    expect(
      [
        { id: 0, tags: [] },
        { id: 1, name: "", tags: ["a", "b"] },
      ].every(check),
    ).toBe(true);
  });

  test("becomes a JSON Schema that refuses what it refuses", () => {
    const bad = [
      {},
      { id: 1 },
      { tags: [] },
      { id: 1.5, tags: [] },
      { id: 1, tags: ["c"] },
      { id: 1, name: 5, tags: [] },
      null,
      [],
    ];
    expect(bad.filter(check)).toEqual([]);
  });

  test("becomes plain JSON", () => {
    const json = toJsonSchema(schema);
    expect(JSON.parse(JSON.stringify(json))).toEqual(json);
  });

  test("becomes the same each time and is not changed by it", () => {
    expect(toJsonSchema(schema)).toEqual(toJsonSchema(schema));
  });
});

describe("toJsonSchema", () => {
  test.each([true, false])("takes %s, which is a JSON Schema", (schema) => {
    expect(toJsonSchema(schema)).toBe(schema);
  });

  test("gives a JSON Schema or a TypeBox schema by identity", () => {
    for (const schema of [{}, { type: "string" }, Type.String()]) expect(toJsonSchema(schema)).toBe(schema);
  });

  test("gives the schema of what comes out, not of what goes in", () => {
    const schema = z.pipe(
      z.pipe(
        z.string(),
        z.transform((text) => text.length),
      ),
      z.number(),
    );
    expect(toJsonSchema(schema)).toMatchObject({ type: "number" });
    expect(validatorOf(z.object({ size: z.optional(z.number()).unwrap().default(1) })).check({})).toBe(false);
  });

  test("asks for draft 2020-12", () => {
    const asked: unknown[] = [];
    const output = (options: unknown) => {
      asked.push(options);
      return { type: "null" };
    };
    expect(toJsonSchema(given({ "~standard": { version: 1, vendor: "own", jsonSchema: { output } } }))).toEqual({
      type: "null",
    });
    expect(asked).toEqual([{ target: "draft-2020-12" }]);
  });

  test("calls the converter as a method of its owner", () => {
    const jsonSchema = {
      made: { type: "null" },
      output(): Record<string, unknown> {
        return this.made;
      },
    };
    expect(toJsonSchema({ "~standard": { jsonSchema } })).toEqual({ type: "null" });
  });

  test("does not take a property called properties or type for anything but JSON Schema", () => {
    const schema = { properties: { "~standard": { type: "string" } } };
    expect(toJsonSchema(schema)).toBe(schema);
  });
});

describe("what is no schema", () => {
  test.each([
    ["undefined", undefined],
    ["null", null],
    ["a text", '{"type":"string"}'],
    ["an empty text", ""],
    ["a number", 0],
    ["a BigInt", 1n],
    ["a symbol", Symbol("plico")],
    ["a list", [{ type: "string" }]],
    ["a function", () => true],
    ["valibot without its converter", v.object({ id: v.number() })],
    [
      "a Standard Schema without JSON Schema",
      { "~standard": { version: 1, vendor: "own", validate: () => ({ value: 1 }) } },
    ],
    ["a converter that is no function", { "~standard": { jsonSchema: { output: { type: "string" } } } }],
    ["a JSON Schema of null in a Standard Schema", { "~standard": { jsonSchema: null } }],
    ["a Standard Schema that is a text", { "~standard": "1" }],
    ["a Standard Schema that is null", { "~standard": null }],
  ])("throws a TypeError of our own for %s", (_, value) => {
    const thrown = thrownBy(() => toJsonSchema(given(value)));
    expect(thrown).toBeInstanceOf(TypeError);
    // The engine's own TypeError would not say what to do.
    expect(String(thrown)).toContain("JSON Schema");
  });

  test.each([
    ["zod's date", z.object({ at: z.date() })],
    [
      "zod's transform",
      z.pipe(
        z.string(),
        z.transform((text) => text.length),
      ),
    ],
    ["valibot's date", toStandardJsonSchema(v.object({ at: v.date() }))],
  ])("throws a TypeError for %s, which no JSON Schema can say", (_, schema) => {
    expect(thrownBy(() => toJsonSchema(schema))).toBeInstanceOf(TypeError);
  });
});
