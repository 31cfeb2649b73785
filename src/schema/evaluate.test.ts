import { describe, expect, test } from "vitest";
import { given, MODES, nest, when } from "../../test/schema-values.js";
import { compile } from "./compile.js";

/** Each with a value and where which rules are broken. */
const FAULTS: readonly (readonly [string, object, unknown, readonly string[]])[] = [
  ["a wrong type", { type: "string" }, 5, [" type"]],
  ["a field", { properties: { a: { type: "string" } } }, { a: 5 }, ["/a type"]],
  [
    "names that pointers escape",
    { properties: { "a/b": false, "c~d": false, "": false } },
    { "a/b": 1, "c~d": 1, "": 1 },
    ["/a~1b false", "/c~0d false", "/ false"],
  ],
  ["what is missing, at its place", { required: ["a", "b"] }, { b: 1 }, ["/a required"]],
  ["a field that is undefined", { required: ["a"] }, { a: undefined }, ["/a required"]],
  ["each item", { items: { type: "integer" } }, [1, "a", 1.5], ["/1 type", "/2 type"]],
  [
    "each field that is not known",
    { properties: { a: {} }, additionalProperties: false },
    { a: 1, b: 1, c: 1 },
    ["/b additionalProperties", "/c additionalProperties"],
  ],
  [
    "what no part has looked at",
    { allOf: [{ properties: { a: {} } }], unevaluatedProperties: false },
    { a: 1, b: 1 },
    ["/b unevaluated"],
  ],
  ["one rule of several", { type: "string", minLength: 5, pattern: "^x", enum: ["xxxxx"] }, "a", [" const"]],
  [
    "one rule of several parts",
    { properties: { a: { allOf: [{ minLength: 5 }, { pattern: "^x" }] } } },
    { a: "a" },
    ["/a minLength"],
  ],
  [
    "a name, once",
    { propertyNames: { pattern: "^x" }, properties: { a: { type: "string" } } },
    { a: 1 },
    ["/a pattern"],
  ],
  ["the same in two parts, once", { allOf: [{ required: ["a"] }, { required: ["a"] }] }, {}, ["/a required"]],
  ["what a condition asks for", when({ required: ["a"] }, { required: ["b"] }), { a: 1 }, ["/b required"]],
  [
    "what another field asks for",
    { dependentRequired: { a: ["b"] }, dependentSchemas: { a: { required: ["c"] } } },
    { a: 1 },
    ["/b dependentRequired", "/c required"],
  ],
  ["what must not be", { not: { required: ["a"] } }, { a: 1 }, [" not"]],
  ["too few of a kind", { contains: { type: "string" }, minContains: 2 }, ["a"], [" contains"]],
  [
    "the alternative of the same type",
    { anyOf: [{ type: "string" }, { type: "object", required: ["a"] }] },
    {},
    ["/a required"],
  ],
  ["the alternative with the same tag", oneOfKinds("const"), { kind: "b", y: "1" }, ["/y type"]],
  ["the alternative with a tag of the same list", oneOfKinds("enum"), { kind: "b", y: "1" }, ["/y type"]],
  ["no alternative where the tag is unknown", oneOfKinds("const"), { kind: "c", y: "1" }, [" oneOf"]],
  ["no alternative where all are of another type", { anyOf: [{ type: "string" }, { type: "null" }] }, 5, [" anyOf"]],
  ["a rule beside values that are objects", { enum: [{}, ""], pattern: "^a" }, "", [" pattern"]],
  ["a rule beside many values", { enum: Array.from({ length: 40 }, (_, at) => at), minimum: 5 }, 4, [" minimum"]],
  ["several alternatives", { oneOf: [{ type: "number" }, { minimum: 1 }] }, 5, [" oneOf"]],
  [
    "what may be null",
    { anyOf: [{ type: "null" }, { type: "object", properties: { a: { type: "string" } } }] },
    { a: 1 },
    ["/a type"],
  ],
  [
    "what JSON does not have",
    { items: { type: ["number", "string", "object"] } },
    [Number.NaN, () => 1, 5n, 1],
    ["/0 type", "/1 type", "/2 type"],
  ],
];

