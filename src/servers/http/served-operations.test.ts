import { describe, expect, test } from "vitest";
import { operation } from "../../registry/fixtures/operations.js";
import { OperationRegistry } from "../../registry/registry.js";
import { ServedOperations } from "./served-operations.js";

const OPEN = operation(() => 1, { name: "open" });
const HIDDEN = operation(() => 1, { name: "hidden", accessControl: { requiredScopes: ["x"] } });
const ROUTE = operation(() => 1, { name: "route", http: { method: "GET", path: "/route" } });

describe("what is served", () => {
  test("is found by its id, its path and its route", () => {
    const operations = new ServedOperations(new OperationRegistry().register(OPEN).register(ROUTE), "/api", undefined);
    expect(operations.all.map(({ id }) => id)).toEqual(["test.open", "test.route"]);
    expect(operations.find("test.open")?.spec).toBe(OPEN.spec);
    expect(operations.findByPath("/api/operations/test.open")?.id).toBe("test.open");
    expect(operations.routes.find("GET", "/api/route")?.operation.id).toBe("test.route");
    for (const id of ["open", "test.none", "__proto__", "constructor", ""]) expect(operations.find(id)).toBeUndefined();
    expect(operations.findByPath("/operations/test.open")).toBeUndefined();
  });

  test("is put in order again only after the registry has changed", () => {
    const registry = new OperationRegistry().register(OPEN);
    let reads = 0;
    const operations = new ServedOperations(registry, "", () => {
      reads += 1;
      return true;
    });
    const { edition } = operations;
    expect(operations.find("test.open")).toBeDefined();
    expect(operations.edition).toBe(edition);
    expect(reads).toBe(1);
    registry.register(ROUTE);
    expect(operations.find("test.route")).toBeDefined();
    expect(operations.edition).not.toBe(edition);
    operations.close();
    registry.unregister("test.route");
    expect(operations.find("test.route")).toBeDefined();
  });

  test("is shown to whoever may call it", () => {
    const operations = new ServedOperations(new OperationRegistry().register(OPEN).register(HIDDEN), "", undefined);
    expect(operations.shownTo(undefined)).toEqual([OPEN.spec]);
    expect(operations.shownTo({ id: "ada", scopes: ["x"] })).toEqual([OPEN.spec, HIDDEN.spec]);
    expect(operations.idsShownTo(undefined)).toEqual(["test.open"]);
  });
});
