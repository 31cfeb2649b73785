import { describe, expect, test } from "vitest";
import type { JsonSchema } from "../../../json/json-schema.js";
import { compile } from "../../../schema/compile.js";
import { sharedDefinitionsOf } from "../../../schema/shared-definitions.js";
import type { SchemaSide } from "../../../schema/standard-schema.js";
import { documentOf } from "../document/fixtures/documents.js";
import { parseText } from "../document/parse-text.js";
import { SchemaBundle } from "./schema-bundle.js";

interface Bundled {
  readonly schema: JsonSchema;
  readonly warnings: readonly { readonly message: string }[];
}

interface BundleOptions {
  readonly side?: SchemaSide;
  readonly version?: string;
  readonly others?: Readonly<Record<string, unknown>>;
}

function bundled(schema: unknown, schemas: object = {}, options: BundleOptions = {}): Bundled {
  const { side = "output", version = "3.1.0", others = {} } = options;
  const shelf =
    version === "2.0" ? { swagger: version, definitions: schemas } : { openapi: version, components: { schemas } };
  const document = documentOf(shelf, others);
  const bundle = new SchemaBundle(document, side);
  const whole = bundle.finish(bundle.addWhole({ schema, base: document.address }));
  return { schema: whole, warnings: bundle.warnings };
}

const ref = (name: string): object => ({ $ref: `#/components/schemas/${name}` });

describe("a bundle", () => {
  test("has each schema that is referred to once", () => {
    const pet = { type: "object", properties: { owner: ref("Owner"), vet: ref("Owner") } };
    const owner = { type: "object", properties: { name: { type: "string" } } };
    const { schema, warnings } = bundled({ type: "array", items: ref("Pet") }, { Pet: pet, Owner: owner, Unused: {} });
    expect(schema).toEqual({
      type: "array",
      items: { $ref: "#/$defs/Pet" },
      $defs: {
        Pet: { type: "object", properties: { owner: { $ref: "#/$defs/Owner" }, vet: { $ref: "#/$defs/Owner" } } },
        Owner: owner,
      },
    });
    expect(warnings).toEqual([]);
  });

  test("is the schema itself that a bare reference leads to, also by a chain", () => {
    const { schema } = bundled(ref("Alias"), { Alias: ref("Pet"), Pet: { type: "object" } });
    expect(schema).toEqual({ type: "object" });
  });

  test("keeps cycles", () => {
    const tree = {
      type: "object",
      properties: { children: { type: "array", items: ref("Tree") } },
      required: ["children"],
    };
    const { schema, warnings } = bundled(ref("Tree"), { Tree: tree });
    expect(compile(schema).accepts({ children: [{ children: [] }] })).toBe(true);
    expect(compile(schema).accepts({ children: [{ children: 5 }] })).toBe(false);
    expect(warnings).toEqual([]);
  });

  test("keeps cycles through several schemas, and through other files", () => {
    const others = {
      "a.json": { type: "object", properties: { b: { $ref: "sub/b.json#/b" } } },
      "sub/b.json": { b: { type: "object", properties: { a: { $ref: "../a.json" }, n: { type: "integer" } } } },
    };
    const { schema, warnings } = bundled({ $ref: "a.json" }, {}, { others });
    expect(warnings).toEqual([]);
    expect(
      [{ b: { a: { b: { n: 1 } } } }, { b: { a: { b: { n: "x" } } } }].map((value) => compile(schema).accepts(value)),
    ).toEqual([true, false]);
  });

  test("tells schemas of one name apart, and leaves the document's own theirs", () => {
    const others = {
      "x.json": { Pet: { type: "integer" } },
      "y.json": { components: { schemas: { Pet: { type: "boolean" } } } },
    };
    const anyOf = [{ $ref: "x.json#/Pet" }, { $ref: "y.json#/components/schemas/Pet" }, ref("Pet")];
    const { schema } = bundled({ anyOf }, { Pet: { type: "string" } }, { others });
    expect(schema).toMatchObject({
      $defs: { Pet: { type: "string" }, Pet_2: { type: "integer" }, Pet_3: { type: "boolean" } },
    });
  });

  test("has names that need no escape", () => {
    const { schema, warnings } = bundled(
      {
        properties: {
          a: { $ref: "#/components/schemas/a~1b c" },
          b: { $ref: "#/components/schemas/__proto__" },
          c: { $ref: "#/components/schemas/%C3%A9" },
        },
      },
      JSON.parse('{"a/b c": {"type": "string"}, "__proto__": {"type": "number"}, "é": {"type": "null"}}'),
    );
    expect(warnings).toEqual([]);
    expect(Object.keys((schema as { $defs: object }).$defs)).toEqual(["a_b_c", "__proto__", "_"]);
    expect(compile(schema).accepts({ a: "x", b: 1, c: null })).toBe(true);
    expect(compile(schema).accepts({ b: "x" })).toBe(false);
  });

  test("accepts anything where a reference leads nowhere, with one warning", () => {
    const lost = { $ref: "#/components/schemas/Lost", description: "Once it was here." };
    const { schema, warnings } = bundled(
      { properties: { a: lost, b: lost, c: { $ref: "gone.json" }, d: ref("Self") } },
      { Self: ref("Self") },
    );
    expect(schema).toMatchObject({ properties: { a: { description: "Once it was here." }, c: {}, d: {} } });
    expect(JSON.stringify(schema)).not.toContain("$ref");
    expect(warnings).toHaveLength(3);
    expect(warnings[0]).toMatchObject({ code: "SCHEMA_UNSUPPORTED", message: expect.stringContaining("schemas/Lost") });
  });

  test("accepts anything where there is no schema", () => {
    const { schema, warnings } = bundled({ properties: { a: null, b: "string", c: ref("Text") } }, { Text: "text" });
    expect(schema).toMatchObject({ properties: { a: {}, b: {} }, $defs: { Text: {} } });
    expect(warnings).toHaveLength(3);
    expect(bundled(undefined).schema).toEqual({});
    expect(bundled(true).schema).toBe(true);
  });

  test("does not look into data, and takes properties of any name for properties", () => {
    const data = { $ref: "#/components/schemas/No" };
    const schema = {
      const: data,
      enum: [data],
      default: data,
      examples: [data],
      properties: { $ref: { type: "string" }, readOnly: { type: "boolean" } },
    };
    expect(bundled(schema)).toEqual({ schema, warnings: [] });
  });

  test("drops what only OpenAPI understands", () => {
    const words = {
      discriminator: { propertyName: "x" },
      xml: {},
      externalDocs: {},
      example: 1,
      "x-own": ref("No"),
      $id: "https://x.test/",
      $anchor: "a",
      $schema: "x",
      $defs: { a: ref("No") },
      unknown: { $ref: "#/no" },
    };
    expect(bundled({ type: "string", ...words, maxLength: 5, format: "binary" })).toEqual({
      schema: { type: "string", maxLength: 5, format: "binary" },
      warnings: [],
    });
  });
});

