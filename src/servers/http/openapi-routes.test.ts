import { describe, expect, test } from "vitest";
import type { JsonSchema } from "../../json/json-schema.js";
import { type RequestParts, routeParts, wholeBody } from "./openapi-routes.js";
import { type Component, SchemaComponents } from "./schema-components.js";

function component(schema: JsonSchema): Component {
  return new SchemaComponents().add("x", () => schema, "input");
}

function parts(schema: JsonSchema, fields: readonly string[], hasBody: boolean): RequestParts {
  return routeParts(
    component(schema),
    fields.map((field) => ({ field, name: field })),
    hasBody,
  );
}

const text = { type: "string" };

describe("on a path of its own an input has", () => {
  test("its places in the path, all of them required, with the names of the path", () => {
    const input = component({ type: "object", properties: { userId: { ...text, description: "Whose" } } });
    const { parameters } = routeParts(
      input,
      [
        { field: "userId", name: "id" },
        { field: "more", name: "more" },
      ],
      false,
    );
    expect(parameters).toEqual([
      {
        name: "id",
        in: "path",
        description: "Whose",
        required: true,
        schema: { type: "string", description: "Whose" },
      },
      { name: "more", in: "path", required: true, schema: {} },
    ]);
  });

  test("its other fields in the query where there is no body", () => {
    const tags = { type: "array", items: text };
    const where = { type: "object", properties: { from: text } };
    const properties = { id: text, tags, where, old: { ...text, deprecated: true } };
    const { parameters, requestBody } = parts({ type: "object", properties, required: ["where"] }, ["id"], false);
    expect(requestBody).toBeUndefined();
    expect(parameters.slice(1)).toEqual([
      { name: "tags", in: "query", style: "form", explode: true, schema: tags },
      { name: "where", in: "query", required: true, content: { "application/json": { schema: where } } },
      { name: "old", in: "query", deprecated: true, schema: { type: "string", deprecated: true } },
    ]);
  });

  test("a list in the path as JSON, because a path has a place for one text", () => {
    const list = { type: "array", items: text };
    const { parameters } = parts({ type: "object", properties: { ids: list } }, ["ids"], false);
    expect(parameters[0]).toMatchObject({ in: "path", content: { "application/json": { schema: list } } });
  });

  test("the fields that are not in the path in the body, with an example of them", () => {
    const properties = { id: text, name: { ...text, examples: ["Ada"] }, age: { type: "integer" } };
    const schema = { type: "object", properties, required: ["id", "name"], additionalProperties: false };
    expect(parts(schema, ["id"], true).requestBody).toEqual({
      required: true,
      content: {
        "application/json": {
          schema: {
            type: "object",
            properties: { name: properties.name, age: properties.age },
            required: ["name"],
            additionalProperties: false,
          },
          example: { name: "Ada" },
        },
      },
    });
  });

  test("no body where the path has it all", () => {
    expect(parts({ type: "object", properties: { id: text } }, ["id"], true).requestBody).toBeUndefined();
  });

  test("all of it in the body where the path has nothing", () => {
    expect(parts({ type: "array" }, [], true)).toEqual(wholeBody(component({ type: "array" })));
  });

  test("each field once that alternatives have differently", () => {
    const circle = { type: "object", properties: { kind: { const: "circle" } }, required: ["kind"] };
    const square = { type: "object", properties: { kind: { const: "square" }, side: { type: "number" } } };
    const { parameters } = parts({ oneOf: [circle, square] }, [], false);
    expect(parameters).toEqual([
      { name: "kind", in: "query", schema: { anyOf: [{ const: "circle" }, { const: "square" }] } },
      { name: "side", in: "query", schema: { type: "number" } },
    ]);
  });
});

describe("a whole input as the body", () => {
  test.each<[schema: JsonSchema, required: boolean]>([
    [{ type: "object", properties: { a: text } }, false],
    [{ type: "object", required: ["a"] }, true],
    [{ type: "null" }, true],
    [true, false],
  ])("for %j: it must be there (%s)", (schema, required) => {
    expect(wholeBody(component(schema)).requestBody?.["required"] === true).toBe(required);
  });

  test("has an example, unless that would be taken for a reference", () => {
    const body = (schema: JsonSchema) => wholeBody(component(schema)).requestBody?.["content"];
    expect(body({ examples: [{ a: 1 }] })).toMatchObject({ "application/json": { example: { a: 1 } } });
    expect(body({ examples: [{ $ref: "./a" }] })).toEqual({
      "application/json": { schema: { $ref: "#/components/schemas/x" } },
    });
  });
});
