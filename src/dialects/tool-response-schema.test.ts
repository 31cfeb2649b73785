import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import { Type } from "typebox";
import { Compile } from "typebox/schema";
import * as v from "valibot";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { getAt } from "../json/residue.js";
import { isRecord } from "../json/value.js";
import { composeToolPayload } from "./compose-tool-payload.js";
import { createToolResponseEnvelopeSchema } from "./tool-response-schema.js";

const SCHEMAS = {
  zod: z.object({ rows: z.array(z.number()), note: z.string().optional() }),
  TypeBox: Type.Object({ rows: Type.Array(Type.Number()), note: Type.Optional(Type.String()) }),
  valibot: toStandardJsonSchema(v.object({ rows: v.array(v.number()), note: v.optional(v.string()) })),
  arktype: type({ rows: "number[]", "note?": "string" }),
  "JSON Schema": {
    type: "object",
    properties: { rows: { type: "array", items: { type: "number" } }, note: { type: "string" } },
    required: ["rows"],
  },
} as const;

const META = { status: "ok", summary: "Done" } as const;

function accepts(schema: object, value: unknown): boolean {
  return Compile(createToolResponseEnvelopeSchema(schema)).Check(value);
}

describe.each(Object.entries(SCHEMAS))("an output schema made with %s", (_, schema) => {
  test("is the schema of an object with meta and data, as MCP demands", () => {
    expect(createToolResponseEnvelopeSchema(schema)).toMatchObject({
      type: "object",
      properties: { meta: { type: "object" }, data: { type: "object" } },
      required: ["meta", "data"],
    });
  });

  test("is plain JSON", () => {
    const made = createToolResponseEnvelopeSchema(schema);
    expect(JSON.parse(JSON.stringify(made))).toEqual(made);
  });

  test("accepts what composeToolPayload sends", () => {
    const meta = { ...META, details: ["a"], nextSteps: [], truncated: false, tokenUsage: { total: 1 }, rateLimit: {} };
    const { structuredContent } = composeToolPayload({ meta, data: { rows: [1, 2] } });
    expect(accepts(schema, structuredContent)).toBe(true);
  });

  test("refuses other data and another status", () => {
    expect(accepts(schema, { meta: META, data: { rows: ["1"] } })).toBe(false);
    expect(accepts(schema, { meta: META, data: {} })).toBe(false);
    expect(accepts(schema, { meta: META })).toBe(false);
    expect(accepts(schema, { meta: { ...META, status: "success" }, data: { rows: [] } })).toBe(false);
    expect(accepts(schema, { data: { rows: [] } })).toBe(false);
  });
});

describe("an output schema with references inside", () => {
  const tree = { name: "root", children: [{ name: "leaf", children: [] }] };
  const stump = { name: "root", children: [{ children: [] }] };

  test("still means its own definitions", () => {
    const schema = { $ref: "#/$defs/node", $defs: { node: nodeSchema("#/$defs/node") } };
    expect(accepts(schema, { meta: META, data: tree })).toBe(true);
    expect(accepts(schema, { meta: META, data: stump })).toBe(false);
    expect(danglingReferences(createToolResponseEnvelopeSchema(schema))).toEqual([]);
  });

  test("still means itself by its root", () => {
    expect(accepts(nodeSchema("#"), { meta: META, data: tree })).toBe(true);
    expect(accepts(nodeSchema("#"), { meta: META, data: stump })).toBe(false);
  });

  test("works with a recursive zod schema", () => {
    const Node = z.object({
      name: z.string(),
      get children() {
        return z.array(Node);
      },
    });
    expect(accepts(Node, { meta: META, data: tree })).toBe(true);
    expect(accepts(Node, { meta: META, data: stump })).toBe(false);
  });

  function nodeSchema(ref: string): object {
    const properties = { name: { type: "string" }, children: { type: "array", items: { $ref: ref } } };
    return { type: "object", properties, required: ["name", "children"] };
  }
});

/** The local references that find nothing, each looked up from the nearest schema with an id, as JSON Schema demands. */
function danglingReferences(schema: unknown, root: unknown = schema): string[] {
  if (Array.isArray(schema)) return schema.flatMap((item) => danglingReferences(item, root));
  if (!isRecord(schema)) return [];
  const base = typeof schema["$id"] === "string" ? schema : root;
  const ref = schema["$ref"];
  const dangles = typeof ref === "string" && ref.startsWith("#/") && getAt(base, ref.slice(1)) === undefined;
  return [...(dangles ? [ref] : []), ...Object.values(schema).flatMap((item) => danglingReferences(item, base))];
}

describe("a schema that cannot be used", () => {
  test("is a type error where a Standard Schema cannot tell its JSON Schema", () => {
    expect(() => createToolResponseEnvelopeSchema(v.object({ a: v.string() }))).toThrow(TypeError);
  });

  test.each([[null], [7], ["object"]])("is a type error where it is %j", (schema) => {
    expect(() => createToolResponseEnvelopeSchema(schema as unknown as object)).toThrow(TypeError);
  });

  test("is no problem where it is a boolean", () => {
    expect(accepts(createToolResponseEnvelopeSchema(true) as object, { meta: META, data: 1 })).toBe(false);
    expect(Compile(createToolResponseEnvelopeSchema(true)).Check({ meta: META, data: 1 })).toBe(true);
    expect(Compile(createToolResponseEnvelopeSchema(false)).Check({ meta: META, data: 1 })).toBe(false);
  });
});
