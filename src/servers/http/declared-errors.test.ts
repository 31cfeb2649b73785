import { expect, test } from "vitest";
import type { OperationSpec } from "../../registry/operation.js";
import { declaredErrors } from "./declared-errors.js";

const spec: OperationSpec = {
  namespace: "a",
  name: "b",
  version: "1.0.0",
  type: "query",
  description: "",
  inputSchema: true,
  outputSchema: true,
};

test("an error has the category and the status that it declares, or that its code tells", () => {
  const errors = declaredErrors({
    ...spec,
    errorSchemas: {
      USER_NOT_FOUND: {},
      TAKEN: { category: "conflict", recoverable: true },
      PAYLOAD_TOO_LARGE: {},
      ODD: { description: "Odd." },
      NEW: { category: "of-their-own" },
    },
  });
  expect(errors.map(({ code, category, status, recoverable }) => [code, category, status, recoverable])).toEqual([
    ["USER_NOT_FOUND", "not_found", 404, false],
    ["TAKEN", "conflict", 409, true],
    ["PAYLOAD_TOO_LARGE", "validation", 413, true],
    ["ODD", "execution", 500, false],
    ["NEW", "of-their-own", 500, false],
  ]);
  expect(errors[3]?.description).toBe("Odd.");
});

test("an operation that declares none has none", () => {
  expect(declaredErrors(spec)).toEqual([]);
});
