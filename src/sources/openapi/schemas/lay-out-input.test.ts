import { describe, expect, test } from "vitest";
import { compile } from "../../../schema/compile.js";
import { describeOperation } from "../document/describe-operation.js";
import { documentWith, laidOut, type OneOperation, onlyOperation } from "../document/fixtures/documents.js";
import { buildRequest } from "../request/build-request.js";
import { type InputLayout, layOutInput } from "./lay-out-input.js";

const query = (name: string, more: object = {}): object => ({ name, in: "query", schema: { type: "string" }, ...more });
const json = (schema: unknown, required = true): object => ({
  requestBody: { required, content: { "application/json": { schema } } },
});
const post = (operation: object, more: OneOperation = {}): InputLayout =>
  laidOut(operation, { method: "post", ...more });
const accepts = ({ schema }: InputLayout, value: unknown): boolean => compile(schema).accepts(value);

describe("the parameters in an input", () => {
  test("are its fields", () => {
    const layout = laidOut(
      {
        parameters: [
          query("limit", { schema: { type: "integer", default: 10 }, description: "How many.", deprecated: true }),
          { name: "X-Trace", in: "header", required: true, schema: { type: "string" } },
          {
            name: "id",
            in: "path",
            required: true,
            schema: { type: "string", description: "Its own." },
            description: "Another.",
          },
        ],
      },
      { path: "/things/{id}" },
    );
    expect(layout).toEqual({
      schema: {
        type: "object",
        properties: {
          id: { type: "string", description: "Its own." },
          limit: { type: "integer", default: 10, description: "How many.", deprecated: true },
          "X-Trace": { type: "string" },
        },
        required: ["id", "X-Trace"],
        additionalProperties: false,
      },
      plan: {
        method: "GET",
        path: "/things/{id}",
        parameters: [
          { key: "id", name: "id", in: "path", style: "simple", explode: false, allowReserved: false },
          { key: "limit", name: "limit", in: "query", style: "form", explode: true, allowReserved: false },
          { key: "X-Trace", name: "X-Trace", in: "header", style: "simple", explode: false, allowReserved: false },
        ],
        body: undefined,
        fallbacks: {},
      },
      renamed: {},
      warnings: [],
    });
  });

  test("describe themselves beside a reference", () => {
    const root = { components: { schemas: { Size: { type: "integer", description: "Any size." } } } };
    const parameters = [query("size", { description: "Of the page.", schema: { $ref: "#/components/schemas/Size" } })];
    expect(laidOut({ parameters }, { root }).schema).toMatchObject({
      properties: { size: { $ref: "#/$defs/Size", description: "Of the page." } },
      $defs: { Size: { type: "integer" } },
    });
  });

  test("that are required and have a default may be left out, and are sent all the same", () => {
    const root = { components: { schemas: { Version: { type: "string", default: "2024-01" } } } };
    const version = query("version", { required: true, schema: { $ref: "#/components/schemas/Version" } });
    const { schema, plan } = laidOut({ parameters: [version, query("size", { schema: { default: 5 } })] }, { root });
    expect(schema).not.toHaveProperty("required");
    expect(plan.fallbacks).toEqual({ version: "2024-01" });
    expect(buildRequest(plan, {}).query).toBe("version=2024-01");
    expect(buildRequest(plan, { version: "1" }).query).toBe("version=1");
  });

  test("of the body whose value is known are planned, and not asked for", () => {
    const properties = { stream: { type: ["boolean", "null"] }, q: { type: "string" } };
    const body = { required: true, content: { "application/json": { schema: { type: "object", properties } } } };
    const document = documentWith({ requestBody: body }, { method: "post" });
    const indexed = onlyOperation(document);
    const { schema, plan } = layOutInput(document, indexed, describeOperation(document, indexed), {
      fixed: { stream: true, q: 7, other: 1 },
    });
    expect(schema).toEqual({ type: "object", properties: { q: { type: "string" } }, additionalProperties: false });
    expect(buildRequest(plan, { q: "x" }).body).toBe('{"stream":true,"q":"x"}');
  });

  test("may have any name", () => {
    const names = ["__proto__", "constructor", "filter[name]", "$top"];
    const { schema, plan } = laidOut({ parameters: names.map((name) => query(name, { required: true })) });
    expect(Object.keys((schema as { properties: object }).properties)).toEqual(names);
    expect(plan.parameters.map(({ key }) => key)).toEqual(names);
    expect(
      compile(schema).accepts(JSON.parse('{"__proto__":"a","constructor":"b","filter[name]":"c","$top":"d"}')),
    ).toBe(true);
    expect(compile(schema).accepts({})).toBe(false);
  });

  test("of 3.2 may be the whole query", () => {
    const content = { "application/x-www-form-urlencoded": { schema: { type: "object" } } };
    const { schema, plan } = laidOut({ parameters: [{ name: "q", in: "querystring", content }] }, { version: "3.2.0" });
    expect(schema).toMatchObject({ properties: { q: { type: "object" } } });
    expect(plan.parameters).toMatchObject([{ in: "querystring", mediaType: "application/x-www-form-urlencoded" }]);
  });
});

