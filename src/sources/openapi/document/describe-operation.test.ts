import { describe, expect, test } from "vitest";
import { describeOperation } from "./describe-operation.js";
import { described, documentOf, documentWith, onlyOperation } from "./fixtures/documents.js";
import { indexOperations } from "./index-operations.js";

const parametersOf = (...parameters: object[]): ReturnType<typeof described>["parameters"] =>
  described({ parameters }).parameters;

describe("the parameters of an operation", () => {
  test.each([
    ["path", "simple", false],
    ["query", "form", true],
    ["header", "simple", false],
    ["cookie", "form", true],
  ])("in the %s are written as %s, exploded: %s", (location, style, explode) => {
    const parameter = { name: "a", in: location, schema: { type: "string" } };
    expect(described({ parameters: [parameter] }, { path: "/things/{a}" }).parameters[0]).toMatchObject({
      name: "a",
      in: location,
      style,
      explode,
      allowReserved: false,
      required: location === "path",
    });
  });

  test.each([
    ["matrix", "path", false],
    ["label", "path", false],
    ["spaceDelimited", "query", false],
    ["pipeDelimited", "query", false],
    ["deepObject", "query", false],
    ["form", "query", true],
  ])("may have the style %s", (style, location, explode) => {
    const parameter = { name: "a", in: location, style, schema: {} };
    const [read] = described({ parameters: [parameter] }, { path: "/things/{a}" }).parameters.filter(
      (p) => p.in === location,
    );
    expect(read).toMatchObject({ style, explode });
  });

  test("say themselves whether they are exploded, reserved, required, deprecated", () => {
    const said = { explode: false, allowReserved: true, required: true, deprecated: true, description: "It." };
    expect(parametersOf({ name: "a", in: "query", schema: { type: "array" }, ...said })).toEqual([
      {
        name: "a",
        in: "query",
        style: "form",
        ...said,
        schema: { schema: { type: "array" }, base: "plico:/document" },
      },
    ]);
  });

  test("with a style of another place are written as usual, with a warning", () => {
    const { parameters, warnings } = described({
      parameters: [{ name: "a", in: "query", style: "matrix", schema: {} }],
    });
    expect(parameters[0]).toMatchObject({ style: "form", explode: true });
    expect(warnings).toMatchObject([{ code: "NONCONFORMING" }]);
  });

  test("of 3.2 may be cookies without encoding, or the whole query", () => {
    const content = { "application/x-www-form-urlencoded": { schema: { type: "object" } } };
    const parameters = [
      { name: "c", in: "cookie", style: "cookie", schema: {} },
      { name: "q", in: "querystring", content },
    ];
    expect(described({ parameters }, { version: "3.2.0" }).parameters).toMatchObject([
      { name: "c", style: "form", explode: true, allowReserved: true },
      { name: "q", in: "querystring", mediaType: "application/x-www-form-urlencoded" },
    ]);
  });

  test("may be documents of a media type", () => {
    const content = { "application/xml": { schema: {} }, "application/json": { schema: { type: "object" } } };
    expect(parametersOf({ name: "filter", in: "query", content })[0]).toMatchObject({
      mediaType: "application/json",
      schema: { schema: { type: "object" } },
    });
  });

  test("of a path are those of its operations, which may replace them", () => {
    const id = { name: "id", in: "path", required: true, schema: { type: "string" } };
    const item = {
      parameters: [id, { name: "x", in: "query", schema: {} }, { name: "X-A", in: "header", schema: {} }],
    };
    const own = { name: "x", in: "query", required: true, schema: { type: "integer" } };
    const parameters = [
      own,
      { name: "x-a", in: "header", description: "own", schema: {} },
      { name: "x", in: "cookie", schema: {} },
    ];
    const read = described({ parameters }, { path: "/a/{id}", item }).parameters;
    expect(read.map((one) => [one.in, one.name, one.required])).toEqual([
      ["path", "id", true],
      ["query", "x", true],
      ["header", "x-a", false],
      ["cookie", "x", false],
    ]);
  });

  test("may stand behind references, also in other files, whose schemas start there", () => {
    const document = documentOf(
      {
        openapi: "3.1.0",
        paths: { "/a": { get: { parameters: [{ $ref: "#/components/parameters/far" }] } } },
        components: { parameters: { far: { $ref: "params.json#/limit" } } },
      },
      { "params.json": { limit: { name: "limit", in: "query", schema: { $ref: "#/size" } } } },
    );
    expect(describeOperation(document, onlyOperation(document)).parameters[0]?.schema).toEqual({
      schema: { $ref: "#/size" },
      base: "https://api.test/docs/params.json",
    });
  });

  test("do not say the headers that are described elsewhere", () => {
    const names = ["Accept", "content-type", "Authorization", "X-Other"];
    expect(parametersOf(...names.map((name) => ({ name, in: "header", schema: {} }))).map(({ name }) => name)).toEqual([
      "X-Other",
    ]);
  });

  test("fit to the places of the path", () => {
    const parameters = [
      { name: "extra", in: "path", required: true, schema: {} },
      { name: "id", in: "path", schema: {} },
    ];
    const { parameters: read, warnings } = described({ parameters }, { path: "/a/{id}/{other}" });
    expect(read.map(({ name, required }) => [name, required])).toEqual([
      ["id", true],
      ["other", true],
    ]);
    expect(read[1]?.schema.schema).toEqual({ type: "string" });
    expect(warnings).toHaveLength(2);
  });

  test("that are broken are left out with a warning, and keep no other out", () => {
    const parameters = [
      null,
      "x",
      { $ref: "#/nowhere" },
      { in: "query" },
      { name: "a" },
      { name: "b", in: "moon" },
      { name: 5, in: "query" },
      { name: "none", in: "query" },
      { name: "fine", in: "query", schema: {} },
    ];
    const { parameters: read, warnings } = described({ parameters });
    expect(read.map(({ name }) => name)).toEqual(["none", "fine"]);
    expect(warnings).toHaveLength(8);
    expect(described({ parameters: { name: "x" } }).warnings).toHaveLength(1);
  });
});

