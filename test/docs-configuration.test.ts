import { readFileSync, writeFileSync } from "node:fs";
import { Ajv } from "ajv";
import { describe, expect, test } from "vitest";
import { CONFIG_SCHEMA } from "../src/gateway/config/config-schema.js";
import { parseJsonc } from "../src/gateway/config/jsonc.js";
import { publishedSchema, publishedSchemaText } from "../src/gateway/config/published-schema.js";
import { readConfig } from "../src/gateway/config/read-config.js";
import { SOURCE_KINDS } from "../src/gateway/config/source-kind.js";
import { COMMON_OPTIONS, SOURCE_SCHEMAS } from "../src/gateway/config/source-schemas.js";
import { isRecord, type JsonRecord } from "../src/json/value.js";
import { blocksUnder } from "./docs-code.js";
import { expectBlock, table } from "./generated-block.js";

const PAGE = "docs/configuration.md";
const env = { TOKEN: "t-0123456789abcdef", ADA_TOKEN: "a-123", GUEST_TOKEN: "g-123" };
const read = (text: string, file = "/project/plico.json") => readConfig({ text, file, cwd: "/project", env });

const schemaFile = new URL("../plico.schema.json", import.meta.url);
const examples = ["jsonc", "json"]
  .flatMap((language) => blocksUnder(PAGE, "# plico.json", language))
  .filter((example) => !example.includes("tiemout"));

const FAULTY = `{
  "sources": {
    "files": { "mcp": "npx -y server-files .", "tiemout": 5000 },
    "remote": { "mcp": "https://example.com/mcp", "token": "\${NOBODY}" }
  },
  "port": 4100
}
`;

describe("plico.schema.json", () => {
  test("is what the code says", () => {
    if (process.env["UPDATE_DOCS"] === "1") writeFileSync(schemaFile, publishedSchemaText());
    expect(readFileSync(schemaFile, "utf8"), "it is out of date: run npm run docs").toBe(publishedSchemaText());
  });

  const accepts = new Ajv({ allowUnionTypes: true, keywords: ["allowComments", "allowTrailingCommas"] }).compile(
    publishedSchema(),
  );

  test.each(examples)("accepts an example of the docs: %s", (example) => {
    accepts(parseJsonc(example));
    expect(accepts.errors).toBe(null);
  });

  test.each([
    {},
    { sources: { a: {} } },
    { sources: { a: { mcp: ["a"], module: "b" } } },
    { sources: { a: { mcp: "npx a" } } },
    { sources: { "a b": { module: "b" } } },
    { sources: { a: { module: "b", timeout: "soon" } } },
    { sources: {}, port: 1 },
  ])("refuses %j", (config) => {
    expect(accepts(config)).toBe(false);
  });

  test("describes every option", () => {
    expect(undescribed(CONFIG_SCHEMA, "")).toEqual([]);
    for (const kind of SOURCE_KINDS) expect(undescribed(SOURCE_SCHEMAS[kind], kind)).toEqual([]);
  });
});

describe(PAGE, () => {
  test.each(examples)("has an example that loads: %s", async (example) => {
    const isForeign = !example.includes('"sources"');
    const { config } = await read(example, isForeign ? "/project/.mcp.json" : undefined);
    expect(Object.keys(config.sources).length).toBeGreaterThan(0);
  });

  test("shows how faults are told", async () => {
    const error = await read(FAULTY).catch((thrown: Error) => thrown);
    const message = error instanceof Error ? error.message : "";
    expectBlock(PAGE, "faults", ["```json", FAULTY.trimEnd(), "```", "", "```", message, "```"].join("\n"));
  });

  test("has the options that every source has", () => {
    expectBlock(
      PAGE,
      "common",
      optionTable(propertiesOf(SOURCE_SCHEMAS.mcp), (name) => COMMON_OPTIONS.includes(name)),
    );
  });

  test.each(SOURCE_KINDS)("has the options of the kind %s", (kind) => {
    expectBlock(
      PAGE,
      kind,
      optionTable(propertiesOf(SOURCE_SCHEMAS[kind]), (name) => !COMMON_OPTIONS.includes(name)),
    );
  });

  test.each(["servers", "limits", "results", "log"])("has the options of %s", (section) => {
    expectBlock(PAGE, section, optionTable(propertiesOf(propertiesOf(CONFIG_SCHEMA)[section])));
  });
});

function optionTable(properties: JsonRecord, isShown: (name: string) => boolean = () => true): string {
  const shown = Object.entries(properties).filter(([name]) => isShown(name));
  return table(
    ["option", "type", "default", ""],
    shown.flatMap(([name, schema]) => rowsOf(name, schema)),
  );
}

/** An option, and below it those that it has inside; of a free name as `<name>`. */
function rowsOf(name: string, schema: unknown): string[][] {
  const { description, default: standard } = schema as JsonRecord;
  const cell = standard === undefined ? "" : `\`${JSON.stringify(standard)}\``;
  const row = [`\`${name}\``, typeOf(schema as JsonRecord), cell, String(description).replaceAll("|", "\\|")];
  if (name === "scripts") return [row];
  const inner = Object.entries(propertiesOf(schema)).flatMap(([field, below]) => rowsOf(`${name}.${field}`, below));
  const { additionalProperties } = schema as JsonRecord;
  const free = Object.entries(propertiesOf(additionalProperties)).flatMap(([field, below]) =>
    rowsOf(`${name}.<name>.${field}`, below),
  );
  return [row, ...inner, ...free];
}

function typeOf({ type, enum: values, anyOf, const: only, items, additionalProperties }: JsonRecord): string {
  if (Array.isArray(values)) return values.map((value) => `\`${value}\``).join(", ");
  if (Array.isArray(anyOf)) return anyOf.map(typeOf).join(" or ");
  if (only !== undefined) return `\`${JSON.stringify(only)}\``;
  if (type === "array") return `list of ${PLURALS[String((items as JsonRecord)["type"])] ?? "values"}`;
  if (type === "object" && isRecord(additionalProperties) && additionalProperties["type"] === "string")
    return "object of texts";
  return [type]
    .flat()
    .map((one) => WORDS[String(one)] ?? String(one))
    .join(" or ");
}

const WORDS: Readonly<Record<string, string>> = { string: "text", integer: "whole number", boolean: "true or false" };
const PLURALS: Readonly<Record<string, string>> = { string: "texts", integer: "whole numbers" };

/** Also of alternatives the one that has fields. */
function propertiesOf(schema: unknown): JsonRecord {
  if (!isRecord(schema)) return {};
  const { properties, anyOf } = schema;
  if (isRecord(properties)) return properties;
  const inner: unknown = Array.isArray(anyOf) ? anyOf.filter((one) => isRecord(one) && "properties" in one) : [];
  return Array.isArray(inner) && inner.length === 1 ? propertiesOf(inner[0]) : {};
}

function undescribed(schema: unknown, path: string): string[] {
  return Object.entries(propertiesOf(schema)).flatMap(([name, inner]) => {
    const at = `${path}/${name}`;
    const isSaid = isRecord(inner) && typeof inner["description"] === "string" && inner["description"] !== "";
    return [...(isSaid ? [] : [at]), ...undescribed(inner, at)];
  });
}
