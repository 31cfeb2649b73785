import { describe, expect, test } from "vitest";
import { problemDetailsFixtures } from "./fixtures/problem-details.js";
import { failure, failureOf, success, successOf, throughWire, wireOf } from "./fixtures/reading.js";
import { testFixtures } from "./fixtures/test-fixtures.js";
import { problemDetails } from "./problem-details.js";

const dialect = problemDetails;

describe("problem-details", () => {
  testFixtures(dialect, problemDetailsFixtures);
});

describe("reading problem details", () => {
  test.each([
    [400, "validation"],
    [401, "authentication"],
    [403, "authorization"],
    [404, "not_found"],
    [408, "timeout"],
    [409, "conflict"],
    [410, "not_found"],
    [418, "validation"],
    [422, "validation"],
    [429, "rate_limit"],
    [499, "aborted"],
    [500, "internal"],
    [502, "network"],
    [503, "unavailable"],
    [504, "timeout"],
    [599, "internal"],
  ])("reads status %i as category %s", (status, category) => {
    expect(failureOf(dialect, { title: "Bad", status }).error.category).toBe(category);
  });

  test("prefers the detail as message, then the title", () => {
    expect(failureOf(dialect, { title: "T", detail: "D", status: 400 }).error.message).toBe("D");
    expect(failureOf(dialect, { title: "T", status: 400 }).error.message).toBe("T");
  });

  test("reads errors as issues with their pointers", () => {
    const errors = [
      { detail: "must be positive", pointer: "#/age" },
      { detail: "is stale", pointer: "#" },
    ];
    expect(failureOf(dialect, { title: "Bad", status: 422, errors }).error.issues).toEqual([
      { path: "/age", message: "must be positive" },
      { path: "", message: "is stale" },
    ]);
  });

  test("keeps the extensions as the error's data", () => {
    const { error } = failureOf(dialect, { title: "No credit", status: 403, balance: 30, accounts: [] });
    expect(error.data).toEqual({ balance: 30, accounts: [] });
  });

  test("takes a finer category from a code within the status, and none that contradicts it", () => {
    const category = (status: number, code: string): string =>
      failureOf(dialect, { title: "Bad", status, code }).error.category;
    expect(category(500, "EXECUTION_ERROR")).toBe("execution");
    expect(category(404, "VALIDATION_ERROR")).toBe("not_found");
  });

  test("reads a status below 400 as a success", () => {
    expect(successOf(dialect, { title: "OK", status: 200, data: { a: 1 } }).data).toEqual({ a: 1 });
  });
});

describe("writing problem details", () => {
  test("writes type, title, status, detail, code and errors", () => {
    const issues = [{ path: "/age", message: "must be positive" }];
    const outcome = failure({ category: "validation", code: "BAD_AGE", message: "no", issues });
    expect(wireOf(dialect, outcome)).toEqual({
      type: "about:blank",
      title: expect.any(String),
      status: 400,
      detail: "no",
      code: "BAD_AGE",
      errors: [{ detail: "must be positive", pointer: "#/age" }],
    });
    expect(throughWire(dialect, outcome)).toEqual(outcome);
  });

  test("overwrites no member by an extension of the same name", () => {
    const outcome = failure({ category: "conflict", message: "no", data: { status: "open", title: 7, code: null } });
    expect(wireOf(dialect, outcome)).toMatchObject({ status: 409, detail: "no" });
    expect(throughWire(dialect, outcome)).toEqual(outcome);
  });

  test.each([[null], [0], [[1]], [{ status: 404, title: "mine" }]])("carries the data %j of a success", (data) => {
    expect(wireOf(dialect, success(data))).toMatchObject({ status: 200, data });
    expect(throughWire(dialect, success(data))).toEqual(success(data));
  });
});
