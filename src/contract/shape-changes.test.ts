import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { setField } from "../json/value.js";
import { shapeOf } from "./shape.js";
import { levelDue, SHAPE_CHANGES, shapeChanges, unseenPlaces } from "./shape-changes.js";

function changes(before: unknown, after: unknown): string[] {
  return shapeChanges(shapeOf(before), shapeOf(after)).map(({ level, kind, path }) => `${level} ${kind} ${path}`);
}

function unseen(before: unknown, after: unknown): string[] {
  return unseenPlaces(shapeOf(before), shapeOf(after)).map(({ path }) => path);
}

const ROWS: readonly [title: string, before: unknown, after: unknown, found: readonly string[]][] = [
  ["a field that is gone", { a: 1, b: 1 }, { a: 1 }, ["major removed /b"]],
  ["a field that some had and nobody has", [{ a: 1 }, {}], [{}], ["major removed /*/a"]],
  ["a field that may be absent", [{ a: 1 }], [{ a: 1 }, {}], ["major optional /*/a"]],
  ["another type", { a: 1 }, { a: "1" }, ["major type /a"]],
  ["another type beside null", [1, null], ["1", null], ["major type /*"]],
  ["an object where a list was", { a: [] }, { a: {} }, ["major type /a"]],
  ["null where a text was", { a: "x" }, { a: null }, ["major wider /a"]],
  ["null beside a text", ["x"], ["x", null], ["major wider /*"]],
  ["a text beside a number", [1], [1, "x"], ["major wider /*"]],
  ["a new field", { a: 1 }, { a: 1, b: null }, ["minor added /b"]],
  ["a new field of some", [{ a: 1 }], [{ a: 1 }, { a: 1, b: 1 }], ["minor added /*/b"]],
  ["never null", ["x", null], ["x"], ["patch narrower /*"]],
  ["one of two types", ["x", 1], ["x"], ["patch narrower /*"]],
  ["a field that is always there", [{ a: 1 }, {}], [{ a: 1 }], ["patch required /*/a"]],
  ["another order", { a: 1, b: 1 }, { b: 1, a: 1 }, ["patch order "]],
  ["another order further down", { a: [{ b: 1, c: 1 }] }, { a: [{ c: 1, b: 1 }] }, ["patch order /a/*"]],
  [
    "several orders",
    [{ a: 1, b: 1 }],
    [
      { a: 1, b: 1 },
      { b: 1, a: 1 },
    ],
    ["patch order /*"],
  ],
  [
    "one order where several were",
    [
      { a: 1, b: 1 },
      { b: 1, a: 1 },
    ],
    [{ b: 1, a: 1 }],
    [],
  ],
  ["a new field between others", { a: 1, b: 1 }, { a: 1, c: 1, b: 1 }, ["minor added /c"]],
  ["other values of the same shape", { a: 1, b: ["x"] }, { a: 2, b: ["y", "z"] }, []],
  ["a fraction where there was a whole number", { a: 1 }, { a: 1.5 }, []],
  ["another number of elements", [{ a: 1 }], [{ a: 1 }, { a: 2 }], []],
];

const UNSEEN: readonly [title: string, before: unknown, after: unknown, paths: readonly string[]][] = [
  ["a list that was empty", { a: [] }, { a: [{ b: 1 }] }, ["/a/*"]],
  ["a list that is empty", { a: [{ b: 1 }] }, { a: [] }, ["/a/*"]],
  ["a list that was and is empty", { a: [] }, { a: [] }, []],
  ["what was nothing but null", { a: null }, { a: "x" }, ["/a"]],
  ["what was nothing but null, and is so beside others", [null], [null, "x"], ["/*"]],
  ["what could be null and is nothing else", ["x", null], [null], ["/*"]],
  ["what was and is null", { a: null }, { a: null }, []],
];

describe("a change of shape", () => {
  test.each(ROWS)("is told: %s", (_, before, after, found) => {
    expect(changes(before, after)).toEqual(found);
    expect(unseen(before, after)).toEqual([]);
  });

  test("of each kind has its row", () => {
    const kinds = new Set(ROWS.flatMap(([, , , found]) => found.map((text) => text.split(" ")[1])));
    expect([...kinds].sort()).toEqual(Object.keys(SHAPE_CHANGES).sort());
  });

  test("is told wherever it is, with a pointer", () => {
    expect(changes({ "a/b": { "c~": [[{ d: 1 }]] } }, { "a/b": { "c~": [[{ d: "x" }]] } })).toEqual([
      "major type /a~1b/c~0/*/*/d",
    ]);
  });

  test("is due by the highest of all levels", () => {
    const due = (before: unknown, after: unknown) => levelDue(shapeChanges(shapeOf(before), shapeOf(after)));
    expect(due({ a: 1, b: 1 }, { b: 1, a: "x", c: 1 })).toBe("major");
    expect(due({ a: 1, b: 1 }, { b: 1, a: 1, c: 1 })).toBe("minor");
    expect(due({ a: 1, b: 1 }, { b: 1, a: 1 })).toBe("patch");
    expect(due({ a: 1 }, { a: 2 })).toBeUndefined();
  });
});

describe("what only one of two shapes shows", () => {
  test.each(UNSEEN)("is no change but named: %s", (_, before, after, paths) => {
    expect(changes(before, after)).toEqual([]);
    expect(unseen(before, after)).toEqual(paths);
  });

  test("is also what is too deep", () => {
    const deep = (end: string) => JSON.parse(`${"[".repeat(1_000)}${end}${"]".repeat(1_000)}`);
    expect(changes(deep("1"), deep('"x"'))).toEqual([]);
    expect(unseen(deep("1"), deep('"x"'))).toHaveLength(1);
  });
});

describe("the laws of changes", () => {
  const record = fc.dictionary(fc.string(), fc.jsonValue());
  const withField = fc
    .tuple(record, fc.string(), fc.jsonValue())
    .filter(([fields, key]) => !Object.hasOwn(fields, key))
    .map(([fields, key, value]) => {
      const more = { ...fields };
      setField(more, key, value);
      return { less: fields, more };
    });

  test("a value has not changed against itself", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(changes(value, structuredClone(value))).toEqual([]);
        expect(unseen(value, structuredClone(value))).toEqual([]);
      }),
    );
  });

  test("the order of elements is no change", () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), (values) => {
        expect(changes(values, [...values].reverse())).toEqual([]);
      }),
    );
  });

  test("a new field is minor, and major where it goes again", () => {
    fc.assert(
      fc.property(withField, ({ less, more }) => {
        expect(changes(less, more)).toEqual([expect.stringMatching(/^minor added /)]);
        expect(changes(more, less)).toEqual([expect.stringMatching(/^major removed /)]);
      }),
    );
  });

  test("more elements of which each was there are never more than the same", () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue(), { minLength: 1 }), (values) => {
        expect(changes(values, [...values, ...values])).toEqual([]);
      }),
    );
  });
});
