import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { declaredHeaders, headersFor, headerValue, paramHeadersOf, textOfHeader } from "./param-headers.js";

const X = "x-mcp-header";
const REGION = { type: "string", [X]: "Region" };

function schema(properties: object, more: object = {}): object {
  return { type: "object", properties, ...more };
}

function isRefused(inputSchema: unknown): boolean {
  return "fault" in paramHeadersOf(inputSchema);
}

describe("the headers that an input schema declares", () => {
  test("are those of its properties, at any depth", () => {
    const inputSchema = schema({
      region: REGION,
      count: { type: "integer", [X]: "Count" },
      dry: { type: "boolean", [X]: "Dry-Run" },
      free: { type: "string" },
      inner: schema({ deep: schema({ id: { type: "string", [X]: "Id" } }) }),
    });
    expect(paramHeadersOf(inputSchema)).toEqual([
      { path: ["region"], header: "Region" },
      { path: ["count"], header: "Count" },
      { path: ["dry"], header: "Dry-Run" },
      { path: ["inner", "deep", "id"], header: "Id" },
    ]);
  });

  test.each([
    undefined,
    null,
    true,
    "x",
    7,
    [],
    {},
    { properties: null },
    { properties: [] },
    { properties: { a: null } },
  ])("are none in %j", (inputSchema) => {
    expect(paramHeadersOf(inputSchema)).toEqual([]);
  });

  test.each([
    "",
    " ",
    "a b",
    "a:b",
    "é",
    "a\n",
    "a\r\nX-Evil: 1",
    "a\0",
    "(x)",
    "a/b",
    "a,b",
    7,
    null,
    true,
    {},
    ["Region"],
  ])("must not be called %j", (name) => {
    expect(isRefused(schema({ region: { type: "string", [X]: name } }))).toBe(true);
  });

  test.each(["a", "A-1", "x_y", "!#$%&'*+-.^_`|~"])("may be called %s", (name) => {
    expect(paramHeadersOf(schema({ region: { type: "string", [X]: name } }))).toEqual([
      { path: ["region"], header: name },
    ]);
  });

  test.each(["object", "array", "null", "number", undefined, ["string", "null"], "text"])(
    "must not be of the type %j",
    (type) => {
      expect(isRefused(schema({ region: { type, [X]: "Region" } }))).toBe(true);
    },
  );

  test("must not have the same name twice, in whatever case", () => {
    expect(isRefused(schema({ a: { ...REGION }, b: { ...REGION, [X]: "REGION" } }))).toBe(true);
    expect(isRefused(schema({ a: REGION, inner: schema({ b: REGION }) }))).toBe(true);
  });

  test.each<[where: string, inputSchema: object]>([
    ["the root", { ...schema({}), [X]: "Region" }],
    ["items", schema({ a: { type: "array", items: REGION } })],
    ["prefixItems", schema({ a: { prefixItems: [REGION] } })],
    ["additionalProperties", schema({}, { additionalProperties: REGION })],
    ["patternProperties", schema({}, { patternProperties: { "^a": REGION } })],
    ["anyOf", schema({}, { anyOf: [schema({ a: REGION })] })],
    ["oneOf", schema({ a: { oneOf: [REGION] } })],
    ["allOf", schema({}, { allOf: [{}, schema({ a: REGION })] })],
    ["not", schema({}, { not: schema({ a: REGION }) })],
    ["else", schema({}, { if: {}, else: schema({ a: REGION }) })],
    ["definitions", schema({ a: { $ref: "#/$defs/region" } }, { $defs: { region: REGION } })],
    ["definitions of older drafts", schema({}, { definitions: { region: REGION } })],
    ["dependentSchemas", schema({}, { dependentSchemas: { a: schema({ b: REGION }) } })],
    ["a property called default, below items", schema({ a: { items: schema({ default: REGION }) } })],
  ])("must not stand in %s", (_, inputSchema) => {
    expect(isRefused(inputSchema)).toBe(true);
  });

  test.each<[what: string, inputSchema: object]>([
    ["an example", schema({ a: { type: "object", examples: [{ [X]: "Region" }] } })],
    ["a constant", schema({ a: { const: { [X]: "Region", type: "string" } } })],
    ["a default", schema({ a: { default: { [X]: "Region" } } })],
    ["values to choose from", schema({ a: { enum: [{ [X]: "Region" }] } })],
    ["a property of that name", schema({ [X]: { type: "string" } })],
    ["a property of that name in a list's items", schema({ a: { items: schema({ [X]: { type: "string" } }) } })],
    [
      "properties of that name and called type in a list's items",
      schema({ a: { items: schema({ [X]: { type: "string" }, type: { type: "string" } }) } }),
    ],
  ])("are not to be found in %s, which is no declaration", (_, inputSchema) => {
    expect(paramHeadersOf(inputSchema)).toEqual([]);
  });

  test("are told apart from those that must not be declared, each with its place", () => {
    const inputSchema = schema({
      "a/b": { type: "number", [X]: "Price" },
      region: REGION,
      again: { ...REGION, [X]: "REGION" },
      list: { type: "array", prefixItems: [{}, REGION] },
    });
    const { headers, faults } = declaredHeaders(inputSchema);
    expect(headers).toEqual([{ path: ["region"], header: "Region" }]);
    expect(faults.map(({ at }) => at)).toEqual([
      "/properties/a~1b",
      "/properties/again",
      "/properties/list/prefixItems/1",
    ]);
  });

  test("are looked for without exhausting the stack", () => {
    for (const keyword of ["properties", "items", "allOf"]) {
      let inputSchema: object = { type: "string" };
      for (let level = 0; level < 20_000; level++)
        inputSchema = keyword === "properties" ? schema({ a: inputSchema }) : { [keyword]: inputSchema };
      expect(() => paramHeadersOf(inputSchema)).not.toThrow();
    }
  });
});

