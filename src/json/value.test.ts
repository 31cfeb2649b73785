import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  compact,
  isEqual,
  isRecord,
  isString,
  isStringArray,
  type JsonRecord,
  omit,
  presentKeys,
  setField,
} from "./value.js";

const json = fc.jsonValue({ maxDepth: 4 });

function deep(levels: number): unknown {
  let value: unknown = "bottom";
  for (let level = 0; level < levels; level++) value = level % 2 === 0 ? [value] : { inner: value };
  return value;
}

function parsed(text: string): JsonRecord {
  return JSON.parse(text) as JsonRecord;
}

/** The same value with the keys of every record in the opposite order. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (!isRecord(value)) return value;
  const copy: JsonRecord = {};
  for (const key of Object.keys(value).reverse()) setField(copy, key, reversed(value[key]));
  return copy;
}

/** JSON with sorted keys: equal texts are equal values. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (!isRecord(value)) return JSON.stringify(value);
  const members = Object.keys(value).sort();
  return `{${members.map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`).join()}}`;
}

describe("isEqual", () => {
  test("does not mind the order of keys", () => {
    expect(isEqual({ a: 1, b: { c: 2, d: 3 } }, { b: { d: 3, c: 2 }, a: 1 })).toBe(true);
    fc.assert(fc.property(json, (value) => isEqual(value, reversed(value))));
  });

  test("agrees with JSON of sorted keys", () => {
    fc.assert(fc.property(json, json, (a, b) => isEqual(a, b) === (canonical(a) === canonical(b))));
  });

  test("minds the order of a list", () => {
    expect(isEqual([1, 2], [2, 1])).toBe(false);
    expect(isEqual([1], [1, 2])).toBe(false);
    expect(isEqual([1, 2], [1])).toBe(false);
  });

  test("takes a key that holds undefined as absent", () => {
    expect(isEqual({ a: 1, b: undefined }, { a: 1 })).toBe(true);
    expect(isEqual({ a: 1 }, { a: 1, b: undefined })).toBe(true);
    expect(isEqual({ a: undefined }, { b: undefined })).toBe(true);
    expect(isEqual({ a: undefined, b: 1 }, { a: 1, b: undefined })).toBe(false);
  });

  test("tells six kinds of nothing apart", () => {
    const nothings = [undefined, null, 0, "", false, [], {}];
    const pairs = nothings.flatMap((a, at) => nothings.map((b, other) => [isEqual(a, b), at === other]));
    expect(pairs.filter(([equal, same]) => equal !== same)).toEqual([]);
  });

  test("finds NaN equal to itself and zero equal to minus zero, as JSON cannot tell them apart", () => {
    expect(isEqual({ a: Number.NaN }, { a: Number.NaN })).toBe(true);
    expect(isEqual([0], [-0])).toBe(true);
    expect(isEqual(Number.NaN, null)).toBe(false);
  });

  test("compares a field called __proto__ as data", () => {
    expect(isEqual(parsed('{"__proto__":{"a":1}}'), parsed('{"__proto__":{"a":1}}'))).toBe(true);
    expect(isEqual(parsed('{"__proto__":{"a":1}}'), parsed('{"__proto__":{"a":2}}'))).toBe(false);
    expect(isEqual(parsed('{"__proto__":{}}'), {})).toBe(false);
    expect(isEqual({ x: 1 }, parsed('{"__proto__":1}'))).toBe(false);
  });

  test("does not find inherited fields", () => {
    expect(isEqual({ toString: Object.prototype.toString }, { other: 1 })).toBe(false);
    expect(isEqual(parsed('{"constructor":1}'), parsed('{"toString":1}'))).toBe(false);
  });

  test("does not tell a record without a prototype from another", () => {
    expect(isEqual(Object.assign(Object.create(null), { a: 1 }), { a: 1 })).toBe(true);
  });

  test("does not exhaust the stack with a value 10,000 levels deep", () => {
    const value = deep(10_000);
    expect(isEqual(value, value)).toBe(true);
    expect(isEqual({ a: value }, { a: value })).toBe(true);
    expect(isEqual(deep(10_000), deep(10_000))).toBe(false);
  });

  test("compares values that people write, 400 levels deep", () => {
    expect(isEqual(deep(400), deep(400))).toBe(true);
    expect(isEqual({ a: deep(400) }, { a: deep(399) })).toBe(false);
  });

  test("comes to an end with cycles", () => {
    const [a, b]: JsonRecord[] = [{}, {}];
    for (const value of [a, b]) if (value !== undefined) Object.assign(value, { left: value, right: value });
    expect(isEqual(a, a)).toBe(true);
    expect(isEqual(a, b)).toBe(false);
  });
});

describe("presentKeys", () => {
  test("gives the keys that JSON would write", () => {
    expect(presentKeys({ a: 0, b: undefined, c: null, d: "" })).toEqual(["a", "c", "d"]);
    expect(presentKeys(parsed('{"__proto__":1}'))).toEqual(["__proto__"]);
  });
});

describe("setField", () => {
  test("sets __proto__ as data that JSON writes and nobody inherits", () => {
    const record: JsonRecord = {};
    setField(record, "__proto__", { polluted: true });
    expect(JSON.stringify(record)).toBe('{"__proto__":{"polluted":true}}');
    expect(record["polluted"]).toBeUndefined();
    expect(Object.getPrototypeOf(record)).toBe(Object.prototype);
  });

  test("leaves a field that can be set again and deleted", () => {
    const record: JsonRecord = {};
    setField(record, "__proto__", 1);
    setField(record, "__proto__", 2);
    expect(Object.entries(record)).toEqual([["__proto__", 2]]);
    expect(Reflect.deleteProperty(record, "__proto__")).toBe(true);
  });

  test("sets any other field", () => {
    const record: JsonRecord = {};
    for (const key of ["a", "", "constructor", "toString"]) setField(record, key, key);
    expect(Object.keys(record)).toEqual(["a", "", "constructor", "toString"]);
  });
});

describe("omit", () => {
  test("leaves out the named keys and those that hold undefined", () => {
    expect(Object.entries(omit({ a: 1, b: 2, c: undefined, d: null }, ["b", "x"]))).toEqual([
      ["a", 1],
      ["d", null],
    ]);
  });

  test("keeps a field called __proto__, and omits it when asked", () => {
    const record = parsed('{"__proto__":{"a":1},"b":2}');
    expect(JSON.stringify(omit(record, ["b"]))).toBe('{"__proto__":{"a":1}}');
    expect(JSON.stringify(omit(record, ["__proto__"]))).toBe('{"b":2}');
  });

  test("does not change what it was given", () => {
    const record = Object.freeze({ a: 1, b: undefined });
    expect(omit(record, ["a"])).toEqual({});
    expect(Object.keys(record)).toEqual(["a", "b"]);
  });
});

describe("compact", () => {
  test("drops undefined and nothing else", () => {
    const record = { a: undefined, b: null, c: 0, d: "", e: false, f: Number.NaN };
    expect(Object.keys(compact(record))).toEqual(["b", "c", "d", "e", "f"]);
  });

  test("keeps a field called __proto__ as data", () => {
    const copy = compact(parsed('{"__proto__":{"a":1}}'));
    expect(JSON.stringify(copy)).toBe('{"__proto__":{"a":1}}');
    expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
  });
});

describe("the small predicates", () => {
  test("isRecord takes objects and neither lists nor null", () => {
    expect([{}, Object.create(null), parsed('{"length":0}')].every(isRecord)).toBe(true);
    expect([null, undefined, [], "", 0, () => ({})].some(isRecord)).toBe(false);
  });

  test("isString takes the empty string too", () => {
    expect(["", "a"].every(isString)).toBe(true);
    expect([0, null, undefined, ["a"], Object("a")].some(isString)).toBe(false);
  });

  test("isStringArray takes lists of strings only", () => {
    expect([[], [""], ["a", "b"]].every(isStringArray)).toBe(true);
    expect([["a", 1], ["a", undefined], "a", { 0: "a", length: 1 }, null].some(isStringArray)).toBe(false);
  });
});
