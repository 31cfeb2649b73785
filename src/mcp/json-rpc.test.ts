import { expect, test } from "vitest";
import { isRequestId } from "./json-rpc.js";

test.each([0, -1, "", "x", Number.MAX_SAFE_INTEGER])("%j is the id of a request", (id) => {
  expect(isRequestId(id)).toBe(true);
});

test.each([null, undefined, true, {}, [], 1.5, Number.NaN, 2 ** 53])("%j is the id of no request", (id) => {
  expect(isRequestId(id)).toBe(false);
});
