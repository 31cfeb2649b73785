import { fileURLToPath } from "node:url";
import ts from "typescript";
import { beforeAll, describe, expect, test } from "vitest";

const OPERATIONS = 250;

/** Instantiations, not seconds: the same on every machine. Without any operation there are about 30,000. */
const BUDGET = 1_700_000;

const root = fileURLToPath(new URL("..", import.meta.url));

interface Schemas {
  readonly imports: string;
  readonly input: string;
  readonly output: string;
}

const jsonSchema: Schemas = {
  imports: "",
  input: `{
    type: "object",
    properties: {
      id: { type: "string" }, count: { type: "number" }, tags: { type: "array", items: { type: "string" } },
      where: { type: "object", properties: { a: { type: "number" }, b: { type: "string" } }, required: ["a", "b"] },
    },
    required: ["id", "count", "where"],
  }`,
  output: `{
    type: "object",
    properties: {
      total: { type: "number" },
      rows: {
        type: "array",
        items: { type: "object", properties: { x: { type: "number" }, y: { type: "string" } }, required: ["x", "y"] },
      },
    },
    required: ["total", "rows"],
  }`,
};

const typeBox: Schemas = {
  imports: `import Type from "typebox";`,
  input: `Type.Object({
    id: Type.String(), count: Type.Number(), tags: Type.Optional(Type.Array(Type.String())),
    where: Type.Object({ a: Type.Number(), b: Type.String() }),
  })`,
  output:
    "Type.Object({ total: Type.Number(), rows: Type.Array(Type.Object({ x: Type.Number(), y: Type.String() })) })",
};

const SCHEMAS: Readonly<Record<string, Schemas>> = { "JSON Schema": jsonSchema, TypeBox: typeBox };

describe(`a registry of ${OPERATIONS} operations, each called in three ways`, () => {
  const numbers = Array.from({ length: OPERATIONS }, (_, at) => at);
  const samples = new Map(Object.entries(SCHEMAS).map(([of, schemas]) => [fileOf(of), sourceOf(numbers, schemas)]));
  let program: ts.Program;
  beforeAll(() => {
    program = programOf(samples);
  }, 60_000);

  test.each(Object.keys(SCHEMAS))("type-checks within its budget with schemas of %s", { timeout: 120_000 }, (of) => {
    const report = typeCheck(program, fileOf(of));
    expect(report.errors).toEqual([]);
    expect(report.instantiations).toBeLessThan(BUDGET);
    expect(report.instantiations).toBeGreaterThan(OPERATIONS * 100);
  });
});

/** In the repository, where TypeBox is found; it is never written. */
function fileOf(schemas: string): string {
  return `${root}test/types-budget-${schemas.replace(" ", "-")}.ts`;
}

function sourceOf(numbers: readonly number[], { imports, input, output }: Schemas): string {
  const idOf = (at: number) => `ns${at % 20}.op${at}`;
  const value = `{ id: "", count: 1, where: { a: 1, b: "" } }`;
  return [
    `import { buildEnv, client, defineOperation, type HandlerContext, OperationRegistry } from "../src/index.js";`,
    imports,
    ...numbers.map(
      (at) => `const op${at} = defineOperation({
        namespace: "ns${at % 20}", name: "op${at}", version: "1.0.0", type: "query", description: "",
        inputSchema: ${input}, outputSchema: ${output},
        handler: ({ count }) => ({ total: count, rows: [{ x: count, y: "" }] }),
      });`,
    ),
    `const registry = new OperationRegistry().registerAll([${numbers.map((at) => `op${at}`).join(", ")}]);`,
    "const called = client(registry);",
    "declare const context: HandlerContext;",
    "const env = buildEnv({ registry, context });",
    ...numbers.map(
      (
        at,
      ) => `export const r${at}: Promise<number> = registry.execute("${idOf(at)}", ${value}).then(({ data }) => data.total);
      export const e${at}: Promise<number> = env.${idOf(at)}(${value}).then(({ data }) => data.rows[0]?.x ?? 0);
      export const c${at}: Promise<number> = called.${idOf(at)}(${value}).then(({ total }) => total);`,
    ),
    "// @ts-expect-error there is no such operation",
    `registry.execute("ns1.op0", ${value});`,
    "// @ts-expect-error a field is missing",
    `registry.execute("ns1.op1", { id: "" });`,
  ].join("\n");
}

function compilerOptions(): ts.CompilerOptions {
  const { config } = ts.readConfigFile(`${root}tsconfig.json`, ts.sys.readFile);
  const own = { isolatedDeclarations: false, declaration: false };
  return ts.parseJsonConfigFileContent({ ...config, include: [] }, ts.sys, root, own).options;
}

/** One program for all: what they share is read and bound once. */
function programOf(samples: ReadonlyMap<string, string>): ts.Program {
  const options = compilerOptions();
  const host = ts.createCompilerHost(options);
  return ts.createProgram([...samples.keys()], options, {
    ...host,
    fileExists: (name) => samples.has(name) || host.fileExists(name),
    getSourceFile(name, version) {
      const sample = samples.get(name);
      return sample === undefined ? host.getSourceFile(name, version) : ts.createSourceFile(name, sample, version);
    },
  });
}

/** Only the file itself is checked: whether all of `src` is sound is found elsewhere. */
function typeCheck(program: ts.Program, file: string): { errors: string[]; instantiations: number } {
  const before = program.getInstantiationCount();
  const checked = program.getSourceFile(file) ?? expect.fail("there is no such file");
  const found = [...program.getSyntacticDiagnostics(checked), ...program.getSemanticDiagnostics(checked)];
  return {
    errors: [...program.getGlobalDiagnostics(), ...found].map(({ messageText }) =>
      ts.flattenDiagnosticMessageText(messageText, "\n"),
    ),
    instantiations: program.getInstantiationCount() - before,
  };
}