describe("the sides of a bundle", () => {
  const schemas = {
    Id: { type: "string", readOnly: true },
    Secret: { type: "string", writeOnly: true },
    Base: { type: "object", properties: { id: ref("Id"), made: { type: "string", readOnly: true } }, required: ["id"] },
  };
  const properties = { id: ref("Id"), secret: ref("Secret"), name: { type: "string" } };
  const required = ["id", "secret", "name"];

  test("an input has nothing that can only be read", () => {
    const { schema } = bundled({ type: "object", properties, required }, schemas, { side: "input" });
    expect(schema).toMatchObject({ properties: { name: {}, secret: {} }, required: ["secret", "name"] });
    expect(schema).not.toHaveProperty("properties.id");
  });

  test("an output need not have what can only be written", () => {
    const { schema } = bundled({ type: "object", properties, required }, schemas);
    expect(schema).toMatchObject({ properties: { id: {}, name: {}, secret: {} }, required: ["id", "name"] });
  });

  test("what is required of a part that another one describes", () => {
    const schema = {
      allOf: [ref("Base"), { required: ["made", "name"], properties: { name: {} } }],
      required: ["id", "made", "name"],
    };
    const { schema: input } = bundled(schema, schemas, { side: "input" });
    expect(input).toMatchObject({
      required: ["name"],
      allOf: [{}, { required: ["name"] }],
      $defs: { Base: { required: [] } },
    });
  });

  test("both have their own copies of a definition", () => {
    const document = documentOf({ openapi: "3.1.0", components: { schemas } });
    const place = { schema: { items: ref("Base") }, base: document.address };
    const [input, output, again] = (["input", "output", "output"] as const).map((side) => {
      const bundle = new SchemaBundle(document, side);
      return bundle.finish(bundle.add(place)) as { $defs: { Base: { properties: object } } };
    });
    expect(Object.keys(input?.$defs.Base.properties ?? {})).toEqual([]);
    expect(Object.keys(output?.$defs.Base.properties ?? {})).toEqual(["id", "made"]);
    expect(again?.$defs.Base).toBe(output?.$defs.Base);
  });
});

