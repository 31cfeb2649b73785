import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import Type from "typebox";
import { Compile } from "typebox/schema";
import * as v from "valibot";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { inShort, MODES, object } from "../../test/schema-values.js";
import { compile } from "./compile.js";
import type { AnySchema } from "./standard-schema.js";

const DRAFT_04 = "http://json-schema.org/draft-04/schema#";
const DRAFT_06 = "http://json-schema.org/draft-06/schema#";
const DRAFT_07 = "http://json-schema.org/draft-07/schema#";
const DRAFT_2019 = "https://json-schema.org/draft/2019-09/schema";

const name = { type: "string", maxLength: 3 };
const person = { type: "object", properties: { name }, required: ["name"] };

/** What is special, the schema, and what it accepts and refuses. */
const FLAVOURS: readonly (readonly [string, object, readonly unknown[], readonly unknown[]])[] = [
  [
    "draft 4: limits that are excluded by true",
    { $schema: DRAFT_04, minimum: 1, exclusiveMinimum: true, maximum: 5, exclusiveMaximum: true },
    [1.5, 4],
    [1, 5],
  ],
  [
    "draft 4: limits that are not excluded by false",
    { $schema: DRAFT_04, minimum: 1, exclusiveMinimum: false, maximum: 5, exclusiveMaximum: false },
    [1, 5],
    [0, 6],
  ],
  ["draft 4: an exclusion without a limit", { $schema: DRAFT_04, exclusiveMinimum: true, type: "number" }, [-5], ["a"]],
  [
    "draft 4: definitions",
    { $schema: DRAFT_04, definitions: { name }, $ref: "#/definitions/name" },
    ["abc"],
    ["abcd", 1],
  ],
  [
    "draft 4: an address as id",
    {
      $schema: DRAFT_04,
      id: "http://example.com/root",
      definitions: { name: { id: "name", ...name } },
      properties: { name: { $ref: "http://example.com/name" } },
    },
    [{ name: "a" }],
    [{ name: 1 }],
  ],
  [
    "draft 4: an anchor as id",
    { $schema: DRAFT_04, definitions: { name: { id: "#name", ...name } }, properties: { name: { $ref: "#name" } } },
    [{ name: "a" }],
    [{ name: 1 }],
  ],
  [
    "draft 4: a property of the name id",
    { $schema: DRAFT_04, properties: { id: { type: "string" }, other: { $ref: "#/properties/id" } } },
    [{ id: "a", other: "b" }],
    [{ id: 1 }, { other: 1 }],
  ],
  ["draft 6: limits that are numbers", { $schema: DRAFT_06, exclusiveMinimum: 1, exclusiveMaximum: 5 }, [2], [1, 5]],
  [
    "draft 6: const, contains and names",
    {
      $schema: DRAFT_06,
      properties: { a: { const: 1 }, b: { contains: { const: 2 } } },
      propertyNames: { maxLength: 1 },
    },
    [{ a: 1, b: [1, 2] }],
    [{ a: 2 }, { b: [1] }, { cc: 1 }],
  ],
  [
    "draft 7: an anchor as $id",
    { $schema: DRAFT_07, definitions: { name: { $id: "#name", ...name } }, $ref: "#name" },
    ["abc"],
    ["abcd"],
  ],
  [
    "draft 7: a reference without its neighbours",
    { $schema: DRAFT_07, definitions: { name }, properties: { a: { $ref: "#/definitions/name", maxLength: 1 } } },
    [{ a: "abc" }],
    [{ a: "abcd" }],
  ],
  [
    "draft 2019-09 and later: a reference with its neighbours",
    { definitions: { name }, properties: { a: { $ref: "#/definitions/name", maxLength: 1 } } },
    [{ a: "a" }],
    [{ a: "ab" }],
  ],
  [
    "draft 7: a tuple that ends",
    { $schema: DRAFT_07, items: [{ type: "string" }, { type: "number" }], additionalItems: false },
    [[], ["a"], ["a", 1]],
    [[1], ["a", 1, 2]],
  ],
  [
    "draft 7: a tuple with more of a kind",
    { items: [{ type: "string" }], additionalItems: { type: "number" } },
    [["a", 1, 2]],
    [["a", "b"], [1]],
  ],
  ["draft 7: a tuple with more of any kind", { items: [{ type: "string" }] }, [["a", 1, null]], [[1]]],
  [
    "draft 7: additional items that count for nothing",
    { items: { type: "string" }, additionalItems: false },
    [["a", "b"]],
    [[1]],
  ],
  ["draft 7: additional items without items", { additionalItems: false }, [[1, 2]], []],
  [
    "draft 7: dependencies on names and on schemas",
    { dependencies: { a: ["b"], c: { required: ["d"], properties: { d: { type: "number" } } }, e: false } },
    [{}, { a: 1, b: 1 }, { c: 1, d: 1 }],
    [{ a: 1 }, { c: 1 }, { c: 1, d: "1" }, { e: 1 }],
  ],
  [
    "draft 2019-09: names and schemas on which others depend",
    { $schema: DRAFT_2019, dependentRequired: { a: ["b"] }, dependentSchemas: { c: { required: ["d"] } } },
    [
      { a: 1, b: 1 },
      { c: 1, d: 1 },
    ],
    [{ a: 1 }, { c: 1 }],
  ],
  [
    "draft 2019-09: items that no one has looked at",
    { $schema: DRAFT_2019, items: [{ type: "string" }], unevaluatedItems: false },
    [["a"]],
    [["a", 1]],
  ],
  [
    "draft 2019-09: a reference to what contains itself",
    {
      $schema: DRAFT_2019,
      $recursiveAnchor: true,
      properties: { child: { $recursiveRef: "#" }, n: { type: "number" } },
    },
    [{ child: { n: 1 } }],
    [{ n: "1" }, { child: { n: "1" } }],
  ],
  ["OpenAPI 3.0: a type or null", { type: "string", nullable: true, maxLength: 3 }, ["abc", null], ["abcd", 1]],
  ["OpenAPI 3.0: a type and not null", { type: "string", nullable: false }, ["a"], [null]],
  ["OpenAPI 3.0: values or null", { type: "string", enum: ["a", "b"], nullable: true }, ["a", null], ["c"]],
  ["OpenAPI 3.0: values with null or null", { enum: ["a", null], nullable: true }, ["a", null], ["c"]],
  [
    "OpenAPI 3.0: a reference or null",
    { components: { person }, properties: { a: { $ref: "#/components/person", nullable: true } } },
    [{ a: null }, { a: { name: "x" } }],
    [{ a: {} }, { a: 1 }],
  ],
  ["OpenAPI 3.0: parts or null", { allOf: [person], nullable: true }, [null, { name: "x" }], [{}]],
  [
    "OpenAPI 3.0: parts of a type or null",
    { type: "object", allOf: [person], nullable: true },
    [null, { name: "x" }],
    [{}, 1],
  ],
  [
    "OpenAPI 3.0: alternatives or null",
    { oneOf: [person, { type: "string" }], nullable: true },
    [null, "a", { name: "x" }],
    [{}, 1],
  ],
  ["OpenAPI 3.0: an object or null", { ...person, nullable: true }, [null, { name: "x" }], [{}, 1]],
  ["OpenAPI 3.0: limits that are excluded by true", { type: "integer", minimum: 0, exclusiveMinimum: true }, [1], [0]],
  [
    "OpenAPI 3.0: an example and a discriminator",
    { ...person, example: { $ref: "#/none" }, discriminator: { propertyName: "name" } },
    [{ name: "x" }],
    [{}],
  ],
];

