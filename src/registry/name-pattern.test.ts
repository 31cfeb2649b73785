import { expect, test } from "vitest";
import { nameTest } from "./name-pattern.js";

test.each<[string | RegExp, string, boolean]>([
  ["read", "read", true],
  ["read", "reader", false],
  ["read*", "reader", true],
  ["*er", "reader", true],
  ["r*d*r", "reader", true],
  ["reader*reader", "reader", false],
  ["*", "", true],
  ["re.d", "read", false],
  [/ead/g, "read", true],
])("%s on %s: %s", (pattern, name, isMatch) => {
  const test = nameTest(pattern);
  expect([test(name), test(name)]).toEqual([isMatch, isMatch]);
});
