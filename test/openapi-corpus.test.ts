import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { isRecord } from "../src/json/value.js";
import type { AnyOperation } from "../src/registry/operation-map.js";
import { OperationRegistry } from "../src/registry/registry.js";
import { mountSource } from "../src/registry/source.js";
import { compile } from "../src/schema/compile.js";
import { openapiSource } from "../src/sources/openapi/index.js";
import { describeWith } from "./describe-with.js";
import { installNpmFolder } from "./npm-folder.js";
import { corpus, type DocumentFile, documentsIn, routesIn } from "./openapi-documents.js";

/** Of so many operations of a document all schemas are compiled; of larger ones, of as many that stand evenly in it. */
const MOST_COMPILED = 40;

interface Row {
  readonly document: string;
  readonly version: string;
  readonly routes: number;
  readonly operations: number;
  /** Of the document as a whole, and of its operations. */
  readonly warnings: number;
  /** Parts of schemas that accept anything. */
  readonly unsupported: number;
  readonly importMs: number;
  readonly operationMs: number;
}

const rows: Row[] = [];

describe("the documents beside the project", () => {
  const known = documentsIn(corpus);
  const title = known.length > 0 ? "are there" : `are not there: no folder ${corpus}; PLICO_CORPUS may name another`;
  test.skipIf(known.length === 0)(title, () => expect(known).not.toHaveLength(0));
  importEach(known);
});

for (const folder of ["openapi-documents", "openapi-github"]) {
  describeWith(`the documents of test/npm/${folder}`, installNpmFolder(folder), (installed) => {
    // GitHub's other products have nearly the same, and each once more without references.
    importEach(documentsIn(join(installed, "node_modules"), (name) => !/ghe[cs]|\.deref\.|tsconfig/.test(name)));
  });
}

afterAll(() => {
  const sum = (name: "routes" | "operations" | "warnings" | "unsupported" | "importMs" | "operationMs"): number =>
    rows.reduce((total, row) => total + row[name], 0);
  const total: Row = {
    document: `${rows.length} documents`,
    version: "",
    routes: sum("routes"),
    operations: sum("operations"),
    warnings: sum("warnings"),
    unsupported: sum("unsupported"),
    importMs: sum("importMs"),
    operationMs: sum("operationMs"),
  };
  console.log([...rows, total].map(line).join("\n"));
});

function importEach(documents: readonly DocumentFile[]): void {
  for (const document of documents) {
    test(`${document.name} loses no operation, and its schemas can be used`, () => assertImports(document));
  }
}

async function assertImports(document: DocumentFile): Promise<void> {
  const start = performance.now();
  const source = await openapiSource({ name: "api", file: document.file });
  const importMs = performance.now() - start;
  try {
    mountSource(new OperationRegistry(), source);
    const routes = routesIn(document);
    const { version, warnings } = source.health();
    const used = use(source.operations);
    expect(new Set(source.operations.map(routeOf))).toEqual(new Set(routes));
    rows.push({
      document: document.name,
      version,
      routes: routes.length,
      operations: source.operations.length,
      warnings: warnings.length + used.warnings,
      unsupported: used.unsupported,
      importMs,
      operationMs: used.milliseconds,
    });
  } finally {
    await source.close();
  }
}

function use(operations: readonly AnyOperation[]): { warnings: number; unsupported: number; milliseconds: number } {
  const step = Math.max(1, operations.length / MOST_COMPILED);
  const start = performance.now();
  let unsupported = 0;
  for (let at = 0; at < operations.length; at += step) unsupported += compileAll(operations[Math.floor(at)]);
  const milliseconds = performance.now() - start;
  const warnings = operations.flatMap((operation) => aboutOf(operation)["warnings"] ?? []).length;
  return { warnings, unsupported, milliseconds };
}

/** How many parts of its schemas cannot be used. A value is checked, because only then the check is made. */
function compileAll(operation: AnyOperation | undefined): number {
  const schemas = operation === undefined ? [] : [operation.spec.inputSchema, operation.spec.outputSchema];
  const compiled = schemas.map((schema) => compile(schema));
  for (const schema of compiled) schema.normalise({});
  return compiled.reduce((sum, { warnings }) => sum + warnings.length, 0);
}

function routeOf(operation: AnyOperation): string {
  const { method, path } = aboutOf(operation);
  return `${method} ${path}`;
}

function aboutOf({ spec }: AnyOperation): Readonly<Record<string, unknown>> {
  const about = spec._meta?.["plico/openapi"];
  return isRecord(about) ? about : {};
}

function line({ document, version, ...row }: Row): string {
  const { routes, operations, warnings, unsupported, importMs, operationMs } = row;
  const name = document.replace(/^.*node_modules\//, "").padEnd(66);
  return [
    `${name} ${version.padEnd(4)}`,
    `${routes} paths and methods, ${operations} operations`.padEnd(42),
    `${warnings} warnings, ${unsupported} unsupported`.padEnd(30),
    `${importMs.toFixed(0)} ms + ${operationMs.toFixed(0)} ms`,
  ].join(" ");
}
