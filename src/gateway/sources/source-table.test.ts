import { describe, expect, test } from "vitest";
import type { AnyOperation } from "../../registry/operation-map.js";
import { OperationRegistry } from "../../registry/registry.js";
import { madeOperation } from "./fixtures/made-source.js";
import type { Mounted } from "./running-source.js";
import { SourceTable, type TableSource } from "./source-table.js";

class Source implements TableSource {
  readonly name: string;
  operations: readonly AnyOperation[];
  said: Mounted | undefined;

  constructor(name: string, operations: readonly AnyOperation[]) {
    this.name = name;
    this.operations = operations;
  }

  mounted(mounted: Mounted): void {
    this.said = mounted;
  }
}

function stage(...sources: Source[]): { registry: OperationRegistry; table: SourceTable<Source> } {
  const registry = new OperationRegistry();
  const table = new SourceTable<Source>(registry);
  table.set(sources);
  return { registry, table };
}

const names = (table: SourceTable<Source>): string[] => table.list().map(({ name }) => name);

describe("a table of sources", () => {
  test("lets all others have what a source that yields has too, and says so in a line", () => {
    const fleet = new Source(
      "fleet",
      ["one", "two", "three"].map((name) => madeOperation(name)),
    );
    const [own, far] = [
      new Source("own", [madeOperation("one"), madeOperation("two")]),
      Object.assign(fleet, { yields: true }),
    ];
    const { table } = stage(far, own);
    expect([own.said?.operationIds.length, far.said?.operationIds.length]).toEqual([2, 1]);
    expect(own.said?.warnings).toEqual([]);
    expect(far.said?.warnings).toMatchObject([{ code: "DUPLICATE_OPERATION" }]);
    own.operations = [];
    table.update();
    expect(far.said).toMatchObject({ operationIds: { length: 3 }, warnings: [] });
  });

  test("lists in the order of the sources, whichever came first", () => {
    const [a, b] = [new Source("a", []), new Source("b", [madeOperation("two")])];
    const { registry, table } = stage(a, b);
    a.operations = [madeOperation("one")];
    table.update();
    expect(names(table)).toEqual(["one", "two"]);
    expect(registry.list().map(({ name }) => name)).toEqual(["two", "one"]);
  });

  test("leaves in the registry what has not changed", () => {
    const [kept, old] = [madeOperation("kept"), madeOperation("old")];
    const a = new Source("a", [kept, old]);
    const { registry, table } = stage(a);
    const before = registry.get("far.kept");
    a.operations = [kept, madeOperation("new")];
    table.update();
    expect(registry.get("far.kept")).toBe(before);
    expect([registry.getSpec("far.old"), a.said?.operationIds]).toEqual([undefined, ["far.kept", "far.new"]]);
  });

  test("tells nobody of a change where there is none", () => {
    const { registry, table } = stage(new Source("a", [madeOperation("one")]));
    let told = 0;
    registry.onChange(() => told++);
    table.update();
    expect(told).toBe(0);
  });

  test("an operation that cannot be registered keeps no other one out, and is told", () => {
    const a = new Source("a", [madeOperation("good"), madeOperation("n".repeat(200)), madeOperation("better")]);
    const { table } = stage(a);
    expect(names(table)).toEqual(["good", "better"]);
    expect(a.said).toMatchObject({
      operationIds: ["far.good", "far.better"],
      warnings: [{ code: "OPERATION_SKIPPED" }],
    });
  });

  test("a source that has an id twice is told", () => {
    const a = new Source("a", [madeOperation("one"), madeOperation("one")]);
    stage(a);
    expect(a.said).toMatchObject({ operationIds: ["far.one"], warnings: [{ code: "DUPLICATE_OPERATION" }] });
  });

  test("knows the source of an operation", () => {
    const a = new Source("a", [madeOperation("one")]);
    const { table } = stage(a);
    expect(table.sourceOf("far.one")).toBe(a);
    table.set([]);
    expect([table.sourceOf("far.one"), table.list()]).toEqual([undefined, []]);
  });
});
