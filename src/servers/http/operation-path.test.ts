import { expect, test } from "vitest";
import { operationPath } from "./operation-path.js";

test.each([
  ["math.add", "/operations/math.add"],
  ["files.read/all", "/operations/files.read/all"],
  ["a.b/../c", "/operations/a.b%2F..%2Fc"],
  ["a.b/./c", "/operations/a.b%2F.%2Fc"],
  ["a.b//c", "/operations/a.b%2F%2Fc"],
  ["a.b/", "/operations/a.b%2F"],
])("the operation %s is called at %s, which no client takes for another way", (id, path) => {
  expect(operationPath(id)).toBe(path);
  expect(new URL(`http://localhost${path}`).pathname).toBe(path);
});
