import { describe, expect, test } from "vitest";
import type { OperationDescription } from "../description.js";
import { described, type OneOperation } from "./fixtures/documents.js";

const read = (operation: object, more: OneOperation = {}): OperationDescription =>
  described(operation, { version: "2.0", method: "post", ...more });

describe("the parameters of 2.0", () => {
  test.each([
    ["query", undefined, "form", false],
    ["query", "csv", "form", false],
    ["query", "multi", "form", true],
    ["query", "ssv", "spaceDelimited", false],
    ["query", "tsv", "tabDelimited", false],
    ["query", "pipes", "pipeDelimited", false],
    ["header", "csv", "simple", false],
    ["path", undefined, "simple", false],
  ])("in the %s with the format %s are written as %s, exploded: %s", (location, collectionFormat, style, explode) => {
    const parameter = {
      name: "a",
      in: location,
      type: "array",
      items: { type: "string" },
      ...(collectionFormat && { collectionFormat }),
    };
    const { parameters, warnings } = read({ parameters: [parameter] }, { path: location === "path" ? "/x/{a}" : "/x" });
    expect(parameters[0]).toMatchObject({ in: location, style, explode });
    expect(warnings).toEqual([]);
  });

  test("have their types inline, which become a schema", () => {
    const facts = { type: "integer", format: "int32", minimum: 1, exclusiveMinimum: true, default: 5, enum: [5, 6] };
    const { parameters } = read({
      parameters: [{ name: "a", in: "query", required: true, description: "It.", ...facts }],
    });
    expect(parameters).toMatchObject([{ name: "a", required: true, description: "It.", schema: { schema: facts } }]);
    expect(parameters[0]?.schema.schema).not.toHaveProperty("name");
  });

  test("with an unknown format, or in an unknown place, are warned of", () => {
    const parameters = [
      { name: "a", in: "query", type: "array", collectionFormat: "odd" },
      { name: "b", in: "cookie", type: "string" },
    ];
    expect(read({ parameters })).toMatchObject({ parameters: [{ name: "a", style: "form" }], warnings: [{}, {}] });
  });
});

describe("the body of 2.0", () => {
  test("is a parameter", () => {
    const schema = { type: "object" };
    const body = { name: "pet", in: "body", required: true, description: "A pet.", schema };
    expect(read({ parameters: [body] })).toMatchObject({
      parameters: [],
      body: { required: true, description: "A pet.", mediaType: "application/json", kind: "json", schema: { schema } },
    });
  });

  test.each([
    [["application/xml", "application/json"], undefined, "application/json", "json"],
    [["application/xml"], undefined, "application/xml", "text"],
    [undefined, ["application/octet-stream"], "application/octet-stream", "binary"],
    [["text/plain"], ["application/json"], "text/plain", "text"],
  ])("has the type that the operation %j or the document %j consumes", (own, general, mediaType, kind) => {
    const parameters = [{ name: "b", in: "body", schema: {} }];
    const { body } = read(
      { parameters, ...(own && { consumes: own }) },
      { root: general ? { consumes: general } : {} },
    );
    expect(body).toMatchObject({ required: false, mediaType, kind });
  });

  test("is a form where there are fields of one", () => {
    const parameters = [
      { name: "name", in: "formData", type: "string", required: true, description: "Its name." },
      { name: "tags", in: "formData", type: "array", items: { type: "string" }, collectionFormat: "multi" },
      { name: "ids", in: "formData", type: "array", items: { type: "string" } },
    ];
    expect(read({ parameters }).body).toMatchObject({
      required: true,
      mediaType: "application/x-www-form-urlencoded",
      kind: "form",
      schema: {
        schema: {
          properties: { name: { type: "string", description: "Its name." }, tags: { type: "array" } },
          required: ["name"],
        },
      },
      encoding: { tags: { style: "form", explode: true }, ids: { style: "form", explode: false } },
    });
  });

  test.each([
    [["multipart/form-data"], "string", "multipart"],
    [["multipart/form-data", "application/x-www-form-urlencoded"], "string", "form"],
    [["application/json"], "string", "form"],
    [["application/x-www-form-urlencoded"], "file", "multipart"],
    [[], "file", "multipart"],
  ])("that consumes %j with a field of the type %s is a %s body", (consumes, type, kind) => {
    const { body } = read({ consumes, parameters: [{ name: "a", in: "formData", type }] });
    expect(body).toMatchObject({ kind, required: false });
  });

  test("beside fields of a form wins, with a warning", () => {
    const parameters = [
      { name: "a", in: "formData", type: "string" },
      { name: "b", in: "body", schema: { type: "object" } },
    ];
    expect(read({ parameters })).toMatchObject({ body: { kind: "json" }, warnings: [{ code: "NONCONFORMING" }] });
  });
});

describe("the responses of 2.0", () => {
  test("have the types that are produced", () => {
    const responses = { 200: { description: "ok", schema: { type: "object" } }, 204: { description: "none" } };
    const [good, none] = read({ responses, produces: ["application/xml", "application/json"] }).responses;
    expect(good?.content.map(({ mediaType }) => mediaType)).toEqual(["application/xml", "application/json"]);
    expect(none?.content).toEqual([]);
    expect(read({ responses }).responses[0]?.content[0]?.mediaType).toBe("application/json");
  });

  test("that are files are bytes, whatever the document produces", () => {
    const responses = { 200: { description: "ok", schema: { type: "file" } } };
    const typeOf = (produces: string[]): unknown =>
      read({ responses, produces }).responses[0]?.content.map(({ mediaType }) => mediaType);
    expect(typeOf(["application/json"])).toEqual(["application/octet-stream"]);
    expect(typeOf(["application/json", "image/png"])).toEqual(["image/png"]);
  });
});
