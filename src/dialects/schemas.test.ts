import { Compile } from "typebox/schema";
import { describe, expect, test } from "vitest";
import type { JsonSchema } from "../json/json-schema.js";
import { isRecord, isString } from "../json/value.js";
import { sampleOutcomes } from "../testing/index.js";
import { DIALECTS, type DialectName } from "./all.js";
import type { Dialect } from "./dialect.js";
import { FIXTURES } from "./fixtures/by-dialect.js";
import { unblock } from "./fixtures/envelope-block.js";

/** What the schema is of: of tool-envelope-v1 it is what the block holds, of tool-response the envelope itself. */
function described({ name }: Dialect, document: unknown): unknown {
  if (name === "tool-envelope-v1") return unblock(blockOf(document));
  if (name === "tool-response" && isRecord(document)) return document["structuredContent"] ?? document;
  return document;
}

function blockOf(document: unknown): string {
  if (isString(document)) return document;
  const blocks = isRecord(document) && Array.isArray(document["content"]) ? document["content"] : [document];
  const block: unknown = blocks.find((item) => isRecord(item) && String(item["text"]).startsWith("__ENVELOPE_V"));
  return isRecord(block) ? String(block["text"]) : "";
}

function errorsOf(schema: JsonSchema, value: unknown): unknown[] {
  const [, errors] = Compile(schema).Errors(value);
  return errors.map(({ instancePath, keyword }) => `${instancePath} ${keyword}`);
}

describe.each(DIALECTS.map((dialect) => [dialect.name, dialect] as const))("the schema of %s", (name, dialect) => {
  const { accepts = [] } = FIXTURES[name as DialectName];

  test("is plain JSON", () => {
    expect(JSON.parse(JSON.stringify(dialect.schema))).toEqual(dialect.schema);
  });

  test.each(accepts.map(({ label, document }) => [label, document] as const))("accepts %s", (_, document) => {
    expect(errorsOf(dialect.schema, described(dialect, document))).toEqual([]);
  });

  test.each(sampleOutcomes.map(({ label, outcome }) => [label, outcome] as const))(
    "accepts what is written for %s",
    (_, outcome) => {
      const { wire } = dialect.write(outcome);
      expect(errorsOf(dialect.schema, described(dialect, JSON.parse(JSON.stringify(wire))))).toEqual([]);
    },
  );

  test.each([[{}], ["text"], [null], [[]]])("refuses %j", (value) => {
    expect(errorsOf(dialect.schema, value)).not.toEqual([]);
  });
});
