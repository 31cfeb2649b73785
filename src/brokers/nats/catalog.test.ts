import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { OperationSpec } from "../../registry/operation.js";
import { catalogDigest, catalogOf, specDigest, specFromJson, specToJson } from "./catalog.js";
import { readCatalog } from "./source/read-catalog.js";

const plain: OperationSpec = {
  ...{ namespace: "math", name: "add", version: "1.2.0", type: "query", description: "Adds.", title: "Add" },
  tags: ["numbers"],
  inputSchema: { type: "object", properties: { a: { type: "number" } } },
  outputSchema: { type: "number" },
  errorSchemas: { OVERFLOW: { description: "Too large.", category: "execution", details: { type: "string" } } },
  accessControl: { requiredScopes: ["math"] },
  annotations: { readOnly: true },
  http: { method: "GET", path: "/sum" },
  delivery: "once",
  _meta: { team: { name: "sums" } },
};

describe("a spec as JSON", () => {
  test("says all that the spec says, there and back", () => {
    expect(specFromJson(JSON.parse(JSON.stringify(specToJson(plain))))).toEqual(plain);
  });

  test("has the JSON Schemas of Standard Schemas, of the input what it takes", () => {
    const schema = z.object({ n: z.string().transform(Number).pipe(z.number()) });
    const { inputSchema, outputSchema, errorSchemas } = specToJson({
      ...plain,
      inputSchema: schema,
      outputSchema: schema,
      errorSchemas: { BAD: { details: z.object({ why: z.string() }) } },
    });
    expect(inputSchema).toMatchObject({ properties: { n: { type: "string" } } });
    expect(outputSchema).toMatchObject({ properties: { n: { type: "number" } } });
    expect(errorSchemas).toMatchObject({ BAD: { details: { properties: { why: { type: "string" } } } } });
  });

  test("asks getters, and takes a schema that cannot be had for one that accepts anything", () => {
    const lazy: OperationSpec = {
      ...plain,
      get inputSchema() {
        return { type: "string" };
      },
      get outputSchema(): object {
        throw new Error("not today");
      },
    };
    expect(specToJson(lazy)).toMatchObject({ inputSchema: { type: "string" }, outputSchema: true });
  });

  test("leaves out what JSON cannot hold", () => {
    const circle: Record<string, unknown> = {};
    circle["self"] = circle;
    expect(specToJson({ ...plain, _meta: circle })).not.toHaveProperty("_meta");
    expect(specToJson({ ...plain, _meta: { f: () => 1, kept: 0 } })["_meta"]).toEqual({ kept: 0 });
    expect(specToJson({ ...plain, inputSchema: circle })).toMatchObject({ inputSchema: true });
  });
});

describe("the digest of a catalog", () => {
  const other: OperationSpec = { ...plain, name: "subtract" };

  test("does not depend on the order of operations or keys, nor on the way", () => {
    const { digest, operations } = catalogOf([plain, other]);
    const turned = Object.fromEntries(Object.entries(other).reverse()) as unknown as OperationSpec;
    expect(catalogOf([turned, { ...plain }]).digest).toBe(digest);
    expect(catalogDigest(JSON.parse(JSON.stringify(operations)))).toBe(digest);
  });

  test("changes with whatever changes", () => {
    const changed: OperationSpec = { ...plain, description: "Adds up." };
    expect(catalogOf([changed]).digest).not.toBe(catalogOf([plain]).digest);
    expect(specDigest(changed)).not.toBe(specDigest(plain));
  });
});

describe("a catalog from a worker", () => {
  const nested = (depth: number): unknown => (depth === 0 ? {} : { not: nested(depth - 1) });

  test.each([
    ["nothing", null],
    ["a text", "math.add"],
    ["a list", []],
    ["no name", { ...plain, name: undefined }],
    ["a name that JavaScript uses", { ...plain, name: "__proto__" }],
    ["a name with a wildcard", { ...plain, name: "a.*" }],
    ["a version that is none", { ...plain, version: "one" }],
    ["a type that is none", { ...plain, type: "thing" }],
    ["a schema that is none", { ...plain, inputSchema: 7 }],
    ["a schema of a library", { ...plain, inputSchema: { "~standard": { vendor: "x" } } }],
    ["access control of the wrong shape", { ...plain, accessControl: { requiredScopes: "all" } }],
    ["a title that is no text", { ...plain, title: 7 }],
    ["annotations that are none", { ...plain, annotations: { readOnly: "yes" } }],
    ["_meta that is no object", { ...plain, _meta: [] }],
    ["a schema that is too deep", { ...plain, inputSchema: nested(1000) }],
    ["a description that is too long", { ...plain, description: "x".repeat(5_000_000) }],
  ])("is used without an operation that has %s", (_, bad) => {
    const { specs, warnings } = readCatalog({ operations: [bad, plain] });
    expect(specs).toEqual([plain]);
    expect(warnings).toMatchObject([{ code: "OPERATION_SKIPPED" }]);
  });

  test("brings no fields that no spec has", () => {
    const [spec] = readCatalog({ operations: [{ ...plain, handler: "x", __proto__: null }] }).specs;
    expect(spec).toEqual(plain);
  });

  test("is bounded in its operations and in what is told of them", () => {
    const { specs, warnings } = readCatalog({ operations: Array(20_005).fill(0) });
    expect(specs).toEqual([]);
    expect(warnings).toHaveLength(21);
    expect(warnings.at(-1)).toMatchObject({ count: 20_001 - 20 });
  });

  test.each([[undefined], [null], [7], [{}], [{ operations: {} }]])("is none where it is %j", (data) => {
    expect(() => readCatalog(data)).toThrow(expect.objectContaining({ category: "validation" }));
  });
});
