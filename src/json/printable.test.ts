import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hostileValues } from "../testing/hostile-values.js";
import { printJson, printObject } from "./printable.js";

function fail(): never {
  throw new Error("do not touch");
}

function reparsed(value: unknown, indent?: number): unknown {
  return JSON.parse(printJson(value, indent)) as unknown;
}

function cyclic(): Record<string, unknown> {
  const value: Record<string, unknown> = { name: "root", list: [1] };
  value["self"] = value;
  (value["list"] as unknown[]).push({ up: value });
  return value;
}

function deep(levels: number, bottom: unknown): unknown {
  let value = bottom;
  for (let level = 0; level < levels; level++) value = level % 2 === 0 ? [value] : { inner: value };
  return value;
}

const noBoxes = { withBigInt: true, withDate: true, withMap: true, withSet: true, withNullPrototype: true } as const;

describe("printJson", () => {
  test("writes what JSON.stringify writes, wherever that can", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(0, 2, 4), (value, indent) => {
        expect(printJson(value, indent)).toBe(JSON.stringify(value, null, indent));
      }),
    );
    expect(printJson({ a: [1, {}] })).toBe('{"a":[1,{}]}');
    expect(printJson({ a: 1 }, 2)).toBe('{\n  "a": 1\n}');
  });

  test("writes the same with a BigInt somewhere, which becomes its digits", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.bigInt(), fc.constantFrom(0, 2), (value, big, indent) => {
        const text = JSON.stringify({ value, big: [String(big)] }, null, indent);
        expect(printJson({ value, big: [big] }, indent)).toBe(text);
      }),
      { numRuns: 500 },
    );
    expect(printJson(12345678901234567890n)).toBe('"12345678901234567890"');
  });

  test("never throws and always writes JSON", () => {
    fc.assert(
      fc.property(fc.anything(noBoxes), (value) => {
        expect(() => reparsed(value)).not.toThrow();
      }),
      { numRuns: 500 },
    );
  });

  test.each(hostileValues().map((value, at) => [at, value] as const))("writes JSON of hostile value %i", (_, value) => {
    expect(() => reparsed(value, 2)).not.toThrow();
  });

  test.each([undefined, () => 1, Symbol("plico")])("writes null where there is nothing to write", (value) => {
    expect(printJson(value)).toBe("null");
  });

  test("leaves out what JSON leaves out, also beside a BigInt", () => {
    const value = { a: undefined, b: fail, c: Symbol("c"), d: [undefined, fail], e: 1n };
    expect(reparsed(value)).toEqual({ d: [null, null], e: "1" });
  });

  test("writes a word in place of a cycle and keeps the rest", () => {
    expect(reparsed(cyclic())).toEqual({
      name: "root",
      list: [1, { up: expect.any(String) }],
      self: expect.any(String),
    });
  });

  test("writes twice what is there twice and in no cycle", () => {
    const shared = { a: 1 };
    expect(reparsed({ x: shared, y: [shared, shared], z: 1n })).toEqual({ x: shared, y: [shared, shared], z: "1" });
  });

  test("writes a word in place of a getter that throws and keeps the rest", () => {
    const value = Object.defineProperty({ kept: 1 }, "secret", { get: fail, enumerable: true });
    expect(reparsed(value)).toEqual({ kept: 1, secret: expect.any(String) });
  });

  test("asks toJSON", () => {
    const price = { toJSON: () => ({ amount: 5 }) };
    expect(reparsed({ at: new Date(0), price })).toEqual({ at: "1970-01-01T00:00:00.000Z", price: { amount: 5 } });
    expect(reparsed({ at: new Date(0), price, big: 1n })).toMatchObject({
      at: "1970-01-01T00:00:00.000Z",
      price: { amount: 5 },
    });
  });

  test("writes a word where toJSON throws, gives a BigInt or never ends", () => {
    const endless = { toJSON: (): unknown => ({ again: endless }) };
    for (const toJSON of [fail, () => 1n, endless.toJSON]) {
      expect(reparsed({ kept: 1, bad: { toJSON } })).toEqual({ kept: 1, bad: expect.any(String) });
    }
  });

  test("takes a toJSON that is no function for a field", () => {
    expect(reparsed({ toJSON: 5, big: 1n })).toEqual({ toJSON: 5, big: "1" });
  });

  test("writes null for the holes of a list, as JSON does, and keeps what follows them", () => {
    const holed: unknown[] = Object.assign([], { 0: 1n, 2: "kept" });
    expect(reparsed(holed)).toEqual(["1", null, "kept"]);
  });

  test("does not throw where the keys cannot be listed", () => {
    expect(() => reparsed({ bad: new Proxy({}, { ownKeys: fail }) })).not.toThrow();
  });

  test("writes a word in place of an item that throws and keeps the rest", () => {
    const list = Object.defineProperty(["kept", ""], 1, { get: fail, enumerable: true });
    expect(reparsed({ list })).toEqual({ list: ["kept", expect.any(String)] });
  });

  test.each([
    ["nothing", undefined],
    ["a record without a prototype", Object.create(null)],
    ["a symbol", Symbol("x")],
  ])("does not throw where a getter throws %s", (_, thrown) => {
    const get = () => {
      throw thrown;
    };
    expect(() => reparsed(Object.defineProperty({}, "a", { get, enumerable: true }))).not.toThrow();
  });

  test("finds no nesting too deep, with or without a BigInt at the bottom", () => {
    expect(printJson(deep(20_000, 1))).toHaveLength(10_000 * 2 + 10_000 * '{"inner":}'.length + 1);
    expect(printJson(deep(20_000, 1n), 2)).toContain('"1"');
  });

  test("keeps a field called __proto__", () => {
    expect(printJson(JSON.parse('{"__proto__":{"a":1}}'))).toBe('{"__proto__":{"a":1}}');
    const mixed = Object.defineProperty({ big: 1n }, "__proto__", { value: 2, enumerable: true });
    expect(printJson(mixed)).toBe('{"big":"1","__proto__":2}');
  });
});

describe("printObject", () => {
  const record = fc.dictionary(fc.string(), fc.oneof(fc.jsonValue(), fc.constant(undefined)), {
    noNullPrototype: true,
  });

  test("writes what JSON.stringify writes", () => {
    fc.assert(
      fc.property(record, (value) => {
        expect(printObject(value, () => undefined)).toBe(JSON.stringify(value));
      }),
      { numRuns: 500 },
    );
  });

  test("writes the same where the JSON of a value is at hand", () => {
    fc.assert(
      fc.property(record, fc.jsonValue(), (value, large) => {
        const whole = { ...value, large, end: 0 };
        const json = JSON.stringify(large);
        expect(printObject(whole, (member) => (member === large ? json : undefined))).toBe(JSON.stringify(whole));
      }),
      { numRuns: 500 },
    );
  });

  test.each([
    {},
    { a: undefined },
    { a: undefined, b: 1, c: undefined },
    { a: null, b: 0, c: "", d: false },
    { 2: "b", 1: "a", "": "c" },
    { at: new Date(0), bad: Number.NaN, method: fail },
    { '"quoted"': "\u2028\uD800" },
    JSON.parse('{"__proto__":{"a":1}}') as object,
  ])("writes %j as JSON.stringify does", (value) => {
    expect(printObject(value, () => undefined)).toBe(JSON.stringify(value));
  });
});