describe("the words of older versions", () => {
  const accepted = (schema: JsonSchema, ...values: unknown[]): boolean[] =>
    values.map((value) => compile(schema).accepts(value));

  test("nullable works, also beside a reference, an enum and a composition", () => {
    const properties = {
      ref: { ...ref("Text"), nullable: true },
      all: { allOf: [ref("Text")], nullable: true },
      enum: { type: "string", enum: ["a"], nullable: true },
      plain: { type: "string", nullable: true },
      not: { type: "string" },
    };
    const { schema } = bundled({ properties }, { Text: { type: "string" } }, { version: "3.0.3" });
    expect(accepted(schema, { ref: null, all: null, enum: null, plain: null })).toEqual([true]);
    expect(accepted(schema, { ref: 5 }, { all: 5 }, { enum: "b" }, { plain: 5 }, { not: null })).toEqual(
      Array(5).fill(false),
    );
  });

  test("x-nullable, exclusive limits and files of 2.0", () => {
    const definitions = { Text: { type: "string", "x-nullable": true } };
    const properties = {
      text: { $ref: "#/definitions/Text" },
      n: { type: "number", minimum: 1, exclusiveMinimum: true },
      file: { type: "file" },
    };
    const { schema } = bundled({ properties }, definitions, { version: "2.0", side: "input" });
    expect(
      accepted(schema, { text: null, n: 2, file: "x" }, { file: { base64: "AA==" } }, { n: 1 }, { file: 5 }),
    ).toEqual([true, true, false, false]);
  });

  test("what stands beside a reference counts since 3.1 only", () => {
    const schema = { items: { ...ref("Text"), maxLength: 1, description: "Short." } };
    const of = (version: string): JsonSchema => bundled(schema, { Text: { type: "string" } }, { version }).schema;
    expect(of("3.0.3")).toMatchObject({ items: { $ref: "#/$defs/Text", description: "Short." } });
    expect(of("3.0.3")).not.toHaveProperty("items.maxLength");
    expect(of("3.1.0")).toHaveProperty("items.maxLength", 1);
  });
});

describe("a schema that is too large", () => {
  test("is cut where aliases make much of little", async () => {
    const lines = Array.from(
      { length: 25 },
      (_, at) => `a${at + 1}: &a${at + 1} {properties: {x: *a${at}, y: *a${at}}}`,
    );
    const parsed = (await parseText(["a0: &a0 {type: string}", ...lines].join("\n"), "x")) as Record<string, unknown>;
    const { schema, warnings } = bundled(parsed["a25"]);
    expect(JSON.stringify(schema).length).toBeLessThan(2_000_000);
    expect(warnings).toMatchObject([{ code: "SCHEMA_UNSUPPORTED" }]);
  });

  test("is cut where its data is such a thing", async () => {
    const lines = Array.from({ length: 25 }, (_, at) => `a${at + 1}: &a${at + 1} [*a${at}, *a${at}]`);
    const parsed = (await parseText(["a0: &a0 x", ...lines].join("\n"), "x")) as Record<string, unknown>;
    const { schema, warnings } = bundled({ type: "string", default: parsed["a25"], title: "It" });
    expect(schema).toEqual({ type: "string", title: "It" });
    expect(warnings).toHaveLength(1);
  });

  test("is cut where it contains itself by an alias", async () => {
    const parsed = await parseText("&a {type: object, properties: {x: *a, y: *a}}", "x").catch(() => {
      const circle: Record<string, unknown> = { type: "object" };
      circle["properties"] = { x: circle, y: circle };
      return circle;
    });
    expect(bundled(parsed).warnings.length).toBeGreaterThan(0);
  });

  test("is cut where it refers to too many others, the nearest of which stay", () => {
    const wide = Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`p${at}`, { type: "string" }]));
    const chain = Array.from({ length: 50 }, (_, at) => [
      `S${at}`,
      { properties: { ...wide, next: ref(`S${at + 1}`) } },
    ]);
    const { schema, warnings } = bundled(ref("S0"), Object.fromEntries(chain));
    const definitions = (schema as { $defs: Record<string, object> }).$defs;
    expect(Object.keys(definitions["S5"] ?? {})).not.toEqual([]);
    expect(Object.values(definitions).at(-1)).toEqual({});
    expect(warnings).toMatchObject([{ code: "SCHEMA_UNSUPPORTED" }]);
    expect(JSON.stringify(schema)).not.toContain("S50");
    // What is cut in one schema may be whole in another.
    expect(sharedDefinitionsOf(schema)).toBeUndefined();
  });

  test("shares its definitions with the others of its document and side", () => {
    const document = documentOf({ openapi: "3.1.0", components: { schemas: { a: { items: ref("b") }, b: {} } } });
    const setOf = (name: string, side: SchemaSide): object | undefined => {
      const bundle = new SchemaBundle(document, side);
      return sharedDefinitionsOf(bundle.finish(bundle.add({ schema: ref(name), base: document.address })))?.set;
    };
    expect(setOf("a", "output")).toBeDefined();
    expect(setOf("a", "output")).toBe(setOf("b", "output"));
    expect(setOf("a", "output")).not.toBe(setOf("a", "input"));
  });
});
