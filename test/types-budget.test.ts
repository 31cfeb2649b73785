import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";

const OPERATIONS = 300;

/** Instantiations, not seconds: the same on every machine. Without any operation there are about 30,000. */
const BUDGET = 2_000_000;

const root = fileURLToPath(new URL("..", import.meta.url));
// Inside the repository, where `plico` and TypeBox are found.
const folder = `${root}.tools/types-budget-${process.pid}`;

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe(`a registry of ${OPERATIONS} operations, each called in three ways`, () => {
  test.each([
    ["JSON Schema", jsonSchema],
    ["TypeBox", typeBox],
  ])("type-checks within its budget with schemas of %s", { timeout: 120_000 }, (name, schemas) => {
    const numbers = Array.from({ length: OPERATIONS }, (_, at) => at);
    const report = typeCheck(name.replaceAll(/\W/g, ""), sourceOf(numbers, schemas));
    expect(report.errors).toEqual([]);
    expect(report.instantiations).toBeLessThan(BUDGET);
    expect(report.instantiations).toBeGreaterThan(OPERATIONS * 100);
  });
});

interface Schemas {
  readonly imports: string;
  readonly input: string;
  readonly output: string;
}

function sourceOf(numbers: readonly number[], { imports, input, output }: Schemas): string {
  const idOf = (at: number) => `ns${at % 20}.op${at}`;
  const value = `{ id: "", count: 1, where: { a: 1, b: "" } }`;
  return [
    `import { buildEnv, client, defineOperation, type HandlerContext, OperationRegistry } from "${root}src/index.js";`,
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

function typeCheck(name: string, source: string): { errors: string[]; instantiations: number } {
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}/${name}.ts`, source);
  const config = {
    extends: `${root}tsconfig.json`,
    compilerOptions: { isolatedDeclarations: false, declaration: false },
    include: [`${folder}/${name}.ts`],
  };
  writeFileSync(`${folder}/${name}.json`, JSON.stringify(config));
  const output = run(["node_modules/typescript/bin/tsc", "-p", `${folder}/${name}.json`, "--extendedDiagnostics"]);
  return {
    errors: output.split("\n").filter((line) => line.includes("error TS")),
    instantiations: Number(/Instantiations:\s+(\d+)/.exec(output)?.[1]),
  };
}

/** What the compiler says, also when it finds errors. */
function run(argv: readonly string[]): string {
  try {
    return execFileSync(process.execPath, argv, { cwd: root, encoding: "utf8" });
  } catch (thrown) {
    return String((thrown as { stdout?: unknown }).stdout);
  }
}
