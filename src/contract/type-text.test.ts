import { describe, expect, test } from "vitest";
import { z } from "zod";
import { computedWithin } from "../../test/own-time.js";
import { nest, object } from "../../test/schema-values.js";
import { typeText } from "./type-text.js";

describe("a schema as a type", () => {
  test.each<[string, unknown, string]>([
    ["anything", true, "unknown"],
    ["nothing", false, "never"],
    ["no schema at all", 5, "unknown"],
    ["an empty schema", {}, "unknown"],
    ["several types", { type: ["string", "integer", "null"] }, "string | number | null"],
    ["`nullable` of OpenAPI 3.0", { type: "string", nullable: true }, "string | null"],
    ["literals", { enum: ["a", 1, true, null] }, '"a" | 1 | true | null'],
    ["literals of a type", { type: "string", enum: ["a", 1] }, '"a"'],
    ["a constant object", { const: { a: [1, "x"] } }, '{ a: [1, "x"] }'],
    ["both booleans", { enum: [true, false] }, "boolean"],
    ["an object", object({ a: { type: "string" }, b: {} }, { required: ["a"] }), "{ a: string; b?: unknown }"],
    ["an object of which nothing is said", { type: "object" }, "Record<string, unknown>"],
    ["a closed object without fields", object({}, { additionalProperties: false }), "Record<string, never>"],
    ["an object of texts", { type: "object", additionalProperties: { type: "string" } }, "Record<string, string>"],
    [
      "fields beside others",
      object({ a: { type: "string" } }, { additionalProperties: { type: "number" } }),
      "{ a?: string; [key: string]: unknown }",
    ],
    ["a required field without a schema", { type: "object", required: ["a"] }, "{ a: unknown }"],
    ["names that are no identifiers", object({ "a-b": true, "1": true }), '{ "1"?: unknown; "a-b"?: unknown }'],
    ["a list", { type: "array", items: { type: ["string", "null"] } }, "(string | null)[]"],
    [
      "a tuple",
      { type: "array", prefixItems: [{ type: "string" }, { type: "number" }] },
      "[string?, number?, ...unknown[]]",
    ],
    [
      "a tuple of draft 7",
      { type: "array", items: [{ type: "string" }, { type: "number" }], additionalItems: false, minItems: 1 },
      "[string, number?]",
    ],
    ["one of several", { oneOf: [{ type: "null" }, { type: "string" }] }, "string | null"],
    [
      "all of several",
      { allOf: [object({ a: { type: "string" } }), object({ b: { type: "number" } }, { required: ["b"] })] },
      "{ a?: string; b: number }",
    ],
    [
      "one field or the other",
      object({ a: { type: "string" }, b: { type: "number" } }, { anyOf: [{ required: ["a"] }, { required: ["b"] }] }),
      "{ a?: string; b?: number } & ({ a: unknown } | { b: unknown })",
    ],
    ["what has no type, but fields", { properties: { a: { type: "string" } } }, "{ a?: string }"],
    ["what TypeScript cannot say", { type: "string", not: { const: "a" }, pattern: "^b" }, "string"],
    ["a reference that leads nowhere", { $ref: "#/$defs/Gone" }, "unknown"],
    [
      "definitions that are used once",
      { $ref: "#/$defs/A", $defs: { A: object({ a: { type: "string" } }) } },
      "{ a?: string }",
    ],
    ["no result", { type: "void" }, "null | undefined"],
  ])("tells %s", (_, schema, expected) => {
    expect(typeText(schema)).toBe(expected);
  });

  test("names what contains itself", () => {
    const tree = object({ name: { type: "string" }, children: { type: "array", items: { $ref: "#/$defs/Tree" } } });
    expect(typeText({ type: "array", items: { $ref: "#/$defs/Tree" }, $defs: { Tree: tree } })).toBe(
      "Tree[]\n\ninterface Tree {\n  name?: string;\n  children?: Tree[];\n}",
    );
    expect(typeText(object({ inner: { $ref: "#" } }))).toBe("Value\n\ninterface Value {\n  inner?: Value;\n}");
  });

  test("names a definition that is used more than once", () => {
    const schema = object({ from: { $ref: "#/$defs/Place" }, to: { $ref: "#/$defs/Place" } });
    const place = object({ city: { type: "string" } });
    expect(typeText({ ...schema, $defs: { Place: place } })).toBe(
      "{ from?: Place; to?: Place }\n\ninterface Place {\n  city?: string;\n}",
    );
  });

  test("takes the side of a schema that is asked for", () => {
    const schema = z.object({ at: z.string().transform(Number).pipe(z.number()) });
    expect(typeText(schema, { side: "input" })).toBe("{ at: string }");
    expect(typeText(schema)).toBe("{ at: number }");
  });
});

