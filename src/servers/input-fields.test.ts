import { expect, test } from "vitest";
import type { JsonSchema } from "../json/json-schema.js";
import { loadSchema } from "../schema/load.js";
import { type InputField, inputFields } from "./input-fields.js";

function fieldsOf(schema: JsonSchema): readonly InputField[] {
  return inputFields(loadSchema(schema).graph.root);
}

test("the fields of an input are found through references, compositions and alternatives", () => {
  const fields = fieldsOf({
    $ref: "#/$defs/base",
    allOf: [{ properties: { b: true }, required: ["b"] }],
    anyOf: [{ properties: { kind: { const: "x" } }, required: ["kind"] }, { properties: { kind: { const: "y" } } }],
    $defs: { base: { type: "object", properties: { a: true, self: { $ref: "#" } }, required: ["a"] } },
  });
  const names = fields.map(({ name, isRequired, schemas }) => [name, isRequired, schemas.length]);
  expect(names.sort()).toEqual([
    ["a", true, 1],
    ["b", true, 1],
    ["kind", false, 2],
    ["self", false, 1],
  ]);
});

test("an input that is no object has no fields", () => {
  expect(fieldsOf({ type: "string" })).toEqual([]);
  expect(fieldsOf(true)).toEqual([]);
});

test.each<[form: InputField["form"], schema: JsonSchema]>([
  ["text", { type: "string" }],
  ["text", { type: ["integer", "null"] }],
  ["text", { enum: ["a", 1, true] }],
  ["text", { type: ["string", "object"] }],
  ["text", true],
  ["list", { type: "array", items: { type: "string" } }],
  ["list", { anyOf: [{ type: "string" }, { type: "array", items: { type: "string" } }], items: { type: "string" } }],
  ["list", { type: "array", prefixItems: [{ type: "string" }], items: { type: "number" } }],
  ["json", { type: "array" }],
  ["json", { type: "array", items: { type: "object" } }],
  ["json", { type: "object" }],
  ["json", { type: ["object", "number"] }],
])("a field is written as %s where its schema is %j", (form, schema) => {
  expect(fieldsOf({ type: "object", properties: { a: schema } })[0]?.form).toBe(form);
});
