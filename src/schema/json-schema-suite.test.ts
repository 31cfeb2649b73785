import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { unpackDebianPackage } from "../../test/debian-package.js";
import { type CompiledSchema, compile } from "./compile.js";
import type { AnySchema } from "./standard-schema.js";

/** The tests that fail, each with the reason. The list can only become shorter: one that passes has to leave it. */
const EXPECTED_FAILURES: Readonly<Record<string, string>> = {
  "vocabulary.json / schema that uses custom metaschema with with no validation vocabulary / no validation: invalid number, but it still validates":
    "a meta-schema cannot switch keywords off: a schema that says minimum means it",
};

interface Group {
  readonly description: string;
  readonly schema: AnySchema;
  readonly tests: readonly Case[];
}

interface Case {
  readonly description: string;
  readonly data: unknown;
  readonly valid: boolean;
}

const unpacked = unpackDebianPackage("libtest-json-schema-acceptance-perl");

if (typeof unpacked === "string") {
  const share = join(unpacked, "usr/share/perl5/auto/share/dist/Test-JSON-Schema-Acceptance");
  const files = readGroups(join(share, "tests/draft2020-12"));
  const documents = { ...readRemotes(join(share, "remotes")), ...readMetaSchemas() };

  describe.each([
    ["generated", true],
    ["walked", false],
  ])("the official suite of draft 2020-12, %s", (_, generate) => {
    for (const { file, groups } of files) {
      describe(file, () => {
        for (const group of groups) {
          test(group.description, () => {
            const compiled = compile(group.schema, { documents, generate });
            const wrong = group.tests.filter((one) => !answersRightly(compiled, one));
            const listed = group.tests.filter((one) => Object.hasOwn(EXPECTED_FAILURES, titleOf(file, group, one)));
            expect(wrong.map((one) => titleOf(file, group, one))).toEqual(
              listed.map((one) => titleOf(file, group, one)),
            );
          });
        }
      });
    }
  });

  describe("the list of expected failures", () => {
    test("names tests of the suite only", () => {
      const titles = files.flatMap(({ file, groups }) =>
        groups.flatMap((group) => group.tests.map((one) => titleOf(file, group, one))),
      );
      expect(Object.keys(EXPECTED_FAILURES).filter((title) => !titles.includes(title))).toEqual([]);
    });
  });
} else {
  // Where everything has to run, a suite that cannot is a failure.
  test.skipIf(process.env["CI"] === undefined)(`the official suite runs (${unpacked.reason})`, () => {
    expect.fail(unpacked.reason);
  });
}

function titleOf(file: string, group: Group, one: Case): string {
  return `${file} / ${group.description} / ${one.description}`;
}

/** There are issues exactly where the check fails. */
function answersRightly(compiled: CompiledSchema, { data, valid }: Case): boolean {
  return compiled.accepts(data) === valid && (compiled.issues(data).length === 0) === valid;
}

function readGroups(folder: string): { readonly file: string; readonly groups: readonly Group[] }[] {
  const files = readdirSync(folder).filter((file) => file.endsWith(".json"));
  return files.sort().map((file) => ({ file, groups: readJson(join(folder, file)) as Group[] }));
}

/** The suite wants each file at the address where its own server would give it. */
function readRemotes(folder: string): Record<string, unknown> {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".json"));
  return Object.fromEntries(files.map((file) => [`http://localhost:1234/${file}`, readJson(join(folder, file))]));
}

/** Those of ajv, because the suite expects that every implementation knows them. */
function readMetaSchemas(): Record<string, unknown> {
  const folder = join(createRequire(import.meta.url).resolve("ajv"), "../refs/json-schema-2020-12");
  const names = ["core", "applicator", "unevaluated", "validation", "meta-data", "format-annotation", "content"];
  const files = ["schema", ...names.map((name) => `meta/${name}`)];
  const address = "https://json-schema.org/draft/2020-12";
  return Object.fromEntries(files.map((file) => [`${address}/${file}`, readJson(join(folder, `${file}.json`))]));
}

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(file, "utf8"));
}
