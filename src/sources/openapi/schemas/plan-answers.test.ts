import { describe, expect, test } from "vitest";
import type { JsonSchema } from "../../../json/json-schema.js";
import { answersOf, type OneOperation } from "../document/fixtures/documents.js";
import { BYTES_SCHEMA } from "./file-schema.js";

const json = (schema: unknown, type = "application/json"): object => ({ content: { [type]: { schema } } });
const text = { type: "string" };
const number = { type: "number" };

const output = (responses: object, more: OneOperation = {}): JsonSchema => answersOf({ responses }, more).outputSchema;

describe("the output schema", () => {
  test.each<[string, object, JsonSchema]>([
    ["is that of the success", { 200: json(text), 400: json(number) }, text],
    ["is one where several say the same", { 200: json(text), 201: json({ type: "string" }) }, text],
    ["is a choice where they differ", { 200: json(text), 202: json(number) }, { anyOf: [text, number] }],
    ["is that of a range", { "2XX": json(text) }, text],
    ["is the default, where no success is described", { default: json(text), 500: json(number) }, text],
    ["is not the default, where one is", { 200: json(text), default: json(number) }, text],
    ["is null, where nothing comes back", { 204: {} }, { type: "null" }],
    ["may be null, where nothing may come back", { 200: json(text), 204: {} }, { anyOf: [text, { type: "null" }] }],
    ["is anything, where a success says nothing of its body", { 200: { description: "ok" } }, true],
    ["is anything, where no response is described", {}, true],
    ["is anything, where only failures are", { 404: json(text) }, true],
    ["is anything, where the media type has no schema", { 200: { content: { "application/json": {} } } }, true],
    ["prefers JSON", { 200: { content: { "text/plain": {}, "application/vnd.x+json": { schema: number } } } }, number],
    ["is a text", { 200: json({ type: "object" }, "application/xml") }, text],
    ["is bytes", { 200: json({ type: "string", format: "binary" }, "image/png") }, BYTES_SCHEMA],
    ["is bytes of any kind", { 200: json({ type: "string", format: "binary" }, "*/*") }, BYTES_SCHEMA],
    ["is any kind of JSON", { 200: json(number, "*/*") }, number],
    ["is a text or bytes", { 200: { content: { "text/csv": {}, "image/png": {} } } }, { anyOf: [text, BYTES_SCHEMA] }],
  ])("%s", (_, responses, schema) => {
    expect(output(responses)).toEqual(schema);
  });

  test("has what it refers to, and is the object itself where it is only a reference", () => {
    const schemas = {
      Page: { type: "object", properties: { items: { items: { $ref: "#/components/schemas/Item" } } } },
      Item: text,
    };
    expect(output({ 200: json({ $ref: "#/components/schemas/Page" }) }, { root: { components: { schemas } } })).toEqual(
      {
        type: "object",
        properties: { items: { items: { $ref: "#/$defs/Item" } } },
        $defs: { Item: text },
      },
    );
  });

  test("names what leads nowhere", () => {
    expect(answersOf({ responses: { 200: json({ $ref: "#/nowhere" }) } }).warnings).toMatchObject([
      { code: "SCHEMA_UNSUPPORTED" },
    ]);
  });

  test("of 2.0 is that of the response, and of files bytes", () => {
    expect(output({ 200: { schema: text } }, { version: "2.0" })).toEqual(text);
    expect(output({ 200: { schema: { type: "file" } } }, { version: "2.0" })).toEqual(BYTES_SCHEMA);
  });
});

describe("the output schema of a stream", () => {
  const events = (schema: unknown, more: OneOperation = {}): JsonSchema =>
    output({ 200: json(schema, "text/event-stream") }, more);
  const event = (data: unknown): object => ({ type: "object", properties: { event: text, data }, required: ["data"] });

  test.each<[string, unknown, JsonSchema]>([
    [
      "is that of the data",
      { type: "object", properties: { delta: text } },
      { type: "object", properties: { delta: text } },
    ],
    ["is anything where it is only said to be a text", { type: "string" }, true],
    ["is the data of an event", event({ type: "object" }), { type: "object" }],
    ["is what the text of the data holds", event({ type: "string", contentSchema: number }), number],
    ["is anything where the data is a text", event({ type: "string" }), true],
    ["is anything where events have data of several kinds", { oneOf: [event(number), event(text)] }, true],
    ["is anything where nothing is said", undefined, true],
  ])("%s", (_, schema, expected) => {
    expect(events(schema)).toEqual(expected);
  });

  test("of lines is that of an item", () => {
    const lines = { 200: json({ type: "array", items: number }, "application/x-ndjson") };
    expect(output(lines)).toEqual(number);
    expect(output({ 200: json(number, "application/jsonl") })).toEqual(number);
    const itemSchema = { 200: { content: { "application/jsonl": { schema: { type: "array" }, itemSchema: number } } } };
    expect(output(itemSchema, { version: "3.2.0" })).toEqual(number);
  });

  test("is that of the whole where the operation can also answer at once", () => {
    expect(
      output({ 200: { content: { "text/event-stream": { schema: number }, "application/json": { schema: text } } } }),
    ).toEqual(text);
  });
});

describe("the schema of an answer that came", () => {
  const responses = {
    200: { content: { "application/json": { schema: text }, "text/*": {}, "image/png": {} } },
    "4XX": json(number, "application/problem+json"),
    404: json({ type: "boolean" }),
    204: {},
    201: {},
    default: { content: { "application/xml": {}, "application/vnd.a+json": { schema: { type: "integer" } } } },
  };
  const { schemaFor } = answersOf({ responses });

  test.each<[number, string, JsonSchema | undefined]>([
    [200, "application/json; charset=utf-8", text],
    [200, "text/html", text],
    [200, "image/png", BYTES_SCHEMA],
    [200, "application/vnd.other+json", text],
    [404, "application/json", { type: "boolean" }],
    [404, "application/problem+json", { type: "boolean" }],
    [400, "application/problem+json", number],
    [422, "application/json", number],
    [500, "application/json", { type: "integer" }],
    [500, "audio/ogg", undefined],
    [204, "", { type: "null" }],
    [201, "application/json", undefined],
  ])("%i %s", (status, mediaType, schema) => {
    expect(schemaFor(status, mediaType)).toEqual(schema);
  });

  test("of a success is not that of `default`, which is a failure's where a success is described", () => {
    expect(schemaFor(202, "application/vnd.a+json")).toBeUndefined();
    const only = answersOf({ responses: { default: json(text), 400: json(number) } });
    expect(only.schemaFor(202, "application/json")).toEqual(text);
  });

  test("of a stream that came as a list is a list", () => {
    const item = { $ref: "#/components/schemas/Item" };
    const content = { "application/x-ndjson": { schema: item }, "application/json": { schema: text } };
    const more = { root: { components: { schemas: { Item: { items: item } } } } };
    const answers = answersOf({ responses: { 200: { content } } }, more);
    expect(answers.schemaFor(200, "application/x-ndjson", { isList: true })).toEqual({
      type: "array",
      items: { items: { $ref: "#/$defs/Item" } },
      $defs: { Item: { items: { $ref: "#/$defs/Item" } } },
    });
    expect(answers.schemaFor(200, "application/json", { isList: true })).toEqual(text);
  });

  test("is the same object each time, so that it is compiled once", () => {
    expect(schemaFor(404, "application/json")).toBe(schemaFor(404, "application/json"));
  });

  test("is unknown where nothing is described", () => {
    expect(answersOf({}).schemaFor(200, "application/json")).toBeUndefined();
  });
});
