import { expect, test } from "vitest";
import { CATEGORIES, categoryFacts } from "../../envelope/category.js";
import { refused, statusOf } from "./status.js";

test("a success is 200, a failure what its category says", () => {
  expect(statusOf({ ok: true, data: null, meta: {} })).toBe(200);
  for (const category of CATEGORIES)
    expect(statusOf(refused({ category, code: "X", message: "", recoverable: false }))).toBe(
      categoryFacts(category).status,
    );
  expect(statusOf(refused({ category: "quantum", code: "X", message: "", recoverable: false }))).toBe(500);
});

test.each([
  ["PAYLOAD_TOO_LARGE", 413],
  ["METHOD_NOT_ALLOWED", 405],
  ["NOT_ACCEPTABLE", 406],
  ["UNSUPPORTED_MEDIA_TYPE", 415],
  ["IDEMPOTENCY_KEY_REUSED", 422],
  ["constructor", 400],
  ["__proto__", 400],
])("%s is %d", (code, status) => {
  expect(statusOf(refused({ category: "validation", code, message: "", recoverable: false }))).toBe(status);
});

test("a refusal has an id of its own", () => {
  const ids = [1, 2].map(
    () => refused({ category: "validation", code: "X", message: "", recoverable: true }).meta.requestId,
  );
  expect(new Set(ids).size).toBe(2);
});
