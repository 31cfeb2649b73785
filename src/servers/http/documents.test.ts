import { describe, expect, test } from "vitest";
import { operation } from "../../registry/fixtures/operations.js";
import { OperationRegistry } from "../../registry/registry.js";
import { Documents } from "./documents.js";
import { ServedOperations } from "./served-operations.js";

const SCOPED = Array.from({ length: 60 }, (_, at) =>
  operation(() => 1, { name: `op${at}`, accessControl: { requiredScopes: [`scope${at}`] } }),
);

function documentsOf(registry: OperationRegistry, basePath = ""): Documents {
  return new Documents(new ServedOperations(registry, basePath, undefined), {
    registry,
    basePath,
    info: { title: "Rows", version: "2.0.0" },
  });
}

describe("what a server says of itself", () => {
  test("is the same text until the operations change", () => {
    const registry = new OperationRegistry().register(operation(() => 1));
    const documents = documentsOf(registry as OperationRegistry);
    const before = documents.openApi(undefined);
    expect(documents.openApi(undefined)).toBe(before);
    expect(JSON.parse(before)).toMatchObject({ info: { title: "Rows", version: "2.0.0" } });
    registry.register(operation(() => 1, { name: "more" }));
    expect(documents.openApi(undefined)).toContain("test.more");
    expect(documents.list(undefined)).toContain("test.more");
    registry.unregister("test.more");
    expect(documents.openApi(undefined)).toBe(before);
  });

  test("is for each caller what it may call, however many callers there are", () => {
    const registry = new OperationRegistry().registerAll(SCOPED);
    const documents = documentsOf(registry as OperationRegistry);
    for (let round = 0; round < 2; round++)
      for (let at = 0; at < 60; at++) {
        const identity = { id: "one", scopes: [`scope${at}`] };
        expect(JSON.parse(documents.list(identity))).toMatchObject({ operations: [{ id: `test.op${at}` }] });
        expect(Object.keys(JSON.parse(documents.openApi(identity)).paths)).toContain(`/operations/test.op${at}`);
      }
    expect(JSON.parse(documents.list(undefined))).toEqual({ operations: [] });
  });

  test("names paths with what comes before them", () => {
    const registry = new OperationRegistry().register(operation(() => 1));
    const documents = documentsOf(registry as OperationRegistry, "/api");
    expect(JSON.parse(documents.list(undefined))).toMatchObject({ operations: [{ url: "/api/operations/test.run" }] });
    const { spec } = operation(() => 1);
    expect(JSON.parse(documents.describe({ id: "test.run", spec }))).toMatchObject({ url: "/api/operations/test.run" });
    expect(JSON.parse(documents.health())).toEqual({ status: "ok", operations: 1 });
  });
});