describe("the body of an operation", () => {
  const bodyOf = (requestBody: unknown): ReturnType<typeof described>["body"] =>
    described({ requestBody }, { method: "post" }).body;

  test("is sent as JSON where that is taken", () => {
    const content = {
      "application/xml": { schema: { type: "object" } },
      "application/json": { schema: { type: "array" } },
    };
    expect(bodyOf({ required: true, description: "It.", content })).toEqual({
      required: true,
      description: "It.",
      mediaType: "application/json",
      kind: "json",
      schema: { schema: { type: "array" }, base: "plico:/document" },
      encoding: {},
    });
  });

  test.each([
    [{ "*/*": { schema: { type: "object" } } }, "application/json", "json"],
    [{ "*/*": { schema: { type: "string", format: "binary" } } }, "application/octet-stream", "binary"],
    [{ "text/*": {} }, "text/plain", "text"],
    [{ "application/xml": { schema: { type: "object" } } }, "application/xml", "text"],
    [{ "application/octet-stream": {} }, "application/octet-stream", "binary"],
    [{ "image/png": {}, "image/jpeg": {} }, "image/png", "binary"],
    [{ "multipart/form-data": {}, "image/png": {} }, "multipart/form-data", "multipart"],
  ])("%j is sent as %s", (content, mediaType, kind) => {
    expect(bodyOf({ content })).toMatchObject({ required: false, mediaType, kind });
  });

  test("says how the fields of a form are written", () => {
    const encoding = {
      deep: { style: "deepObject", explode: true },
      list: { explode: false },
      piped: { style: "pipeDelimited", allowReserved: true },
      file: {
        contentType: "image/png, image/jpeg",
        headers: {
          "X-Kind": { schema: { const: "avatar" } },
          "X-Own": { required: true, schema: {} },
          "Content-Type": { schema: { const: "x" } },
        },
      },
      odd: 5,
    };
    const { body, warnings } = described(
      { requestBody: { content: { "multipart/form-data": { schema: {}, encoding } } } },
      { method: "post" },
    );
    expect(body?.encoding).toEqual({
      deep: { style: "deepObject", explode: true, allowReserved: false, isStyled: true },
      list: { style: "form", explode: false, allowReserved: false, isStyled: true },
      piped: { style: "pipeDelimited", explode: false, allowReserved: true, isStyled: true },
      file: {
        style: "form",
        explode: true,
        allowReserved: false,
        contentType: "image/png, image/jpeg",
        headers: { "X-Kind": "avatar" },
      },
    });
    expect(warnings).toHaveLength(2);
  });

  test("may stand behind a reference", () => {
    const root = { components: { requestBodies: { it: { required: true, content: { "application/json": {} } } } } };
    const { body } = described({ requestBody: { $ref: "#/components/requestBodies/it" } }, { method: "post", root });
    expect(body).toMatchObject({ required: true, schema: { schema: {} } });
  });

  test.each([
    [null],
    ["x"],
    [{}],
    [{ content: {} }],
    [{ content: [] }],
    [{ content: { "application/json": null } }],
    [{ $ref: "#/no" }],
  ])("that is %j is none, with a warning", (requestBody) => {
    const { body, warnings } = described({ requestBody }, { method: "post" });
    expect(body).toBeUndefined();
    expect(warnings.length).toBeGreaterThan(0);
  });
});

