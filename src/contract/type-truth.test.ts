import fc from "fast-check";
import { expect, test } from "vitest";
import { schemasWithValues } from "../../test/schema-arbitrary.js";
import { isRecord } from "../json/value.js";
import { compile } from "../schema/compile.js";
import { compileFiles } from "./fixtures/compile-files.js";
import { typeText } from "./type-text.js";

const SCHEMAS = 250;

/** Every object has something of these names for TypeScript, also where JSON has not. */
const INHERITED = /__proto__|toString|constructor/;

/** An object with none of the fields that may be left out fits, and TypeScript takes it for a mistake all the same. */
const NOTHING_IN_COMMON = /has no properties in common/;

test("every value that a schema accepts is assignable to its type", () => {
  const samples = fc.sample(schemasWithValues({ beyondJson: false }), { numRuns: SCHEMAS });
  const usable = samples.filter((sample) => !INHERITED.test(JSON.stringify(sample)));
  const texts = usable.map(({ schema, values }, at) => assignments(meant(schema), values, at));
  const counted = texts.join("").split("fits<").length - 2;
  expect(counted).toBeGreaterThan(SCHEMAS / 2);
  const text = ["declare function fits<T>(): <V extends T>(value: V) => void;", ...texts, "export {};"].join("\n");
  const errors = compileFiles({ "truth.mts": text }, { noUnusedLocals: false, isolatedDeclarations: false });
  expect(errors.filter((error) => !NOTHING_IN_COMMON.test(error))).toEqual([]);
});

function assignments(schema: unknown, values: readonly unknown[], at: number): string {
  const { accepts } = accepting(schema);
  const [type = "", ...definitions] = typeText(schema, { docs: false }).split("\n\n");
  const calls = values.filter(accepts).map((value) => `fits<Type${at}>()(${JSON.stringify(value)});`);
  const body = [...definitions, `type Type${at} = ${type};`, ...calls].join("\n");
  return `{\n${body}\n}`;
}

function accepting(schema: unknown): { accepts: (value: unknown) => boolean } {
  const compiled = compile(schema as object, { generate: false });
  return { accepts: (value) => compiled.accepts(value) };
}

const OF_OBJECTS = ["properties", "required", "additionalProperties", "patternProperties"];
const OF_LISTS = ["items", "prefixItems"];

/** A schema that leaves out its type is taken to mean one; here it says so. */
function meant(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(meant);
  if (!isRecord(schema)) return schema;
  const has = (words: readonly string[]): boolean => words.some((word) => Object.hasOwn(schema, word));
  const type = has(OF_OBJECTS) === has(OF_LISTS) ? [] : [["type", has(OF_OBJECTS) ? "object" : "array"]];
  const said = Object.hasOwn(schema, "type") ? [] : type;
  return Object.fromEntries([...Object.entries(schema).map(([word, value]) => [word, meant(value)]), ...said]);
}
