import { describe, expect, test } from "vitest";
import { unwrap } from "../envelope/response-envelope.js";
import { failureOf, operation, thrownBy } from "./fixtures/operations.js";
import type { OperationSpec } from "./operation.js";
import type { AnyOperation } from "./operation-map.js";
import { OperationRegistry } from "./registry.js";
import { keepUnchanged, mountSource, type OperationSource } from "./source.js";

/** A source whose operations a test may change. */
class TestSource implements OperationSource {
  readonly name = "test";
  readonly listeners = new Set<() => void>();
  operations: readonly AnyOperation[];

  constructor(operations: readonly AnyOperation[]) {
    this.operations = operations;
  }

  health(): { status: "ready" } {
    return { status: "ready" };
  }

  onChange(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  async close(): Promise<void> {}

  become(operations: readonly AnyOperation[]): void {
    this.operations = operations;
    for (const listener of this.listeners) listener();
  }
}

function named(name: string, answer: unknown = name, over: Partial<OperationSpec> = {}): AnyOperation {
  return operation(() => answer, { name, ...over });
}

function namesIn(registry: OperationRegistry): string[] {
  return registry
    .list()
    .map(({ name }) => name)
    .sort();
}

describe("mountSource", () => {
  test("registers what the source has, and what it gets later", async () => {
    const registry = new OperationRegistry();
    const [one, two] = [named("one"), named("two")];
    const source = new TestSource([one]);
    mountSource(registry, source);
    expect(namesIn(registry)).toEqual(["one"]);
    source.become([one, two]);
    expect(namesIn(registry)).toEqual(["one", "two"]);
    expect(unwrap(await registry.execute("test.two"))).toBe("two");
  });

  test("takes out what the source has no longer", async () => {
    const registry = new OperationRegistry();
    const [one, two] = [named("one"), named("two")];
    const source = new TestSource([one, two]);
    mountSource(registry, source);
    source.become([two]);
    expect(namesIn(registry)).toEqual(["two"]);
    expect(await failureOf(registry.execute("test.one"))).toMatchObject({ code: "OPERATION_NOT_FOUND" });
    source.become([]);
    expect(namesIn(registry)).toEqual([]);
    source.become([one]);
    expect(namesIn(registry)).toEqual(["one"]);
  });

  test("tells once of all that the source has no longer", () => {
    const registry = new OperationRegistry();
    const source = new TestSource([named("one"), named("two"), named("three")]);
    const unmount = mountSource(registry, source);
    const seen: string[][] = [];
    registry.onChange(() => seen.push(namesIn(registry)));
    source.become(source.operations.slice(0, 1));
    unmount();
    expect(seen).toEqual([["one"], []]);
  });

  test("lets a call go on whose operation is replaced or taken out", async () => {
    const registry = new OperationRegistry();
    let finish: (value: unknown) => void = () => {};
    const slow = operation(
      () =>
        new Promise((resolve) => {
          finish = resolve;
        }),
      { name: "one" },
    );
    const source = new TestSource([slow]);
    mountSource(registry, source);
    const running = registry.execute("test.one");
    source.become([named("one", "new", { version: "2.0.0" })]);
    expect(unwrap(await registry.execute("test.one"))).toBe("new");
    expect(registry.getSpec("test.one")?.version).toBe("2.0.0");
    source.become([]);
    finish("old");
    expect(unwrap(await running)).toBe("old");
  });

  test("does not touch an operation that stays the same object", () => {
    const registry = new OperationRegistry();
    const [one, two] = [named("one"), named("two")];
    const source = new TestSource([one]);
    mountSource(registry, source);
    const before = registry.get("test.one");
    source.become([two, one]);
    expect(registry.get("test.one")).toBe(before);
  });

  test("refuses a source whose operation the registry has already, and registers none of the others", () => {
    const registry = new OperationRegistry().register(named("two", "mine")) as OperationRegistry;
    const source = new TestSource([named("one"), named("two")]);
    expect(thrownBy(() => mountSource(registry, source))).toMatchObject({ code: "DUPLICATE_OPERATION" });
    expect(namesIn(registry)).toEqual(["two"]);
    expect(source.listeners.size).toBe(0);
  });

  test("does not take out an operation of the registry's own that a source wants to bring later", async () => {
    const registry = new OperationRegistry().register(named("two", "mine")) as OperationRegistry;
    const one = named("one");
    const source = new TestSource([one]);
    const unmount = mountSource(registry, source);
    source.become([one, named("two", "theirs")]);
    expect(unwrap(await registry.execute("test.two"))).toBe("mine");
    source.become([]);
    expect(namesIn(registry)).toEqual(["two"]);
    unmount();
    expect(namesIn(registry)).toEqual(["two"]);
  });

  test("goes on after a change that the registry refused", () => {
    const registry = new OperationRegistry();
    const one = named("one");
    const source = new TestSource([one]);
    mountSource(registry, source);
    source.become([one, named("bad", 1, { version: "bad" })]);
    expect(namesIn(registry)).toEqual(["one"]);
    source.become([one, named("good")]);
    expect(namesIn(registry)).toEqual(["good", "one"]);
  });

  test("leaves the operations of another source in the same namespace alone", () => {
    const registry = new OperationRegistry();
    const [first, second] = [new TestSource([named("one")]), new TestSource([named("two")])];
    const unmountFirst = mountSource(registry, first);
    const unmountSecond = mountSource(registry, second);
    unmountFirst();
    expect(namesIn(registry)).toEqual(["two"]);
    first.become([named("three")]);
    expect(namesIn(registry)).toEqual(["two"]);
    unmountSecond();
    expect(namesIn(registry)).toEqual([]);
  });

  test("unmounts once, however often it is asked to", () => {
    const registry = new OperationRegistry();
    const one = named("one");
    const source = new TestSource([one]);
    const unmount = mountSource(registry, source);
    unmount();
    mountSource(registry, source);
    unmount();
    expect(namesIn(registry)).toEqual(["one"]);
  });

  test("does not take out what somebody else registered in place of an operation of the source", async () => {
    const registry = new OperationRegistry();
    const unmount = mountSource(registry, new TestSource([named("one")]));
    registry.unregister("test.one");
    registry.register(named("one", "mine"));
    unmount();
    expect(namesIn(registry)).toEqual(["one"]);
    expect(unwrap(await registry.execute("test.one"))).toBe("mine");
  });

  test("mounts one source in two registries", () => {
    const registries = [new OperationRegistry(), new OperationRegistry()];
    const source = new TestSource([]);
    for (const registry of registries) mountSource(registry, source);
    source.become([named("one")]);
    for (const registry of registries) expect(namesIn(registry)).toEqual(["one"]);
  });
});

describe("keepUnchanged", () => {
  test("gives the old object where an operation says the same, whatever the order of its fields", () => {
    const before = [named("one", 1, { inputSchema: { type: "object", title: "a" } })];
    const now = [named("one", 2, { inputSchema: { title: "a", type: "object" } })];
    expect(keepUnchanged(before, now)[0]).toBe(before[0]);
  });

  test.each<[what: string, over: Partial<OperationSpec>]>([
    ["its description", { description: "other" }],
    ["its input", { inputSchema: { type: "object" } }],
    ["its output", { outputSchema: { type: "object" } }],
    ["its title", { title: "One" }],
    ["its kind", { type: "mutation" }],
    ["its meta", { _meta: { a: 0 } }],
  ])("gives the new object where %s has changed", (_, over) => {
    const now = [named("one", 1, over)];
    expect(keepUnchanged([named("one")], now)[0]).toBe(now[0]);
  });

  test("follows the new order, with what came and without what went", () => {
    const [one, two, three] = [named("one"), named("two"), named("three")];
    const kept = keepUnchanged([one, two], [three, named("two")]);
    expect(kept).toHaveLength(2);
    expect(kept[0]).toBe(three);
    expect(kept[1]).toBe(two);
  });
});
