import { describe, expect, test } from "vitest";
import type { JsonRecord } from "../../json/value.js";
import { operation, thrownBy } from "../../registry/fixtures/operations.js";
import type { AnyOperation } from "../../registry/operation-map.js";
import { operationsFromExports } from "./exported-operations.js";

const one = operation(() => 1, { name: "one" });
const two = operation(() => 2, { name: "two" });

function definition(over: JsonRecord = {}): JsonRecord {
  return { ...operation(() => 3, { name: "three" }).spec, handler: () => 3, ...over };
}

function read(exports: JsonRecord, namespace?: string): ReturnType<typeof operationsFromExports> {
  return operationsFromExports(exports, { module: "math.ts", namespace, ownNamespace: "mine" });
}

function idsIn(exports: JsonRecord, namespace?: string): string[] {
  return read(exports, namespace).operations.map(({ id }) => id);
}

describe("operationsFromExports", () => {
  test("takes operations as they are", () => {
    expect(read({ one, two })).toEqual({ operations: [one, two], warnings: [] });
    expect(read({ one }).operations[0]).toBe(one);
  });

  test("takes definitions, lists, records and the default export", () => {
    expect(idsIn({ three: definition() })).toEqual(["test.three"]);
    expect(idsIn({ list: [one, definition()] })).toEqual(["test.one", "test.three"]);
    expect(idsIn({ record: { one, two } })).toEqual(["test.one", "test.two"]);
    expect(idsIn({ default: one })).toEqual(["test.one"]);
    expect(idsIn({ default: [one, two] })).toEqual(["test.one", "test.two"]);
    expect(idsIn({ default: { one, three: definition() } })).toEqual(["test.one", "test.three"]);
  });

  test("counts what is exported twice once, also by CommonJS", () => {
    const exports = { one, VERSION: 1, helper: () => 1 };
    expect(idsIn({ one, again: one, all: [one], default: one })).toEqual(["test.one"]);
    const { operations, warnings } = read({
      ...exports,
      default: exports,
      "module.exports": exports,
      __esModule: true,
    });
    expect(operations).toEqual([one]);
    expect(warnings).toHaveLength(2);
  });

  test("gives a definition without a namespace that of the source", () => {
    expect(idsIn({ three: definition({ namespace: undefined }) })).toEqual(["mine.three"]);
  });

  test("moves all operations to a namespace and leaves theirs as they were", () => {
    expect(idsIn({ one, three: definition() }, "moved")).toEqual(["moved.one", "moved.three"]);
    expect(one.spec.namespace).toBe("test");
  });

  test("asks no schema that is made when it is first needed", () => {
    let asked = 0;
    const spec = {
      ...one.spec,
      get inputSchema() {
        asked += 1;
        return true;
      },
    };
    const [moved] = read({ lazy: { id: one.id, spec, handler: one.handler } as AnyOperation }, "moved").operations;
    expect(asked).toBe(0);
    expect([moved?.spec.inputSchema, asked]).toEqual([true, 1]);
  });

  test("warns of each export that is no operation, and why", () => {
    const { operations, warnings } = read({
      one,
      helper: () => 1,
      VERSION: "1",
      tools: [two, "x"],
      settings: { depth: 1 },
      wrong: definition({ version: "one" }),
      lame: { ...two, id: "test.lame", spec: { ...two.spec, name: "lame" }, handler: "none" },
      same: { ...two },
    });
    expect(operations).toEqual([one, two]);
    const told = warnings.map(({ code, message }) => [code, message.split(" ")[0]]);
    const names = ["helper", "VERSION", "tools[1]", "settings", "wrong", "lame", "same"];
    expect(told).toEqual(names.map((name) => ["EXPORT_SKIPPED", name]));
  });

  test("does not fall over exports that cannot be looked at", () => {
    const exports = {
      one,
      get late(): unknown {
        throw new ReferenceError("not yet");
      },
    };
    expect(idsIn(exports)).toEqual(["test.one"]);
  });

  test("refuses a module without operations, and says what is wrong with its exports", () => {
    const failure = { category: "validation", code: "MODULE_FAILED" };
    expect(thrownBy(() => read({}))).toMatchObject(failure);
    expect(thrownBy(() => read({ add: () => 1 }))).toMatchObject({ ...failure, message: expect.stringMatching(/add/) });
    const issues = [expect.objectContaining({ path: "/version" })];
    expect(thrownBy(() => read({ wrong: definition({ version: 1 }) }))).toMatchObject({ ...failure, issues });
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`f${at}`, () => at]));
    expect((thrownBy(() => read(many)) as Error).message.length).toBeLessThan(1_000);
  });
});
