import { describe, expect, test } from "vitest";
import * as z from "zod";
import type { OperationSpec } from "../../registry/operation.js";
import { describeOperation, isDeprecated, listOperations } from "./listing.js";

const plain: OperationSpec = {
  namespace: "files",
  name: "read/all",
  version: "1.0.0",
  type: "query",
  description: "Reads.",
  inputSchema: { type: "object", properties: { at: { type: "string", format: "date" } } },
  outputSchema: z.object({ text: z.string(), at: z.iso.datetime() }),
};

const full: OperationSpec = {
  ...plain,
  title: "Read",
  tags: ["io"],
  annotations: { readOnly: true },
  http: { method: "GET", path: "/files/{at}" },
  errorSchemas: { GONE: { category: "not_found", description: "No more.", details: { type: "string" } } },
  _meta: { deprecated: true },
};

describe("the list of operations", () => {
  test("says of each what it is and where it is called", () => {
    expect(listOperations([plain, full], { basePath: "/api" })).toEqual({
      operations: [
        {
          id: "files.read/all",
          type: "query",
          version: "1.0.0",
          description: "Reads.",
          url: "/api/operations/files.read/all",
        },
        {
          id: "files.read/all",
          type: "query",
          version: "1.0.0",
          title: "Read",
          description: "Reads.",
          tags: ["io"],
          annotations: { readOnly: true },
          deprecated: true,
          url: "/api/operations/files.read/all",
          route: { method: "GET", path: "/api/files/{at}" },
        },
      ],
    });
  });

  test("does not ask for schemas", () => {
    const unready: OperationSpec = {
      ...plain,
      get inputSchema(): object {
        throw new Error("not yet");
      },
    };
    expect(() => listOperations([unready])).not.toThrow();
  });
});

describe("the description of an operation", () => {
  test("has its schemas and its errors beside what the list says", () => {
    const described = describeOperation(full);
    expect(described).toMatchObject({
      id: "files.read/all",
      url: "/operations/files.read/all",
      inputSchema: plain.inputSchema,
      outputSchema: { type: "object", required: ["text", "at"], additionalProperties: false },
      errors: {
        GONE: {
          description: "No more.",
          category: "not_found",
          recoverable: false,
          status: 404,
          details: { type: "string" },
        },
      },
    });
    expect(described).not.toHaveProperty("warnings");
    expect(JSON.parse(JSON.stringify(described))).toEqual(described);
  });

  test("is given where a schema is broken or cannot be had, which is told", () => {
    const broken = { ...plain, inputSchema: { properties: { a: { $ref: "#/none" } } } };
    expect(describeOperation(broken)).toMatchObject({
      inputSchema: { properties: { a: {} } },
      warnings: [{ code: "SCHEMA_UNSUPPORTED" }],
    });
    const unready: OperationSpec = {
      ...plain,
      get inputSchema(): object {
        throw new Error("not yet");
      },
    };
    expect(describeOperation(unready)).toMatchObject({ inputSchema: {}, warnings: [{ code: "SCHEMA_UNSUPPORTED" }] });
  });
});

test("an operation is deprecated where its meta or its annotations say so", () => {
  expect(isDeprecated(plain)).toBe(false);
  expect(isDeprecated(full)).toBe(true);
  expect(isDeprecated({ ...plain, annotations: { deprecated: true } as object })).toBe(true);
  expect(isDeprecated({ ...plain, _meta: { deprecated: "no" } })).toBe(false);
});
