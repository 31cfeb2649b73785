import { describe, expect, test } from "vitest";
import { CATEGORIES, type KnownCategory } from "../envelope/category.js";
import type { JsonRecord } from "../json/value.js";
import { DIALECTS } from "./all.js";
import { unblock } from "./fixtures/envelope-block.js";
import { failure, lostPaths, throughWire, wireOf } from "./fixtures/reading.js";
import { helperOutput } from "./helper-output.js";
import { problemDetails } from "./problem-details.js";
import { responseEnvelope } from "./response-envelope.js";
import { responseV2 } from "./response-v2.js";
import { toolEnvelopeV1 } from "./tool-envelope-v1.js";
import { toolResponse } from "./tool-response.js";

interface Row {
  readonly envelope: string;
  readonly code: string;
  readonly errorType: string;
  readonly status: number;
}

/** The table "Between dialects" of the notes, word for word. */
// biome-ignore format: a table is read by its columns
const TABLE: Readonly<Record<KnownCategory, Row>> = {
  validation:     { envelope: "validation",    code: "VALIDATION_ERROR", errorType: "validation",     status: 400 },
  authentication: { envelope: "authorization", code: "ACCESS_DENIED",    errorType: "authentication", status: 401 },
  authorization:  { envelope: "authorization", code: "ACCESS_DENIED",    errorType: "authorization",  status: 403 },
  not_found:      { envelope: "not_found",     code: "NOT_FOUND",        errorType: "not_found",      status: 404 },
  conflict:       { envelope: "execution",     code: "CONFLICT",         errorType: "conflict",       status: 409 },
  rate_limit:     { envelope: "rate_limit",    code: "RATE_LIMITED",     errorType: "rate_limit",     status: 429 },
  timeout:        { envelope: "timeout",       code: "TIMEOUT",          errorType: "unavailable",    status: 504 },
  network:        { envelope: "network",       code: "UNAVAILABLE",      errorType: "unavailable",    status: 502 },
  unavailable:    { envelope: "network",       code: "UNAVAILABLE",      errorType: "unavailable",    status: 503 },
  model:          { envelope: "model",         code: "MODEL_ERROR",      errorType: "ai_provider",    status: 502 },
  aborted:        { envelope: "execution",     code: "ABORTED",          errorType: "unavailable",    status: 499 },
  execution:      { envelope: "execution",     code: "EXECUTION_ERROR",  errorType: "internal",       status: 500 },
  internal:       { envelope: "internal",      code: "UNKNOWN_ERROR",    errorType: "internal",       status: 500 },
};

test("the table has a row for every category", () => {
  expect(Object.keys(TABLE).sort()).toEqual([...CATEGORIES].sort());
});

describe.each(Object.entries(TABLE))("a failure of category %s", (category, row) => {
  const outcome = failure({ category, message: "so it is" });

  test(`is ${row.envelope} in tool-envelope-v1`, () => {
    const { content } = wireOf(toolEnvelopeV1, outcome) as { content: { text: string }[] };
    expect(unblock(content[1]?.text ?? "")).toMatchObject({ payload: { category: row.envelope, code: row.code } });
  });

  test(`has the code ${row.code} in response-envelope`, () => {
    expect(wireOf(responseEnvelope, outcome)).toMatchObject({ meta: { error: { category, code: row.code } } });
  });

  test("has its code in the data of tool-response", () => {
    expect(wireOf(toolResponse, outcome)).toMatchObject({
      structuredContent: { meta: { status: "error" }, data: { errorCode: row.code } },
      isError: true,
    });
  });

  test("is an error in helper-output", () => {
    expect(wireOf(helperOutput, outcome)).toMatchObject({ status: "error", error: { code: row.code } });
  });

  test(`is ${row.errorType} in response-v2`, () => {
    expect(wireOf(responseV2, outcome)).toMatchObject({ data: { error_code: row.code, error_type: row.errorType } });
  });

  test(`has status ${row.status} over HTTP`, () => {
    expect(wireOf(problemDetails, outcome)["status"]).toBe(row.status);
  });

  test.each(DIALECTS.map((dialect) => [dialect.name, dialect] as const))("comes back whole from %s", (_, dialect) => {
    const whole = failure({
      category,
      code: `OWN_${category.toUpperCase()}_F6511EDE`,
      message: "so it is",
      recoverable: true,
      details: { at: 1 },
      issues: [{ path: "/a/0", message: "is wrong", rule: "type" }],
      suggestedAction: "Try again",
      nextTool: "rows.get",
      retryAfterMs: 1500,
      data: { rows: [1] },
    });
    expect(lostPaths(dialect, whole)).toEqual([]);
    expect(throughWire(dialect, whole)).toMatchObject({ ok: false, error: whole.error });
  });

  test("comes back from every dialect after every other", () => {
    for (const first of DIALECTS) {
      for (const second of DIALECTS) {
        const back = throughWire(second, throughWire(first, outcome));
        expect([first.name, second.name, (back as unknown as { error: JsonRecord }).error]).toEqual([
          first.name,
          second.name,
          outcome.error,
        ]);
      }
    }
  });
});

test("a failure of category rate_limit has its time to wait in tool-response", () => {
  const outcome = failure({ category: "rate_limit", message: "slow", retryAfterMs: 30_000 });
  expect(wireOf(toolResponse, outcome)).toMatchObject({
    structuredContent: { meta: { rateLimit: { resetSeconds: 30 } } },
  });
});

test("a missing tool is tool-missing in helper-output", () => {
  const outcome = failure({ category: "unavailable", code: "TOOL_MISSING", message: "no gh" });
  expect(wireOf(helperOutput, outcome)["status"]).toBe("tool-missing");
  for (const dialect of DIALECTS) expect(throughWire(dialect, outcome)).toMatchObject({ error: outcome.error });
});

test("an operation that does not exist keeps its own code everywhere", () => {
  const outcome = failure({ category: "not_found", code: "OPERATION_NOT_FOUND", message: "no rows.nope" });
  for (const dialect of DIALECTS) expect(throughWire(dialect, outcome)).toMatchObject({ error: outcome.error });
});