describe("fields of one name", () => {
  test("are told apart by their place, and where they stand is said", () => {
    const parameters = ["cookie", "header", "query", "path"].map((place) => ({
      name: "id",
      in: place,
      required: true,
      schema: { type: place === "path" ? "integer" : "string" },
    }));
    const body = { type: "object", properties: { id: { type: "boolean" }, body_id: {}, other: {} }, required: ["id"] };
    const layout = post({ parameters, ...json(body) }, { path: "/{id}" });
    expect(layout.schema).toMatchObject({
      properties: {
        id: { type: "integer" },
        query_id: {},
        header_id: {},
        cookie_id: {},
        body_id_2: { type: "boolean" },
        body_id: {},
        other: {},
      },
      required: ["id", "query_id", "header_id", "cookie_id", "body_id_2"],
    });
    expect(layout.renamed).toEqual({
      id: { in: "path", name: "id" },
      query_id: { in: "query", name: "id" },
      header_id: { in: "header", name: "id" },
      cookie_id: { in: "cookie", name: "id" },
      body_id_2: { in: "body", name: "id" },
    });
    expect(layout.plan.body?.fields.map(({ key, name }) => [key, name])).toEqual([
      ["body_id_2", "id"],
      ["body_id", "body_id"],
      ["other", "other"],
    ]);
  });

  test("a parameter called body keeps its name", () => {
    const { plan, renamed } = post({ parameters: [query("body")], ...json({ type: "array" }) });
    expect(plan.body?.wholeKey).toBe("body_body");
    expect(renamed).toEqual({ body: { in: "query", name: "body" }, body_body: { in: "body", name: "body" } });
  });
});

describe("a body that is a plain object", () => {
  const pet = { type: "object", properties: { name: { type: "string" }, tag: { type: "string" } }, required: ["name"] };

  test("has its fields in the input", () => {
    const layout = post(json(pet));
    expect(layout.schema).toEqual({ ...pet, additionalProperties: false });
    expect(layout.plan.body).toEqual({
      mediaType: "application/json",
      kind: "json",
      isRequired: true,
      fields: [
        { key: "name", name: "name", isFile: false, isFileList: false },
        { key: "tag", name: "tag", isFile: false, isFileList: false },
      ],
      isOpen: false,
    });
  });

  test("that may be absent requires nothing", () => {
    const layout = post(json(pet, false));
    expect(layout.schema).not.toHaveProperty("required");
    expect(layout.plan.body?.isRequired).toBe(false);
  });

  test("may stand behind references and be made of several", () => {
    const root = {
      components: {
        schemas: {
          Pet: pet,
          Id: { properties: { id: { type: "integer", readOnly: true }, tag: { minLength: 2 } }, required: ["id"] },
          Both: {
            allOf: [{ $ref: "#/components/schemas/Pet" }, { $ref: "#/components/schemas/Id" }, { required: ["tag"] }],
          },
        },
      },
    };
    const layout = post(json({ $ref: "#/components/schemas/Both" }), { root });
    expect(layout.schema).toEqual({
      type: "object",
      properties: { name: { type: "string" }, tag: { allOf: [{ type: "string" }, { minLength: 2 }] } },
      required: ["name", "tag"],
      additionalProperties: false,
    });
  });

  test("may be made of itself", () => {
    const root = {
      components: { schemas: { Loop: { allOf: [{ $ref: "#/components/schemas/Loop" }], properties: { a: {} } } } },
    };
    expect(post(json({ $ref: "#/components/schemas/Loop" }), { root }).schema).toMatchObject({ properties: { a: {} } });
  });

  test.each([
    [true, true],
    [{ type: "integer" }, { type: "integer" }],
    [false, false],
    [undefined, false],
  ])("with additionalProperties %j takes others: %j", (additionalProperties, additional) => {
    const layout = post(json({ ...pet, ...(additionalProperties !== undefined && { additionalProperties }) }));
    expect(layout.schema).toMatchObject({ additionalProperties: additional });
    expect(layout.plan.body?.isOpen).toBe(additional !== false);
  });

  test("from which others are derived takes their fields too", () => {
    expect(post(json({ ...pet, discriminator: { propertyName: "name" } })).plan.body?.isOpen).toBe(true);
  });

  test("leaves out what can only be read", () => {
    const root = { components: { schemas: { Id: { type: "string", readOnly: true } } } };
    const schema = {
      properties: { id: { $ref: "#/components/schemas/Id" }, at: { readOnly: true }, secret: { writeOnly: true } },
      required: ["id", "secret"],
    };
    expect(post(json(schema), { root }).schema).toMatchObject({ properties: { secret: {} }, required: ["secret"] });
    expect(Object.keys((post(json(schema), { root }).schema as { properties: object }).properties)).toEqual(["secret"]);
  });

  test("may have fields of any name", () => {
    const layout = post(
      json(
        JSON.parse(
          '{"properties": {"__proto__": {"type": "string"}, "$ref": {"type": "string"}}, "required": ["__proto__"]}',
        ),
      ),
    );
    expect(layout.plan.body?.fields.map(({ key }) => key)).toEqual(["__proto__", "$ref"]);
    expect(accepts(layout, JSON.parse('{"__proto__": "x", "$ref": "y"}'))).toBe(true);
    expect(accepts(layout, {})).toBe(false);
  });
});

