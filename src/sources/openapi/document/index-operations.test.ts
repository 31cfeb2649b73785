import { describe, expect, test } from "vitest";
import { documentOf, documentWith, onlyOperation } from "./fixtures/documents.js";
import { indexOperations } from "./index-operations.js";

const methodsOf = (root: object): string[] =>
  indexOperations(documentOf(root)).operations.map(({ method, path }) => `${method} ${path}`);

describe("the operations of a document", () => {
  test("are all methods of all paths", () => {
    const item = Object.fromEntries(
      ["get", "put", "post", "delete", "options", "head", "patch", "trace", "query", "x-get", "summary"].map((key) => [
        key,
        {},
      ]),
    );
    const eight = ["GET", "PUT", "POST", "DELETE", "OPTIONS", "HEAD", "PATCH", "TRACE"].map((method) => `${method} /a`);
    expect(methodsOf({ openapi: "3.1.0", paths: { "/a": item, "x-internal": item } })).toEqual(eight);
    expect(methodsOf({ openapi: "3.2.0", paths: { "/a": item } })).toEqual([...eight, "QUERY /a"]);
  });

  test("of 3.2 may have methods of their own", () => {
    const additionalOperations = { COPY: {}, "not a method": {}, "x-note": "text", LOCK: 5 };
    const document = documentOf({ openapi: "3.2.0", paths: { "/a": { get: {}, additionalOperations } } });
    const { operations, warnings } = indexOperations(document);
    expect(operations.map(({ method, name }) => [method, name])).toEqual([
      ["GET", "get_a"],
      ["COPY", "copy_a"],
    ]);
    expect(warnings.map(({ code }) => code)).toEqual(["OPERATION_SKIPPED", "OPERATION_SKIPPED"]);
  });

  test("are none where there are only webhooks, or callbacks", () => {
    expect(methodsOf({ openapi: "3.1.0", webhooks: { new: { post: {} } } })).toEqual([]);
    const post = { callbacks: { done: { "{$request.body#/url}": { post: {} } } } };
    expect(methodsOf({ openapi: "3.0.0", paths: { "/a": { post } } })).toEqual(["POST /a"]);
  });

  test("may stand behind references, of the path item or, against the rule, of themselves", () => {
    const document = documentOf(
      {
        openapi: "3.1.0",
        paths: {
          "/a": { $ref: "paths/a.json", delete: { operationId: "own" } },
          "/b": { get: { $ref: "#/x-shared" } },
        },
        "x-shared": { operationId: "shared" },
      },
      { "paths/a.json": { get: { operationId: "far" }, delete: { operationId: "hidden" } } },
    );
    const { operations, warnings } = indexOperations(document);
    expect(operations.map(({ name, raw }) => [name, raw.base])).toEqual([
      ["own", "https://api.test/docs/openapi.json"],
      ["far", "https://api.test/docs/paths/a.json"],
      ["shared", "https://api.test/docs/openapi.json"],
    ]);
    expect(warnings).toEqual([]);
  });

  test("that are broken are skipped and named, and keep no other out", () => {
    const paths = {
      "/list": [],
      "/null": { get: null, post: {} },
      "/text": { get: "x" },
      "/lost": { $ref: "#/nowhere" },
      "/circle": { $ref: "#/paths/~1circle" },
      "/deep": { get: { $ref: "#/nowhere" } },
      "no-slash": { get: {} },
      "": { get: {} },
      "/fine": { get: { operationId: 5, summary: {}, tags: "x", deprecated: "yes", responses: [] } },
    };
    const { operations, warnings } = indexOperations(documentOf({ openapi: "3.1.0", paths }));
    expect(operations.map(({ name }) => name)).toEqual(["post_null", "get_fine"]);
    expect(warnings.every(({ code }) => code === "OPERATION_SKIPPED")).toBe(true);
    for (const path of ["/list", "GET /null", "GET /text", "/lost", "/circle", "GET /deep", "no-slash"])
      expect(warnings.some(({ message }) => message.includes(path))).toBe(true);
  });

  test("are none where paths is no object", () => {
    for (const paths of [null, [], "x", 5]) {
      const { operations, warnings } = indexOperations(documentOf({ openapi: "3.1.0", paths }));
      expect(operations).toEqual([]);
      expect(warnings).toHaveLength(1);
    }
    expect(indexOperations(documentOf({ openapi: "3.1.0" })).warnings).toEqual([]);
  });
});

describe("what the index says of an operation", () => {
  test("is what the document says", () => {
    const operation = {
      operationId: "getThings",
      summary: "Get things",
      description: "Gets all of them.",
      tags: ["things", 5],
      deprecated: true,
      "x-plico": { id: "far.things" },
    };
    expect(onlyOperation(documentWith(operation))).toMatchObject({
      name: "getThings",
      operationId: "getThings",
      method: "GET",
      path: "/things",
      title: "Get things",
      description: "Gets all of them.",
      tags: ["things"],
      isDeprecated: true,
      streams: "no",
      plico: { id: "far.things" },
    });
  });

  test("has a description in any case", () => {
    expect(onlyOperation(documentWith({ summary: "Short" })).description).toBe("Short");
    expect(onlyOperation(documentWith({ description: "" })).description).toBe("GET /things");
    expect(onlyOperation(documentWith({}))).not.toHaveProperty("title");
  });

  test.each([
    [["text/event-stream"], "only"],
    [["application/x-ndjson", "application/jsonl"], "only"],
    [["application/json", "text/event-stream; charset=utf-8"], "also"],
    [["application/json"], "no"],
    [[], "no"],
  ])("%j are answers that stream: %s", (types, streams) => {
    const content = Object.fromEntries(types.map((type) => [type, {}]));
    const root = { components: { responses: { it: { content } } } };
    expect(onlyOperation(documentWith({ responses: { 200: { content } } })).streams).toBe(streams);
    expect(
      onlyOperation(documentWith({ responses: { "2XX": { $ref: "#/components/responses/it" } } }, { root })).streams,
    ).toBe(streams);
    expect(onlyOperation(documentWith({ produces: types }, { version: "2.0" })).streams).toBe(streams);
  });

  test("does not take the failures of an operation for its answers", () => {
    const responses = {
      200: { content: { "text/event-stream": {} } },
      204: {},
      400: { content: { "application/json": {} } },
    };
    expect(onlyOperation(documentWith({ responses })).streams).toBe("only");
  });
});
