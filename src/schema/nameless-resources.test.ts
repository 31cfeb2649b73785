import { describe, expect, test } from "vitest";
import { compile } from "./compile.js";

const text = { type: "string" };
const number = { type: "number" };

/** A schema of which `/part` is a text, though something else has the same place elsewhere in the document. */
const NAMED: readonly (readonly [string, object])[] = [
  ["its address, in what is not read", { part: { $ref: "name" }, $defs: { a: { $id: "name", ...text } } }],
  ["its anchor, in what is not read", { part: { $ref: "#name" }, $defs: { a: { $anchor: "name", ...text } } }],
  ["its own place", { part: { $ref: "plico:/schema#/$defs/a" }, $defs: { a: text } }],
  [
    "a place below what has an address",
    {
      part: { $ref: "#/$defs/outer/properties/inner" },
      $defs: { outer: { $id: "outer", properties: { inner: { $ref: "#/$defs/a" } }, $defs: { a: text } }, a: number },
    },
  ],
  [
    "a place that is found from below an address",
    { part: { $id: "part", allOf: [{ $ref: "#/$defs/a" }], $defs: { a: text } }, $defs: { a: number } },
  ],
  [
    "a place that is found in what has an address beside the reference",
    { part: { $id: "part", $ref: "#/$defs/a", $defs: { a: text } }, $defs: { a: number } },
  ],
];

describe("a part of a schema is found by", () => {
  test.each(NAMED)("%s", (_, { part, $defs }: { part?: unknown; $defs?: unknown }) => {
    const compiled = compile({ properties: { part }, $defs });
    expect(compiled.warnings).toEqual([]);
    expect(compiled.accepts({ part: "a" })).toBe(true);
    expect(compiled.accepts({ part: 1 })).toBe(false);
  });

  test("its name in draft 4", () => {
    const $schema = "http://json-schema.org/draft-04/schema#";
    const compiled = compile({
      $schema,
      properties: { part: { $ref: "#a" } },
      definitions: { a: { id: "#a", ...text } },
    });
    expect(compiled.warnings).toEqual([]);
    expect(compiled.accepts({ part: 1 })).toBe(false);
  });
});

describe("a name", () => {
  test("is no property or definition that is called like one", () => {
    const properties = { id: text, $id: { $ref: "#/properties/id" }, other: { $ref: "#/$defs/id" } };
    const compiled = compile({ properties, $defs: { id: number, $anchor: { $ref: "#/$defs/id" } } });
    expect(compiled.warnings).toEqual([]);
    expect(compiled.issues({ id: 1, $id: 1, other: "a" }).map(({ path }) => path)).toEqual(["/id", "/$id", "/other"]);
  });

  test("that is met late does not make what was read before count twice", () => {
    const properties = { broken: { type: "file" }, late: { properties: { part: { $id: "late", minimum: "1" } } } };
    expect(compile({ properties }).warnings.map(({ path }) => path)).toEqual([
      "/properties/late/properties/part/minimum",
      "/properties/broken/type",
    ]);
  });
});
