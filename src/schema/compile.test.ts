import { type } from "arktype";
import { afterEach, describe, expect, test, vi } from "vitest";
import * as z from "zod";
import { given, MODES, nest, object } from "../../test/schema-values.js";
import { check, compile, normalise } from "./compile.js";
import type { AnySchema } from "./standard-schema.js";

afterEach(() => {
  vi.unstubAllGlobals();
});

function broken(schema: AnySchema): [string, string | undefined][] {
  return compile(schema).warnings.map(({ code, path }) => [code, path]);
}

describe("compile", () => {
  test("gives the same object for the same schema and side", () => {
    const schema = { type: "string" };
    expect(compile(schema)).toBe(compile(schema));
    expect(compile(schema, { side: "output" })).toBe(compile(schema));
    expect(compile(schema, {})).not.toBe(compile({ ...schema }));
  });

  test("keeps the two sides of a schema apart", () => {
    const schema = z.string().transform(Number).pipe(z.number());
    expect(compile(schema, { side: "input" }).accepts("5")).toBe(true);
    expect(compile(schema, { side: "output" }).accepts("5")).toBe(false);
    expect(compile(schema, { side: "input" })).toBe(compile(schema, { side: "input" }));
    expect(compile(schema, { side: "input" })).not.toBe(compile(schema, { side: "output" }));
  });

  test("does not mix up a schema with other documents and one without", () => {
    const schema = { $ref: "https://example.com/name.json" };
    const documents = { "https://example.com/name.json": { type: "string" } };
    expect(compile(schema).accepts(5)).toBe(true);
    expect(compile(schema, { documents }).accepts(5)).toBe(false);
    expect(compile(schema).accepts(5)).toBe(true);
    expect(compile(schema, { generate: false }).accepts(5)).toBe(true);
  });

  test("keeps the schema as it was given", () => {
    const schema = Object.freeze({ type: "object", properties: Object.freeze({ a: Object.freeze({ default: 1 }) }) });
    expect(compile(schema).schema).toBe(schema);
    expect(normalise(schema, {}).value).toEqual({ a: 1 });
  });

  test.each([true, {}, { title: "anything" }, { $ref: "#" }])("says that everything matches %j", (schema) => {
    expect(compile(schema).acceptsAll).toBe(true);
  });

  test.each([false, { type: "string" }, { not: {} }, { required: ["a"] }])("says that not all matches %j", (schema) => {
    expect(compile(schema).acceptsAll).toBe(false);
  });

  test.each([[undefined], [null], [5], ["string"], [[]], [() => true], [{ "~standard": { version: 1 } }]])(
    "throws a TypeError for %o, which is no schema",
    (schema) => {
      expect(() => compile(given(schema))).toThrow(TypeError);
    },
  );
});

/** What is broken, the place that is named, a schema for `/part`, and what it accepts all the same. */
const BROKEN: readonly (readonly [string, string, unknown, unknown])[] = [
  ["a reference to nothing", "/$ref", { $ref: "#/$defs/none" }, 1],
  ["a reference into a text", "/$ref", { $ref: "#/properties/whole/type/0" }, 1],
  ["a reference to an anchor that is not there", "/$ref", { $ref: "#none" }, 1],
  ["a reference to another machine", "/$ref", { $ref: "https://example.com/schema.json" }, 1],
  ["a reference to a file", "/$ref", { $ref: "./other.json#/$defs/a" }, 1],
  ["a reference that is no address", "/$ref", { $ref: "http://[" }, 1],
  ["a reference that is no text", "/$ref", { $ref: 5 }, 1],
  ["a reference to itself", "", { $ref: "#/properties/part" }, 1],
  ["alternatives that are itself", "", { anyOf: [{ $ref: "#/properties/part" }] }, 1],
  ["an unknown type", "/type", { type: "file" }, 1],
  ["an unknown type among known ones", "/type", { type: ["string", "date"] }, 1],
  ["a type named like what objects inherit", "/type", { type: "constructor" }, 1],
  ["no type", "/type", { type: [] }, 1],
  ["null for a type", "/type", { type: null }, 1],
  ["an enumeration that is no list", "/enum", { enum: "a" }, 1],
  ["a limit in words", "/minimum", { minimum: "5" }, 1],
  ["a limit that is not finite", "/maximum", { maximum: Number.NEGATIVE_INFINITY }, 1],
  ["multiples of zero", "/multipleOf", { multipleOf: 0 }, 1],
  ["multiples of what is not finite", "/multipleOf", { multipleOf: Number.POSITIVE_INFINITY }, 1],
  ["a negative length", "/maxLength", { maxLength: -1 }, "a"],
  ["half an item", "/minItems", { minItems: 1.5 }, []],
  ["names in a text", "/required", { required: "a" }, {}],
  ["names that are numbers", "/required", { required: [1] }, {}],
  ["properties in a list", "/properties", { properties: [] }, { a: 1 }],
  ["properties that are null", "/properties", { properties: null }, { a: 1 }],
  ["a property that is no schema", "/properties/a", { properties: { a: "string" } }, { a: 1 }],
  ["a property with a name of two parts", "/properties/a~1b", { properties: { "a/b": null } }, { "a/b": 1 }],
  ["items in a text", "/items", { items: "string" }, [1]],
  ["no alternatives", "/anyOf", { anyOf: [] }, 1],
  ["an alternative that is null", "/anyOf/1", { anyOf: [{ type: "string" }, null] }, 1],
  ["requirements in an object", "/allOf", { allOf: {} }, 1],
  ["a pattern that does not close", "/pattern", { pattern: "(" }, "a"],
  ["a pattern with a flag of another language", "/pattern", { pattern: "(?i)a" }, "b"],
  ["a pattern that is a number", "/pattern", { pattern: 5 }, "a"],
  [
    "a pattern for names that does not close",
    "/patternProperties/[",
    { patternProperties: { "[": false } },
    { "[": 1 },
  ],
  ["a number of items in words", "/contains", { contains: { type: "string" }, minContains: "2" }, []],
  ["names that depend on a text", "/dependentRequired/a", { dependentRequired: { a: "b" } }, { a: 1 }],
  ["a condition that is a number", "/if", { if: 5 }, 1],
  ["a schema that is null", "", null, 1],
  ["a schema that is a list", "", [], 1],
];

