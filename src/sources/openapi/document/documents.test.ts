import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import { isCallError } from "../../../envelope/call-error.js";
import type { JsonSchema } from "../../../json/json-schema.js";
import { isRecord, isString } from "../../../json/value.js";
import { compile } from "../../../schema/compile.js";
import { layOutInput } from "../schemas/lay-out-input.js";
import { planAnswers } from "../schemas/plan-answers.js";
import { ApiDocument } from "./api-document.js";
import { describeOperation } from "./describe-operation.js";
import { indexOperations } from "./index-operations.js";
import { loadDocument } from "./load-document.js";

const corpus = process.env["PLICO_CORPUS"] ?? fileURLToPath(new URL("../../../../../shared/corpus", import.meta.url));
const folder = join(corpus, "openapi");
const found = existsSync(folder);

/** How many operations each document has, where a table beside them says so. */
const counts = new Map(
  (existsSync(join(corpus, "README.md")) ? readFileSync(join(corpus, "README.md"), "utf8") : "")
    .split("\n")
    .map((line) => line.split("|").map((cell) => cell.trim()))
    .filter(([, file = "", , , count = ""]) => /\.(json|yaml)$/.test(file) && /^\d+$/.test(count))
    .map(([, file = "", , , count]) => [file, Number(count)]),
);

/** To compile all schemas of the largest ones would take longer than all the rest. */
const MOST_COMPILED = 40;

describe("real documents", () => {
  const title = found
    ? "are there"
    : `are skipped, because there is no folder ${folder}; PLICO_CORPUS may name another`;
  test.skipIf(!found)(title, () => expect(readdirSync(folder).length).toBeGreaterThan(0));

  const report: string[] = [];
  afterAll(() => console.info(report.join("\n")));

  const files = found ? readdirSync(folder, { recursive: true, encoding: "utf8" }).sort() : [];
  for (const file of files.filter((name) => /\.(json|ya?ml)$/.test(name))) {
    test(`${file}: every operation can be planned`, async () => {
      const document = await documentAt(join(folder, file));
      // A part of another document is none itself.
      if (document === undefined) return expect(counts.has(file)).toBe(false);
      const { operations, warnings } = indexOperations(document);
      expect(operations.length).toBe(counts.get(file) ?? operations.length);
      expect(new Set(operations.map(({ name }) => name)).size).toBe(operations.length);
      const all = [...document.warnings, ...warnings];
      const step = Math.ceil(operations.length / MOST_COMPILED);
      for (const [at, operation] of operations.entries()) {
        const description = describeOperation(document, operation);
        const input = layOutInput(document, operation, description);
        const answers = planAnswers(document, description);
        all.push(...description.warnings, ...input.warnings, ...answers.warnings);
        for (const schema of [input.schema, answers.outputSchema]) {
          expect(danglingIn(schema)).toEqual([]);
          if (at % step === 0) all.push(...compile(schema).warnings);
        }
        expect(wrongKeys(input.schema, input.plan)).toEqual([]);
      }
      report.push(`${file}: OpenAPI ${document.version}, ${operations.length} operations, ${all.length} warnings`);
    });
  }
});

async function documentAt(file: string): Promise<ApiDocument | undefined> {
  try {
    return new ApiDocument(await loadDocument({ file }, { maxBytes: 64 * 1024 * 1024 }));
  } catch (thrown) {
    if (isCallError(thrown) && thrown.code === "INVALID_DOCUMENT") return undefined;
    throw thrown;
  }
}

/** References that do not lead to the schema's own definitions. */
function danglingIn(schema: JsonSchema): string[] {
  if (typeof schema === "boolean") return [];
  const { $defs = {}, ...root } = schema;
  const definitions = $defs as Record<string, object>;
  const all = [referencesIn(root), ...Object.values(definitions).map(knownReferences)].flat();
  return all.filter((reference) => !Object.hasOwn(definitions, reference.slice("#/$defs/".length)));
}

const known = new WeakMap<object, readonly string[]>();

/** Definitions are shared by many operations. */
function knownReferences(definition: object): readonly string[] {
  const references = known.get(definition) ?? referencesIn(definition);
  known.set(definition, references);
  return references;
}

function referencesIn(value: unknown, isNames = false): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => referencesIn(item));
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([word, inner]) => {
    if (isNames) return referencesIn(inner);
    if (word === "$ref") return isString(inner) ? [inner] : ["no text"];
    return DATA.has(word) ? [] : referencesIn(inner, word === "properties" || word === "patternProperties");
  });
}

const DATA = new Set(["const", "enum", "default", "examples", "required"]);

/** What is planned but not in the schema, or the other way round. */
function wrongKeys(schema: JsonSchema, { parameters, body }: ReturnType<typeof layOutInput>["plan"]): string[] {
  const properties = Object.keys((schema as { readonly properties: object }).properties);
  const ofBody = body?.wholeKey === undefined ? (body?.fields ?? []).map(({ key }) => key) : [body.wholeKey];
  const planned = [...parameters.map(({ key }) => key), ...ofBody];
  const both = new Set(planned.filter((key) => properties.includes(key)));
  return [...new Set([...planned, ...properties])].filter((key) => !both.has(key));
}