describe.each(MODES)("a schema of another flavour, %s", (_, options) => {
  test.each(FLAVOURS)("has its own meaning: %s", (_what, schema, accepted, refused) => {
    const compiled = compile(schema, options);
    expect(compiled.warnings).toEqual([]);
    expect(accepted.filter((value) => !compiled.accepts(value))).toEqual([]);
    expect(refused.filter((value) => compiled.accepts(value))).toEqual([]);
  });

  test("is normalised by that meaning", () => {
    const tuple = compile({ items: [{ type: "number" }, person], additionalItems: { type: "string" } }, options);
    expect(tuple.normalise(["1", { name: "x", other: 1 }, 5]).value).toEqual([1, { name: "x" }, "5"]);
    const nullable = compile(
      { definitions: { person }, properties: { a: { nullable: true, $ref: "#/definitions/person", default: null } } },
      options,
    );
    expect(nullable.normalise({}).value).toEqual({ a: null });
    expect(nullable.normalise({ a: { name: "x", other: 1 } }).value).toEqual({ a: { name: "x" } });
    const depending = compile(
      object({ a: {} }, { dependencies: { a: { properties: { b: { default: 1 } } } } }),
      options,
    );
    expect(inShort(depending.normalise({ a: 1, c: 1 }).warnings)).toEqual(["FILLED /b", "STRIPPED /c"]);
  });

  test.each([
    ["/items/1", { items: [{}, 5] }],
    ["/additionalItems", { items: [{}], additionalItems: 5 }],
    ["/dependencies/a", { dependencies: { a: 5 } }],
    ["/minimum", { minimum: "1", exclusiveMinimum: true }],
  ])("is named in its own words where it is broken: %s", (path, schema) => {
    expect(compile(schema, options).warnings.map((warning) => warning.path)).toEqual([path]);
  });
});

