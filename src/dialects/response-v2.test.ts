import { describe, expect, test } from "vitest";
import type { Warning } from "../envelope/warning.js";
import type { JsonRecord } from "../json/value.js";
import {
  failure,
  failureOf,
  lostPaths,
  readingOf,
  rulesBroken,
  success,
  successOf,
  throughWire,
  wireOf,
} from "./fixtures/reading.js";
import { responseV2Fixtures } from "./fixtures/response-v2.js";
import { testFixtures } from "./fixtures/test-fixtures.js";
import { responseV2 } from "./response-v2.js";

const dialect = responseV2;

function ok(meta: object, data: object = {}): object {
  return { success: true, data, error: null, meta: { version: "response-v2", ...meta } };
}

function failed(data: object, meta: object = {}): object {
  return { success: false, data, error: "no", meta: { version: "response-v2", ...meta } };
}

function metaOf(...args: Parameters<typeof responseV2.write>): JsonRecord {
  return responseV2.write(...args).wire.meta;
}

describe("response-v2", () => {
  testFixtures(dialect, responseV2Fixtures);
});

describe("the anti-patterns of response-v2", () => {
  test("are named with their paths: data at the root", () => {
    const document = { success: true, user_id: "123", user_name: "Alice", meta: { version: "response-v2" } };
    const found = dialect.validate(document).filter(({ rule }) => rule === "anti-pattern-data-at-root");
    expect(found.map(({ path }) => path)).toEqual(["/user_id", "/user_name"]);
  });

  test.each([
    ["/message", { success: false, message: "Invalid input" }],
    ["/errors", { success: false, errors: ["Error 1", "Error 2"] }],
  ])("are named with their paths: the error key %s", (path, document) => {
    expect(dialect.validate(document)).toContainEqual(
      expect.objectContaining({ rule: "anti-pattern-error-key", path }),
    );
  });

  test("are named with their paths: the missing version", () => {
    expect(dialect.validate({ success: true, data: {} })).toContainEqual(
      expect.objectContaining({ rule: "anti-pattern-missing-version", path: "/meta/version" }),
    );
  });

  test("do not keep a success without error, which the specification calls good, from being read", () => {
    const document = { success: true, data: { user_id: "123" }, meta: { version: "response-v2" } };
    expect(successOf(dialect, document).data).toEqual({ user_id: "123" });
    expect(readingOf(dialect, document).notes.map(({ code }) => code)).toEqual(["NONCONFORMING"]);
  });

  test("do not hide data that stands at the root of a readable document", () => {
    const document = { ...ok({}, { a: 1 }), user_id: "123" };
    const { outcome, notes } = readingOf(dialect, document);
    expect(JSON.stringify(outcome)).toContain("user_id");
    expect(notes.map(({ path }) => path)).toEqual(["/user_id"]);
  });
});

describe("reading response-v2", () => {
  test("maps ids, telemetry and pagination to hints", () => {
    const telemetry = { duration_ms: 234, cache_hit: true };
    const pagination = { cursor: null, has_more: false, total_count: 0, page_size: 100 };
    const { meta } = successOf(dialect, ok({ request_id: "r", trace_id: "t", span_id: "s", telemetry, pagination }));
    expect(meta).toEqual({
      requestId: "r",
      traceId: "t",
      spanId: "s",
      telemetry,
      pagination: { cursor: null, hasMore: false, totalCount: 0, pageSize: 100 },
    });
  });

  test("reads null as absent and says nothing about it", () => {
    const nulls = {
      pagination: null,
      rate_limit: null,
      telemetry: null,
      request_id: null,
      trace_id: null,
      warnings: null,
    };
    const { outcome, notes } = readingOf(dialect, ok(nulls));
    expect(notes).toEqual([]);
    expect(Object.keys(outcome.meta).filter((name) => name !== "extra")).toEqual([]);
  });

  test("maps warnings, with the code and path of their details", () => {
    const warnings = ["cut", "old"];
    const warning_details = [{ code: "CUT", severity: "warning", message: "cut", context: { path: "/rows" } }];
    expect(successOf(dialect, ok({ warnings, warning_details })).meta.warnings).toEqual([
      { code: "CUT", message: "cut", path: "/rows" },
      { code: "SOURCE_WARNING", message: "old" },
    ]);
  });

  test.each(["retry_after_seconds", "retry_after"])("reads %s of a success as a hint", (key) => {
    const { meta } = successOf(dialect, ok({ rate_limit: { limit: 9, remaining: 0, [key]: 1.5 } }));
    expect(meta.rateLimit).toEqual({ limit: 9, remaining: 0, retryAfterMs: 1500 });
  });

  test.each([
    ["retry_after_seconds of the rate limit", failed({}, { rate_limit: { retry_after_seconds: 2 } })],
    ["retry_after of the rate limit", failed({}, { rate_limit: { retry_after: 2, limit: 5, period: "minute" } })],
    ["retry_after_seconds of data", failed({ retry_after_seconds: 2 })],
  ])("reads %s of a failure as the time to wait", (_, document) => {
    expect(failureOf(dialect, document).error.retryAfterMs).toBe(2000);
  });

  test("does not take null or zero for an absent time to wait", () => {
    const wait = (seconds: unknown): unknown =>
      failureOf(dialect, failed({}, { rate_limit: { retry_after_seconds: seconds } })).error.retryAfterMs;
    expect(wait(0)).toBe(0);
    expect(wait(null)).toBeUndefined();
  });

  test("reads the moment of a reset", () => {
    const { meta } = successOf(dialect, ok({ rate_limit: { reset_at: "2025-11-26T12:00:00Z" } }));
    expect(meta.rateLimit).toEqual({ resetAt: Date.UTC(2025, 10, 26, 12) });
  });

  test("gives every field of an error and leaves the rest as its data", () => {
    const { error } = failureOf(
      dialect,
      failed({
        spec_id: "x",
        error_code: "SPEC_NOT_FOUND",
        error_type: "not_found",
        remediation: "List them",
        details: { tried: 2 },
        validation_errors: [{ field: "address.zip", message: "short" }],
      }),
    );
    expect(error).toEqual({
      category: "not_found",
      code: "SPEC_NOT_FOUND",
      message: "no",
      recoverable: false,
      suggestedAction: "List them",
      details: { tried: 2 },
      issues: [{ path: "/address/zip", message: "short" }],
      data: { spec_id: "x" },
    });
  });

  test("finds the error's code and type in meta too", () => {
    const { error } = failureOf(
      dialect,
      failed({}, { error_code: "E_1", error_type: "conflict", remediation: "Wait" }),
    );
    expect(error).toMatchObject({ category: "conflict", code: "E_1", suggestedAction: "Wait" });
  });

  test.each([
    ["validation", "validation"],
    ["authentication", "authentication"],
    ["authorization", "authorization"],
    ["not_found", "not_found"],
    ["conflict", "conflict"],
    ["rate_limit", "rate_limit"],
    ["internal", "internal"],
    ["unavailable", "unavailable"],
    ["ai_provider", "model"],
    ["feature_flag", "feature_flag"],
    ["io", "io"],
  ])("reads the error type %s as category %s", (error_type, category) => {
    expect(failureOf(dialect, failed({ error_code: "E", error_type })).error.category).toBe(category);
  });

  test("does not unwrap a result that we did not write", () => {
    expect(successOf(dialect, ok({}, { result: 5 })).data).toEqual({ result: 5 });
  });
});