describe.each(MODES)("a broken part of a schema, %s", (_, options) => {
  test.each(BROKEN)("accepts anything and is named: %s", (_what, at, part, value) => {
    const schema = { type: "object", properties: { part, whole: { type: "string" } }, required: ["whole"] };
    const compiled = compile(schema, options);
    expect(compiled.warnings.map(({ code, path }) => [code, path])).toEqual([
      ["SCHEMA_UNSUPPORTED", `/properties/part${at}`],
    ]);
    expect(compiled.accepts({ part: value, whole: "a" })).toBe(true);
    expect(compiled.normalise({ part: value, whole: "a" })).toMatchObject({ isValid: true, warnings: [] });
    expect(compiled.issues({ part: value, whole: 5 }).map(({ path }) => path)).toEqual(["/whole"]);
  });

  test("is one reference in a circle of several", () => {
    const schema = {
      $defs: {
        a: { $ref: "#/$defs/b" },
        b: { allOf: [{ $ref: "#/$defs/c" }], type: "string" },
        c: { $ref: "#/$defs/a" },
      },
      properties: { name: { $ref: "#/$defs/a" }, age: { type: "integer" } },
    };
    const compiled = compile(schema, options);
    expect(compiled.warnings.map(({ code }) => code)).toEqual(["SCHEMA_UNSUPPORTED"]);
    expect(compiled.accepts({ name: "a", age: 1 })).toBe(true);
    expect(compiled.accepts({ name: "a", age: "x" })).toBe(false);
  });

  test("is what lies too deep", () => {
    const wrap = (inner: unknown) => ({ properties: { a: inner }, required: ["a"] });
    const schema = given(nest(1_000, wrap, { type: "string" }));
    const compiled = compile(schema, options);
    expect(compiled.warnings).toMatchObject([
      { code: "SCHEMA_UNSUPPORTED", path: expect.stringMatching(/^(\/properties\/a)+$/) },
    ]);
    expect(compiled.accepts(nest(1_000, (inner) => ({ a: inner }), 5))).toBe(true);
    expect(compiled.accepts(nest(20, (inner) => ({ a: inner }), {}))).toBe(false);
  });

  test("is what can only be read by code that throws", () => {
    const hidden = {
      get type(): string {
        throw new Error("no one may look");
      },
    };
    const compiled = compile({ properties: { hidden, whole: { type: "string" } } }, options);
    expect(compiled.warnings).toMatchObject([{ code: "SCHEMA_UNSUPPORTED" }]);
    expect(compiled.accepts({ hidden: 1, whole: "a" })).toBe(true);
    expect(compiled.accepts({ whole: 1 })).toBe(false);
  });
});

