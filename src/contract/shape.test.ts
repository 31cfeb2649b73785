import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Shape, shapeOf } from "./shape.js";

/** A shape in few words: types, then fields (`?` where optional) or items. */
function brief(shape: Shape | undefined): unknown {
  if (shape === undefined) return undefined;
  const types = [...shape.types].sort().join("|");
  const fields = [...shape.fields].map(([key, { shape: inner, isOptional }]) => [
    isOptional ? `${key}?` : key,
    brief(inner),
  ]);
  return [types, ...(shape.fields.size > 0 ? [Object.fromEntries(fields)] : []), ...list(brief(shape.items))];
}

function list(items: unknown): unknown[] {
  return items === undefined ? [] : [{ "*": items }];
}

describe("the shape of a value", () => {
  test.each([
    [null, ["null"]],
    [false, ["boolean"]],
    [0, ["number"]],
    [1.0, ["number"]],
    [-0.5, ["number"]],
    [Number.POSITIVE_INFINITY, ["number"]],
    ["", ["string"]],
    [{}, ["object"]],
    [[], ["array", { "*": [""] }]],
  ])("tells the type of %j", (value, expected) => {
    expect(brief(shapeOf(value))).toEqual(expected);
  });

  test("has the fields of an object, whatever their names", () => {
    const value = JSON.parse('{ "a": 1, "__proto__": "x", "constructor": null }');
    const { fields } = shapeOf(value);
    expect([...fields.keys()]).toEqual(["a", "__proto__", "constructor"]);
    expect(brief(fields.get("__proto__")?.shape)).toEqual(["string"]);
  });

  test("takes the elements of a list together", () => {
    expect(brief(shapeOf([1, 2.5, null]))).toEqual(["array", { "*": ["null|number"] }]);
    expect(brief(shapeOf([{ a: 1 }, { a: "x", b: [] }, { a: 1, b: [true] }]))).toEqual([
      "array",
      { "*": ["object", { a: ["number|string"], "b?": ["array", { "*": ["boolean"] }] }] },
    ]);
  });

  test("does not take a field for optional because some elements are no objects", () => {
    expect(brief(shapeOf([{ a: 1 }, null, 3]))).toEqual(["array", { "*": ["null|number|object", { a: ["number"] }] }]);
  });

  test("has the order of the fields that all objects have, if it is one", () => {
    expect(
      shapeOf([
        { a: 1, x: 1, b: 1 },
        { a: 2, b: 2 },
      ]).items?.order,
    ).toEqual(["a", "b"]);
    expect(
      shapeOf([
        { a: 1, b: 1 },
        { b: 2, a: 2 },
      ]).items?.order,
    ).toBeUndefined();
  });

  test("does not depend on the order of elements, also of lists in lists", () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), (values) => {
        const lists = [values, [...values].reverse()];
        expect(shapeOf(lists[0])).toEqual(shapeOf(lists[1]));
        expect(shapeOf(lists)).toEqual(shapeOf([...lists].reverse()));
      }),
    );
  });
});

describe("a value without end", () => {
  test("is looked at so deep and no deeper", () => {
    let shape: Shape | undefined = shapeOf(JSON.parse(`${"[".repeat(50_000)}${"]".repeat(50_000)}`));
    let levels = 0;
    for (; shape !== undefined && !shape.isCut; shape = shape.items) levels += 1;
    expect(shape?.isCut).toBe(true);
    expect(levels).toBe(200);
  });

  test("is looked at in so many places and no more", () => {
    const wide = Object.fromEntries(Array.from({ length: 30_000 }, (_, at) => [`k${at}`, [at]]));
    const shapes = [...shapeOf(wide).fields.values()];
    expect(shapes.filter(({ shape }) => shape.isCut).length).toBe(5_000);
    expect(shapes[0]?.shape.isCut).toBe(false);
  });

  test("of many different objects in a list is done in time", () => {
    const rows = Array.from({ length: 20_000 }, (_, at) => ({ id: at, [`k${at}`]: at }));
    expect(shapeOf(rows).items?.fields.size).toBe(20_001);
  });
});
