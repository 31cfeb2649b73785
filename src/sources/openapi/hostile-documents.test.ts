import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isRecord, type JsonRecord } from "../../json/value.js";
import { compile } from "../../schema/compile.js";
import type { ApiDocument } from "./document/api-document.js";
import { describeOperation } from "./document/describe-operation.js";
import { documentOf } from "./document/fixtures/documents.js";
import { indexOperations } from "./document/index-operations.js";
import { layOutInput } from "./schemas/lay-out-input.js";
import { planAnswers } from "./schemas/plan-answers.js";

const ref = (name: string): object => ({ $ref: `#/components/schemas/${name}` });

const V3 = {
  openapi: "3.2.0",
  info: { title: "Things", description: "" },
  servers: [{ url: "https://{a}.test", variables: { a: { default: "x", enum: ["x"] } } }],
  security: [{ key: [] }],
  paths: {
    "/a/{id}": {
      parameters: [{ name: "id", in: "path", required: true, schema: { type: "string" } }],
      servers: [{ url: "/b" }],
      post: {
        operationId: "a",
        tags: ["x"],
        parameters: [
          { $ref: "#/components/parameters/p" },
          { name: "q", in: "query", content: { "application/json": { schema: {} } } },
        ],
        requestBody: {
          content: {
            "multipart/form-data": {
              schema: ref("Form"),
              encoding: { f: { contentType: "image/png", headers: { h: { schema: { const: 1 } } } } },
            },
          },
        },
        responses: {
          200: { $ref: "#/components/responses/r" },
          default: { content: { "text/event-stream": { itemSchema: ref("Tree") } } },
        },
        security: [],
      },
      additionalOperations: { COPY: { requestBody: { content: { "application/json": { schema: ref("Both") } } } } },
    },
    "/b": { $ref: "#/components/pathItems/b" },
  },
  components: {
    parameters: { p: { name: "p", in: "query", style: "deepObject", schema: ref("Tree") } },
    responses: {
      r: { description: "", content: { "application/json": { schema: { anyOf: [ref("Tree"), ref("Both")] } } } },
    },
    pathItems: { b: { get: { responses: { 204: {} } } } },
    schemas: {
      Tree: {
        type: "object",
        properties: { kids: { type: "array", items: ref("Tree") }, id: ref("Id") },
        required: ["id"],
      },
      Id: { type: "string", readOnly: true, nullable: true },
      Form: { properties: { f: { type: "string", format: "binary" }, g: { type: "array", items: ref("Id") } } },
      Both: {
        allOf: [ref("Tree"), { properties: { x: { enum: [1] } }, required: ["x", "id"], additionalProperties: {} }],
      },
    },
    securitySchemes: { key: { type: "oauth2", flows: { clientCredentials: { tokenUrl: "/t", scopes: {} } } } },
  },
};

const V2 = {
  swagger: "2.0",
  host: "a.test",
  basePath: "/v",
  schemes: ["https"],
  consumes: ["application/json"],
  produces: ["application/json"],
  paths: {
    "/a/{id}": {
      put: {
        parameters: [
          { name: "id", in: "path", type: "array", items: { type: "string" }, collectionFormat: "pipes" },
          { name: "b", in: "body", schema: { $ref: "#/definitions/T" } },
        ],
        responses: { 200: { schema: { $ref: "#/definitions/T" } } },
      },
      post: {
        parameters: [{ name: "f", in: "formData", type: "file" }],
        responses: { 200: { schema: { type: "file" } } },
      },
    },
  },
  definitions: { T: { type: "object", properties: { t: { $ref: "#/definitions/T" } } } },
  securityDefinitions: { key: { type: "oauth2", flow: "application", tokenUrl: "/t", scopes: {} } },
};

const HOSTILE: readonly unknown[] = [
  ...[
    null,
    true,
    false,
    0,
    -1,
    "",
    "x",
    "#",
    "__proto__",
    [],
    [null],
    [[]],
    {},
    { $ref: "#" },
    { $ref: "" },
    { $ref: 5 },
  ],
  ...[{ $ref: "#/paths" }, { $ref: "#/components/schemas/Tree" }, { $ref: "https://other.test/" }, ["object", "null"]],
  JSON.parse('{"__proto__": {"type": "string"}, "constructor": null}'),
];

/** Everything that is done before a call. Gives how many operations there are. */
function planAll(document: ApiDocument, compiles = true): number {
  const { operations } = indexOperations(document);
  document.securitySchemes();
  for (const operation of operations) {
    const description = describeOperation(document, operation, { variables: { a: "b" } });
    const { schema } = layOutInput(document, operation, description);
    const answers = planAnswers(document, description);
    if (compiles) for (const made of [schema, answers.outputSchema]) compile(made).accepts({});
    answers.schemaFor(200, "application/json");
    answers.schemaFor(500, "");
  }
  return operations.length;
}

/** Every place of a document, as the object or list that holds it and its key. */
function placesIn(value: unknown): [JsonRecord, string][] {
  if (!isRecord(value) && !Array.isArray(value)) return [];
  const record = value as JsonRecord;
  return Object.keys(record).flatMap((key): [JsonRecord, string][] => [[record, key], ...placesIn(record[key])]);
}

describe.each([
  ["3.2", V3, 3],
  ["2.0", V2, 2],
] as const)("a document of %s", (_, root, count) => {
  test("is understood as it is", () => {
    expect(planAll(documentOf(root))).toBe(count);
  });

  test("is used all the same where any of its values is another", () => {
    for (let at = 0; at < placesIn(root).length; at++) {
      for (const value of HOSTILE) {
        const copy = structuredClone(root);
        const [holder, key] = placesIn(copy)[at] as [JsonRecord, string];
        holder[key] = value;
        expect(planAll(documentOf(copy), false)).toBeLessThan(20);
      }
    }
  });

  test("is used all the same where many of its values are others", () => {
    const change = fc.tuple(fc.nat(), fc.oneof(fc.constantFrom(...HOSTILE), fc.jsonValue({ maxDepth: 3 })));
    fc.assert(
      fc.property(fc.array(change, { maxLength: 8 }), (changes) => {
        const copy = structuredClone(root);
        for (const [at, value] of changes) {
          const places = placesIn(copy);
          const [holder, key] = places[at % places.length] ?? [{}, ""];
          holder[key] = value;
        }
        planAll(documentOf(copy));
      }),
    );
  });
});

test("an object that contains itself does not hang", () => {
  const schema: JsonRecord = { type: "object", allOf: [] };
  schema["properties"] = { a: schema, b: schema };
  (schema["allOf"] as unknown[]).push(schema, schema);
  const content = { "application/json": { schema } };
  const paths = { "/a": { post: { requestBody: { content }, responses: { 200: { content } } } } };
  expect(planAll(documentOf({ openapi: "3.1.0", paths }))).toBe(1);
});
