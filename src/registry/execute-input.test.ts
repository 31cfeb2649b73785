import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import Type from "typebox";
import * as v from "valibot";
import { describe, expect, test, vi } from "vitest";
import * as z from "zod";
import { unwrap } from "../envelope/response-envelope.js";
import type { AnySchema } from "../schema/standard-schema.js";
import { failureOf, registryOf, thrownBy } from "./fixtures/operations.js";

async function pathsOf(inputSchema: AnySchema, input: unknown): Promise<string[] | undefined> {
  const handler = vi.fn();
  const error = await failureOf(registryOf(handler, { inputSchema }).execute("test.run", input));
  expect(error).toMatchObject({ code: "VALIDATION_ERROR", category: "validation" });
  expect(handler).not.toHaveBeenCalled();
  return error.issues?.map(({ path }) => path);
}

/** What the handler gets. */
async function taken(inputSchema: AnySchema, input: unknown): Promise<unknown> {
  return unwrap(await registryOf((given) => given, { inputSchema }).execute("test.run", input));
}

const SHAPES: readonly (readonly [string, AnySchema])[] = [
  [
    "JSON Schema",
    {
      type: "object",
      properties: { id: { type: "integer" }, tags: { type: "array", items: { type: "string" } } },
      required: ["id", "tags"],
    },
  ],
  ["TypeBox", Type.Object({ id: Type.Integer(), tags: Type.Array(Type.String()) })],
  ["zod", z.object({ id: z.int(), tags: z.array(z.string()) })],
  ["valibot", toStandardJsonSchema(v.object({ id: v.pipe(v.number(), v.integer()), tags: v.array(v.string()) }))],
  ["arktype", type({ id: "number.integer", tags: "string[]" })],
];

describe.each(SHAPES)("an input schema of %s", (_, inputSchema) => {
  test("lets a good input through", async () => {
    expect(await taken(inputSchema, { id: 1, tags: ["a"] })).toEqual({ id: 1, tags: ["a"] });
  });

  test("names each field that is wrong by its JSON pointer", async () => {
    expect((await pathsOf(inputSchema, { id: "1", tags: ["a", 2] }))?.sort()).toEqual(["/id", "/tags/1"]);
  });

  test("names a field that is missing", async () => {
    expect(await pathsOf(inputSchema, { id: 1 })).toEqual(["/tags"]);
  });

  test.each([null, 0, "", false])("refuses %j, which is none", async (input) => {
    expect(await pathsOf(inputSchema, input)).toEqual([""]);
  });

  test("refuses an input that is left out though its fields are required", async () => {
    expect(await pathsOf(inputSchema, undefined)).not.toEqual([]);
  });
});

