import { describe, expect, test } from "vitest";
import { openApiOperations } from "../../../test/openapi-operations.js";
import { isRecord, type JsonRecord } from "../../json/value.js";
import type { OperationSpec } from "../../registry/operation.js";
import { compile } from "../../schema/compile.js";
import { type OpenApiOptions, openApiDocument } from "./openapi-document.js";

const plain: OperationSpec = {
  namespace: "math",
  name: "add",
  version: "1.2.3",
  type: "query",
  description: "Adds.",
  inputSchema: { type: "object", properties: { a: { type: "number" } }, required: ["a"] },
  outputSchema: { type: "number" },
};

/** What is asked for here of a document; all else is compared as a whole. */
interface Shown {
  readonly tags: unknown;
  readonly security: unknown;
  readonly paths: Readonly<Record<string, Readonly<Record<string, ShownOperation>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, JsonRecord>>>>;
}

interface ShownOperation {
  readonly operationId: string;
  readonly parameters?: unknown;
  readonly security?: unknown;
  readonly deprecated?: unknown;
  readonly responses: Readonly<Record<string, { readonly content: Readonly<Record<string, JsonRecord>> }>>;
  readonly "x-plico": JsonRecord;
}

function documentOf(specs: readonly Partial<OperationSpec>[], options?: OpenApiOptions): Shown {
  return sent(
    specs.map((spec) => ({ ...plain, ...spec })),
    options,
  );
}

function sent(specs: readonly OperationSpec[], options?: OpenApiOptions): Shown {
  return JSON.parse(JSON.stringify(openApiDocument(specs, options)));
}

function operationOf(spec: Partial<OperationSpec>): ShownOperation {
  return documentOf([spec]).paths["/operations/math.add"]?.["post"] as ShownOperation;
}

const all = sent(openApiOperations().map(({ spec }) => spec));

describe("the document", () => {
  test("says what it is about", () => {
    expect(documentOf([])).toMatchObject({
      openapi: "3.1.1",
      info: { title: "Plico operations", version: "1.0.0" },
      servers: [{ url: "/" }],
    });
    const info = { title: "Sums", description: "Of numbers." };
    const own = documentOf([], { info, basePath: "/api" });
    expect(own).toMatchObject({ info: { ...info, version: "1.0.0" }, servers: [{ url: "/api" }] });
  });

  test("has the tags of operations after their namespaces", () => {
    const { tags } = documentOf([{ tags: ["sums"] }, { name: "sub", tags: ["sums", "math"] }, { namespace: "other" }]);
    expect(tags).toEqual([{ name: "math" }, { name: "sums" }, { name: "other" }]);
  });

  test("has an id for each operation that no other has", () => {
    const operations = Object.values(all.paths).flatMap((item) => Object.values(item));
    const ids = operations.map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.every((id) => /^[A-Za-z0-9_-]{1,64}$/.test(id))).toBe(true);
    expect(ids).toContain("math_add");
  });

  test("refers to nothing that it does not have", () => {
    const references = JSON.stringify(all).match(/(?<="\$ref":")[^"]+/g) ?? [];
    const lost = references.filter((reference) => {
      const steps = reference.split("/").slice(1);
      return steps.reduce<unknown>((value, step) => (isRecord(value) ? value[step] : undefined), all) === undefined;
    });
    expect(lost).toEqual([]);
  });

  test("has examples that match the schemas beside them", () => {
    const found: unknown[] = [];
    const visit = (value: unknown): void => {
      if (!isRecord(value) && !Array.isArray(value)) return;
      if (isRecord(value) && "example" in value && isRecord(value["schema"]))
        found.push(compile({ ...value["schema"], components: all.components }).issues(value["example"]));
      for (const inner of Object.values(value)) visit(inner);
    };
    visit(all.paths);
    expect(found.length).toBeGreaterThan(100);
    expect(found.filter((issues) => (issues as []).length > 0)).toEqual([]);
  });

  test("is made quickly for a thousand operations", () => {
    const specs = Array.from({ length: 1000 }, (_, at) => ({ name: `op${at}`, tags: [`t${at % 9}`] }));
    const before = process.cpuUsage();
    documentOf(specs);
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1e6).toBeLessThan(3);
  });
});