describe("the headers of a call", () => {
  const DECLARED = [
    { path: ["region"], header: "Region" },
    { path: ["inner", "id"], header: "Id" },
  ];

  test.each<[input: unknown, headers: object]>([
    [{ region: "eu" }, { "Mcp-Param-Region": "eu" }],
    [{ region: 7 }, { "Mcp-Param-Region": "7" }],
    [{ region: 0 }, { "Mcp-Param-Region": "0" }],
    [{ region: -0 }, { "Mcp-Param-Region": "0" }],
    // No integer, which the server should be the one to say.
    [{ region: 1.5 }, { "Mcp-Param-Region": "1.5" }],
    [{ region: false }, { "Mcp-Param-Region": "false" }],
    [
      { region: true, inner: { id: "x" } },
      { "Mcp-Param-Region": "true", "Mcp-Param-Id": "x" },
    ],
    [{ region: null }, {}],
    [{ region: undefined }, {}],
    [{ region: {} }, {}],
    [{ region: ["eu"] }, {}],
    [{ region: Number.NaN }, {}],
    [{ region: 2 ** 60 }, {}],
    [{ inner: null }, {}],
    [{ inner: "id" }, {}],
    [{ inner: [{ id: 1 }] }, {}],
    [{}, {}],
    [undefined, {}],
    [null, {}],
    ["region", {}],
    [[], {}],
  ])("of %j are %j", (input, headers) => {
    expect(headersFor(DECLARED, input)).toEqual(headers);
  });

  test("never come from what an object inherits", () => {
    const declared = ["constructor", "toString", "__proto__"].map((name) => ({ path: [name, "name"], header: name }));
    expect(headersFor(declared, {})).toEqual({});
  });
});

describe("headerValue", () => {
  test.each(["a", "us-west1", "a b", "a\tb", "=?base64?x", "?=", "~!@#"])("leaves %j as it is", (text) => {
    expect(headerValue(text)).toBe(text);
  });

  test.each(["", " a", "a ", "\t", "é", "日本", "a\nb", "a\r\nX: y", "\0", "\x7f", "=?base64?YQ==?=", "=?base64??="])(
    "packs %j",
    (text) => {
      expect(headerValue(text)).toMatch(/^=\?base64\?[A-Za-z0-9+/]*=*\?=$/);
    },
  );

  test("can be read back, and stands in a header whatever the text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        const value = headerValue(text);
        expect(() => new Headers({ x: value })).not.toThrow();
        const sent = new Headers({ x: value }).get("x") ?? "";
        expect(textOfHeader(sent)).toBe(text);
      }),
    );
  });

  test.each(["=?base64?!?=", "=?base64?YQ?=", "=?base64?/w==?="])("is none that is packed as badly as %s", (value) => {
    expect(textOfHeader(value)).toBeUndefined();
  });
});
