import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { computedWithin } from "../../../test/own-time.js";
import { parseAccept } from "./accept.js";

function names(header: string): string[] {
  return parseAccept(header).map(({ type, subtype, q }) => `${type}/${subtype};${q}`);
}

describe("parseAccept", () => {
  test.each<[header: string, wanted: string[]]>([
    ["application/json", ["application/json;1"]],
    ["text/html, application/json;q=0.9, */*;q=0.8", ["text/html;1", "application/json;0.9", "*/*;0.8"]],
    ["*/*, text/*, text/plain", ["text/plain;1", "text/*;1", "*/*;1"]],
    ["a/one, a/two, a/three;q=1.000", ["a/one;1", "a/two;1", "a/three;1"]],
    ["a/b;q=0, c/d;q=0.001, e/f;q=0.", ["c/d;0.001", "a/b;0", "e/f;0"]],
    ["Application/JSON ; Q=0.5", ["application/json;0.5"]],
    ["application/vnd.plico.response-v2+json", ["application/vnd.plico.response-v2+json;1"]],
    ["a/b;;, ,c/d;", ["a/b;1", "c/d;1"]],
    ["", []],
  ])("orders %j by weight, then by how much they say, then as they stand", (header, wanted) => {
    expect(names(header)).toEqual(wanted);
  });

  test.each([
    "json",
    "*",
    "*;q=.2",
    "*/json",
    "a/",
    "/b",
    "a/b/c",
    "a b/c",
    "a/b;q=2",
    "a/b;q=0.1234",
    "a/b;q=.5",
    "a/b;q=1.5",
    "a/b;q=-1",
    "a/b;q",
    "a/b;x = 1",
    "a/b;=1",
    'a/b;x="open',
    'a/b;x="y"z',
  ])("leaves out %j, which is malformed, and nothing else", (part) => {
    expect(names(`c/d, ${part}`)).toEqual(["c/d;1"]);
  });

  test("reads parameters wherever the weight stands, quoted or not", () => {
    const header = String.raw`application/json; profile=data;q=0.5;x="a,b;\"c\\"`;
    expect(parseAccept(header)).toEqual([
      { type: "application", subtype: "json", q: 0.5, parameters: { profile: "data", x: 'a,b;"c\\' } },
    ]);
  });

  test("puts a type with more parameters before the same with fewer", () => {
    const [first] = parseAccept("application/json, application/json;profile=data");
    expect(first?.parameters).toEqual({ profile: "data" });
  });

  test("takes the name of a parameter for nothing but a name", () => {
    const [range] = parseAccept("a/b;__proto__=c");
    expect(Object.entries(range?.parameters ?? {})).toEqual([["__proto__", "c"]]);
  });

  test("looks at fifty parts at most", () => {
    const parts = Array.from({ length: 60 }, (_, at) => `a/b${at}`);
    expect(names(parts.join()).at(-1)).toBe("a/b49;1");
    expect(names(parts.join())).toHaveLength(50);
    expect(names(parts.slice(0, 50).join())).toHaveLength(50);
    expect(names(parts.map((part) => (part === "a/b49" ? 'a/b49;x=","' : part)).join())).toHaveLength(50);
  });

  test("never throws, and never has a weight outside of its bounds", () => {
    const piece = fc.constantFrom("a/b", "*/*", ";", ",", "q=", "0.5", '"', "\\", " ", "=", "x", "é");
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        for (const { q } of parseAccept(pieces.join(""))) expect(q >= 0 && q <= 1).toBe(true);
      }),
    );
  });

  test("takes time that grows with the header only", () => {
    const long = 100_000;
    for (const text of [
      `a${" ".repeat(long)}b`,
      '"\\'.repeat(long),
      `a/b;x="${"\\a".repeat(long)}`,
      "a/b;".repeat(long),
    ]) {
      computedWithin(2000, () => parseAccept(text));
    }
  });
});
