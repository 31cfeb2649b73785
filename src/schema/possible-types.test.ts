import { expect, test } from "vitest";
import type { JsonSchema } from "../json/json-schema.js";
import { TYPE } from "./node.js";
import { possibleTypes } from "./possible-types.js";

const EVERYTHING = Object.values(TYPE).reduce((sum, bits) => sum | bits, 0);

test.each<[schema: JsonSchema, types: number]>([
  [{ type: "object" }, TYPE.object],
  [{ type: ["string", "null"] }, TYPE.string | TYPE.null],
  [{ type: "number" }, TYPE.number],
  [{ enum: ["a", 1, null] }, TYPE.string | TYPE.integer | TYPE.null],
  [{ const: [] }, TYPE.array],
  [{ $ref: "#/$defs/a", $defs: { a: { type: "object" } } }, TYPE.object],
  [{ allOf: [{ type: ["object", "array"] }, { type: ["object", "null"] }] }, TYPE.object],
  [{ anyOf: [{ type: "object" }, { type: "string" }] }, TYPE.object | TYPE.string],
  [{ oneOf: [{ type: "object" }, { const: true }] }, TYPE.object | TYPE.boolean],
  [{ type: "string", nullable: true }, TYPE.string | TYPE.null],
  [{ type: "array", items: { $ref: "#" } }, TYPE.array],
  [{ anyOf: [{ type: "object" }, { $ref: "#/$defs/none" }] }, EVERYTHING],
  [{ properties: {} }, EVERYTHING],
  [true, EVERYTHING],
  [false, 0],
])("a value of %j may be of these types", (schema, types) => {
  expect(possibleTypes(schema)).toBe(types);
});
