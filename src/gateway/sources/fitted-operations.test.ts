import { describe, expect, test } from "vitest";
import type { AnyHandler, OperationSpec } from "../../registry/operation.js";
import type { AnyOperation } from "../../registry/operation-map.js";
import { fitOperations } from "./fitted-operations.js";
import { madeOperation } from "./fixtures/made-source.js";

const handlerOf = ({ handler }: AnyOperation): AnyHandler => handler;

describe("a fitted operation", () => {
  test("has the namespace, the prefix and the policies of the configuration", () => {
    const fitted = fitOperations({
      fitting: { namespace: "near", prefix: "the_", input: "off", output: "strict" },
      handlerOf,
    });
    const { id, spec } = fitted(madeOperation("one", { output: "check", title: "One" }));
    expect(id).toBe("near.the_one");
    expect(spec).toMatchObject({ namespace: "near", name: "the_one", input: "off", output: "strict", title: "One" });
  });

  test("asks for scopes beside those that it asks for itself", () => {
    const fitted = fitOperations({ fitting: { scopes: ["a", "b"] }, handlerOf });
    const own = { requiredScopes: ["b", "c"], requiredScopesAny: ["d"] };
    expect(fitted(madeOperation("one")).spec.accessControl).toEqual({ requiredScopes: ["a", "b"] });
    expect(fitted(madeOperation("one", { accessControl: own })).spec.accessControl).toEqual({
      requiredScopes: ["b", "c", "a"],
      requiredScopesAny: ["d"],
    });
  });

  test("is the same object each time, and has the same spec where nothing is said of it", () => {
    const operation = madeOperation("one");
    const fitted = fitOperations({ fitting: {}, handlerOf });
    expect(fitted(operation)).toBe(fitted(operation));
    expect(fitted(operation).spec).toBe(operation.spec);
  });

  test("does not ask for schemas that are made when they are first needed", () => {
    const { spec, ...operation } = madeOperation("one");
    let asked = 0;
    const lazy = Object.defineProperty({ ...spec }, "inputSchema", {
      get: () => ({ type: "object", title: String(++asked) }),
      enumerable: true,
    }) as OperationSpec;
    const fitted = fitOperations({ fitting: { namespace: "near", scopes: ["a"] }, handlerOf })({
      ...operation,
      spec: lazy,
    });
    expect(asked).toBe(0);
    expect(fitted.spec.inputSchema).toEqual({ type: "object", title: "1" });
  });

  test("has the handler that is put around its own, by its new name", () => {
    const seen: string[] = [];
    const around = ({ id, handler }: AnyOperation): AnyHandler => {
      seen.push(id);
      return handler;
    };
    fitOperations({ fitting: { namespace: "near" }, handlerOf: around })(madeOperation("one"));
    expect(seen).toEqual(["near.one"]);
  });
});
