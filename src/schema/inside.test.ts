import { describe, expect, test } from "vitest";
import { compile } from "./compile.js";
import { inside } from "./inside.js";
import type { AnySchema } from "./standard-schema.js";

const TREE = {
  $defs: { leaf: { type: "integer" }, "a/b c": { type: "boolean" } },
  properties: {
    leaf: { $ref: "#/$defs/leaf" },
    child: { $ref: "#" },
    "odd/~ name%": { $ref: "#/$defs/a~1b%20c" },
    plain: { type: "string" },
    data: { const: { $ref: "#/$defs/leaf" } },
    none: false,
  },
  required: ["leaf"],
};

function accepts(whole: unknown, name: string, value: unknown): boolean {
  const compiled = compile(inside(whole, name) as AnySchema);
  expect(compiled.warnings).toEqual([]);
  return compiled.accepts(value);
}

describe("a part of a schema", () => {
  test.each<[string, unknown, boolean]>([
    ["leaf", 1, true],
    ["leaf", "1", false],
    ["child", { leaf: 1, child: { leaf: 2 } }, true],
    ["child", { leaf: 1, child: {} }, false],
    ["odd/~ name%", true, true],
    ["odd/~ name%", 1, false],
    ["plain", "x", true],
    ["plain", 1, false],
    ["data", { $ref: "#/$defs/leaf" }, true],
    ["data", 1, false],
  ])("%s means the same by itself of %j", (name, value, isRight) => {
    expect(accepts(TREE, name, value)).toBe(isRight);
  });

  test("that refers to nothing stays small", () => {
    expect(inside(TREE, "plain")).toEqual({ type: "string" });
    expect(inside({ $schema: "http://json-schema.org/draft-07/schema#", ...TREE }, "plain")).toEqual({
      $schema: "http://json-schema.org/draft-07/schema#",
      type: "string",
    });
  });

  test("may be no object, or not be there", () => {
    expect(inside(TREE, "none")).toBe(false);
    for (const whole of [TREE, true, {}, null]) expect(inside(whole, "missing")).toBeUndefined();
    expect(inside(TREE, "leaf", "/$defs")).toEqual({ type: "integer" });
  });
});