describe("a body that is one field", () => {
  test.each([
    ["a list", { type: "array", items: { type: "string" } }],
    ["a text", { type: "string" }],
    ["a choice", { oneOf: [{ properties: { a: {} } }, { properties: { b: {} } }] }],
    ["a choice beside fields", { properties: { a: {}, b: {} }, anyOf: [{ required: ["a"] }, { required: ["b"] }] }],
    ["a condition", { properties: { a: {} }, if: {}, else: {} }],
    ["an object of unknown fields", { type: "object" }],
    ["an object of fields by pattern", { patternProperties: { x: {} }, properties: { a: {} } }],
    ["made of something else", { allOf: [{ properties: { a: {} } }, { type: "string" }] }],
    ["anything", {}],
    ["everything", true],
    ["a reference to nowhere", { $ref: "#/nowhere" }],
  ])("is %s", (_, schema) => {
    const { plan, schema: input } = post(json(schema));
    expect(plan.body).toMatchObject({ wholeKey: "body", fields: [], isOpen: false });
    expect(input).toMatchObject({ properties: { body: {} }, required: ["body"], additionalProperties: false });
  });

  test("has its description and its definitions", () => {
    const root = { components: { schemas: { Item: { type: "string" } } } };
    const requestBody = {
      description: "All of them.",
      content: { "application/json": { schema: { type: "array", items: { $ref: "#/components/schemas/Item" } } } },
    };
    const { schema } = post({ requestBody }, { root });
    expect(schema).toEqual({
      type: "object",
      properties: { body: { type: "array", items: { $ref: "#/$defs/Item" }, description: "All of them." } },
      additionalProperties: false,
      $defs: { Item: { type: "string" } },
    });
  });

  test.each([
    ["application/xml", { type: "object", properties: { a: {} } }],
    ["text/plain", { type: "string" }],
  ])("of the type %s is a text", (mediaType, schema) => {
    const layout = post({ requestBody: { content: { [mediaType]: { schema } } } });
    expect(layout.schema).toMatchObject({ properties: { body: { type: "string" } } });
    expect(layout.plan.body).toMatchObject({ kind: "text", wholeKey: "body" });
  });

  test("of bytes is a file", () => {
    const layout = post({ requestBody: { required: true, content: { "image/png": {} } } });
    for (const body of ["text", { text: "x" }, { base64: "AA==", filename: "a.png", mediaType: "image/png" }])
      expect(accepts(layout, { body })).toBe(true);
    for (const body of [5, [], { text: "x", other: 1 }]) expect(accepts(layout, { body })).toBe(false);
    expect(layout.plan.body).toMatchObject({ kind: "binary", wholeKey: "body", isRequired: true });
  });

  test("is none where a request without meaning for it has an empty one", () => {
    const empty = { type: "object", properties: {} };
    const requestBody = { content: { "application/x-www-form-urlencoded": { schema: empty } } };
    expect(laidOut({ requestBody })).toMatchObject({ schema: { properties: {} }, plan: { body: undefined } });
    expect(laidOut({ requestBody }, { method: "post" }).plan.body).toMatchObject({ wholeKey: "body" });
  });
});
