import { describe, expect, test } from "vitest";
import { loadFailure } from "./load-failure.js";

function failed(error: object): ReturnType<typeof loadFailure> {
  return loadFailure(error, "/x/math.ts", []);
}

describe("loadFailure", () => {
  test("tells a missing import from the rest", () => {
    const error = Object.assign(new Error("Cannot find module './a'\nRequire stack:\n- /x"), {
      code: "MODULE_NOT_FOUND",
    });
    const { category, message } = failed(error);
    expect([category, message]).toEqual(["not_found", "/x/math.ts cannot be loaded: Cannot find module './a'."]);
  });

  test("tells that the module itself is gone, and not who imports it", () => {
    const words = "Cannot find module '/x/math.ts?plico=0a' imported from /plico/load-module.js";
    const { category, message } = failed(Object.assign(new Error(words), { code: "ERR_MODULE_NOT_FOUND" }));
    expect(category).toBe("not_found");
    expect(message).not.toContain("load-module.js");
  });

  test("reads the place that Node shows, and takes our mark out of it", () => {
    const error = new SyntaxError("no export");
    error.stack = "file:///x/a%20b.ts?plico=0a:3\nimport { a }\n         ^\nSyntaxError: no export\n    at x";
    const details = { file: "/x/a b.ts", line: 3, snippet: "import { a }\n         ^" };
    expect(failed(error)).toMatchObject({ category: "validation", code: "MODULE_FAILED", details });
  });

  test("names the innermost file of the user in a stack", () => {
    const error = new TypeError("boom");
    error.stack = `TypeError: boom
    at node:internal/x:1:1
    at f (/x/node_modules/p/p.js:1:1)
    at g (file:///x/lib.ts?plico=0a:7:3)
    at file:///x/math.ts?plico=0a:1:1`;
    expect(failed(error)).toMatchObject({ category: "execution", details: { file: "/x/lib.ts", line: 7 } });
  });

  test.each([["text"], [undefined], [null], [{}], [Object.create(null)]])("takes %o for a failure too", (thrown) => {
    expect(loadFailure(thrown, "/x/math.ts", [])).toMatchObject({ category: "execution", code: "MODULE_FAILED" });
  });
});