function oneOfKinds(word: "const" | "enum"): object {
  const kind = (name: string, field: string) => ({
    type: "object",
    properties: { kind: { [word]: word === "const" ? name : [name] }, [field]: { type: "number" } },
    required: ["kind", field],
  });
  return { oneOf: [kind("a", "x"), kind("b", "y")] };
}

describe.each(MODES)("issues, %s", (_, options) => {
  test.each(FAULTS)("name %s", (_what, schema, value, expected) => {
    const compiled = compile(schema, options);
    expect(compiled.accepts(value)).toBe(false);
    expect(compiled.issues(value).map(({ path, rule }) => `${path} ${rule}`)).toEqual(expected);
  });

  test("are none where the value matches, and at most a hundred", () => {
    const compiled = compile({ items: { type: "number" } }, options);
    expect(compiled.issues([1, 2])).toEqual([]);
    expect(compiled.issues(Array.from({ length: 5_000 }, () => "a"))).toHaveLength(100);
  });

  test("are the same after a value that could not be looked at", () => {
    const compiled = compile({ properties: { a: { type: "number" }, b: { type: "string" } } }, options);
    const hidden = {
      a: "12",
      get b(): string {
        throw new Error("no one may look");
      },
    };
    expect(() => compiled.normalise(hidden)).toThrow();
    expect(compiled.normalise({ a: 1 })).toEqual({ value: { a: 1 }, isValid: true, warnings: [] });
    expect(compiled.issues({ a: "12" })).toMatchObject([{ path: "/a" }]);
  });
});

describe.each(MODES)("a value of any depth, %s", (_, options) => {
  const list = nest(100_000, (inner) => [inner], []);
  const tree = nest(100_000, (inner) => ({ child: inner, other: 1 }), {});

  test.each([
    ["a list of lists", { type: "array", items: { $ref: "#" } }, list],
    ["a tree", { type: "object", properties: { child: { $ref: "#" } } }, tree],
    ["a tree by pattern", { patternProperties: { "^c": { $ref: "#" } } }, tree],
    ["a map of maps", { additionalProperties: { $ref: "#" } }, tree],
    ["a tree with nothing else", { properties: { child: { $ref: "#" } }, unevaluatedProperties: false }, tree],
    ["a tree by a dynamic reference", { $dynamicAnchor: "n", properties: { child: { $dynamicRef: "#n" } } }, tree],
    ["a tree by condition", when({ type: "object" }, { properties: { child: { $ref: "#" } } }), tree],
    ["another value", { enum: [[[]], 1] }, list],
    ["a deep constant", { const: list }, nest(100_000, (inner) => [inner], [])],
  ])("never exhausts the stack and is refused as too deep: %s", (_what, schema, value) => {
    const compiled = compile(given(schema), options);
    expect(compiled.accepts(value)).toBe(false);
    expect(compiled.issues(value).length).toBeGreaterThan(0);
    expect(compiled.normalise(value).isValid).toBe(false);
    expect(() => compiled.normalise(value, { cast: true })).not.toThrow();
  });

  test.each([
    ["any object", { type: "object" }, tree],
    ["any items", { uniqueItems: true }, [list, tree]],
  ])("is left alone where nothing is said about it: %s", (_what, schema, value) => {
    expect(compile(schema, options).normalise(value).value).toBe(value);
  });

  test("is not accepted because an excluded schema cannot be followed to its end", () => {
    const lists = { type: "array", items: { $ref: "#/$defs/lists" } };
    expect(compile({ $defs: { lists }, not: { $ref: "#/$defs/lists" } }, options).accepts(list)).toBe(false);
  });

  test.each([199, 200, 201, 399, 400, 401])("of %d gets the same answer in both ways", (depth) => {
    const lists = nest(depth, (inner) => [inner], []);
    const maps = nest(depth, (inner) => ({ a: inner }), {});
    for (const [schema, value] of [
      [{ not: { items: { $ref: "#" } } }, lists],
      [{ patternProperties: { a: { $ref: "#" } } }, maps],
      [{ properties: { a: { $ref: "#" } }, unevaluatedProperties: false }, maps],
    ] as const) {
      expect(compile(schema, options).accepts(value)).toBe(compile(schema, { generate: false }).accepts(value));
    }
  });

  test("costs no more than its size where alternatives look into the same part", () => {
    const kind = (name: string) => ({ type: "object", properties: { kind: { const: name }, child: { $ref: "#" } } });
    const value = nest(20, (inner) => ({ child: inner, kind: "a" }), { kind: "c" });
    const compiled = compile({ anyOf: [kind("a"), kind("b")] }, options);
    expect(compiled.accepts(limitedReads(value))).toBe(false);
    expect(compiled.issues(limitedReads(value)).length).toBeGreaterThan(0);
    expect(compiled.normalise(limitedReads(value)).isValid).toBe(false);
  });

  test.each(["allOf", "anyOf"])(
    "costs no more than the schema where %s leads to the same part by many ways",
    (word) => {
      const next = (at: number) => ({ $ref: `#/$defs/d${at + 1}` });
      const defs = Array.from({ length: 18 }, (_, at) => [`d${at}`, { [word]: [next(at), next(at)] }]);
      const schema = { $defs: Object.fromEntries([...defs, ["d18", { required: ["a"] }]]), $ref: "#/$defs/d0" };
      const compiled = compile(schema, options);
      expect(compiled.accepts(limitedReads({ a: 1 }))).toBe(true);
      expect(compiled.normalise(limitedReads({ a: 1 })).isValid).toBe(true);
      expect(compiled.issues(limitedReads({ b: 1 })).length).toBeGreaterThan(0);
    },
  );
});