describe("a Standard Schema", () => {
  test("may refine the input", async () => {
    const even = z.object({ n: z.int().refine((n) => n % 2 === 0), "a/b": z.string().optional() });
    expect(await pathsOf(even, { n: 3 })).toEqual(["/n"]);
    expect(await taken(even, { n: 4 })).toEqual({ n: 4 });
  });

  test("has its paths written as JSON pointers, with what needs it escaped", async () => {
    expect(await pathsOf(z.object({ "a/b~": z.object({ c: z.array(z.string()) }) }), { "a/b~": { c: [1] } })).toEqual([
      "/a~1b~0/c/0",
    ]);
  });

  test("may refine the whole, whose issue has the place that it names", async () => {
    const pair = z.object({ a: z.int(), b: z.int() });
    expect(
      await pathsOf(
        pair.refine(({ a, b }) => a < b, { path: ["b"] }),
        { a: 2, b: 1 },
      ),
    ).toEqual(["/b"]);
    expect(
      await pathsOf(
        pair.refine(({ a, b }) => a < b),
        { a: 2, b: 1 },
      ),
    ).toEqual([""]);
  });

  test("may refine the input with arktype", async () => {
    const long = type({ name: type("string").narrow((name, context) => name.length > 3 || context.mustBe("long")) });
    expect(await pathsOf(long, { name: "Ada" })).toEqual(["/name"]);
  });

  test("may refine the input with valibot, though no JSON Schema tells it", async () => {
    const schema = v.object({
      name: v.pipe(
        v.string(),
        v.check((name) => name.length > 3),
      ),
    });
    const long = toStandardJsonSchema(schema);
    expect(await pathsOf(long, { name: "Ada" })).toEqual(["/name"]);
  });

  test("of zod may transform the input: the handler gets what it makes", async () => {
    const schema = z.object({ when: z.string().transform((text) => text.length) });
    expect(await taken(schema, { when: "abc" })).toEqual({ when: 3 });
  });

  test("of valibot may transform the input: the handler gets what it makes", async () => {
    const schema = v.object({
      when: v.pipe(
        v.string(),
        v.transform((text) => text.length),
      ),
    });
    expect(await taken(toStandardJsonSchema(schema), { when: "abc" })).toEqual({ when: 3 });
  });

  test("of arktype may transform the input: the handler gets what it makes", async () => {
    expect(await taken(type({ when: "string.numeric.parse" }), { when: "12" })).toEqual({ when: 12 });
    expect(await pathsOf(type({ when: "string.numeric.parse" }), { when: "abc" })).toEqual(["/when"]);
  });

  test("fills its defaults and strips what it does not know, as its library does", async () => {
    const schema = z.object({ size: z.int().default(10) });
    expect(await taken(schema, {})).toEqual({ size: 10 });
    expect(await taken(schema, { size: 1, other: 2 })).toEqual({ size: 1 });
  });

  test("that coerces is asked itself, before JSON Schema would refuse", async () => {
    expect(await taken(z.object({ n: z.coerce.number() }), { n: "12" })).toEqual({ n: 12 });
  });

  test("may refine later", async () => {
    const schema = z.object({ name: z.string().refine(async (name) => name !== "taken") });
    expect(await pathsOf(schema, { name: "taken" })).toEqual(["/name"]);
    expect(await taken(schema, { name: "free" })).toEqual({ name: "free" });
  });

  test("that is asked later does not change how a throwing handler fails", async () => {
    const inputSchema = z.string().refine(async () => true);
    const registry = registryOf(
      () => {
        throw new Error("secret");
      },
      { inputSchema },
    );
    expect(await failureOf(registry.execute("test.run", "a"))).toMatchObject({ code: "EXECUTION_ERROR" });
    expect(await registry.attempt("test.run", "a")).toMatchObject({ ok: false, error: { code: "EXECUTION_ERROR" } });
  });

  test.each([
    [
      "at once",
      () => {
        throw new Error("secret");
      },
    ],
    ["later", () => Promise.reject(new Error("secret"))],
  ])("whose check throws %s fails the call with a CallError that does not tell the text", async (_, validate) => {
    const inputSchema = {
      "~standard": { version: 1, vendor: "test", validate, jsonSchema: { input: () => ({}), output: () => ({}) } },
    };
    const error = await failureOf(registryOf(() => 1, { inputSchema }).execute("test.run", "a"));
    expect(JSON.stringify(error)).not.toContain("secret");
  });

  test("whose output has no JSON Schema is a good input schema where its input has one", () => {
    const inputSchema = z.string().transform((text) => new Date(text));
    expect(thrownBy(() => registryOf(() => 1, { inputSchema }))).toBeUndefined();
  });

  test("whose input JSON Schema cannot say is checked by itself", async () => {
    const inputSchema = z.object({ at: z.date(), count: z.number() });
    const registry = registryOf(({ at }) => at.getTime(), { inputSchema });
    expect(registry.get("test.run")?.warnings).toMatchObject([{ code: "SCHEMA_UNSUPPORTED" }]);
    expect(unwrap(await registry.execute("test.run", { at: new Date(5), count: 1 }))).toBe(5);
    const error = await failureOf(registry.execute("test.run", { at: "today", count: 1 }));
    expect(error).toMatchObject({ code: "VALIDATION_ERROR", issues: [{ path: "/at" }] });
  });
});

describe("an input that its type lets one leave out", () => {
  const optional: readonly (readonly [string, AnySchema])[] = [
    ["JSON Schema", { type: "object", properties: { limit: { type: "integer" } } }],
    ["TypeBox", Type.Object({ limit: Type.Optional(Type.Integer()) })],
    ["zod", z.object({ limit: z.int().optional() })],
    ["valibot", toStandardJsonSchema(v.object({ limit: v.optional(v.number()) }))],
    ["arktype", type({ "limit?": "number.integer" })],
  ];

  test.each(optional)("may be left out of the call, with %s", async (_, inputSchema) => {
    expect(unwrap(await registryOf(() => "ran", { inputSchema }).execute("test.run"))).toBe("ran");
  });
});

describe("JSON Schema for an input", () => {
  test("changes nothing: what is not named stays, and defaults are not filled", async () => {
    const inputSchema = { type: "object", properties: { size: { type: "integer", default: 10 } } };
    const input = { other: 1 };
    expect(await taken(inputSchema, input)).toBe(input);
  });

  test("refuses what additionalProperties refuses", async () => {
    const inputSchema = { type: "object", properties: { a: true }, additionalProperties: false };
    expect(await pathsOf(inputSchema, { a: 1, b: 2 })).toEqual(["/b"]);
  });

  test("that is false refuses everything", async () => {
    expect(await pathsOf(false, 1)).toEqual([""]);
  });

  test("that is true takes undefined too", async () => {
    expect(await taken(true, undefined)).toBeUndefined();
  });
});