describe("the text", () => {
  test("has a line for each field where one is not wide enough", () => {
    const schema = object({ first: { type: "string" }, second: { enum: ["some", "other", "words"] } });
    expect(typeText(schema, { width: 30, indent: "    " })).toBe(
      '{\n    first?: string;\n    second?:\n        | "some" | "other"\n        | "words";\n}',
    );
  });

  test("has descriptions, formats, defaults and deprecations as comments", () => {
    const at = { type: "string", format: "date-time", description: "When.\nIn UTC.", default: "now", deprecated: true };
    expect(typeText(object({ at }))).toBe(
      '{\n  /**\n   * When.\n   * In UTC.\n   * @format date-time\n   * @default "now"\n   * @deprecated\n   */\n  at?: string;\n}',
    );
    expect(typeText(object({ at }), { docs: false })).toBe("{ at?: string }");
  });

  test("takes the description beside a reference before that of its target", () => {
    const schema = {
      ...object({ a: { $ref: "#/$defs/A", description: "Mine." } }),
      $defs: { A: { type: "string", description: "Its." } },
    };
    expect(typeText(schema)).toContain("/** Mine. */");
  });

  test("cannot be broken out of by what a schema says", () => {
    const text = typeText(object({ 'a"; evil: string; "': { type: "string", description: "*/ evil: string; /*" } }));
    expect(text).toContain("/** *\\/ evil: string; /* */");
    expect(text).toContain('"a\\"; evil: string; \\""?: string;');
  });
});

describe("a hostile schema", () => {
  const wide = Object.fromEntries(Array.from({ length: 50_000 }, (_, at) => [`field${at}`, { type: "string" }]));
  const doubling = Object.fromEntries(
    Array.from({ length: 60 }, (_, at) => [`a${at}`, object({ l: ref(at + 1), r: ref(at + 1) })]),
  );

  function ref(at: number): object {
    return { $ref: `#/properties/a${at}` };
  }

  test.each<[string, unknown]>([
    ["of many fields", object(wide)],
    ["that is deep", nest(5_000, (inner) => object({ inner }), { type: "string" })],
    ["that doubles at each step", object(doubling)],
    ["of references in a circle", { $ref: "#/$defs/a", $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } } }],
    ["of many literals", { enum: Array.from({ length: 100_000 }, (_, at) => `value ${at}`) }],
    ["with long descriptions", object(mapped(wide, () => ({ description: "long ".repeat(1_000) })))],
    ["of many alternatives", { anyOf: Array.from({ length: 5_000 }, (_, at) => object({ [`f${at}`]: true })) }],
  ])("%s gives a text of a size that people can open", (_, schema) => {
    expect(computedWithin(5_000, () => typeText(schema)).length).toBeLessThan(2_000_000);
  });

  test("that throws when it is looked at is anything", () => {
    const schema = Object.defineProperty({}, "type", {
      enumerable: true,
      get: () => {
        throw new Error("no");
      },
    });
    expect(typeText(schema)).toBe("unknown");
    expect(
      typeText(
        new Proxy(
          {},
          {
            ownKeys: () => {
              throw new Error("no");
            },
          },
        ),
      ),
    ).toBe("unknown");
  });

  function mapped(record: object, value: () => unknown): Record<string, unknown> {
    return Object.fromEntries(Object.keys(record).map((name) => [name, value()]));
  }
});
