import { describe, expect, test } from "vitest";
import { unwrap } from "../envelope/response-envelope.js";
import { failureOf, operation, registryOf, specOf, thrownBy } from "./fixtures/operations.js";
import { OperationRegistry } from "./registry.js";

describe("unregister", () => {
  test("says whether there was such an operation", () => {
    const registry = registryOf(() => 1);
    expect(registry.unregister("test.walk")).toBe(false);
    expect(registry.unregister("test.run")).toBe(true);
    expect(registry.unregister("test.run")).toBe(false);
    expect(registry.unregister("")).toBe(false);
    expect(registry.unregister("constructor")).toBe(false);
  });

  test("makes the operation unknown in every way to ask for it", async () => {
    const registry = registryOf(() => 1);
    registry.unregister("test.run");
    expect(registry.get("test.run")).toBeUndefined();
    expect(registry.getByName("run")).toBeUndefined();
    expect(registry.list()).toEqual([]);
    expect(await failureOf(registry.execute("test.run"))).toMatchObject({ code: "OPERATION_NOT_FOUND" });
    expect(thrownBy(() => registry.subscribe("test.run"))).toMatchObject({ code: "OPERATION_NOT_FOUND" });
  });

  test("lets a call go on that is running, and its subscription", async () => {
    let finish: (value: unknown) => void = () => {};
    const registry = registryOf(
      () =>
        new Promise((resolve) => {
          finish = resolve;
        }),
    ).register(
      operation(
        async function* () {
          yield 1;
          yield 2;
        },
        { name: "watch", type: "subscription" },
      ),
    );
    const running = registry.execute("test.run");
    const values = registry.subscribe("test.watch")[Symbol.asyncIterator]();
    expect((await values.next()).value?.data).toBe(1);
    registry.unregister("test.run");
    registry.unregister("test.watch");
    finish("done");
    expect(unwrap(await running)).toBe("done");
    expect((await values.next()).value?.data).toBe(2);
  });

  test("frees the id for another operation", async () => {
    const registry = registryOf(() => "old");
    registry.unregister("test.run");
    registry.register(operation(() => "new"));
    expect(unwrap(await registry.execute("test.run"))).toBe("new");
  });

  test("reaches handlers that call other operations, also those that had seen it before", async () => {
    const registry = new OperationRegistry().registerAll([
      operation(() => 1, { name: "inner" }),
      operation((_, { env }) => Object.keys(env["test"] ?? {}), { name: "outer" }),
    ]);
    expect(unwrap(await registry.execute("test.outer"))).toEqual(["inner", "outer"]);
    registry.unregister("test.inner");
    expect(unwrap(await registry.execute("test.outer"))).toEqual(["outer"]);
  });
});

describe("onChange", () => {
  function watched(): { registry: OperationRegistry; seen: string[][]; stop: () => void } {
    const registry = new OperationRegistry();
    const seen: string[][] = [];
    const stop = registry.onChange(() => seen.push(registry.list().map(({ name }) => name)));
    return { registry, seen, stop };
  }

  test("calls back once after each change, when it can be seen", () => {
    const { registry, seen } = watched();
    registry.register(operation(() => 1));
    registry.registerAll([operation(() => 1, { name: "a" }), operation(() => 1, { name: "b" })]);
    registry.registerSpec(specOf({ name: "c" }));
    registry.unregister("test.a");
    expect(seen).toEqual([["run"], ["run", "a", "b"], ["run", "a", "b", "c"], ["run", "b", "c"]]);
  });

  test("calls back once where many went", () => {
    const { registry, seen } = watched();
    registry.registerAll(["a", "b", "c"].map((name) => operation(() => 1, { name })));
    expect(registry.unregisterAll(["test.a", "test.none", "test.c", "test.a"])).toBe(2);
    expect(seen).toEqual([["a", "b", "c"], ["b"]]);
  });

  test("does not call back where nothing came or went", () => {
    const { registry, seen } = watched();
    registry.unregister("test.run");
    registry.unregisterAll([]);
    registry.registerAll([]);
    thrownBy(() => registry.register(operation(() => 1, { version: "bad" })));
    expect(seen).toEqual([]);
  });

  test("does not call back any more when it was ended", () => {
    const { registry, seen, stop } = watched();
    stop();
    stop();
    registry.register(operation(() => 1));
    expect(seen).toEqual([]);
  });

  test("counts each listener by itself, also one that is given twice", () => {
    const registry = new OperationRegistry();
    let count = 0;
    const listener = (): void => {
      count += 1;
    };
    const stop = registry.onChange(listener);
    registry.onChange(listener);
    stop();
    registry.register(operation(() => 1));
    expect(count).toBe(1);
  });

  test("takes a listener that ends itself, or another, or adds one", () => {
    const registry = new OperationRegistry();
    const told: string[] = [];
    const stopFirst = registry.onChange(() => {
      told.push("first");
      stopFirst();
      stopLast();
      registry.onChange(() => told.push("new"));
    });
    registry.onChange(() => told.push("second"));
    const stopLast = registry.onChange(() => told.push("last"));
    registry.register(operation(() => 1));
    registry.unregister("test.run");
    expect(told.filter((name) => name !== "new")).toEqual(["first", "second", "second"]);
  });

  test("ends although each listener adds another", () => {
    const registry = new OperationRegistry();
    let count = 0;
    const listen = (): void => {
      count += 1;
      if (count > 100) throw new Error("It does not end.");
      registry.onChange(() => listen());
    };
    registry.onChange(listen);
    registry.register(operation(() => 1));
    expect(count).toBeLessThanOrEqual(2);
  });

  test("neither refuses an operation nor leaves others uninformed because a listener throws", () => {
    const registry = new OperationRegistry();
    let isTold = false;
    registry.onChange(() => {
      throw new Error("no");
    });
    registry.onChange(() => {
      isTold = true;
    });
    expect(thrownBy(() => registry.register(operation(() => 1)))).toBeUndefined();
    expect(isTold).toBe(true);
    expect(thrownBy(() => registry.unregister("test.run"))).toBeUndefined();
  });
});
