import { describe, expect, test } from "vitest";
import type { PlannedParameter } from "../plan.js";
import { buildRequest } from "./build-request.js";
import { parameterOf, planOf } from "./fixtures/plans.js";
import { ARRAY, OBJECT, STRING, STYLE_TABLE } from "./fixtures/style-table.js";

const MISSING = { category: "validation", issues: [{ path: "/color", message: "is missing", rule: "required" }] };

describe.each(STYLE_TABLE)("%s, %s, explode %s", (place, style, explode, texts) => {
  const parameter = parameterOf({ in: place, style, explode });

  test.each([
    ["an empty text", "", texts.empty],
    ["a text", STRING, texts.string],
    ["a list", ARRAY, texts.array],
    ["an object", OBJECT, texts.object],
  ])("writes %s as the specification does", (_, value, expected) => {
    expect(sent(parameter, value)).toBe(expected);
  });

  test.each([
    ["an empty list", []],
    ["an empty object", {}],
    ["a list of nothing", [undefined]],
    ["an object of nothing", { R: undefined }],
  ])("writes nothing for %s", (_, value) => {
    expect(sent(parameter, value)).toBe(place === "path" ? "" : undefined);
  });

  test(`${place === "path" ? "wants" : "leaves out"} what is absent`, () => {
    if (place === "path") expect(() => sent(parameter, undefined)).toThrow(expect.objectContaining(MISSING));
    else expect(sent(parameter, undefined)).toBeUndefined();
  });

  test("leaves out the members that are absent", () => {
    expect(sent(parameter, [...ARRAY, undefined])).toBe(texts.array);
    expect(sent(parameter, { ...OBJECT, A: undefined })).toBe(texts.object);
  });

  test.each([
    [null, "null"],
    [true, "true"],
    [false, "false"],
    [0, "0"],
    [-1.5, "-1.5"],
    [1e21, "1000000000000000000000"],
    [10n ** 20n, "100000000000000000000"],
  ])("writes %s as text", (value, text) => {
    expect(sent(parameter, value)).toBe(texts.string.replace("blue", text));
  });
});

describe("names and values", () => {
  test("are encoded in a query, but for the unreserved characters", () => {
    expect(sent(parameterOf({ name: "$filter[x]" }), "a b+c%&=~!'()*")).toBe(
      "%24filter%5Bx%5D=a%20b%2Bc%25%26%3D~%21%27%28%29%2A",
    );
  });

  test("of members are encoded, so that the delimiter stays one", () => {
    expect(sent(parameterOf({ explode: false }), ["a,b", "c"])).toBe("color=a%2Cb,c");
    expect(sent(parameterOf({ explode: false }), { "a,b": 1 })).toBe("color=a%2Cb,1");
  });

  test("that a style cannot say are JSON", () => {
    expect(sent(parameterOf({}), [{ a: 1 }, [2]])).toBe("color=%7B%22a%22%3A1%7D&color=%5B2%5D");
    expect(sent(parameterOf({ in: "header" }), { a: { b: [1] } })).toBe('a,{"b":[1]}');
    expect(sent(parameterOf({ in: "path" }), [["x"]])).toBe("%5B%22x%22%5D");
  });

  test("are what dates say of themselves", () => {
    expect(sent(parameterOf({}), new Date(0))).toBe("color=1970-01-01T00%3A00%3A00.000Z");
    expect(sent(parameterOf({ explode: false }), [new Date(0)])).toBe("color=1970-01-01T00%3A00%3A00.000Z");
  });

  test("may be named like what every object has", () => {
    expect(sent(parameterOf({ name: "constructor" }), undefined)).toBeUndefined();
    expect(sent(parameterOf({}), JSON.parse('{"__proto__": 1, "toString": 2}'))).toBe("__proto__=1&toString=2");
  });
});