describe("a large or strange schema", () => {
  test("with 60,000 properties checks as many as it can, and counts the others", () => {
    const names = Array.from({ length: 60_000 }, (_, at) => `p${at}`);
    const properties = Object.fromEntries(names.map((name) => [name, { type: "string" }]));
    const compiled = compile({ type: "object", properties });
    expect(compiled.warnings.length).toBeLessThan(50);
    expect(compiled.warnings.reduce((sum, { count = 1 }) => sum + count, 0)).toBeGreaterThan(10_000);
    expect(compiled.accepts({ p0: "a", p59999: "a" })).toBe(true);
    expect(compiled.accepts({ p0: 1 })).toBe(false);
  });

  test.each(MODES)("with an enumeration of 100,000 values checks each, %s", (_, options) => {
    const compiled = compile({ enum: Array.from({ length: 100_000 }, (_, at) => `v${at}`) }, options);
    expect(compiled.accepts("v99999")).toBe(true);
    expect(compiled.accepts("v100000")).toBe(false);
    expect(compiled.issues("other")[0]?.message.length).toBeLessThan(300);
  });

  test("that refers to the next twice, many times over, is read once", () => {
    const link = (at: number) => ({ $ref: `#/$defs/d${at}` });
    const links = Array.from({ length: 60 }, (_, at) => [`d${at}`, object({ a: link(at + 1), b: link(at + 1) })]);
    const schema = object({ a: link(0) }, { $defs: { ...Object.fromEntries(links), d60: { type: "string" } } });
    const compiled = compile(schema);
    expect(compiled.isKnown).toBe(true);
    expect(compiled.accepts({ a: { a: { b: {} } } })).toBe(true);
    expect(compiled.accepts({ a: { a: { b: "x" } } })).toBe(false);
    expect(compiled.excess({ a: { a: {} } }, { depth: 9, size: 999 }, true)).toBe(undefined);
  });

  test.each(MODES)("that chains deeper than the stack still works, %s", (_, options) => {
    const links = Array.from({ length: 20_000 }, (_, at) => [`d${at}`, object({ a: { $ref: `#/$defs/d${at + 1}` } })]);
    const $defs = { ...Object.fromEntries(links), d20000: { type: "string" } };
    const compiled = compile(object({ a: { $ref: "#/$defs/d0" } }, { $defs }), options);
    expect(compiled.isKnown).toBe(false);
    expect(compiled.accepts({ a: { a: {} } })).toBe(true);
    expect(compiled.normalise({ a: { a: { b: 1 } } }).value).toEqual({ a: { a: {} } });
    expect(compiled.excess({ a: { a: {} } }, { depth: 9, size: 999 }, false)).toBe(undefined);
  });

  test.each(MODES)("that contains itself as an object checks at every depth, %s", (_, options) => {
    const properties: Record<string, unknown> = { name: { type: "string" } };
    const schema = { type: "object", properties };
    properties["child"] = schema;
    const compiled = compile(schema, options);
    expect(compiled.warnings).toEqual([]);
    expect(compiled.accepts({ name: "a", child: { child: { name: "b" } } })).toBe(true);
    expect(compiled.issues({ child: { child: { name: 1 } } }).map(({ path }) => path)).toEqual(["/child/child/name"]);
  });

  test("with a default or value that contains itself still works", () => {
    const itself: Record<string, unknown> = {};
    itself["itself"] = itself;
    expect(normalise({ properties: { a: { default: itself }, b: { default: 1 } } }, {}).value).toEqual({ b: 1 });
    expect(check({ const: itself }, { itself: {} }).map(({ rule }) => rule)).toEqual(["const"]);
  });

  test("finds an anchor in a property that is named like a keyword for data, and none in data", () => {
    const anchored = { $anchor: "text", type: "string" };
    for (const name of ["default", "const", "enum", "example", "examples"]) {
      const schema = { properties: { [name]: anchored, other: { $ref: "#text" } } };
      expect(broken(schema)).toEqual([]);
      expect(compile(schema).accepts({ other: 1 })).toBe(false);
    }
    expect(broken({ default: anchored, $ref: "#text" })).toEqual([["SCHEMA_UNSUPPORTED", "/$ref"]]);
  });

  test("never reaches for the network", () => {
    const fetch = vi.fn(() => expect.fail("a schema has fetched something"));
    vi.stubGlobal("fetch", fetch);
    const at = "https://json-schema.org/draft/2020-12/schema";
    const compiled = compile({ $schema: at, $id: "https://example.com/a", allOf: [{ $ref: at }, { $ref: "b" }] });
    expect(compiled.accepts(1)).toBe(true);
    expect(compiled.normalise({ a: 1 }).value).toEqual({ a: 1 });
    expect(compiled.warnings.map(({ path }) => path)).toEqual(["/allOf/0/$ref", "/allOf/1/$ref"]);
    expect(fetch).not.toHaveBeenCalled();
  });
});

test("a schema that is a function, as those of arktype are, is compiled once", () => {
  const schema = type({ id: "number" });
  expect(compile(schema)).toBe(compile(schema));
});
