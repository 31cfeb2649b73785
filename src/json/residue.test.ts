import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { pointerTo } from "./pointer.js";
import { getAt, leaves, removeLeaf, setAt, subtract, unsetAll } from "./residue.js";
import { isEqual, isRecord, type JsonRecord } from "./value.js";

const name = fc.constantFrom("a", "b", "c", "", "a/b", "a~b", "__proto__", "constructor", "0");

const document = fc.letrec<{ value: unknown; record: JsonRecord }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom<unknown>(null, 0, "", false, 1, "x"),
    fc.array(tie("value"), { maxLength: 2 }),
    tie("record"),
    tie("record"),
  ),
  record: fc.dictionary(name, tie("value"), { maxKeys: 4, noNullPrototype: true }),
})).record as fc.Arbitrary<JsonRecord>;

const place = fc.array(name, { minLength: 1, maxLength: 4 }).map((segments) => pointerTo(...segments));

function frozen<T>(value: T): T {
  if (typeof value === "object" && value !== null) for (const inner of Object.values(value)) frozen(inner);
  return Object.freeze(value);
}

function overlay(onto: JsonRecord, tree: JsonRecord): JsonRecord {
  const fields = leaves(tree).filter(([at]) => at !== "");
  return fields.reduce((copy, [at, value]) => setAt(copy, at, value), onto);
}

function within(levels: number, bottom: JsonRecord): JsonRecord {
  let value = bottom;
  for (let level = 0; level < levels; level++) value = { inner: value };
  return value;
}

function deep(levels: number): JsonRecord {
  return within(levels, { bottom: true });
}

