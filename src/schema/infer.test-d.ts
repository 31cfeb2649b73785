import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import Type from "typebox";
import * as v from "valibot";
import { describe, expectTypeOf, test } from "vitest";
import * as z from "zod";
import type { JsonSchema } from "../json/json-schema.js";
import type { Infer } from "./infer.js";
import type { AnySchema } from "./standard-schema.js";

/** The schema as it is passed to `defineOperation`. */
function schema<const Schema extends AnySchema>(given: Schema): Schema {
  return given;
}

describe("Infer of JSON Schema", () => {
  test("knows the plain types", () => {
    expectTypeOf<Infer<{ type: "string" }>>().toEqualTypeOf<string>();
    expectTypeOf<Infer<{ type: "number" }>>().toEqualTypeOf<number>();
    expectTypeOf<Infer<{ type: "integer" }>>().toEqualTypeOf<number>();
    expectTypeOf<Infer<{ type: "boolean" }>>().toEqualTypeOf<boolean>();
    expectTypeOf<Infer<{ type: "null" }>>().toEqualTypeOf<null>();
    expectTypeOf<Infer<{ type: "array" }>>().toEqualTypeOf<unknown[]>();
    expectTypeOf<Infer<{ type: "object" }>>().toEqualTypeOf<Record<string, unknown>>();
  });

  test("knows the fields of an object, required and optional", () => {
    const user = schema({
      type: "object",
      properties: { id: { type: "integer" }, name: { type: "string" } },
      required: ["id"],
    });
    expectTypeOf<Infer<typeof user>>().toEqualTypeOf<{ id: number; name?: string }>();
    const all = schema({ type: "object", properties: { id: { type: "integer" } } });
    expectTypeOf<Infer<typeof all>>().toEqualTypeOf<{ id?: number }>();
    const none = schema({ type: "object", properties: {} });
    expectTypeOf<Record<never, never>>().toExtend<Infer<typeof none>>();
  });

  test("makes fields that can be written, as data is", () => {
    const user = schema({ type: "object", properties: { id: { type: "integer" } }, required: ["id"] });
    const data: Infer<typeof user> = { id: 1 };
    data.id = 2;
  });

  test("knows what is nested", () => {
    const tree = schema({
      type: "object",
      properties: {
        rows: {
          type: "array",
          items: {
            type: "object",
            properties: { tags: { type: "array", items: { type: "string" } } },
            required: ["tags"],
          },
        },
      },
      required: ["rows"],
    });
    expectTypeOf<Infer<typeof tree>>().toEqualTypeOf<{ rows: { tags: string[] }[] }>();
  });

  test("knows lists and tuples", () => {
    expectTypeOf<Infer<{ type: "array"; items: { type: "string" } }>>().toEqualTypeOf<string[]>();
    expectTypeOf<Infer<{ type: "array"; items: true }>>().toEqualTypeOf<unknown[]>();
    const pair = schema({ type: "array", prefixItems: [{ type: "string" }, { type: "integer" }] });
    expectTypeOf<Infer<typeof pair>>().toEqualTypeOf<[string, number]>();
    const old = schema({ type: "array", items: [{ type: "string" }, { type: "integer" }] });
    expectTypeOf<Infer<typeof old>>().toEqualTypeOf<[string, number]>();
  });

  test("knows enum and const, whatever type stands beside them", () => {
    const size = schema({ type: "string", enum: ["s", "m"] });
    expectTypeOf<Infer<typeof size>>().toEqualTypeOf<"s" | "m">();
    const mixed = schema({ enum: [1, "a", null] });
    expectTypeOf<Infer<typeof mixed>>().toEqualTypeOf<1 | "a" | null>();
    const one = schema({ type: "integer", const: 1 });
    expectTypeOf<Infer<typeof one>>().toEqualTypeOf<1>();
    const nothing = schema({ const: null });
    expectTypeOf<Infer<typeof nothing>>().toEqualTypeOf<null>();
  });

  test("knows alternatives", () => {
    const any = schema({ anyOf: [{ type: "string" }, { type: "null" }] });
    expectTypeOf<Infer<typeof any>>().toEqualTypeOf<string | null>();
    const one = schema({
      oneOf: [
        { type: "object", properties: { kind: { const: "a" }, a: { type: "string" } }, required: ["kind", "a"] },
        { type: "object", properties: { kind: { const: "b" } }, required: ["kind"] },
      ],
    });
    expectTypeOf<Infer<typeof one>>().toEqualTypeOf<{ kind: "a"; a: string } | { kind: "b" }>();
  });

  test("knows what all of several describe", () => {
    const both = schema({
      allOf: [
        { type: "object", properties: { a: { type: "string" } }, required: ["a"] },
        { type: "object", properties: { b: { type: "integer" } } },
      ],
    });
    expectTypeOf<Infer<typeof both>>().toExtend<{ a: string; b?: number }>();
    expectTypeOf<{ a: string; b: number }>().toExtend<Infer<typeof both>>();
  });

  test("knows a list of types, such as one with null", () => {
    const nullable = schema({ type: ["string", "null"] });
    expectTypeOf<Infer<typeof nullable>>().toEqualTypeOf<string | null>();
    const row = schema({ type: ["object", "null"], properties: { a: { type: "string" } }, required: ["a"] });
    expectTypeOf<Infer<typeof row>>().toEqualTypeOf<{ a: string } | null>();
    const list = schema({ type: ["array", "null"], items: { type: "integer" } });
    expectTypeOf<Infer<typeof list>>().toEqualTypeOf<number[] | null>();
  });

  test("knows null in the words of OpenAPI 3.0, which compile accepts", () => {
    expectTypeOf<Infer<{ type: "string"; nullable: true }>>().toEqualTypeOf<string | null>();
  });

  test("knows records", () => {
    const counts = schema({ type: "object", additionalProperties: { type: "integer" } });
    expectTypeOf<Infer<typeof counts>>().toEqualTypeOf<Record<string, number>>();
    const patterns = schema({ type: "object", patternProperties: { "^x": { type: "string" } } });
    expectTypeOf<Infer<typeof patterns>>().toEqualTypeOf<Record<string, string>>();
    const open = schema({ type: "object", additionalProperties: true });
    expectTypeOf<Infer<typeof open>>().toEqualTypeOf<Record<string, unknown>>();
    const closed = schema({ type: "object", additionalProperties: false });
    expectTypeOf<Infer<typeof closed>>().toEqualTypeOf<Record<string, never>>();
  });

  test("is unknown where it cannot be told", () => {
    expectTypeOf<Infer<true>>().toBeUnknown();
    expectTypeOf<Infer<boolean>>().toBeUnknown();
    expectTypeOf<Infer<Record<never, never>>>().toBeUnknown();
    expectTypeOf<Infer<{ $ref: "#/$defs/a" }>>().toBeUnknown();
    expectTypeOf<Infer<{ not: { type: "string" } }>>().toBeUnknown();
    expectTypeOf<Infer<{ type: string }>>().toBeUnknown();
    expectTypeOf<Infer<{ type: "wrong" }>>().toBeUnknown();
    expectTypeOf<Infer<JsonSchema>>().toBeUnknown();
    expectTypeOf<Infer<AnySchema>>().toBeUnknown();
    expectTypeOf<Infer<object>>().toBeUnknown();
  });

  test("is never where nothing fits", () => {
    expectTypeOf<Infer<false>>().toBeNever();
  });
});