describe("an operation of the document", () => {
  test("is called with its input as the body", () => {
    const { paths, components } = documentOf([{ title: "Add", tags: ["sums"] }]);
    expect(paths["/operations/math.add"]?.["post"]).toMatchObject({
      operationId: "math_add",
      summary: "Add",
      description: "Adds.",
      tags: ["math", "sums"],
      requestBody: {
        required: true,
        content: { "application/json": { schema: { $ref: "#/components/schemas/math_add.input" }, example: { a: 1 } } },
      },
    });
    expect(components["schemas"]?.["math_add.input"]).toEqual(plain.inputSchema);
    expect(components["schemas"]?.["math_add.data"]).toEqual(plain.outputSchema);
  });

  test("answers in each format", () => {
    const content = operationOf({}).responses["200"]?.content ?? {};
    const data = { $ref: "#/components/schemas/math_add.data" };
    expect(Object.keys(content)).toEqual([
      "application/json",
      "application/vnd.plico.response-envelope+json",
      "application/json;profile=data",
    ]);
    expect(content["application/json"]).toMatchObject({
      schema: { properties: { data: { properties: { result: data } } } },
      example: { success: true, data: { result: 1 }, error: null },
    });
    expect(content["application/vnd.plico.response-envelope+json"]).toMatchObject({
      schema: { properties: { data } },
      example: { data: 1, meta: { source: "local", operationId: "math.add" } },
    });
    expect(content["application/json;profile=data"]).toEqual({ schema: data, example: 1 });
  });

  test("has all that makes it what it is, for those who know Plico", () => {
    const spec = {
      title: "Add",
      tags: ["sums"],
      annotations: { idempotent: true },
      http: { method: "GET", path: "/add/{a}" },
      errorSchemas: { ODD: { category: "conflict", recoverable: true, details: { type: "string" } } },
      _meta: { mine: { a: 1 }, big: 1n, theirs: { $ref: "./file" } },
    } as const;
    expect(operationOf(spec)["x-plico"]).toEqual({
      id: "math.add",
      version: "1.2.3",
      type: "query",
      title: "Add",
      tags: ["sums"],
      annotations: { idempotent: true },
      http: spec.http,
      wrapsOutput: true,
      errors: {
        ODD: { category: "conflict", recoverable: true, details: { $ref: "#/components/schemas/math_add.error.ODD" } },
      },
      _meta: { mine: { a: 1 }, big: "1" },
    });
  });

  test("tells what of its schemas is not shown", () => {
    expect(operationOf({ inputSchema: { $ref: "#/none" } })["x-plico"]["warnings"]).toMatchObject([
      { code: "SCHEMA_UNSUPPORTED" },
    ]);
  });

  test("is deprecated where it says so", () => {
    expect(operationOf({})).not.toHaveProperty("deprecated");
    expect(operationOf({ _meta: { deprecated: true } }).deprecated).toBe(true);
  });

  test("takes a key where it changes something, and an event's id where it goes on", () => {
    const referring = (name: string) => [{ $ref: `#/components/parameters/${name}` }];
    expect(operationOf({ type: "mutation" }).parameters).toEqual(referring("Idempotency-Key"));
    expect(operationOf({ type: "subscription" }).parameters).toEqual(referring("Last-Event-ID"));
    expect(operationOf({})).not.toHaveProperty("parameters");
    for (const parameter of Object.values(documentOf([]).components["parameters"] ?? {}))
      expect(parameter["x-plico"]).toEqual({ input: false });
  });

  test("answers with events where it is a subscription", () => {
    const content = operationOf({ type: "subscription" }).responses["200"]?.content ?? {};
    expect(content["text/event-stream"]).toEqual({ schema: { type: "string" } });
    expect(content["application/vnd.plico.response-envelope+json"]).toMatchObject({
      schema: { properties: { data: { $ref: "#/components/schemas/math_add.data" } } },
    });
    expect(content).not.toHaveProperty(["application/json"]);
  });

  test("fails in the ways that it declares, and may refuse callers where it asks for something", () => {
    const { responses } = operationOf({ errorSchemas: { NOBODY: { category: "not_found" } } });
    expect(Object.keys(responses)).toEqual(["200", "400", "404", "429", "500", "503", "504", "default"]);
    const restricted = operationOf({ accessControl: { requiredScopes: ["write"] } }).responses;
    expect(Object.keys(restricted)).toEqual(expect.arrayContaining(["401", "403"]));
  });
});

describe("the security of a document", () => {
  const securitySchemes = { token: { type: "http", scheme: "bearer" } };

  test("is that which is given, with the scopes that operations ask for", () => {
    const document = documentOf([{}, { name: "put", accessControl: { requiredScopes: ["write"] } }], {
      securitySchemes,
    });
    expect(document.security).toEqual([{ token: [] }]);
    expect(document.components["securitySchemes"]).toEqual(securitySchemes);
    expect(document.paths["/operations/math.add"]?.["post"]).not.toHaveProperty("security");
    expect(document.paths["/operations/math.put"]?.["post"]?.security).toEqual([{ token: ["write"] }]);
    expect(document.paths["/operations/math.add"]?.["post"]?.responses).toHaveProperty("401");
  });

  test("is none without", () => {
    expect(documentOf([]).security).toEqual([]);
    expect(documentOf([]).components).not.toHaveProperty("securitySchemes");
  });
});

describe("a path that an operation has of its own", () => {
  const http = { method: "GET", path: "/sums/{a}" } as const;

  test("is marked, so that an importer takes the operation once", () => {
    const { paths } = documentOf([{ http }]);
    expect(paths["/sums/{a}"]?.["get"]).toMatchObject({
      operationId: "math_add_get",
      parameters: [{ name: "a", in: "path", required: true, schema: { type: "number" } }],
      "x-plico": { id: "math.add", route: true },
    });
    expect(paths["/sums/{a}"]?.["get"]?.responses).toEqual(paths["/operations/math.add"]?.["post"]?.responses);
  });

  test("belongs to the first of two operations that want it", () => {
    const { paths } = documentOf([{ http }, { name: "other", http: { method: "GET", path: "/sums/{b}" } }]);
    expect(Object.keys(paths)).toEqual(["/operations/math.add", "/operations/math.other", "/sums/{a}"]);
    expect(paths["/sums/{a}"]?.["get"]?.["x-plico"]["id"]).toBe("math.add");
  });

  test("has an id that no operation has", () => {
    const { paths } = documentOf([{ http }, { name: "add_get" }]);
    expect(paths["/operations/math.add_get"]?.["post"]?.operationId).toBe("math_add_get");
    expect(paths["/sums/{a}"]?.["get"]?.operationId).toBe("math_add_get_2");
  });
});
