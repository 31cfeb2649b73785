import { describe, expect, test } from "vitest";
import { isRecord, type JsonRecord } from "../../json/value.js";
import { compile } from "../../schema/compile.js";
import { type DescribedError, errorResponses, sharedResponses } from "./openapi-errors.js";
import { sharedSchemas } from "./openapi-schemas.js";
import { SchemaComponents } from "./schema-components.js";

const components = new SchemaComponents(sharedSchemas());
const details = components.add(
  "details",
  () => ({ type: "object", properties: { id: { const: "a" } }, required: ["id"] }),
  "output",
);

function declared(code: string, status: number, more: Partial<DescribedError> = {}): DescribedError {
  const rest = { description: undefined, category: "conflict", recoverable: false, details: undefined } as const;
  return { code, status, ...rest, component: undefined, ...more };
}

function content(responses: JsonRecord, status: string, type: string): { schema: JsonRecord; example: unknown } {
  const response = responses[status] as { content: Record<string, { schema: JsonRecord; example: unknown }> };
  return response.content[type] ?? { schema: {}, example: undefined };
}

function isTrue({ schema, example }: { schema: JsonRecord; example: unknown }): boolean {
  return compile({ ...schema, components: { schemas: components.schemas } }).accepts(example);
}

const JSON_TYPES = ["application/json", "application/problem+json"];

describe("the failures of an operation", () => {
  test("are those that every operation may have, and others", () => {
    const names = Object.values(errorResponses([], false)).map((response) => (response as JsonRecord)["$ref"]);
    const shared = Object.keys(sharedResponses()).map((name) => `#/components/responses/${name}`);
    expect(Object.keys(errorResponses([], false))).toEqual(["400", "429", "500", "503", "504", "default"]);
    expect(shared).toEqual(expect.arrayContaining(names));
  });

  test("are more where callers have to make themselves known", () => {
    expect(Object.keys(errorResponses([], true))).toEqual(expect.arrayContaining(["401", "403"]));
  });

  test("are told by their codes, together where they have one status", () => {
    const taken = declared("TAKEN", 409, { description: "It is taken.", component: details });
    const responses = errorResponses([taken, declared("LOCKED", 409)], false);
    expect(responses["409"]).toMatchObject({ description: "`TAKEN`: It is taken.\n\n`LOCKED`" });
    const json = content(responses, "409", "application/json");
    expect(json.example).toMatchObject({ data: { error_code: "TAKEN", details: { id: "a" } }, error: "It is taken." });
    expect(JSON_TYPES.map((type) => isTrue(content(responses, "409", type)))).toEqual([true, true]);
    expect(isTrue({ ...json, example: { ...(json.example as object), data: { error_code: "OTHER" } } })).toBe(false);
  });

  test("leave room for others where a status has some anyway", () => {
    const responses = errorResponses([declared("BAD", 400, { category: "validation" })], false);
    const { schema, example } = content(responses, "400", "application/json");
    expect(isTrue({ schema, example })).toBe(true);
    expect(isTrue({ schema, example: { ...(example as object), data: { error_code: "VALIDATION_ERROR" } } })).toBe(
      true,
    );
  });

  test("have no example that would be taken for a reference", () => {
    const odd = components.add("odd", () => ({ examples: [{ $ref: "./file" }] }), "output");
    const responses = errorResponses([declared("ODD", 409, { component: odd })], false);
    expect(JSON.stringify(responses)).not.toContain("./file");
  });
});

describe("the failures that operations share", () => {
  test("have examples that are true", () => {
    const responses = sharedResponses();
    const examples = Object.keys(responses).flatMap((name) => JSON_TYPES.map((type) => content(responses, name, type)));
    expect(examples.filter((example) => !isTrue(example))).toEqual([]);
    expect(examples.every(({ example }) => isRecord(example))).toBe(true);
  });

  test("say when to come back", () => {
    const { TooManyRequests, Unavailable } = sharedResponses();
    expect([TooManyRequests, Unavailable]).toMatchObject([
      { headers: { "Retry-After": {} } },
      { headers: { "Retry-After": {} } },
    ]);
  });
});