describe("the limits of an input", () => {
  const TREE = { type: "object", properties: { inner: { $ref: "#" }, text: { type: "string" } } };
  const schemas: readonly (readonly [string, AnySchema])[] = [
    ["of any shape", {}],
    ["of a recursive shape", TREE],
    ["that zod checks", z.object({ inner: z.any().optional(), text: z.string().optional() })],
  ];

  function nested(levels: number): unknown {
    let value: unknown = { text: "leaf" };
    for (let level = 1; level < levels; level++) value = { inner: value };
    return value;
  }

  function cycle(): unknown {
    const value: Record<string, unknown> = {};
    value["inner"] = value;
    return value;
  }

  describe.each(schemas)("for an input %s", (_, inputSchema) => {
    const registry = registryOf(() => "ran", { inputSchema });
    const small = registryOf(() => "ran", { inputSchema }, { limits: { depth: 4, size: 100 } });

    test("refuse what is nested too deep", async () => {
      expect(unwrap(await registry.execute("test.run", nested(100)))).toBe("ran");
      expect(await failureOf(registry.execute("test.run", nested(101)))).toMatchObject({
        code: "PAYLOAD_TOO_LARGE",
        category: "validation",
        recoverable: false,
      });
      expect(unwrap(await small.execute("test.run", nested(4)))).toBe("ran");
      expect(await failureOf(small.execute("test.run", nested(5)))).toMatchObject({ code: "PAYLOAD_TOO_LARGE" });
    });

    test("refuse what is so deep that it would exhaust the stack", async () => {
      expect(await failureOf(registry.execute("test.run", nested(100_000)))).toMatchObject({
        code: "PAYLOAD_TOO_LARGE",
      });
    });

    test("refuse a cycle", async () => {
      expect(await failureOf(registry.execute("test.run", cycle()))).toMatchObject({ code: "PAYLOAD_TOO_LARGE" });
    });

    test("refuse what is too large", async () => {
      expect(unwrap(await small.execute("test.run", { text: "a".repeat(50) }))).toBe("ran");
      expect(await failureOf(small.execute("test.run", { text: "a".repeat(200) }))).toMatchObject({
        code: "PAYLOAD_TOO_LARGE",
      });
      expect(await failureOf(registry.execute("test.run", { text: "a".repeat(10_000_001) }))).toMatchObject({
        code: "PAYLOAD_TOO_LARGE",
      });
    });
  });

  test.each([
    ["a list", Array.from({ length: 100 }, () => 1)],
    ["names of fields", { ["k".repeat(200)]: 1 }],
    ["a typed array", new Uint8Array(200)],
    ["a typed array within", { bytes: new Float64Array(20) }],
  ])("count %s", async (_, input) => {
    const registry = registryOf(() => 1, {}, { limits: { size: 100 } });
    expect(await failureOf(registry.execute("test.run", input))).toMatchObject({ code: "PAYLOAD_TOO_LARGE" });
  });

  test("do not look at every byte of a typed array", async () => {
    const bytes = new Uint8Array(50);
    const registry = registryOf((given) => given, {}, { limits: { size: 100 } });
    expect(unwrap(await registry.execute("test.run", bytes))).toBe(bytes);
  });

  test("come after access and before the handler", async () => {
    const handler = vi.fn();
    const registry = registryOf(handler, { accessControl: { requiredScopes: ["a"] } }, { limits: { size: 10 } });
    expect(await failureOf(registry.execute("test.run", "x".repeat(99)))).toMatchObject({ code: "ACCESS_DENIED" });
    expect(handler).not.toHaveBeenCalled();
  });

  test("given in part keep the other default", async () => {
    const registry = registryOf(() => "ran", {}, { limits: { depth: 3 } });
    expect(unwrap(await registry.execute("test.run", "x".repeat(1000)))).toBe("ran");
    expect(await failureOf(registry.execute("test.run", nested(4)))).toMatchObject({ code: "PAYLOAD_TOO_LARGE" });
  });
});

test("a Standard Schema that answers with a thenable of its own is awaited", async () => {
  // biome-ignore lint/suspicious/noThenProperty: it is what is tested
  const verdict = { then: (resolve: (result: unknown) => void) => resolve({ issues: [{ message: "no" }] }) };
  const standard = {
    version: 1,
    vendor: "own",
    validate: () => verdict,
    jsonSchema: { input: () => ({}), output: () => ({}) },
  };
  const registry = registryOf(() => 1, { inputSchema: { "~standard": standard } });
  expect(await failureOf(registry.execute("test.run", "x"))).toMatchObject({ code: "VALIDATION_ERROR" });
});

test("a limit that is given as undefined is the default", async () => {
  const deep = Array.from({ length: 1_000 }).reduce<unknown>((inner) => [inner], 1);
  const registry = registryOf(() => 1, {}, { limits: { depth: undefined } as object });
  expect(await failureOf(registry.execute("test.run", deep))).toMatchObject({ code: "PAYLOAD_TOO_LARGE" });
});