describe("the responses of an operation", () => {
  test("are those of the document, with their content", () => {
    const root = {
      components: {
        responses: {
          bad: { description: "Bad", content: { "application/problem+json": { schema: { type: "object" } } } },
        },
      },
    };
    const responses = {
      200: { description: "Good", content: { "application/json": { schema: true }, "text/plain": {} } },
      "4xx": { $ref: "#/components/responses/bad" },
      default: {},
      "x-note": {},
      600: {},
      500: null,
    };
    const { responses: read, warnings } = described({ responses }, { root });
    expect(
      read.map(({ status, description, content }) => [status, description, content.map(({ mediaType }) => mediaType)]),
    ).toEqual([
      ["200", "Good", ["application/json", "text/plain"]],
      ["4XX", "Bad", ["application/problem+json"]],
      ["default", "", []],
    ]);
    expect(read[0]?.content[1]?.schema).toBeUndefined();
    expect(read[0]?.content[0]?.schema).toMatchObject({ schema: true });
    expect(warnings).toHaveLength(2);
  });

  test("of a stream have the schema of an item, where 3.2 says it", () => {
    const content = { "application/jsonl": { schema: { type: "array" }, itemSchema: { type: "object" } } };
    const { responses } = described({ responses: { 200: { content } } }, { version: "3.2.0" });
    expect(responses[0]?.content[0]?.schema?.schema).toEqual({ type: "object" });
  });
});

describe("the security of an operation", () => {
  const root = {
    security: [{ key: [] }],
    components: {
      securitySchemes: { key: { type: "apiKey", in: "header", name: "x" }, user: { type: "http", scheme: "basic" } },
    },
  };

  test.each([
    [undefined, [{ key: [] }]],
    [[], []],
    [
      [{ user: [] }, { key: [], user: ["a"] }],
      [{ user: [] }, { key: [], user: ["a"] }],
    ],
    [
      [{}, { key: [] }],
      [{}, { key: [] }],
    ],
  ])("%j means %j", (security, meant) => {
    const operation = security === undefined ? {} : { security };
    expect(described(operation, { root })).toMatchObject({ security: meant, warnings: [] });
  });

  test("names what is broken or not described", () => {
    const { security, warnings } = described({ security: [{ other: [] }, 5, { key: "x" }] }, { root });
    expect(security).toEqual([{ other: [] }]);
    expect(warnings).toHaveLength(3);
    expect(described({ security: "x" }, { root })).toMatchObject({ security: [], warnings: [{}] });
  });
});

describe("an operation in which everything is of the wrong type", () => {
  const values = [null, 0, "", "x", true, [], [null], {}, { $ref: 5 }, { $ref: "#" }, { "": null }];

  test.each(["2.0", "3.0.3", "3.1.0", "3.2.0"] as const)("is described all the same, in %s", (version) => {
    for (const value of values) {
      const names = [
        "parameters",
        "requestBody",
        "responses",
        "security",
        "servers",
        "consumes",
        "produces",
        "schemes",
        "tags",
      ];
      const operation = Object.fromEntries(names.map((name) => [name, value]));
      const root = { ...operation, components: value, securityDefinitions: value, host: value, basePath: value };
      const document = documentWith(operation, { version, root, item: operation, path: "/a/{b}" });
      for (const indexed of indexOperations(document).operations)
        expect(describeOperation(document, indexed).parameters.length).toBe(1);
    }
  });
});