describe("Infer of TypeBox", () => {
  test("agrees with TypeBox's own Static", () => {
    const schemas = {
      object: Type.Object({ id: Type.Integer(), name: Type.Optional(Type.String()) }),
      empty: Type.Object({}),
      union: Type.Union([Type.Literal("a"), Type.Literal(1), Type.Null()]),
      record: Type.Record(Type.String(), Type.Number()),
      tuple: Type.Tuple([Type.String(), Type.Boolean()]),
      list: Type.Array(Type.Object({ at: Type.Number() })),
      either: Type.Union([Type.Object({ a: Type.String() }), Type.Object({ b: Type.Optional(Type.Number()) })]),
      nested: Type.Object({ a: Type.Object({ b: Type.Optional(Type.Array(Type.String())) }) }),
      unknown: Type.Unknown(),
    };
    expectTypeOf<Infer<typeof schemas.object>>().toEqualTypeOf<Type.Static<typeof schemas.object>>();
    expectTypeOf<Infer<typeof schemas.union>>().toEqualTypeOf<Type.Static<typeof schemas.union>>();
    expectTypeOf<Infer<typeof schemas.record>>().toEqualTypeOf<Type.Static<typeof schemas.record>>();
    expectTypeOf<Infer<typeof schemas.tuple>>().toEqualTypeOf<Type.Static<typeof schemas.tuple>>();
    expectTypeOf<Infer<typeof schemas.list>>().toEqualTypeOf<Type.Static<typeof schemas.list>>();
    expectTypeOf<Infer<typeof schemas.either>>().toEqualTypeOf<Type.Static<typeof schemas.either>>();
    expectTypeOf<Infer<typeof schemas.nested>>().toEqualTypeOf<Type.Static<typeof schemas.nested>>();
    expectTypeOf<Infer<typeof schemas.unknown>>().toBeUnknown();
    expectTypeOf<Record<never, never>>().toExtend<Infer<typeof schemas.empty>>();
  });

  test("keeps what is optional through the modifiers", () => {
    const fields = Type.Object({
      a: Type.Optional(Type.Union([Type.String(), Type.Null()])),
      b: Type.Optional(Type.Record(Type.String(), Type.Boolean())),
      c: Type.Literal(5),
    });
    expectTypeOf<Infer<typeof fields>>().toEqualTypeOf<{ a?: string | null; b?: Record<string, boolean>; c: 5 }>();
  });

  test("knows Intersect and Enum", () => {
    const both = Type.Intersect([Type.Object({ a: Type.String() }), Type.Object({ b: Type.Number() })]);
    expectTypeOf<{ a: string; b: number }>().toExtend<Infer<typeof both>>();
    expectTypeOf<Infer<typeof both>>().toExtend<{ a: string; b: number }>();
    const size = Type.Enum(["s", "m"]);
    expectTypeOf<Infer<typeof size>>().toEqualTypeOf<"s" | "m">();
  });

  test("lets a handler without a result return none", () => {
    const nothing = Type.Void();
    expectTypeOf<undefined>().toExtend<Infer<typeof nothing>>();
  });
});