const VALUES: readonly unknown[] = [
  ...[
    null,
    true,
    0,
    1,
    -1,
    1.5,
    12,
    "",
    "a",
    "b",
    "c",
    "a1b",
    "abcd",
    [],
    {},
    ["a", 1],
    ["a"],
    ["a", 1, 2],
    ["a", "a"],
  ],
  ...[{ a: "x" }, { a: "x", b: 1 }, { b: 1 }, { a: 1 }, { a: 1, b: 1 }, { a: 1, b: 2, c: 3 }, { 0: "x" }, { x: "x" }],
  ...[{ v: 1 }, { v: 1, next: { v: 2 } }, { v: 1, next: { v: "2" } }, { v: 1, next: {} }, { a: null }, { a: ["a"] }],
  ...[{ kind: "a", x: 1 }, { kind: "b", y: "q" }, { kind: "a", y: "q" }, { kind: "c" }],
];

describe.each(MODES)("a schema of TypeBox, %s", (_, options) => {
  const Node = Type.Object({ v: Type.Number(), next: Type.Optional(Type.Ref("Node")) });

  test.each([
    ["Tuple", Type.Tuple([Type.String(), Type.Number()])],
    ["Optional", Type.Object({ a: Type.Optional(Type.String()), b: Type.Number() })],
    ["Partial", Type.Partial(Type.Object({ a: Type.String(), b: Type.Number() }))],
    ["Union of literals", Type.Union([Type.Literal("a"), Type.Literal(1), Type.Null()])],
    ["Union of objects", Type.Union([Type.Object({ a: Type.String() }), Type.Object({ b: Type.Number() })])],
    ["Enum", Type.Enum(["a", "b"])],
    ["Record", Type.Record(Type.String(), Type.Number())],
    ["Record of numbers", Type.Record(Type.Number(), Type.String())],
    ["Record of literals", Type.Record(Type.Union([Type.Literal("a"), Type.Literal("b")]), Type.Number())],
    ["Intersect", Type.Intersect([Type.Object({ a: Type.String() }), Type.Object({ b: Type.Number() })])],
    ["TemplateLiteral", Type.TemplateLiteral([Type.Literal("a"), Type.Number(), Type.Literal("b")])],
    ["Cyclic", Type.Cyclic({ Node }, "Node")],
    ["Array", Type.Array(Type.String(), { minItems: 1, uniqueItems: true })],
    ["Any", Type.Any()],
    ["Never", Type.Never()],
  ])("accepts what TypeBox accepts: %s", (_what, schema) => {
    const compiled = compile(schema, options);
    const theirs = Compile(schema);
    expect(compiled.warnings).toEqual([]);
    expect(VALUES.filter((value) => compiled.accepts(value))).toEqual(VALUES.filter((value) => theirs.Check(value)));
  });

  test.each([Type.Void(), Type.Undefined()])("takes nothing, which JSON writes as null, for %j", (schema) => {
    const compiled = compile(schema, options);
    expect([undefined, null, 0, {}].map((value) => compiled.accepts(value))).toEqual([true, true, false, false]);
  });

  test("keeps each name of a record", () => {
    const value = { "a\nb": 1, "": 2, "🎉": 3 };
    expect(compile(Type.Record(Type.String(), Type.Number()), options).normalise(value).value).toEqual(value);
  });

  test.each([Type.BigInt(), Type.Symbol(), Type.Function([], Type.String())])(
    "names what JSON does not have: %j",
    (schema) => {
      expect(compile(schema, options).warnings).toMatchObject([{ code: "SCHEMA_UNSUPPORTED", path: "/type" }]);
    },
  );
});

interface Library {
  readonly schema: AnySchema;
  /** What the library makes of a value, if it takes it. */
  readonly parse: (value: unknown) => { readonly output: unknown } | undefined;
}

