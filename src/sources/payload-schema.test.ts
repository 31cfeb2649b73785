import { describe, expect, test } from "vitest";
import { compile } from "../schema/compile.js";
import { payloadSchema } from "./payload-schema.js";

const ROWS = { type: "array", items: { $ref: "#/$defs/row" } };
const DEFS = { row: { type: "object", properties: { id: { type: "integer" } }, required: ["id"] } };

function object(properties: object, more: object = {}): object {
  return { type: "object", properties, ...more };
}

const STATUS = { enum: ["ok", "info", "warn", "error"] };
const VERSION = { type: "string", pattern: "^response-v" };

describe("payloadSchema", () => {
  test.each<[what: string, schema: object]>([
    ["tool-response", object({ data: ROWS, meta: object({ status: STATUS, summary: {} }) }, { $defs: DEFS })],
    [
      "response-v2",
      object({ success: { type: "boolean" }, data: ROWS, meta: object({ version: VERSION }) }, { $defs: DEFS }),
    ],
    ["a response envelope", object({ data: ROWS, meta: object({ source: { enum: ["local"] } }) }, { $defs: DEFS })],
  ])("is the schema of the data of %s, whose definitions it keeps", (_, schema) => {
    const payload = compile(payloadSchema(schema, {}) as object);
    expect(payload.warnings).toEqual([]);
    expect(payload.accepts([{ id: 1 }])).toBe(true);
    expect(payload.accepts([{ id: "one" }])).toBe(false);
    expect(payload.accepts({ data: [], meta: {} })).toBe(false);
  });

  test("is the schema of what Plico has wrapped", () => {
    const wrapped = object({ result: ROWS }, { $defs: DEFS, $schema: "https://json-schema.org/draft/2020-12/schema" });
    const payload = compile(payloadSchema(wrapped, { wrapsOutput: true }) as object);
    expect(payload.accepts([{ id: 1 }])).toBe(true);
    expect(payload.accepts({ result: [] })).toBe(false);
    expect(payloadSchema(object({ result: ROWS }), {})).toEqual(object({ result: ROWS }));
  });

  test("accepts anything for a helper's output, whose data stands among its own fields", () => {
    const helper = object({ schema_version: { type: "string" }, status: STATUS, rows: ROWS });
    expect(payloadSchema(helper, {})).toBe(true);
  });

  test.each<[schema: unknown]>([
    [undefined],
    [null],
    [true],
    ["text"],
    [[]],
    [{}],
    [{ type: "array" }],
    [{ properties: null }],
    [{ properties: [] }],
    [object({ rows: ROWS })],
    [object({ data: ROWS })],
    [object({ data: ROWS, total: { type: "integer" } })],
    [object({ data: ROWS, meta: true })],
    [object({ data: ROWS, meta: { type: "object" } })],
    [object({ data: ROWS, meta: object({ page: { type: "integer" } }) })],
    [object({ status: { type: "string" }, result: ROWS })],
    [object({ success: { type: "boolean" } })],
  ])("leaves %j as it is", (schema) => {
    expect(payloadSchema(schema, {})).toBe(schema);
  });

  test("leaves the schema of a tool whose answers only resemble another format", () => {
    const rows = { type: "object", properties: { rows: ROWS }, additionalProperties: false };
    const schemas = [
      // Everybody's own envelope: there is no meta with a version, so no answer will be unfolded.
      object({ success: { type: "boolean" }, data: rows }),
      object({ success: { type: "boolean" }, data: rows, error: { type: "string" } }),
      // Of sources that Plico does not know.
      object({ data: rows, meta: object({ source: { enum: ["wikipedia", "arxiv"] } }) }),
    ];
    for (const schema of schemas) expect(payloadSchema(schema, {})).toBe(schema);
  });

  test("keeps the definitions of the whole where the part has some of its own", () => {
    const own = { $defs: { cell: { type: "string" } }, type: "array", items: { $ref: "#/$defs/row" } };
    const schema = object({ data: own, meta: object({ status: STATUS, summary: {} }) }, { $defs: DEFS });
    const payload = compile(payloadSchema(schema, {}) as object);
    expect(payload.accepts([{ id: "one" }])).toBe(false);
    expect(payload.warnings).toEqual([]);
  });

  test("takes a part that refers to itself from the root", () => {
    const tree = { type: "object", properties: { child: { $ref: "#/properties/data" }, id: { type: "integer" } } };
    const schema = object({ data: tree, meta: object({ status: STATUS, summary: {} }) });
    const payload = compile(payloadSchema(schema, {}) as object);
    expect(payload.accepts({ id: 1, child: { id: 2 } })).toBe(true);
    expect(payload.accepts({ id: 1, child: { id: "two" } })).toBe(false);
    expect(payload.warnings).toEqual([]);
  });

  test("passes over a part that is no schema", () => {
    for (const data of [true, false, null, 7, "x", []]) {
      const schema = object({ data, meta: object({ status: STATUS, summary: {} }) });
      expect(() => payloadSchema(schema, {})).not.toThrow();
    }
    expect(payloadSchema(object({}), { wrapsOutput: true })).toBeUndefined();
  });
});