describe("allowReserved", () => {
  const reserved = parameterOf({ allowReserved: true });

  test("keeps what has no meaning in a query", () => {
    expect(sent(reserved, "a/b:c?d@e!f$g'(h)*i,j;k")).toBe("color=a/b:c?d@e!f$g'(h)*i,j;k");
  });

  test("encodes what would end the value or mean another", () => {
    expect(sent(reserved, "a&b=c+d#e[f] ü%")).toBe("color=a%26b%3Dc%2Bd%23e%5Bf%5D%20%C3%BC%25");
  });

  test("keeps triplets", () => {
    expect(sent(reserved, "%2F%zz%c3%bc")).toBe("color=%2F%25zz%c3%bc");
  });

  test("encodes the comma in a member of a list", () => {
    expect(sent({ ...reserved, explode: false }, ["a,b", "c/d"])).toBe("color=a%2Cb,c/d");
  });

  test("does nothing in a path, which a value must not leave", () => {
    expect(sent(parameterOf({ in: "path", allowReserved: true }), "a/b%2F")).toBe("a%2Fb%252F");
  });
});

describe("deepObject", () => {
  const deep = parameterOf({ style: "deepObject" });
  const texts = (value: unknown): string => decodeURIComponent(sent(deep, value) ?? "");

  test("writes a bracket for every step, and indices for lists", () => {
    expect(texts({ a: { b: { c: 1 } }, d: ["x", "y"] })).toBe("color[a][b][c]=1&color[d][0]=x&color[d][1]=y");
    expect(texts({ items: [{ price: 1, tags: [] }, { price: 2 }] })).toBe(
      "color[items][0][price]=1&color[items][1][price]=2",
    );
  });

  test("leaves no gap for what is absent", () => {
    expect(texts(["a", undefined, "b"])).toBe("color[0]=a&color[1]=b");
  });

  test("knows null, the empty text and dates", () => {
    expect(texts({ a: null, b: "", c: new Date(0) })).toBe("color[a]=null&color[b]=&color[c]=1970-01-01T00:00:00.000Z");
  });

  test("refuses a cycle, however wide", () => {
    const cycle: Record<string, unknown> = {};
    for (const name of "abcdefgh") cycle[name] = cycle;
    expect(() => sent(deep, cycle)).toThrow(expect.objectContaining({ category: "validation" }));
  });
});

describe("a parameter that is a document", () => {
  test("is JSON, encoded", () => {
    expect(sent(parameterOf({ mediaType: "application/json" }), { lat: 10, long: 60 })).toBe(
      "color=%7B%22lat%22%3A10%2C%22long%22%3A60%7D",
    );
    expect(sent(parameterOf({ mediaType: "application/json" }), "x")).toBe("color=%22x%22");
    expect(sent(parameterOf({ in: "path", mediaType: "application/json" }), ["/"])).toBe("%5B%22%2F%22%5D");
    expect(sent(parameterOf({ in: "cookie", mediaType: "application/json" }), [1])).toBe("color=%5B1%5D");
  });

  test("is ASCII in a header", () => {
    expect(sent(parameterOf({ in: "header", mediaType: "application/json" }), { a: "ü🎉\n" })).toBe(
      '{"a":"\\u00fc\\ud83c\\udf89\\n"}',
    );
  });

  test("is a text as it is where its type is not JSON", () => {
    expect(sent(parameterOf({ mediaType: "text/plain" }), "a b")).toBe("color=a%20b");
  });
});

/** What the request has of the parameter; `undefined` where it has nothing. */
function sent(parameter: PlannedParameter, value: unknown): string | undefined {
  const isOfPath = parameter.in === "path";
  const plan = planOf({ path: isOfPath ? `/a{${parameter.name}}z` : "/", parameters: [parameter] });
  const { path, query, headers } = buildRequest(plan, { [parameter.key]: value });
  if (isOfPath) return path.slice(2, -1);
  if (parameter.in === "query") return query === "" ? undefined : query;
  return headers[parameter.in === "cookie" ? "cookie" : parameter.name];
}