function zod(schema: z.ZodType): Library {
  const parse: Library["parse"] = (value) => {
    const { success, data } = schema.safeParse(value);
    return success ? { output: data } : undefined;
  };
  return { schema, parse };
}

function valibot(schema: v.GenericSchema): Library {
  const parse: Library["parse"] = (value) => {
    const { success, output } = v.safeParse(schema, value);
    return success ? { output } : undefined;
  };
  return { schema: toStandardJsonSchema(schema), parse };
}

function ark(schema: ((value: unknown) => unknown) & object): Library {
  const parse: Library["parse"] = (value) => {
    const output = schema(value);
    return output instanceof type.errors ? undefined : { output };
  };
  return { schema, parse };
}

/** For some an empty list is a record too. */
function withoutLists({ schema, parse }: Library): Library {
  return { schema, parse: (value) => (Array.isArray(value) ? undefined : parse(value)) };
}

const zodNode = z.object({
  v: z.number(),
  get next() {
    return z.optional(zodNode);
  },
});

const LIBRARIES: readonly (readonly [string, Library])[] = [
  ["zod: an object", zod(z.object({ a: z.string().max(3), b: z.int().optional() }))],
  ["zod: a strict object", zod(z.strictObject({ a: z.string(), b: z.number().optional() }))],
  ["zod: an open object", zod(z.looseObject({ a: z.string() }))],
  ["zod: defaults", zod(z.object({ a: z.string().default("x"), b: z.number().nullable().default(null) }))],
  [
    "zod: a discriminated union",
    zod(
      z.discriminatedUnion("kind", [
        z.object({ kind: z.literal("a"), x: z.number() }),
        z.object({ kind: z.literal("b"), y: z.string() }),
      ]),
    ),
  ],
  ["zod: a tuple", zod(z.tuple([z.string(), z.number()]))],
  ["zod: a record", zod(z.record(z.string(), z.number()))],
  ["zod: what contains itself", zod(zodNode)],
  [
    "zod: what is converted",
    zod(
      z
        .object({ a: z.string() })
        .transform(({ a }) => a.length)
        .pipe(z.number().min(1)),
    ),
  ],
  ["zod: literals and null", zod(z.union([z.enum(["a", "b"]), z.literal(12), z.null()]))],
  ["valibot: an object", valibot(v.object({ a: v.pipe(v.string(), v.maxLength(3)), b: v.optional(v.number()) }))],
  ["valibot: a strict object", valibot(v.strictObject({ a: v.string(), b: v.optional(v.number()) }))],
  [
    "valibot: a variant",
    valibot(
      v.variant("kind", [
        v.object({ kind: v.literal("a"), x: v.number() }),
        v.object({ kind: v.literal("b"), y: v.string() }),
      ]),
    ),
  ],
  ["valibot: a strict tuple", valibot(v.strictTuple([v.string(), v.number()]))],
  ["valibot: a record", withoutLists(valibot(v.record(v.string(), v.number())))],
  ["valibot: a picklist or null", valibot(v.nullable(v.picklist(["a", "b"])))],
  ["arktype: an object", ark(type({ a: "string <= 3", "b?": "number.integer" }))],
  ["arktype: a strict object", ark(type({ "+": "reject", a: "string", "b?": "number" }))],
  ["arktype: a union", ark(type({ kind: "'a'", x: "number" }).or({ kind: "'b'", y: "string" }))],
  ["arktype: a tuple", ark(type(["string", "number"]))],
  ["arktype: a record", withoutLists(ark(type("Record<string, number>")))],
  ["arktype: literals and null", ark(type("'a' | 'b' | 12 | null"))],
];

describe.each(MODES)("a schema of another library, %s", (_, options) => {
  test.each(LIBRARIES)("takes in what the library takes in: %s", (_what, { schema, parse }) => {
    const compiled = compile(schema, { ...options, side: "input" });
    expect(compiled.warnings).toEqual([]);
    expect(VALUES.filter((value) => compiled.accepts(value))).toEqual(VALUES.filter((value) => parse(value)));
  });

  test.each(LIBRARIES)("takes what the library puts out: %s", (_what, { schema, parse }) => {
    const compiled = compile(schema, { ...options, side: "output" });
    const outputs = VALUES.flatMap((value) => parse(value) ?? []).map(({ output }) => output);
    expect(outputs.length).toBeGreaterThan(0);
    expect(outputs.filter((output) => !compiled.accepts(output))).toEqual([]);
  });
});
