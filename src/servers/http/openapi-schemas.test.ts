import { describe, expect, test } from "vitest";
import { problemDetails } from "../../dialects/problem-details.js";
import { responseEnvelope } from "../../dialects/response-envelope.js";
import { responseV2 } from "../../dialects/response-v2.js";
import { callErrorData } from "../../envelope/call-error.js";
import type { Outcome } from "../../envelope/outcome.js";
import type { JsonSchema, JsonSchemaObject } from "../../json/json-schema.js";
import { compile } from "../../schema/compile.js";
import {
  envelopeSchema,
  isAlwaysWrapped,
  knownFailure,
  referenceTo,
  sharedSchemas,
  successSchema,
} from "./openapi-schemas.js";
import { type Component, SchemaComponents } from "./schema-components.js";

const components = new SchemaComponents(sharedSchemas());

function added(schema: JsonSchema): Component {
  return components.add("x", () => schema, "output");
}

function issues(schema: JsonSchemaObject, value: unknown): readonly unknown[] {
  return compile({ ...schema, components: { schemas: components.schemas } }).issues(value);
}

const meta = { requestId: "r", traceId: "t", warnings: [{ code: "X", message: "m", path: "/a" }], telemetry: { a: 1 } };

const failure: Outcome = {
  ok: false,
  error: callErrorData({
    category: "rate_limit",
    code: "SLOW_DOWN",
    message: "Slow down.",
    details: { left: 0 },
    data: { rows: [1] },
    issues: [{ path: "/a", message: "is wrong" }],
    suggestedAction: "Wait.",
    retryAfterMs: 1500,
  }),
  meta: { ...meta, rateLimit: { limit: 1, remaining: 0, resetAt: 1e12 }, pagination: { cursor: null, hasMore: false } },
};

describe("the schemas that all operations share", () => {
  test("are true of a failure, in each format", () => {
    expect(issues(referenceTo("Failure"), responseV2.write(failure).wire)).toEqual([]);
    expect(issues(referenceTo("Problem"), problemDetails.write(failure).wire)).toEqual([]);
    expect(issues(referenceTo("FailureEnvelope"), responseEnvelope.write(failure).wire)).toEqual([]);
  });

  test("tell a failure from a success", () => {
    const success = responseV2.write({ ok: true, data: {}, meta: {} }).wire;
    expect(issues(referenceTo("Failure"), success)).not.toEqual([]);
    expect(issues(successSchema(added(true)), responseV2.write(failure).wire)).not.toEqual([]);
  });

  test("say of one error which it is, and what its details are", () => {
    const details = added({ type: "object", required: ["left"] }).reference;
    const wire = responseV2.write(failure).wire;
    expect(issues(knownFailure("SLOW_DOWN", details), wire)).toEqual([]);
    expect(issues(knownFailure("OTHER", undefined), wire)).not.toEqual([]);
    expect(issues(knownFailure("SLOW_DOWN", added({ type: "string" }).reference), wire)).not.toEqual([]);
  });

  test("leave no object without a word of what it may hold, which generators would take for an empty one", () => {
    const bare = /\{"type":(?:"object"|\["object","null"\])\}/;
    expect(JSON.stringify(sharedSchemas())).not.toMatch(bare);
  });
});

describe("the schema of a success", () => {
  test.each<[what: string, schema: JsonSchema, right: unknown, wrong: unknown]>([
    ["an object", { type: "object", required: ["a"] }, { a: 1 }, {}],
    ["a number", { type: "number" }, 1, "1"],
    ["nothing", { type: "null" }, null, 0],
    ["an object or a text", { anyOf: [{ type: "object", required: ["a"] }, { type: "string" }] }, "a", 1],
    ["an object or a text", { anyOf: [{ type: "object", required: ["a"] }, { type: "string" }] }, { a: 1 }, 1],
  ])("is true of %s as it is sent", (_, schema, right, wrong) => {
    const data = added(schema);
    const sent = (value: unknown): unknown => responseV2.write({ ok: true, data: value, meta }).wire;
    expect(issues(successSchema(data), sent(right))).toEqual([]);
    expect(issues(successSchema(data), sent(wrong))).not.toEqual([]);
  });

  test("is open where nothing is known", () => {
    for (const data of [1, null, { a: 1 }, []])
      expect(issues(successSchema(added(true)), responseV2.write({ ok: true, data, meta: {} }).wire)).toEqual([]);
  });

  test("is true of an envelope", () => {
    const outcome: Outcome = {
      ok: true,
      data: 1,
      meta: { ...meta, source: "local", operationId: "a.b", timestamp: 1 },
    };
    expect(issues(envelopeSchema(added({ type: "number" })), responseEnvelope.write(outcome).wire)).toEqual([]);
    expect(issues(envelopeSchema(added({ type: "string" })), responseEnvelope.write(outcome).wire)).not.toEqual([]);
  });
});

test("data is always wrapped where it is never an object", () => {
  expect(isAlwaysWrapped(added({ type: "array" }))).toBe(true);
  expect(isAlwaysWrapped(added({ type: ["array", "object"] }))).toBe(false);
  expect(isAlwaysWrapped(added(true))).toBe(false);
});
