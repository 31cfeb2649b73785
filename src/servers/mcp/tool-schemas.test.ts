import { describe, expect, test } from "vitest";
import { createToolResponseEnvelopeSchema } from "../../dialects/tool-response-schema.js";
import { specOf } from "../../registry/fixtures/operations.js";
import { compile } from "../../schema/compile.js";
import { ROWS } from "./fixtures/tools.js";
import { toolInput, toolOutput } from "./tool-schemas.js";

test.each(["plain", "tool-response"] as const)("the layout %s has no property whose schema is a boolean", (layout) => {
  for (const outputSchema of [{}, true, false, { type: "object", properties: { x: true } }]) {
    const { schema } = toolOutput(specOf({ outputSchema }), layout, "both");
    expect(Object.values(schema?.["properties"] ?? {}).filter((one) => typeof one === "boolean")).toEqual([]);
  }
});

describe("what a tool takes", () => {
  test.each([
    ["an object", ROWS, ROWS],
    ["anything", {}, { type: "object" }],
    ["anything at all", true, { type: "object" }],
    ["fields, without a word on its type", { properties: { a: {} } }, { properties: { a: {} }, type: "object" }],
    ["an object or nothing", { type: ["object", "null"] }, { type: "object" }],
  ])("is its operation's input, where that is %s", (_, inputSchema, schema) => {
    expect(toolInput(specOf({ inputSchema }))).toMatchObject({ schema, isWrapped: false });
  });

  test.each([
    ["a list", { type: "array", items: { $ref: "#/$defs/a" }, $defs: { a: {} } }],
    ["a choice", { anyOf: [{ type: "object" }, { type: "string" }] }],
  ])("has the field input, where that is %s", (_, inputSchema) => {
    const { schema, isWrapped } = toolInput(specOf({ inputSchema }));
    expect(isWrapped).toBe(true);
    expect(schema).toMatchObject({ type: "object", required: ["input"] });
  });

  test("has no declarations of headers for which clients would not call the tool", () => {
    const region = { type: "string", "x-mcp-header": "Region" };
    const price = { type: "number", "x-mcp-header": "Price" };
    const inputSchema = { type: "object", properties: { region, price, list: { items: { anyOf: [true, region] } } } };
    const { schema, headers, warnings } = toolInput(specOf({ inputSchema }));
    expect(schema["properties"]).toEqual({
      region,
      price: { type: "number" },
      list: { items: { anyOf: [true, { type: "string" }] } },
    });
    expect(headers).toEqual([{ path: ["region"], header: "Region" }]);
    expect(warnings).toMatchObject([{ code: "SCHEMA_UNSUPPORTED", path: "/properties/price", count: 2 }]);
  });

  test("has the headers of an input that is its field", () => {
    const inputSchema = { type: "string", "x-mcp-header": "Region" };
    expect(toolInput(specOf({ inputSchema }))).toMatchObject({
      schema: { properties: { input: inputSchema } },
      headers: [{ path: ["input"], header: "Region" }],
      warnings: [],
    });
  });

  test("refers to what it referred to", () => {
    const inputSchema = { type: "array", items: { $ref: "#/$defs/a" }, $defs: { a: { type: "string" } } };
    expect(toolInput(specOf({ inputSchema })).schema["properties"]).toEqual({
      input: { ...inputSchema, items: { $ref: "#/properties/input/$defs/a" } },
    });
  });

  test("is open where its schema cannot be shown", () => {
    const broken = { patternProperties: { "(?i)a": {} } };
    expect(toolInput(specOf({ inputSchema: { type: "object", ...broken } })).schema).toEqual({ type: "object" });
    expect(toolInput(specOf({ inputSchema: { type: "array", items: broken } })).schema).toMatchObject({
      properties: { input: {} },
    });
  });
});

describe("what a tool gives", () => {
  test("is told by the schema of its data, where that is an object", () => {
    expect(toolOutput(specOf({ outputSchema: ROWS }), "plain", "both")).toMatchObject({
      schema: ROWS,
      isWrapped: false,
    });
  });

  test("is wrapped where it may be something else", () => {
    const outputSchema = { type: ["object", "null"] };
    expect(toolOutput(specOf({ outputSchema }), "plain", "program")).toMatchObject({
      schema: { type: "object", properties: { result: outputSchema }, required: ["result"] },
      isWrapped: true,
    });
  });

  test.each([
    ["anything", specOf(), "plain", "both"],
    ["text only", specOf({ outputSchema: ROWS }), "plain", "model"],
    ["an envelope in a block", specOf({ outputSchema: ROWS }), "tool-envelope-v1", "both"],
  ] as const)("is not told where it is %s", (_, spec, layout, channels) => {
    expect(toolOutput(spec, layout, channels).schema).toBeUndefined();
  });

  test("is a list where its operation is a subscription", () => {
    const spec = specOf({ type: "subscription", outputSchema: { type: "integer" } });
    expect(toolOutput(spec, "plain", "both").schema).toMatchObject({
      properties: { result: { type: "array", items: { type: "integer" } } },
    });
  });

  test("is a tool-response, of a success or of a failure", () => {
    const { schema = {} } = toolOutput(specOf({ outputSchema: ROWS }), "tool-response", "both");
    const accepts = (status: string, data: unknown) =>
      compile(schema).accepts({ meta: { status, summary: "s" }, data });
    expect(schema).toMatchObject(createToolResponseEnvelopeSchema({}) as object);
    expect([accepts("ok", { rows: [1] }), accepts("ok", {}), accepts("error", { errorCode: "X" })]).toEqual([
      true,
      false,
      true,
    ]);
    expect(toolOutput(specOf(), "tool-response", "both").schema).toEqual(createToolResponseEnvelopeSchema({}));
  });
});
