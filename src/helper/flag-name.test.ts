import { expect, test } from "vitest";
import { flagName } from "./flag-name.js";

test.each([
  ["count", "count"],
  ["maxCount", "max-count"],
  ["max_count", "max-count"],
  ["max-count", "max-count"],
  ["HTTPProxy", "httpproxy"],
  ["base64Url", "base64-url"],
])("%s is the flag --%s", (field, flag) => {
  expect(flagName(field)).toBe(flag);
});