describe("subtract", () => {
  test("tells what makes one document of another", () => {
    fc.assert(
      fc.property(document, document, (a, b) => {
        const { set, unset } = subtract(frozen(a), frozen(b));
        expect(isEqual(unsetAll(overlay(b, set), unset), a)).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  test.each([10, 198, 199, 200, 201, 202, 1000])(
    "tells it %i levels deep, also where it no longer goes deeper",
    (levels) => {
      const whole = within(levels, { same: 1, other: 2, inner: { same: 1, own: 2 } });
      const part = within(levels, { same: 1, other: 3, inner: { same: 1, theirs: 2 } });
      const { set, unset } = subtract(whole, part);
      expect(JSON.stringify(unsetAll(overlay(part, set), unset))).toBe(JSON.stringify(whole));
    },
  );

  test("finds nothing between equal documents", () => {
    fc.assert(
      fc.property(document, (a) => {
        expect(subtract(a, structuredClone(a))).toEqual({ set: {}, unset: [] });
      }),
    );
  });

  test("keeps of a record the fields that differ, and names those that only the other has", () => {
    const whole = { same: 1, meta: { version: 2, tool: "t" }, list: [1, 2], own: null };
    const part = { same: 1, meta: { version: 1, tool: "t", ts: 0 }, list: [1], other: { x: 1 } };
    expect(subtract(whole, part)).toEqual({
      set: { meta: { version: 2 }, list: [1, 2], own: null },
      unset: ["/other", "/meta/ts"],
    });
  });

  test("tells a falsy value from none", () => {
    const falsy = { a: null, b: 0, c: "", d: false, e: {}, f: [] };
    expect(subtract(falsy, {})).toEqual({ set: falsy, unset: [] });
    expect(subtract({}, falsy).unset).toEqual(["/a", "/b", "/c", "/d", "/e", "/f"]);
  });

  test("takes a key that holds undefined as absent, in either document", () => {
    expect(subtract({}, { a: undefined })).toEqual({ set: {}, unset: [] });
    expect(subtract({ a: undefined }, {})).toEqual({ set: {}, unset: [] });
    expect(subtract({ a: undefined }, { a: 1 })).toEqual({ set: {}, unset: ["/a"] });
  });

  test("does not take inherited fields for the document's own", () => {
    expect(JSON.stringify(subtract(JSON.parse('{"__proto__":{},"toString":1}'), {}).set)).toBe(
      '{"__proto__":{},"toString":1}',
    );
  });

  test("does not exhaust the stack with documents 10,000 levels deep", () => {
    expect(() => subtract({ a: deep(10_000) }, { a: deep(10_000) })).not.toThrow();
  });
});

describe("leaves", () => {
  test("gives every value with its place", () => {
    expect(leaves({ a: 1, b: { c: null, d: [1], e: {} }, "x/y": undefined })).toEqual([
      ["/a", 1],
      ["/b/c", null],
      ["/b/d", [1]],
      ["/b/e", {}],
    ]);
  });

  test("is the value itself where there is no tree", () => {
    expect(leaves(5)).toEqual([["", 5]]);
    expect(leaves({})).toEqual([["", {}]]);
    expect(leaves([{ a: 1 }], "/at")).toEqual([["/at", [{ a: 1 }]]]);
  });

  test("makes the same tree again when each is set", () => {
    fc.assert(fc.property(document, (tree) => isEqual(overlay({}, tree), tree)));
  });

  test("are where getAt finds them", () => {
    fc.assert(fc.property(document, (tree) => leaves(tree).every(([at, value]) => getAt(tree, at) === value)));
  });

  test("do not exhaust the stack with a tree 10,000 levels deep", () => {
    expect(() => leaves(deep(10_000))).not.toThrow();
  });
});

describe("getAt", () => {
  const tree = { a: { "": 0, "x/y": null }, list: [{ b: 1 }] };

  test("gives the value at a place", () => {
    expect(getAt(tree, "")).toBe(tree);
    expect(getAt(tree, "/a/")).toBe(0);
    expect(getAt(tree, "/a/x~1y")).toBeNull();
  });

  test("gives undefined where there is nothing, in a list and for what is inherited", () => {
    const places = ["/b", "/a/b/c", "/list/0", "/list/length", "/toString", "/__proto__", "/a/constructor/name"];
    expect(places.map((at) => getAt(tree, at))).toEqual(places.map(() => undefined));
    expect(getAt(null, "/a")).toBeUndefined();
  });
});

describe("setAt", () => {
  test("sets one place of a copy and leaves the document alone", () => {
    fc.assert(
      fc.property(document, place, fc.jsonValue(), (tree, at, value) => {
        const before = JSON.stringify(tree);
        expect(isEqual(getAt(setAt(frozen(tree), at, value), at), value)).toBe(true);
        expect(JSON.stringify(tree)).toBe(before);
      }),
      { numRuns: 500 },
    );
  });

  test("removes the place for undefined, and makes no records on the way", () => {
    fc.assert(
      fc.property(document, place, (tree, at) => {
        const copy = setAt(frozen(tree), at, undefined);
        expect(getAt(copy, at)).toBeUndefined();
        if (getAt(tree, at) === undefined) expect(isEqual(copy, tree)).toBe(true);
      }),
    );
  });

  test("copies only the records on the way", () => {
    const tree = { a: { b: { c: 1 } }, d: { e: 1 } };
    const copy = setAt(tree, "/a/b/c", 2);
    expect(copy).toEqual({ a: { b: { c: 2 } }, d: { e: 1 } });
    expect(copy["d"]).toBe(tree.d);
    expect(copy["a"]).not.toBe(tree.a);
  });

  test("puts a record in place of anything else on the way", () => {
    expect(setAt({ a: 5, b: [1] }, "/a/x/y", 1)).toEqual({ a: { x: { y: 1 } }, b: [1] });
    expect(setAt({ b: [1] }, "/b/0", 2)).toEqual({ b: { 0: 2 } });
  });

  test("leaves the whole document as it is, which is no place in itself", () => {
    const tree = { a: 1 };
    expect(setAt(tree, "", { b: 2 })).toBe(tree);
  });

  test("sets __proto__ as data and pollutes nobody", () => {
    const copy = setAt({}, "/__proto__/polluted", true);
    expect(JSON.stringify(copy)).toBe('{"__proto__":{"polluted":true}}');
    expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
    expect(isRecord(copy) && copy["polluted"]).toBeUndefined();
  });
});

describe("removeLeaf", () => {
  test("removes a place and the records that it leaves empty", () => {
    expect(removeLeaf({ a: { b: { c: 1 } }, d: 1 }, "/a/b/c")).toEqual({ d: 1 });
    expect(removeLeaf({ a: { b: { c: 1 }, e: 0 } }, "/a/b/c")).toEqual({ a: { e: 0 } });
    expect(removeLeaf({ a: 1 }, "/a")).toEqual({});
  });

  test("leaves the document alone", () => {
    fc.assert(
      fc.property(document, place, (tree, at) => {
        const before = JSON.stringify(tree);
        expect(getAt(removeLeaf(frozen(tree), at), at)).toBeUndefined();
        expect(JSON.stringify(tree)).toBe(before);
      }),
    );
  });

  test("empties a tree when each leaf is removed", () => {
    fc.assert(
      fc.property(document, (tree) => {
        const places = leaves(tree).map(([at]) => at);
        expect(places.reduce((rest, at) => removeLeaf(rest, at), tree)).toEqual({});
      }),
    );
  });
});

describe("unsetAll", () => {
  test("removes the named places, keeps their records and leaves the document alone", () => {
    const tree = frozen({ a: { b: 1 }, c: 2, d: { e: { f: 1 } } });
    expect(unsetAll(tree, ["/a/b", "/c", "/x/y", "/d/e"])).toEqual({ a: {}, d: {} });
  });

  test("gives the document itself where nothing is named", () => {
    const tree = { a: 1 };
    expect(unsetAll(tree, [])).toBe(tree);
  });
});