describe("writing response-v2", () => {
  test("has exactly the four keys, and no null in meta", () => {
    const wire = wireOf(dialect, success({ a: 1 }));
    expect(wire).toEqual({ success: true, data: { a: 1 }, error: null, meta: { version: "response-v2" } });
    expect(Object.keys(wire)).toEqual(["success", "data", "error", "meta"]);
  });

  test.each([[5], [null], ["text"], [[1]], [[]], [false], [0], [""]])(
    "wraps %j as result and unwraps it again",
    (value) => {
      expect(wireOf(dialect, success(value))["data"]).toEqual({ result: value });
      expect(throughWire(dialect, success(value))).toEqual(success(value));
    },
  );

  test("tells its own result from a field of that name", () => {
    expect(throughWire(dialect, success({ result: 5 }))).toEqual(success({ result: 5 }));
  });

  test("writes the time to wait under the name of the specification", () => {
    const meta = metaOf(failure({ category: "rate_limit", message: "slow", retryAfterMs: 1500 }));
    expect(meta["rate_limit"]).toEqual({ retry_after_seconds: 1.5 });
  });

  test("puts the error's own data first and its fields after", () => {
    const outcome = failure({
      category: "conflict",
      code: "C",
      message: "no",
      data: { rows: [1] },
      suggestedAction: "s",
    });
    const { data, error } = responseV2.write(outcome).wire;
    expect(Object.keys(data)).toEqual(["rows", "error_code", "error_type", "remediation"]);
    expect(error).toBe("no");
  });

  test("overwrites nothing that the error's data has", () => {
    const data = { details: "mine", error_code: 7, validation_errors: [], rows: [1] };
    const outcome = failure({ category: "conflict", code: "C", message: "no", data, details: "theirs" });
    expect(throughWire(dialect, outcome)).toEqual(outcome);
    expect(lostPaths(dialect, outcome)).toEqual([]);
  });

  test("writes issues as validation errors and brings their paths and rules back", () => {
    const issues = [
      { path: "/address/zip", message: "short", rule: "min" },
      { path: "", message: "stale" },
      { path: "/a.b/c~1d", message: "odd" },
    ];
    const outcome = failure({ category: "validation", message: "no", issues });
    expect(wireOf(dialect, outcome)["data"]).toMatchObject({
      validation_errors: [{ field: "address.zip", message: "short" }, { message: "stale" }, { message: "odd" }],
    });
    expect(throughWire(dialect, outcome)).toEqual(outcome);
  });

  test("writes coded warnings as texts and as details", () => {
    const warnings: Warning[] = [{ code: "CUT", message: "cut", path: "/rows" }];
    const meta = metaOf(success({}, { warnings }));
    expect(meta["warnings"]).toEqual(["cut"]);
    expect(meta["warning_details"]).toEqual([expect.objectContaining({ code: "CUT", message: "cut" })]);
    expect(throughWire(dialect, success({}, { warnings })).meta.warnings).toEqual(warnings);
  });

  test.each([
    ["neither message nor code", failure({ category: "internal", code: "", message: "" })],
    ["no message", failure({ category: "internal", message: "" })],
  ])("says something in error where the failure has %s", (_, outcome) => {
    expect(rulesBroken(dialect, wireOf(dialect, outcome))).toEqual([]);
    expect(throughWire(dialect, outcome)).toEqual(outcome);
  });

  test("breaks no rule of its own over a request id from elsewhere", () => {
    expect(rulesBroken(dialect, wireOf(dialect, success({}, { requestId: "web:42/7" })))).toEqual([]);
  });

  test("does not add to a failure what it reports as lost", () => {
    const outcome = failure({ category: "conflict", message: "no" }, { rateLimit: { limit: 5, retryAfterMs: 2000 } });
    const { meta } = throughWire(dialect, outcome);
    expect(meta).not.toHaveProperty("extra");
  });
});