/** The value in a wrapping that throws where its fields are read too often: a measure that needs no clock. */
function limitedReads(value: unknown): unknown {
  let reads = 0;
  const wrapped = new WeakMap<object, object>();
  const wrap = (inner: unknown): unknown => {
    if (typeof inner !== "object" || inner === null) return inner;
    const proxy = wrapped.get(inner) ?? new Proxy(inner, { get: (target, key) => wrap(read(target, key)) });
    wrapped.set(inner, proxy);
    return proxy;
  };
  const read = (target: object, key: PropertyKey): unknown => {
    if (++reads > MOST_READS) throw new RangeError(`fields were read more than ${MOST_READS} times`);
    return Reflect.get(target, key);
  };
  return wrap(value);
}

const MOST_READS = 100_000;

describe.each(MODES)("a check, %s", (_, options) => {
  const tree = { anyOf: [{ type: "string" }, { type: "object", properties: { k: { $ref: "#" } }, required: ["k"] }] };

  test("remembers nothing of a value for the next one", () => {
    const compiled = compile(tree, options);
    const value: { k: unknown } = { k: { k: "leaf" } };
    expect(compiled.accepts(value)).toBe(true);
    value.k = { k: 5 };
    expect(compiled.accepts(value)).toBe(false);
  });

  test("within which the same schema is used is not disturbed", () => {
    const compiled = compile({ properties: { a: { type: "number" }, b: {} } }, options);
    const value = {
      a: "zz",
      get b() {
        return compiled.normalise({ a: 1 }).isValid;
      },
    };
    expect(compiled.normalise(value)).toMatchObject({ isValid: false, warnings: [{ path: "/a" }] });
  });
});

test.each(MODES)(
  "a recursive schema that asks twice about the same part does not double its work, %s",
  (_, options) => {
    const again = { properties: { c: { $ref: "#/$defs/n" } } };
    const compiled = compile(
      { $ref: "#/$defs/n", $defs: { n: { allOf: [again, { ...again, maxProperties: 1 }] } } },
      options,
    );
    expect(compiled.accepts(nest(60, (inner) => ({ c: inner }), {}))).toBe(true);
    expect(compiled.accepts(nest(60, (inner) => ({ c: inner }), { x: 1, y: 1 }))).toBe(false);
  },
);