describe("Infer of a Standard Schema", () => {
  test("of zod takes both sides by its own word", () => {
    const schema = z.object({ n: z.string().transform(Number), size: z.int().default(5), at: z.date().optional() });
    expectTypeOf<Infer<typeof schema>>().toEqualTypeOf<z.output<typeof schema>>();
    expectTypeOf<Infer<typeof schema, "input">>().toEqualTypeOf<z.input<typeof schema>>();
  });

  test("of valibot takes both sides by its own word", () => {
    const schema = v.object({ n: v.pipe(v.string(), v.transform(Number)), size: v.optional(v.number(), 5) });
    const standard = toStandardJsonSchema(schema);
    expectTypeOf<Infer<typeof standard>>().toEqualTypeOf<v.InferOutput<typeof schema>>();
    expectTypeOf<Infer<typeof standard, "input">>().toEqualTypeOf<v.InferInput<typeof schema>>();
  });

  test("of arktype takes both sides by its own word", () => {
    const schema = type({ n: "string.numeric.parse", "name?": "string", kind: "'a' | 'b'" });
    expectTypeOf<Infer<typeof schema>>().toEqualTypeOf<{ n: number; kind: "a" | "b"; name?: string }>();
    expectTypeOf<Infer<typeof schema, "input">>().toEqualTypeOf<{ n: string; kind: "a" | "b"; name?: string }>();
  });
});
